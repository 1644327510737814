import { SCOPES_OF } from "../../../access/role.ts";
import { PASSWORD_LIMITS } from "../../../access/limits.ts";
import { type Session, beganByLink } from "../../../access/session.ts";
import type { User } from "../../../access/user.ts";
import { sentence } from "../error-page.tsx";
import type { Page } from "../page.tsx";
import { CheckField, SelectField, TextField } from "../parts/field.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";
import { Facts } from "../parts/table.tsx";
import { useView } from "../view.ts";
import { SessionTable } from "./session-table.tsx";

type Shown = {
  user: User;
  sessions: readonly Session[];
  current: Session;
  /** Whether a link has just signed the user in. */
  isNew: boolean;
  failed?: { form: "password" | "settings"; message: string } | undefined;
};

const SHORTCUTS = [
  ["/", "Search"],
  ["j, k", "Next, previous submission"],
  ["e", "Archive"],
  ["s", "Spam"],
] as const;

/** The page of the person who is signed in. */
export function mePage({ user, sessions, current, isNew, failed }: Shown): Page {
  return {
    title: `Your account, ${user.name}`,
    heading: user.name,
    section: "me",
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
              {user.hasPassword
                ? "Set a new password here if you forgot the old one."
                : "Set a password to sign in without a link next time."}
            </p>
          </Notice>
        )}
        <Facts
          class="row"
          facts={[
            ["Role", user.role],
            ["Scopes", SCOPES_OF[user.role].join(", ")],
          ]}
        />
        <div class="columns">
          <PasswordForm
            user={user}
            current={current}
            error={failed?.form === "password" ? failed.message : null}
          />
          <SettingsForm user={user} error={failed?.form === "settings" ? failed.message : null} />
        </div>
        <section class="stack" aria-labelledby="sessions">
          <h2 id="sessions">Signed-in browsers</h2>
          <SessionTable sessions={sessions} current={current} from="me" />
        </section>
      </>
    ),
  };
}

function PasswordForm({ user, current, error }: { user: User; current: Session; error: string | null }) {
  const isByLink = beganByLink(current, useView().now);
  return (
    <Form to="/me/password" class="card" id="password" label="Password">
      <h2>Password</h2>
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
        error={error && sentence(error)}
        required
      />
      <div class="buttons">
        <Button kind="primary">Save the password</Button>
      </div>
    </Form>
  );
}

function SettingsForm({ user: { settings }, error }: { user: User; error: string | null }) {
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    <Form to="/me/settings" class="card" id="settings" label="Settings">
      <h2>Settings</h2>
      {error && (
        <Notice tone="bad">
          <p>{sentence(error)}</p>
        </Notice>
      )}
      <SelectField
        name="timeZone"
        label="Time zone"
        value={settings.timeZone ?? ""}
        options={[
          { value: "", label: "That of the browser" },
          ...["UTC", ...zones.filter((zone) => zone !== "UTC")].map((zone) => ({ value: zone, label: zone })),
        ]}
      />
      <CheckField name="shortcuts" label="Shortcuts of a single key" checked={settings.shortcuts} />
      <Facts facts={SHORTCUTS} />
      <div class="buttons">
        <Button kind="primary">Save the settings</Button>
      </div>
    </Form>
  );
}
