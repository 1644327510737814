import { describe, expect, test } from "bun:test";
import { signInByCode, whoBegan } from "../../../src/access/factors/code-step.ts";
import { mustSetUp } from "../../../src/access/factors/factor.ts";
import {
  removeTotp,
  renewRecoveryCodes,
  resetFactors,
  setUpTotp,
} from "../../../src/access/factors/factors.ts";
import { totpCode, totpKey, totpStep } from "../../../src/access/factors/totp.ts";
import { ROLES } from "../../../src/access/role.ts";
import { resumeSession } from "../../../src/access/sessions.ts";
import { signInByLink, signInByPassword, signInByProxy } from "../../../src/access/sign-in.ts";
import { createLink, setPassword } from "../../../src/access/users.ts";
import { type TestApp, openTestApp } from "../../support/app.ts";
import { openReplicas } from "../../support/postgres/replicas.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { BROWSER, PASSWORD, signIn } from "../../support/records/users.ts";
import { reasonOf } from "../../support/refusals.ts";

const MINUTE = 60_000;

/** A user with an authenticator app, and what it shows. */
async function withApp(app: TestApp, name = "ann") {
  const { caller, session, secret } = await signIn(app, name, "editor");
  const key = totpKey(app.random);
  const self = { user: name, session: session.id };
  const codes = await setUpTotp(app, caller, self, { key, code: codeAt(app, key) });
  const begin = async () => {
    const { secret: link } = await createLink(app, OPERATOR, name);
    const entrance = await signInByLink(app, link, BROWSER);
    return (entrance as { begun: string }).begun;
  };
  /** Signs in with a code, in a new sign-in unless one is given. */
  const enter = async (code: string, begun?: string) =>
    signInByCode(app, begun ?? (await begin()), code, BROWSER);
  /** Steps of 30 seconds later. */
  const next = (steps = 0) => codeAt(app, key, steps);
  return { caller, session, secret, self, key, codes, begin, enter, next };
}

function codeAt(app: TestApp, key: Uint8Array, steps = 0): string {
  return totpCode(key, totpStep(app.now()) + steps);
}

describe("an authenticator app", () => {
  test("is set up by a code of its key, and shows ten recovery codes; every other session ends", async () => {
    const app = openTestApp();
    const other = await signIn(app, "ann", "editor");
    const { codes, secret } = await withApp(app);
    expect(codes).toHaveLength(10);
    expect((await app.store.users.find("ann"))!.secondFactors).toEqual(["totp"]);
    expect(await app.store.factors.totp("ann")).toMatchObject({ recoveryCodes: 10, createdAt: app.now() });
    expect(await reasonOf(resumeSession(app, other.secret))).toBe("unauthenticated session-ended");
    expect(await reasonOf(resumeSession(app, secret))).toBe("none");
  });

  test("is refused with a wrong code, twice, to others, and in a session of 15 minutes", async () => {
    const app = openTestApp();
    const { caller, session } = await signIn(app, "eve");
    const self = { user: "eve", session: session.id };
    const key = totpKey(app.random);
    const set = (code: string, by = caller, of = self) => reasonOf(setUpTotp(app, by, of, { key, code }));
    for (const code of ["", "000000x", codeAt(app, key, 2), codeAt(app, key, -2)])
      expect(await set(code)).toBe("invalid code-wrong");
    const ann = await signIn(app, "ann", "admin");
    expect(await set(codeAt(app, key), ann.caller)).toStartWith("forbidden");
    expect(await set(codeAt(app, key), OPERATOR)).toStartWith("forbidden");
    expect(await set(codeAt(app, key), caller, { user: "eve", session: ann.session.id })).toBe(
      "forbidden sign-in-old",
    );
    app.clock.now += 15 * MINUTE;
    expect(await set(codeAt(app, key))).toBe("forbidden sign-in-old");
    app.clock.now -= 1;
    expect(await set(codeAt(app, key))).toBe("none");
    expect(await set(codeAt(app, key))).toBe("conflict totp-exists");
  });

  test("is asked for after a password and a link, and not behind a proxy", async () => {
    const app = openTestApp();
    const { next, caller, session } = await withApp(app);
    await setPassword(app, caller, "ann", { current: null, next: PASSWORD }, session.id);
    const { secret: link } = await createLink(app, OPERATOR, "ann");
    app.clock.now += MINUTE;
    for (const entrance of [
      await signInByPassword(app, { name: "ann", password: PASSWORD }, BROWSER),
      await signInByLink(app, link, BROWSER),
    ]) {
      app.clock.now += MINUTE;
      const { begun } = entrance as { begun: string };
      expect(Object.keys(entrance)).toEqual(["begun"]);
      expect((await whoBegan(app, begun))!.name).toBe("ann");
      expect(await reasonOf(resumeSession(app, begun))).toBe("unauthenticated session-ended");
      const { secret, ...signedIn } = await signInByCode(app, begun, next(), BROWSER);
      expect(await resumeSession(app, secret)).toEqual(signedIn);
      expect(await whoBegan(app, begun)).toBeUndefined();
    }
    const methods = (await app.store.sessions.page("ann", { limit: 9 })).items.map(({ method }) => method);
    expect(methods.toSorted()).toEqual(["link", "link", "password"]);
    expect(await signInByProxy(app, "ann", BROWSER, { createAs: null })).toHaveProperty("session");
  });

  test("spends a step with its code, in the set-up too", async () => {
    const app = openTestApp();
    const { enter, next } = await withApp(app);
    expect(await reasonOf(enter(next()))).toBe("unauthenticated code-wrong");
    expect(await reasonOf(enter(next(1)))).toBe("none");
    expect(await reasonOf(enter(next(1)))).toBe("unauthenticated code-wrong");
    app.clock.now += 30_000;
    expect(await reasonOf(enter(next()))).toBe("unauthenticated code-wrong");
    expect(await reasonOf(enter(next(1)))).toBe("none");
  });

  test("signs in once with a code that two sign-ins send at once", async () => {
    const app = openTestApp();
    const { begin, enter, next, codes } = await withApp(app);
    for (const code of [next(1), codes[0]!]) {
      const begun = await Promise.all([begin(), begin(), begin()]);
      const done = await Promise.all(begun.map((each) => reasonOf(enter(code, each))));
      expect(done.toSorted()).toEqual(["none", "unauthenticated code-wrong", "unauthenticated code-wrong"]);
    }
  });

  test("is removed together with its recovery codes, and not in an older session", async () => {
    const app = openTestApp();
    const { caller, self, codes, session } = await withApp(app);
    app.clock.now = session.createdAt + 15 * MINUTE;
    expect(await reasonOf(removeTotp(app, caller, self))).toBe("forbidden sign-in-old");
    expect(await reasonOf(renewRecoveryCodes(app, caller, self))).toBe("forbidden sign-in-old");
    app.clock.now -= 1;
    const other = await signInByProxy(app, "ann", BROWSER, { createAs: null });
    await removeTotp(app, caller, self);
    expect(await reasonOf(resumeSession(app, other.secret))).toBe("unauthenticated session-ended");
    expect(await signIn(app, "ann")).toHaveProperty("session");
    expect(await reasonOf(removeTotp(app, caller, self))).toBe("not_found totp-not-found");
    expect(codes).toHaveLength(10);
  });
});

describe("a recovery code", () => {
  test("signs in once, as it may be typed", async () => {
    const app = openTestApp();
    const { enter, codes } = await withApp(app);
    expect(await reasonOf(enter(codes[3]!.toUpperCase().replace("-", " ")))).toBe("none");
    expect(await reasonOf(enter(codes[3]!))).toBe("unauthenticated code-wrong");
    expect((await app.store.factors.totp("ann"))!.recoveryCodes).toBe(9);
  });

  test("is that of one user, and is replaced by new ones", async () => {
    const app = openTestApp();
    const ann = await withApp(app);
    const ben = await withApp(app, "ben");
    expect(await reasonOf(ben.enter(ann.codes[0]!))).toBe("unauthenticated code-wrong");
    const begun = await ann.begin();
    const codes = await renewRecoveryCodes(app, ann.caller, ann.self);
    expect(await reasonOf(ann.enter(codes[0]!, begun))).toBe("unauthenticated code-ended");
    expect(await reasonOf(ann.enter(ann.codes[1]!))).toBe("unauthenticated code-wrong");
    expect(await reasonOf(ann.enter(codes[0]!))).toBe("none");
  });
});

describe("a sign-in that waits for a code", () => {
  test("ends with the fifth wrong one, also if they come at once", async () => {
    const app = openTestApp();
    const { begin, enter, next } = await withApp(app);
    const begun = await begin();
    const reasons = await Promise.all(
      ["1", "2", "3", "4", "5", "6"].map((code) => reasonOf(enter(code, begun))),
    );
    expect(reasons.filter((reason) => reason.endsWith("code-wrong"))).toHaveLength(4);
    expect(reasons.filter((reason) => reason.endsWith("code-ended"))).toHaveLength(2);
    expect(await reasonOf(enter(next(1), begun))).toBe("unauthenticated code-ended");
    expect(await reasonOf(enter(next(1)))).toBe("none");
  });

  test("ends after ten minutes, with a new password, and with the user", async () => {
    const app = openTestApp();
    const { begin, enter, next, caller, self } = await withApp(app);
    const late = await begin();
    app.clock.now += 10 * MINUTE;
    expect(await reasonOf(enter(next(), late))).toBe("unauthenticated code-ended");
    const begun = await begin();
    await setPassword(app, caller, "ann", { current: null, next: PASSWORD }, self.session);
    expect(await reasonOf(enter(next(), begun))).toBe("unauthenticated code-ended");
    expect(await reasonOf(enter(next(), ""))).toBe("unauthenticated code-ended");
  });

  test("waits after ten wrong codes in a row, over several sign-ins and networks", async () => {
    const app = openTestApp();
    const { begin, enter, next } = await withApp(app);
    const wrong = async () =>
      signInByCode(app, await begin(), "000000", { ...BROWSER, network: "203.0.113.9" });
    for (let count = 0; count < 10; count += 1)
      expect(await reasonOf(wrong())).toBe("unauthenticated code-wrong");
    const error = await enter(next(1)).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "rate_limited", retryAfter: 60 });
    app.clock.now += MINUTE;
    expect(await reasonOf(enter(next()))).toBe("none");
    expect(await reasonOf(enter(next(1)))).toBe("none");
  });

  test("counts wrong codes in the database, so that a restart forgets none", async () => {
    const { begin, next, app } = await withTenWrongCodes(openTestApp());
    const restarted = { ...app, store: { ...app.store } };
    const again = async () => signInByCode(restarted, await begin(), next(1), BROWSER);
    expect(await reasonOf(again())).toBe("rate_limited code-throttled");
  });

  test.skipIf(!IS_POSTGRES_HERE)(
    "counts wrong codes for all replicas together, also those that come at once",
    async () => {
      const [one, two, three] = (await openReplicas(3)) as [never, never, never];
      const { begin, next } = await withApp(one);
      const guess = async (app: never, code = "000000") => signInByCode(app, await begin(), code, BROWSER);
      const guesses = Array.from({ length: 12 }, (_, index) => guess([one, two, three][index % 3]!));
      const reasons = await Promise.all(guesses.map(async (each) => reasonOf(each)));
      expect(reasons.filter((reason) => reason === "unauthenticated code-wrong")).toHaveLength(10);
      expect(reasons.filter((reason) => reason === "rate_limited code-throttled")).toHaveLength(2);
      for (const app of [one, two, three])
        expect(await reasonOf(guess(app, next(1)))).toBe("rate_limited code-throttled");
    },
    60_000,
  );
});

/** A user with an authenticator app, for whom ten wrong codes came. */
async function withTenWrongCodes(app: TestApp) {
  const made = await withApp(app);
  for (let count = 0; count < 10; count += 1)
    expect(await reasonOf(made.enter("000000"))).toBe("unauthenticated code-wrong");
  return { ...made, app };
}

describe("a reset", () => {
  test("removes every factor and ends every session and begun sign-in; it is an admin's", async () => {
    const app = openTestApp();
    const { begin, enter, next, secret } = await withApp(app);
    const begun = await begin();
    const editor = callerNamed("ben", { scopes: ["forms:write", "flags:write"] });
    expect(await reasonOf(resetFactors(app, editor, "ann"))).toStartWith("forbidden");
    expect(await reasonOf(resetFactors(app, OPERATOR, "nobody"))).toBe("not_found user-not-found");
    const done = await resetFactors(app, OPERATOR, "ann");
    expect(done).toMatchObject({ result: "updated", user: { name: "ann", secondFactors: [] } });
    expect((await app.store.users.find("ann"))!.secondFactors).toEqual([]);
    expect(await reasonOf(resumeSession(app, secret))).toBe("unauthenticated session-ended");
    expect(await reasonOf(enter(next(1), begun))).toBe("unauthenticated code-ended");
    expect(await resetFactors(app, OPERATOR, "ann")).toMatchObject({ result: "unchanged" });
    expect(await signIn(app, "ann")).toHaveProperty("session");
  });

  test("of somebody without a factor ends every session too", async () => {
    const app = openTestApp();
    const { secret } = await signIn(app, "ann", "editor");
    expect(await resetFactors(app, OPERATOR, "ann")).toMatchObject({ result: "updated" });
    expect(await reasonOf(resumeSession(app, secret))).toBe("unauthenticated session-ended");
    expect(await resetFactors(app, OPERATOR, "ann")).toMatchObject({ result: "unchanged" });
  });
});

test("A second factor is needed from a role on, after a password or a link, until there is an app", async () => {
  const app = openTestApp();
  const { user, session } = await signIn(app, "ann", "editor");
  const needed = ROLES.filter((least) => mustSetUp(user, [], session, least));
  expect(needed).toEqual(["viewer", "inbox", "editor"]);
  expect(mustSetUp(user, [], session, null)).toBe(false);
  const member = { project: "shop", role: "admin", environments: null, source: "manual" } as const;
  expect(mustSetUp({ ...user, role: "none" }, [], session, "viewer")).toBe(false);
  expect(mustSetUp({ ...user, role: "none" }, [member], session, "admin")).toBe(true);
  expect(mustSetUp(user, [], { ...session, method: "password" }, "viewer")).toBe(true);
  expect(mustSetUp(user, [], { ...session, method: "proxy" }, "viewer")).toBe(false);
  expect(mustSetUp({ ...user, secondFactors: ["passkey"] }, [], session, "viewer")).toBe(true);
  expect(mustSetUp({ ...user, secondFactors: ["totp"] }, [], session, "viewer")).toBe(false);
});
