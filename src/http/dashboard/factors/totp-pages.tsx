import { base32 } from "../../../access/factors/base32.ts";
import type { Totp } from "../../../access/factors/factor.ts";
import { QrCode } from "../access/parts.tsx";
import type { Page } from "../page.tsx";
import { Facts } from "../parts/card.tsx";
import { AskingButton } from "../parts/danger.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonForm, ButtonLink, CopyButton, Form } from "../parts/link.tsx";
import { Fault, Notice } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { PasskeySignIn } from "./passkeys.tsx";
import { SignInAgain } from "./passkeys.tsx";
import { addressOf } from "../view.ts";

const TITLE = "Authenticator app";

const BACK = { to: "/me", label: "You" };

/** A visit of a page: whether its user must have a factor and has none, and the path of the page to go on to, or "". */
export type Visit = { isUnready: boolean; next: string };

/** The path of the page that sets the app up, and leads on to another. */
export function setUpPath(next: string): string {
  return addressOf({ root: "" }, "/me/totp", { next });
}

/** A user who must have a factor sees nothing else, and has no way back. */
function frameOf(isUnready: boolean): Pick<Page, "title" | "section" | "back" | "actions" | "hasPasskeys"> {
  if (!isUnready) return { title: TITLE, section: "me", back: BACK, hasPasskeys: true };
  const signOut = (
    <ButtonForm to="/sign-out" icon="logOut">
      Sign out
    </ButtonForm>
  );
  return { title: TITLE, section: null, actions: signOut };
}

/** Shows a new key, and asks for a code of it. */
export function setUpPage({
  key,
  url,
  visit: { isUnready, next },
  fault,
}: {
  key: Uint8Array;
  url: string;
  visit: Visit;
  fault: string | undefined;
}): Page {
  const words = base32(key).toUpperCase().match(/.{4}/g)!.join(" ");
  return {
    ...frameOf(isUnready),
    isSecret: true,
    content: (
      <div class="stack narrow">
        {isUnready && (
          <Notice title="You need a second factor here.">
            <p>
              Set up an authenticator app to go on. After that, each sign-in by password or link asks for a
              code.
            </p>
          </Notice>
        )}
        <p>
          Scan the code with an authenticator app, or <a href={url}>open it in an app on this device</a>. Then
          type the six digits that the app shows.
        </p>
        <QrCode text={url} label="QR code of the key for the app" />
        <details>
          <summary>The key as text</summary>
          <pre id="key" tabindex={0}>
            {words}
          </pre>
          <pre id="address" tabindex={0}>
            {url}
          </pre>
        </details>
        <Form to={setUpPath(next)} class="stack">
          <TextField
            name="code"
            label="Code"
            autocomplete="one-time-code"
            maxlength={20}
            error={fault}
            required
          />
          <div class="buttons">
            <Button kind="primary">Set up the app</Button>
          </div>
        </Form>
      </div>
    ),
  };
}

/** The recovery codes, this one time. */
export function codesPage(
  codes: readonly string[],
  what: "set up" | "renewed",
  { isUnready, next }: Visit = { isUnready: false, next: "" },
): Page {
  return {
    ...frameOf(isUnready),
    title: "Recovery codes",
    isSecret: true,
    content: (
      <div class="stack narrow">
        <Notice
          tone="good"
          title={what === "set up" ? "The authenticator app is set up." : "The earlier codes no longer work."}
        >
          <p>Every other session of yours has ended.</p>
        </Notice>
        <p>
          Each of these codes signs you in once in place of one from the app. Keep them where you find them
          without your device. They are shown this one time.
        </p>
        <pre id="codes" tabindex={0}>
          {codes.join("\n")}
        </pre>
        <div class="buttons">
          <CopyButton of="#codes" />
          <ButtonLink to={next || (isUnready ? "/" : "/me")} kind="primary">
            I have kept them
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

/** The app that is set up, and how to change that. */
export function presentPage({ createdAt, recoveryCodes }: Totp, isFresh: boolean, fault?: string): Page {
  return {
    ...frameOf(false),
    content: (
      <div class="stack narrow">
        <Fault message={fault} />
        <Facts
          class="row"
          facts={[
            ["Set up", <Time at={createdAt} />],
            ["Recovery codes left", String(recoveryCodes)],
          ]}
        />
        {isFresh ? (
          <div class="actions">
            <AskingButton
              to="/me/totp/codes"
              question="The codes that you have no longer work, and every other session of yours ends."
              confirm="Make new recovery codes"
            >
              New recovery codes…
            </AskingButton>
            <AskingButton
              to="/me/totp/remove"
              question="The app and the recovery codes no longer work, and every other session of yours ends."
              confirm="Remove the authenticator app"
            >
              Remove…
            </AskingButton>
          </div>
        ) : (
          <SignInAgain to="/me/totp" />
        )}
      </div>
    ),
  };
}

/** The page of a user who must have a second factor, and has a passkey that was not used. */
export function passkeyPage({ next }: Visit): Page {
  return {
    ...frameOf(true),
    title: "Passkey",
    hasPasskeys: true,
    content: (
      <div class="stack narrow">
        <Notice title="You need your passkey here.">
          <p>
            A password or a link alone is not enough. Without your passkey, ask an administrator to remove it.
          </p>
        </Notice>
        <PasskeySignIn next={next} />
      </div>
    ),
  };
}

/** The page for a sign-in that is too long ago. */
export function signInAgainPage({ isUnready, next }: Visit): Page {
  return {
    ...frameOf(isUnready),
    content: (
      <div class="stack narrow">
        <SignInAgain to={setUpPath(next)} />
      </div>
    ),
  };
}
