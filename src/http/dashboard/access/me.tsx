import type { Passkey } from "../../../access/factors/factor.ts";
import { PASSWORD_LIMITS } from "../../../access/limits.ts";
import { ROLE_WORDS } from "../../../access/role.ts";
import { type Session, beganByLink } from "../../../access/session.ts";
import type { Membership } from "../../../access/members/member.ts";
import type { User } from "../../../access/user.ts";
import { findUser, setPassword } from "../../../access/users.ts";
import type { OAuthGrant } from "../../../access/oauth/grant.ts";
import { listGrants } from "../../../access/oauth/grants.ts";
import { listSessions } from "../../../access/sessions.ts";
import { me } from "../../../operations/access/me.ts";
import { grants } from "../../../operations/access/grants.ts";
import { sessions } from "../../../operations/access/sessions.ts";
import { passwordsOff } from "./sign-in.tsx";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { sentence } from "../../../base/shapes/words.ts";
import { type Fields, textOf, textOrNull } from "../fields.ts";
import type { Page } from "../page.tsx";
import { submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { A, Button, ButtonForm, Form } from "../parts/link.tsx";
import { Badge, Fault, Notice } from "../parts/status.tsx";
import { Fold } from "../parts/fold.tsx";
import { useView } from "../view.ts";
import { FactorFolds } from "../factors/passkeys.tsx";
import { Assistants, shownGrants } from "./grants.tsx";
import { IdentityFold } from "./identity.tsx";
import { SessionTable, membershipText, userPath } from "./parts.tsx";

type Shown = {
  user: User;
  memberships: readonly Membership[];
  sessions: readonly Session[];
  /** As {@link shownGrants} returns them. */
  grants: readonly OAuthGrant[] | null;
  passkeys: readonly Passkey[];
  current: Session;
  /** Whether a link has just signed the user in. */
  isNew: boolean;
  /** Whether passwords sign in. */
  passwords: boolean;
  /** The account at the OpenID provider; null without a provider. */
  account: Parameters<typeof IdentityFold>[0] | null;
  failed?: { form: "password" | "settings"; fault: string } | undefined;
};

const REFUSED = { invalid: "form", conflict: "form", unauthenticated: "form" };

export function meRoutes({ app, options: { passwords, oidc, assistants }, get, post, perform }: Dashboard) {
  const show = async (c: DashboardContext, failed?: Shown["failed"]) => {
    const { user: found, session: current, memberships } = c.get("session")!.signedIn;
    const [user, sessions, grants, passkeys, identity] = await Promise.all([
      findUser(app, found.name),
      listSessions(app, c.get("caller"), found.name),
      listGrants(app, c.get("caller"), found.name),
      app.store.factors.passkeys(found.name),
      oidc && app.store.identities.ofUser(found.name),
    ]);
    const isNew = c.req.query("welcome") !== undefined;
    const account = oidc && { name: oidc.rules.name, identity: identity ?? null };
    const shown = { user, memberships, sessions, grants: shownGrants(grants, assistants), passkeys, current };
    return mePage({ ...shown, isNew, failed, passwords, account });
  };
  const again =
    (c: DashboardContext, form: "password" | "settings") =>
    async ({ form: fault = "" }): Promise<Page> => ({ ...(await show(c, { form, fault })), status: 400 });

  get("/me", null, (c) => show(c));
  post(
    "/me/password",
    null,
    async (c, fields) => {
      if (!passwords) throw passwordsOff();
      const { user, session } = c.get("session")!.signedIn;
      const change = { current: textOf(fields, "current") || null, next: textOf(fields, "next") };
      return submit(
        async () => {
          await setPassword(app, c.get("caller"), user.name, change, session.id);
          return { to: "/me", text: "Saved the password. Every other session has ended." };
        },
        again(c, "password"),
        REFUSED,
      );
    },
    MAX_SIGN_IN_BODY,
  );
  post("/me/settings", null, async (c, fields) => {
    const body = {
      timeZone: textOrNull(fields, "timeZone"),
      shortcuts: textOf(fields, "shortcuts") === "on",
      reviewMail: textOrNull(fields, "reviewMail"),
    };
    return submit(
      async () => {
        await perform(c, me.set, { body });
        return { to: "/me", text: "Saved your settings" };
      },
      again(c, "settings"),
      REFUSED,
    );
  });
  post("/me/sessions/:session", null, async (c, fields, names) => {
    await perform(c, sessions.end, { names });
    return { to: backFrom(fields), text: "Ended the session" };
  });
  post("/me/grants/:grant", null, async (c, fields, names) => {
    await perform(c, grants.revoke, { names });
    return { to: backFrom(fields), text: "Ended the assistant" };
  });
}

/** The page whose table a form stood in. */
function backFrom(fields: Fields): string {
  const [from, user] = [textOf(fields, "from"), textOf(fields, "user")];
  return from === "users" ? "/access/users" : from === "user" ? userPath(user) : "/me";
}

/** The page of the person who is signed in: what holds, and the fields behind it. */
function mePage({ passkeys, passwords, account, ...shown }: Shown): Page {
  const { user, memberships, sessions, grants, current, isNew, failed } = shown;
  return {
    title: `Your account, ${user.name}`,
    heading: user.name,
    section: "me",
    hasPasskeys: true,
    badges: user.role !== "none" && <Badge>{user.role}</Badge>,
    lead: [
      user.role === "none" ? "" : sentence(ROLE_WORDS[user.role]),
      ...memberships.map((each) => `In ${each.project}: ${membershipText(each)}.`),
    ].join(" "),
    actions: (
      <ButtonForm to="/sign-out" icon="logOut">
        Sign out
      </ButtonForm>
    ),
    content: (
      <>
        {isNew && (
          <Notice tone="good" title={`You are signed in as ${user.name}.`}>
            <p>
              {!passwords
                ? "The link was for this sign-in alone."
                : user.hasPassword
                  ? "Set a new password here if you forgot the old one."
                  : "Set a password to sign in without a link next time."}
            </p>
          </Notice>
        )}
        <div class="split two">
          <section class="card flush" aria-labelledby="factors">
            <div class="title">
              <h2 id="factors">How you sign in</h2>
            </div>
            <div class="rows">
              {passwords && (
                <PasswordFold
                  user={user}
                  current={current}
                  isOpen={isNew || !user.hasPassword}
                  error={failed?.form === "password" ? failed.fault : null}
                />
              )}
              <FactorFolds user={user} passkeys={passkeys} current={current} />
              {account && <IdentityFold {...account} />}
            </div>
          </section>
          <section class="card flush" aria-labelledby="settings-title">
            <div class="title">
              <h2 id="settings-title">Settings</h2>
              <A to="/keys" class="end">
                All keys
              </A>
            </div>
            <div class="rows">
              <SettingsFold user={user} error={failed?.form === "settings" ? failed.fault : null} />
            </div>
          </section>
        </div>
        <section class="stack" aria-labelledby="sessions">
          <h2 id="sessions">Where you are signed in</h2>
          <SessionTable sessions={sessions} current={current} from="me" />
        </section>
        {grants && <Assistants grants={grants} from="me" />}
      </>
    ),
  };
}

function PasswordFold({
  user,
  current,
  isOpen,
  error,
}: {
  user: User;
  current: Session;
  isOpen: boolean;
  error: string | null;
}) {
  const isByLink = beganByLink(current, useView().now);
  return (
    <Fold
      name="Password"
      sentence={user.hasPassword ? "set" : <span class="soft">none: a link signs you in</span>}
      act={user.hasPassword ? "Change" : "Set"}
      isOpen={isOpen || error !== null}
    >
      <Form to="/me/password" class="editor" id="password" label="Password">
        <input
          type="text"
          class="unseen"
          name="username"
          autocomplete="username"
          value={user.name}
          readonly
          tabindex={-1}
          aria-hidden="true"
        />
        {user.hasPassword && (
          <TextField
            name="current"
            label="Present password"
            hint={isByLink ? "Not needed right after a sign-in by link" : undefined}
            type="password"
            autocomplete="current-password"
          />
        )}
        <TextField
          name="next"
          label="New password"
          hint={`At least ${PASSWORD_LIMITS.leastCharacters} characters. It ends your sessions in other browsers.`}
          type="password"
          autocomplete="new-password"
          error={error}
          required
        />
        <div class="buttons">
          <Button kind="primary">Save the password</Button>
        </div>
      </Form>
    </Fold>
  );
}

function SettingsFold({ user: { settings }, error }: { user: User; error: string | null }) {
  const zones = Intl.supportedValuesOf("timeZone");
  const { timeZone } = useView();
  return (
    <Fold
      name="Times"
      sentence={`of ${timeZone}${settings.timeZone === null ? ", as this browser has it" : ""}; keys of one letter are ${settings.shortcuts ? "on" : "off"}; ${settings.reviewMail == null ? "no mail" : "mail"} about changes to approve`}
      isOpen={error !== null}
    >
      <Form to="/me/settings" class="editor" id="settings" label="Settings">
        <Fault message={error} />
        <SelectField
          name="timeZone"
          label="Time zone"
          value={settings.timeZone ?? ""}
          options={[
            { value: "", label: "That of the browser" },
            ...["UTC", ...zones.filter((zone) => zone !== "UTC")].map((zone) => ({
              value: zone,
              label: zone,
            })),
          ]}
        />
        <TextField
          name="reviewMail"
          label="Mail about changes to approve"
          hint="An address; empty for none"
          type="email"
          autocomplete="email"
          value={settings.reviewMail ?? ""}
        />
        <CheckField name="shortcuts" label="Shortcuts of a single key" checked={settings.shortcuts} />
        <div class="buttons">
          <Button>Save the settings</Button>
        </div>
      </Form>
    </Fold>
  );
}
