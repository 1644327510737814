import { Hono } from "hono/quick";
import { type Intent, beginSignIn, intentOf, secretsOf } from "../../../access/oidc/begun.ts";
import { logOutByProvider } from "../../../access/oidc/logout.ts";
import { connectIdentity, signInByOidc } from "../../../access/oidc/oidc-sign-in.ts";
import { findInvitation } from "../../../access/members/invitations.ts";
import { clock } from "../../../base/clock.ts";
import { AppError, isFound } from "../../../base/errors.ts";
import { createHourly } from "../../hourly.ts";
import { MAX_LOGOUT_TOKEN } from "../../limits.ts";
import { OIDC_CALLBACK_PATH } from "../../paths.ts";
import type { DashboardContext, DashboardEnv, DashboardOptions } from "../dashboard-env.ts";
import { readFields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { ButtonLink } from "../parts/link.tsx";
import { Fault } from "../parts/status.tsx";
import { type Dashboard, browserOf } from "../routes.ts";
import { nextPath, shortened } from "./sign-in.tsx";

type Parts = Dashboard & { callerOf: (c: DashboardContext) => Parameters<typeof connectIdentity>[2] };
type Oidc = NonNullable<DashboardOptions["oidc"]>;

/** The pages between the dashboard and an OpenID provider. */
export function oidcRoutes(parts: Parts, oidc: Oidc) {
  const { app, root, cookies, enter, callerOf } = parts;
  const { rules } = oidc;

  return new Hono<DashboardEnv>()
    .get("/sign-in/oidc", async (c) => {
      const next = pathBehind(root, c.req.query("next") ?? "");
      if (c.get("session")) return c.redirect(`${root}${next}`, 303);
      return orErrorPage(parts, oidc, c, async () =>
        c.redirect(await begin(parts, oidc, c, { next, connects: null }), 303),
      );
    })
    .get(OIDC_CALLBACK_PATH, (c) => {
      const cookie = cookies.atProvider.read(c);
      cookies.atProvider.set(c, null);
      return orErrorPage(parts, oidc, c, async () => {
        const intent = cookie === undefined ? null : intentOf(cookie);
        const secrets = secretsOf(cookie ?? "");
        if (intent === null || c.req.query("state") !== secrets.state) throw notBegun();
        const session = c.get("session");
        if (intent.connects !== null && session?.signedIn.session.id !== intent.connects)
          throw otherSession();
        const { search } = new URL(c.req.url, "http://no-host.invalid");
        const identified = await (await oidc.provider()).identify(search, secrets);
        if (intent.connects === null) {
          // An invitation lets in whom the rules would not: it makes a user with a password too.
          const isInvited = rules.createAs === null && (await leadsToInvitation(app, intent.next));
          const applied = isInvited ? { ...rules, createAs: "none" as const } : rules;
          await enter(c, await signInByOidc(app, applied, identified, browserOf(c)));
          return c.redirect(`${root}${nextPath(intent.next)}`, 303);
        }
        await connectIdentity(app, rules, callerOf(c), identified);
        cookies.setFlash(c, session!.secret, { text: `Connected your account at ${rules.name}` });
        return c.redirect(`${root}/me`, 303);
      });
    });
}

/** Whether a path of the dashboard is that of an invitation that still works. */
async function leadsToInvitation(app: Dashboard["app"], path: string): Promise<boolean> {
  const [, secret] = /^\/invitation\/([\w-]+)$/.exec(path) ?? [];
  return secret !== undefined && (await isFound(findInvitation(app, secret)));
}

/** The back channel of a provider, whose requests come from no page: it ends sessions by signed tokens. */
export function backChannel({ app, options }: Pick<Parts, "app" | "options">, oidc: Oidc) {
  // Anyone can send a logout.
  const write = createHourly(() => clock.now(), options.report.warn);
  return async (c: DashboardContext): Promise<Response> => {
    try {
      const token = textOf(await readFields(c.req.raw, MAX_LOGOUT_TOKEN), "logout_token");
      const { address } = c.env.client;
      const by = { name: oidc.rules.name, type: "system", address } as const;
      await logOutByProvider(app, await (await oidc.provider()).readLogoutToken(token), by);
      return c.body(null, 200);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      options.report.refused(error.code);
      write("logout", `a logout by ${oidc.rules.name} was refused: ${describe(error)}`);
      return c.json({ error: "invalid_request", error_description: error.message }, 400);
    }
  };
}

/** Begins a sign-in in this browser, and returns the address of the provider where it goes on. Throws `unavailable`. */
export async function begin(
  { app, cookies }: Pick<Parts, "app" | "cookies">,
  { provider }: Oidc,
  c: DashboardContext,
  intent: Intent,
): Promise<string> {
  const cookie = beginSignIn(app.random, intent);
  const url = await (await provider()).authorizationUrl(secretsOf(cookie));
  cookies.atProvider.set(c, cookie);
  return url;
}

/** The address at which a browser signs out at the provider; null if it has none, or does not answer. */
export async function endSessionUrl({ provider }: Oidc): Promise<string | null> {
  try {
    return await (await provider()).endSessionUrl();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** A page that leads on to another site: a form that is redirected there would be blocked by the policy of pages. */
export function awayPage(title: string, url: string): Page {
  return {
    title,
    section: null,
    headers: { Refresh: `0; url=${url}` },
    content: (
      <div class="stack narrow gate">
        <p>
          <a href={url} class="button primary">
            Continue
          </a>
        </p>
      </div>
    ),
  };
}

const STATUSES: Partial<Record<AppError["code"], 400 | 403 | 502>> = {
  invalid: 400,
  forbidden: 403,
  conflict: 403,
  unauthenticated: 403,
  unavailable: 502,
};

/** Answers as `act` does, or with a page that says what was refused, and why. */
async function orErrorPage(
  { render, options }: Pick<Parts, "render" | "options">,
  { rules }: Oidc,
  c: DashboardContext,
  act: () => Promise<Response>,
): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    const status = error instanceof AppError ? STATUSES[error.code] : undefined;
    // The database may be unavailable too.
    const isOfProvider = error instanceof AppError && (status !== 502 || error.reason === "oidc-provider");
    if (!(error instanceof AppError) || status === undefined || !isOfProvider) throw error;
    options.report.refused(error.code);
    // Strangers can call this with anything: only answers to a sign-in that was begun here are logged.
    if (error.reason !== "oidc-state")
      options.report.warn?.(`a sign-in by ${rules.name} was refused: ${describe(error)}`);
    return render(c, refusalPage(error, status));
  }
}

/** The message for the log. Causes are those of `oidcRefusal`, which hold no codes and tokens. */
function describe({ message, cause }: AppError): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

function refusalPage({ message, hint }: AppError, status: 400 | 403 | 502): Page {
  return {
    title: status === 403 ? "Not allowed" : "The sign-in did not work",
    section: null,
    status,
    content: (
      <div class="stack narrow gate">
        <Fault message={message} hint={hint} />
        <div class="buttons">
          <ButtonLink to="/sign-in" kind="primary">
            Back to the sign-in
          </ButtonLink>
        </div>
      </div>
    ),
  };
}

/** The path behind that of the dashboard, whether it is given with that or without; any other one is left out. */
function pathBehind(root: string, next: string): string {
  const isWhole = next === root || next.startsWith(`${root}/`) || next.startsWith(`${root}?`);
  return nextPath(shortened(isWhole ? next.slice(root.length) : next));
}

function notBegun(): AppError {
  return new AppError(
    "invalid",
    "this sign-in was begun in another browser, more than 10 minutes ago, or ended already",
    {
      reason: "oidc-state",
      hint: "sign in again",
    },
  );
}

function otherSession(): AppError {
  return new AppError("forbidden", "you are not signed in as the user who began this any more", {
    reason: "oidc-state",
  });
}
