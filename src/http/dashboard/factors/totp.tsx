import { Hono } from "hono/quick";
import { base32, bytesOfBase32 } from "../../../access/factors/base32.ts";
import { isFresh } from "../../../access/factors/factor.ts";
import { removeTotp, renewRecoveryCodes, setUpTotp } from "../../../access/factors/factors.ts";
import { TOTP_KEY, totpKey, totpUrl } from "../../../access/factors/totp.ts";
import { userCaller } from "../../../access/sessions.ts";
import type { SignedIn } from "../../../access/sign-in.ts";
import { AppError } from "../../../base/errors.ts";
import { MAX_SIGN_IN_BODY } from "../../limits.ts";
import { seal, unseal } from "../cookies.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { readFields, textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { submit } from "../parts/submit.ts";
import type { Dashboard } from "../routes.ts";
import { addressOf } from "../view.ts";
import { nextPath, shortened } from "../access/sign-in.tsx";
import {
  type Visit,
  codesPage,
  passkeyPage,
  presentPage,
  setUpPage,
  setUpPath,
  signInAgainPage,
} from "./totp-pages.tsx";

/** The user who sets up a factor, in a session that may need it before anything else, and the page to go on to. */
type Person = { signedIn: SignedIn; secret: string } & Visit;

/** The page of the authenticator app, which is the only one that users see who must have one and do not. */
export function totpRoutes({ app, options, root, render, cookies }: Dashboard) {
  const personOf = (c: DashboardContext): Person | null => {
    const [session, unready] = [c.get("session"), c.get("unready")];
    if (session) return { ...session, isUnready: false, next: nextOf(c) };
    return unready ? { ...unready, isUnready: true, next: nextOf(c) } : null;
  };
  const callerOf = (c: DashboardContext, { signedIn, secret }: Person) => ({
    ...userCaller(app, signedIn, secret, () => false),
    address: c.env.client.address,
  });
  /** The key that this session sets up, which stays the same while the page is open in several tabs. */
  const keyOf = (c: DashboardContext, { secret }: Person): Uint8Array | null => {
    const text = unseal("totp", secret, cookies.totp.read(c) ?? "");
    return text !== null && TOTP_KEY.test(text) ? bytesOfBase32(text) : null;
  };
  const show = async (c: DashboardContext, person: Person, fault?: string): Promise<Page> => {
    const { user, session } = person.signedIn;
    if (mustUsePasskey(person)) return passkeyPage(person);
    const totp = await app.store.factors.totp(user.name);
    if (totp) return presentPage(totp, isFresh(session, app.now()), fault);
    if (!isFresh(session, app.now())) return signInAgainPage(person);
    const key = keyOf(c, person) ?? totpKey(app.random);
    cookies.totp.set(c, seal("totp", person.secret, base32(key)));
    const { hostname } = new URL(options.dashboardUrl ?? c.req.url, "http://no-host.invalid");
    return setUpPage({ key, url: totpUrl(key, user.name, hostname), visit: person, fault });
  };
  /** A page or its form, for users who are signed in, or unready. */
  const asSelf = async (
    c: DashboardContext,
    act: (person: Person) => Promise<Page | Response>,
  ): Promise<Response> => {
    const person = personOf(c);
    if (!person) throw new AppError("unauthenticated", "you are not signed in", { reason: "signed-out" });
    if (!person.isUnready) c.set("caller", callerOf(c, person));
    const done = await act(person);
    return done instanceof Response ? done : render(c, done);
  };
  const selfOf = ({ signedIn: { user, session } }: Person) => ({ user: user.name, session: session.id });

  return new Hono<DashboardEnv>()
    .get("/me/totp", async (c) => {
      if (!personOf(c))
        return c.redirect(addressOf({ root }, "/sign-in", { next: setUpPath(nextOf(c)) }), 303);
      return asSelf(c, (person) => show(c, person));
    })
    .post("/me/totp", (c) =>
      asSelf(c, async (person) => {
        const fields = await readFields(c.req.raw, MAX_SIGN_IN_BODY);
        if (mustUsePasskey(person)) return { ...passkeyPage(person), status: 403 };
        const key = keyOf(c, person);
        if (key === null) return { ...(await show(c, person, KEY_LOST)), status: 409 };
        return submit(
          async () => {
            const given = { key, code: textOf(fields, "code") };
            const codes = await setUpTotp(app, callerOf(c, person), selfOf(person), given);
            cookies.totp.set(c, null);
            return codesPage(codes, "set up", person);
          },
          ({ code }) => show(c, person, code),
          { "code-wrong": "code" },
        );
      }),
    )
    .post("/me/totp/codes", (c) =>
      asSelf(c, async (person) => {
        await readFields(c.req.raw, MAX_SIGN_IN_BODY);
        return codesPage(await renewRecoveryCodes(app, callerOf(c, person), selfOf(person)), "renewed");
      }),
    )
    .post("/me/totp/remove", (c) =>
      asSelf(c, async (person) => {
        await readFields(c.req.raw, MAX_SIGN_IN_BODY);
        await removeTotp(app, callerOf(c, person), selfOf(person));
        const text = "Removed the authenticator app. Every other session has ended.";
        cookies.setFlash(c, person.secret, { text });
        return c.redirect(addressOf({ root }, "/me"), 303);
      }),
    );
}

/** The page to go on to. */
function nextOf(c: DashboardContext): string {
  return shortened(nextPath(c.req.query("next") ?? ""));
}

/** A password or a link alone must not replace the factor that the user has. */
function mustUsePasskey({ isUnready, signedIn }: Person): boolean {
  return isUnready && signedIn.user.secondFactors.includes("passkey");
}

const KEY_LOST = "The code on this page is no longer valid: scan this one.";
