import { mustSetUp } from "../../access/factors/factor.ts";
import { endSessionBySecret, resumeSession, userCaller } from "../../access/sessions.ts";
import { type SignedIn, signInByProxy } from "../../access/sign-in.ts";
import { readWhy } from "../../access/why.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { normalise } from "../../base/network.ts";
import type { Cookies } from "./cookies.ts";
import type { DashboardContext, DashboardOptions } from "./dashboard-env.ts";
import { type Fields, textOf, textsOf } from "./fields.ts";
import { type Dashboard, browserOf } from "./routes.ts";
import { requireOwnHost } from "./security.ts";

/** Sessions of browsers: which one a request is of, and its caller. */
export function createEntry(app: App, options: DashboardOptions, cookies: Cookies) {
  /** The user that a trusted proxy names; null for none. Throws `forbidden` at an address that is not the dashboard's. */
  const proxiedIn = (c: DashboardContext): string | null => {
    const { proxy, dashboardUrl } = options;
    if (proxy === null || !proxy.isTrusted(normalise(c.env.peer(c.req.raw)))) return null;
    const name = c.req.header(proxy.header)?.trim() || null;
    if (name !== null && dashboardUrl !== null) requireOwnHost(c.req.raw, dashboardUrl);
    return name;
  };
  /** Sets the user that is signed in, if there is one. A session that a proxy began ends if the proxy no longer names its user. */
  const resume = async (c: DashboardContext): Promise<void> => {
    const secret = cookies.session(c);
    const proxied = proxiedIn(c);
    const known = secret === undefined ? null : await resumed(app, secret);
    const isNamed = proxied === null ? known?.session.method !== "proxy" : known?.user.name === proxied;
    if (known && isNamed) {
      settle(c, known, secret!);
      return;
    }
    if (proxied === null) {
      if (!known) return;
      await endSessionBySecret(app, secret!, c.env.client.address);
      return cookies.endSession(c);
    }
    const entered = await signInByProxy(app, proxied, browserOf(c), { createAs: options.proxy!.createAs });
    await enter(c, entered);
  };
  const enter: Dashboard["enter"] = async (c, { secret, ...signedIn }) => {
    // The browser forgets its session before this one, which would stay open.
    const before = cookies.session(c);
    if (before !== undefined) await endSessionBySecret(app, before, c.env.client.address);
    cookies.setSession(c, secret);
    settle(c, signedIn, secret);
  };
  const isUnready = ({ user, memberships, session }: SignedIn) =>
    mustSetUp(user, memberships, session, options.secondFactor);
  /** A user who still has to set up a second factor is signed in on the page for that alone. */
  const settle = (c: DashboardContext, signedIn: SignedIn, secret: string) => {
    c.set(isUnready(signedIn) ? "unready" : "session", { signedIn, secret });
  };

  /** The caller, with the confirmations of a form. Throws `unauthenticated` without a session. */
  const callerOf = (c: DashboardContext, fields?: Fields) => {
    const session = c.get("session");
    if (!session && c.get("unready")) throw factorMissing();
    if (!session) throw new AppError("unauthenticated", "you are not signed in", { reason: "signed-out" });
    const confirmed = fields ? textsOf(fields, "confirm").map((name) => name.trim()) : [];
    const why = fields && readWhy(textOf(fields, "why"));
    const hasConfirmed = (environment: string) => confirmed.includes(environment);
    const caller = userCaller(app, session.signedIn, session.secret, hasConfirmed, why);
    /** A factor that was removed since, or a stronger role, counts for a stream or a form under way too. */
    const verify = async () => {
      await caller.verify();
      if (options.secondFactor === null) return;
      const current = await resumeSession(app, session.secret);
      if (isUnready(current)) throw factorMissing();
    };
    return { ...caller, verify, source: "dashboard" as const, address: c.env.client.address };
  };
  return { resume, enter, callerOf };
}

function factorMissing(): AppError {
  return new AppError("forbidden", "set up an authenticator app first", { reason: "factor-missing" });
}

/** Undefined for a session that has ended. */
async function resumed(app: App, secret: string): Promise<SignedIn | undefined> {
  try {
    return await resumeSession(app, secret);
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthenticated") return undefined;
    throw error;
  }
}
