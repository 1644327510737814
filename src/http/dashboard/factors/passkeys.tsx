import { removePasskey, renamePasskey } from "../../../access/factors/passkeys.ts";
import { type Passkey, isFresh } from "../../../access/factors/factor.ts";
import { FACTOR_LIMITS } from "../../../access/limits.ts";
import type { Session } from "../../../access/session.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import { AskingButton } from "../parts/danger.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form, ButtonLink, ButtonForm } from "../parts/link.tsx";
import { Table } from "../parts/table.tsx";
import { Foreign } from "../parts/text.tsx";
import { Time } from "../parts/time.tsx";
import type { Dashboard } from "../routes.ts";
import { addressOf, useView } from "../view.ts";
import type { User } from "../../../access/user.ts";
import { Fold } from "../parts/fold.tsx";

/** The forms about a passkey, on the page "You". */
export function myPasskeyRoutes({ app, post }: Dashboard) {
  const selfOf = (c: DashboardContext) => {
    const { user, session } = c.get("session")!.signedIn;
    return { user: user.name, session: session.id };
  };
  post("/me/passkeys/:passkey/name", null, async (c, fields, { passkey }) => {
    const name = textOf(fields, "name");
    await renamePasskey(app, c.get("caller"), selfOf(c), { id: passkey, name });
    return { to: "/me", text: `Renamed the passkey to ${name.trim()}` };
  });
  post("/me/passkeys/:passkey/remove", null, async (c, _, { passkey }) => {
    await removePasskey(app, c.get("caller"), selfOf(c), passkey);
    return { to: "/me", text: "Removed the passkey. Every other session has ended." };
  });
}

const pathOf = ({ id }: Passkey) => `/me/passkeys/${id}`;

/** The passkeys of the user who is signed in, and how to add one. */
function Passkeys({ passkeys, current }: { passkeys: readonly Passkey[]; current: Session }) {
  const view = useView();
  const canChange = isFresh(current, view.now);
  return (
    <>
      {passkeys.length > 0 && (
        <Table
          caption="Passkeys"
          rows={passkeys}
          keyOf={({ id }) => `passkey-${id}`}
          columns={[
            { label: "Passkey", heading: true, cell: ({ name }) => <Foreign text={name} /> },
            { label: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
            { label: "Last used", cell: ({ usedAt }) => (usedAt === null ? "never" : <Time at={usedAt} />) },
            {
              label: "Actions",
              isLabelUnseen: true,
              cell: (passkey) => canChange && <PasskeyActions passkey={passkey} />,
            },
          ]}
        />
      )}
      {canChange ? (
        <form class="stack scripted-only" data-passkey="add" action={addressOf(view, "/me/passkeys")}>
          <TextField
            name="name"
            id="passkey-name"
            label="Name of a new passkey"
            hint="Such as the device or the password manager that keeps it"
            maxlength={FACTOR_LIMITS.passkeyName}
            required
          />
          <p class="error" role="alert" data-fault />
          <div class="buttons">
            <Button>Add a passkey</Button>
          </div>
        </form>
      ) : (
        <SignInAgain to="/me" />
      )}
    </>
  );
}

function PasskeyActions({ passkey }: { passkey: Passkey }) {
  const { id, name } = passkey;
  return (
    <div class="actions">
      <details>
        <summary>
          Rename…<span class="unseen"> {name}</span>
        </summary>
        <Form to={`${pathOf(passkey)}/name`} class="stack">
          <TextField
            name="name"
            id={`name-${id}`}
            label="Name"
            value={name}
            maxlength={FACTOR_LIMITS.passkeyName}
            required
          />
          <div class="buttons">
            <Button>Save the name</Button>
          </div>
        </Form>
      </details>
      <AskingButton
        to={`${pathOf(passkey)}/remove`}
        kind="quiet"
        label={`Remove the passkey ${name}`}
        question="It no longer signs you in, and every other session of yours ends. Your device keeps it until you remove it there."
        confirm="Remove the passkey"
      >
        Remove…
      </AskingButton>
    </div>
  );
}

/** A button that signs in by a passkey, for a browser with scripts. */
export function PasskeySignIn({ next }: { next: string }) {
  return (
    <form class="stack scripted-only" data-passkey="use" action={addressOf(useView(), "/sign-in/passkey")}>
      <input type="hidden" name="next" value={next} />
      <p class="error" role="alert" data-fault />
      <div class="buttons">
        <Button icon="key">Sign in with a passkey</Button>
      </div>
    </form>
  );
}

/** The second factors of the person who is signed in. */
export function FactorFolds({
  user: { secondFactors },
  passkeys,
  current,
}: {
  user: User;
  passkeys: readonly Passkey[];
  current: Session;
}) {
  const hasTotp = secondFactors.includes("totp");
  const none = <span class="soft">none</span>;
  return (
    <>
      <Fold
        name="Passkeys"
        sentence={passkeys.length > 0 ? <Foreign text={passkeys.map(({ name }) => name).join(", ")} /> : none}
        act={passkeys.length > 0 ? "Change" : "Add"}
      >
        <div class="editor">
          <p class="soft">A passkey signs you in without a password or a code.</p>
          <Passkeys passkeys={passkeys} current={current} />
        </div>
      </Fold>
      <Fold
        name="App"
        sentence={hasTotp ? "an authenticator app" : <span class="soft">no authenticator app</span>}
        act={hasTotp ? "Change" : "Set up"}
      >
        <div class="editor">
          <p class="soft">
            {hasTotp
              ? "A sign-in by password or link needs a code of your app, or one of your recovery codes."
              : "With an app on your phone, a password or a link alone no longer signs you in."}
          </p>
          <div class="buttons">
            <ButtonLink to="/me/totp">{hasTotp ? "Change…" : "Set up an authenticator app"}</ButtonLink>
          </div>
        </div>
      </Fold>
    </>
  );
}

/** A button that leads over a new sign-in back to a page. */
export function SignInAgain({ to }: { to: string }) {
  return (
    <>
      <p>A change of second factors takes a sign-in of the last {FACTOR_LIMITS.freshMinutes} minutes.</p>
      <div class="buttons">
        <ButtonForm to="/sign-out" values={{ next: to }}>
          Sign in again
        </ButtonForm>
      </div>
    </>
  );
}
