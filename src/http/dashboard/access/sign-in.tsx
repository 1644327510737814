import { Hono } from "hono/quick";
import { hasUsers } from "../../../access/sessions.ts";
import { type Entrance, signInByLink, signInByPassword } from "../../../access/sign-in.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_SIGN_IN_BODY, SIGN_IN_REFUSAL_MS } from "../../limits.ts";
import { DASHBOARD_PATH } from "../../paths.ts";
import type { App } from "../../../app.ts";
import type { DashboardContext, DashboardEnv, DashboardOptions } from "../dashboard-env.ts";
import { readFields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { TextField } from "../parts/field.tsx";
import { Button, Form } from "../parts/link.tsx";
import { Fault } from "../parts/status.tsx";
import { PasskeySignIn } from "../factors/passkeys.tsx";
import { type Dashboard, browserOf } from "../routes.ts";
import { addressOf } from "../view.ts";
import { clock } from "../../../base/clock.ts";

/** Pages for people who are not signed in yet. */
export function signInRoutes({ app, options, root, render, enter, cookies }: Dashboard) {
  const goOn = (c: DashboardContext, next: string) => c.redirect(`${root}${nextPath(next)}`, 303);
  const goIn = async (c: DashboardContext, entrance: Entrance, next: string) => {
    if ("begun" in entrance) {
      cookies.begun.set(c, entrance.begun);
      return c.redirect(addressOf({ root }, "/sign-in/code", { next: nextPath(next) }), 303);
    }
    await enter(c, entrance);
    return goOn(c, next);
  };

  return new Hono<DashboardEnv>()
    .get("/sign-in", async (c) => {
      const next = shortened(c.req.query("next") ?? "");
      if (c.get("session")) return goOn(c, next);
      const ways = await waysIn(app, options);
      const isFirst = ways.provider === null && !(await hasUsers(app));
      return render(c, isFirst ? FIRST_PAGE : signInPage({ ways, next }));
    })
    .post("/sign-in", async (c) => {
      const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      const [name, next] = [textOf(fields, "name").trim(), textOf(fields, "next")];
      if (!options.passwords) throw passwordsOff();
      try {
        const password = textOf(fields, "password");
        return await goIn(c, await signInByPassword(app, { name, password }, browserOf(c)), next);
      } catch (error) {
        const { message, status } = await refusalOf(c, error);
        const ways = await waysIn(app, options);
        return render(c, { ...signInPage({ ways, next, name, error: message }), status });
      }
    })
    .get("/link/:secret", async (c) => render(c, linkPage(c.req.param("secret"))))
    .post("/link/:secret", async (c) => {
      await readFields(c.req.raw, MAX_SIGN_IN_BODY);
      const entrance = await signInByLink(app, c.req.param("secret"), browserOf(c));
      return goIn(c, entrance, "user" in entrance && !entrance.user.hasPassword ? "/start" : "/me?welcome=1");
    });
}

/** The error for a password where none signs in. */
export function passwordsOff(): AppError {
  return new AppError("forbidden", "this server takes no passwords", { reason: "passwords-off" });
}

/** A path behind the dashboard's own, as addresses have it: in ASCII; anything else leads to its first page. */
export function nextPath(next: string): string {
  // Browsers take a dot for what it stands for, encoded too: it could lead out of the dashboard.
  const leaves = /\/(?:\.|%2e){1,2}(?:[/?#\\]|$)/i.test(next);
  return /^\/[^/\\]/.test(next) && /^[!-~]+$/.test(next) && !leaves ? next : "";
}

/** The page to go on to, which may take three times as much in the form; a longer one is left out. */
export function shortened(next: string): string {
  return next.length * 3 > MAX_SIGN_IN_BODY / 2 ? "" : next;
}

const FIRST_PAGE: Page = {
  title: "Sign in",
  section: null,
  isGate: true,
  heading: "Welcome to formflag",
  content: (
    <div class="stack narrow gate">
      <p>There are no users yet. On the machine that runs formflag, type</p>
      <pre tabindex={0}>formflag users link</pre>
      <p>
        and open the link that it prints, here or on a phone by its QR code. It signs you in as the first
        administrator.
      </p>
    </div>
  ),
};

/** The ways to sign in: passwords, passkeys, and an OpenID provider with the address where that begins. */
export type WaysIn = {
  passwords: boolean;
  passkeys: boolean;
  provider: { name: string; url: string } | null;
};

export async function waysIn(
  { store }: App,
  { passwords, oidc, dashboardUrl }: DashboardOptions,
): Promise<WaysIn> {
  const passkeys = await store.factors.hasPasskeys();
  if (oidc === null) return { passwords, passkeys, provider: null };
  // At the address to which the provider sends people back: only that one gets the cookie then.
  const url = `${dashboardUrl ?? ""}${DASHBOARD_PATH}/sign-in/oidc`;
  return { passwords, passkeys, provider: { name: oidc.rules.name, url } };
}

/** The page that asks for name and password, or leads to a provider. */
export function signInPage({
  ways: { passwords, passkeys, provider },
  next,
  name = "",
  error,
}: {
  ways: WaysIn;
  next: string;
  name?: string;
  error?: string;
}): Page {
  return {
    title: "Sign in",
    hasPasskeys: passkeys,
    section: null,
    isGate: true,
    heading: "Sign in to formflag",
    content: (
      <div class="stack narrow gate">
        <Fault message={error} />
        {provider && <ProviderLink provider={provider} next={next} isMain={!passwords} />}
        {passwords && <PasswordForm name={name} next={next} />}
        {passkeys && <PasskeySignIn next={next} />}
        <p class="soft">
          {passwords ? "Without a password, or where you forgot it, ask" : "For another way in, ask"} for a
          link: <code>formflag users link</code> makes one that signs in once.
        </p>
      </div>
    ),
  };
}

/** Leads to the provider, and from there to a path of the dashboard. */
export function ProviderLink({
  provider: { name, url },
  next,
  isMain,
}: {
  provider: NonNullable<WaysIn["provider"]>;
  next: string;
  isMain: boolean;
}) {
  const query = next === "" ? "" : `?${new URLSearchParams({ next }).toString()}`;
  return (
    <a class={`button wide ${isMain ? "primary" : ""}`} href={`${url}${query}`}>
      Sign in with {name}
    </a>
  );
}

function PasswordForm({ name, next }: { name: string; next: string }) {
  return (
    <Form to="/sign-in" values={{ next: next || null }} class="stack">
      <TextField
        name="name"
        label="Name"
        value={name}
        autocomplete="username"
        autofocus={name === ""}
        required
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        autofocus={name !== ""}
        required
      />
      <div class="buttons">
        <Button kind="primary">Sign in</Button>
      </div>
    </Form>
  );
}

/** A preview of a message opens links too: only the button spends it. */
function linkPage(secret: string): Page {
  return {
    title: "Sign in by link",
    section: null,
    isGate: true,
    heading: "Sign in to formflag",
    isSecret: true,
    content: (
      <div class="stack narrow gate">
        <p>This link signs you in once, in this browser.</p>
        <Form to={`/link/${encodeURIComponent(secret)}`}>
          <Button kind="primary">Sign in here</Button>
        </Form>
      </div>
    ),
  };
}

/** A refused sign-in. */
type Refusal = { message: string; reason: string | null; status: 401 | 429 };

/** How a sign-in is refused that is wrong, or one too many; throws any other error on. */
export async function refusalOf(c: DashboardContext, error: unknown): Promise<Refusal> {
  if (!(error instanceof AppError)) throw error;
  const { code, message, reason, retryAfter } = error;
  if (code === "unauthenticated") return { message, reason, status: 401 };
  if (code !== "rate_limited") throw error;
  if (retryAfter !== null) c.header("Retry-After", String(retryAfter));
  // A program that repeats it at once would take the server from others.
  await clock.sleep(SIGN_IN_REFUSAL_MS);
  return { message, reason, status: 429 };
}
