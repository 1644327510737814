import { describe, expect, test } from "bun:test";
import { SCOPES_OF } from "../../src/access/role.ts";
import { requireScope } from "../../src/access/rights.ts";
import { createToken } from "../../src/access/tokens.ts";
import { resumeSession } from "../../src/access/sessions.ts";
import { signInByLink, signInByPassword } from "../../src/access/sign-in.ts";
import {
  createLink,
  createUser,
  deleteUser,
  saveSettings,
  setPassword,
  setRole,
} from "../../src/access/users.ts";
import { openTestApp } from "../support/app.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BROWSER, PASSWORD, givePassword, signIn, whole } from "../support/records/users.ts";

const MINUTE = 60_000;
const READER = callerNamed("reader", { scopes: ["read"] });

describe("a user", () => {
  const app = openTestApp();

  test("has a role, no password, and settings by default", async () => {
    const user = await createUser(app, OPERATOR, { name: "ann", role: "editor" });
    expect(user).toEqual({
      name: "ann",
      role: "editor",
      hasPassword: false,
      secondFactors: [],
      settings: { timeZone: null, shortcuts: true },
      createdAt: new Date(app.now()).toISOString(),
    });
    expect(await app.store.users.find("ann")).toEqual(user);
  });

  test("shares no name with another user or a token", async () => {
    await createUser(app, OPERATOR, { name: "ben", role: "viewer" });
    await createToken(app, OPERATOR, { name: "pipeline" });
    const create = (name: string) => reasonOf(createUser(app, OPERATOR, { name, role: "viewer" }));
    expect(await create("ben")).toBe("conflict user-exists");
    expect(await create("pipeline")).toBe("conflict name-taken");
    expect(await reasonOf(createToken(app, OPERATOR, { name: "ben" }))).toBe("conflict name-taken");
  });

  test("and a token of one name are never both created at once", async () => {
    const both = await Promise.allSettled([
      createUser(app, OPERATOR, { name: "same", role: "viewer" }),
      createToken(app, OPERATOR, { name: "same" }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test.each(["", "a b", "ann@example.com", "-a", "é", "a".repeat(151)])("is not called %j", async (name) => {
    expect(await reasonOf(createUser(app, OPERATOR, { name, role: "viewer" }))).toBe("invalid");
  });

  test("is managed by admins alone", async () => {
    const { caller } = await signIn(app, "releaser", "releaser");
    for (const by of [READER, caller]) {
      expect(await reasonOf(Promise.try(() => createUser(app, by, { name: "x", role: "viewer" })))).toBe(
        "forbidden",
      );
      expect(await reasonOf(Promise.try(() => setRole(app, by, "releaser", "admin")))).toBe("forbidden");
      expect(await reasonOf(Promise.try(() => deleteUser(app, by, "ann")))).toBe("forbidden");
      expect(await reasonOf(Promise.try(() => createLink(app, by, "releaser")))).toBe("forbidden");
    }
  });

  test("that does not exist is not found", async () => {
    // Without any user a link would create the one it names.
    await createUser(app, OPERATOR, { name: "somebody", role: "viewer" });
    expect(await reasonOf(setRole(app, OPERATOR, "nobody", "viewer"))).toBe("not_found user-not-found");
    expect(await reasonOf(deleteUser(app, OPERATOR, "nobody"))).toBe("not_found user-not-found");
    expect(await reasonOf(createLink(app, OPERATOR, "nobody"))).toBe("not_found user-not-found");
  });

  test("is signed out everywhere by a deletion, and links no longer work", async () => {
    const { secret } = await signIn(app, "leaver");
    const link = await createLink(app, OPERATOR, "leaver");
    await deleteUser(app, OPERATOR, "leaver");
    expect(await reasonOf(resumeSession(app, secret))).toBe("unauthenticated session-ended");
    await createUser(app, OPERATOR, { name: "leaver", role: "admin" });
    expect(await reasonOf(resumeSession(app, secret))).toBe("unauthenticated session-ended");
    expect(await reasonOf(signInByLink(app, link.secret, BROWSER))).toBe("not_found link-unknown");
  });
});

describe("a role", () => {
  test("is changed, or said to be unchanged", async () => {
    const app = openTestApp();
    await createUser(app, OPERATOR, { name: "ann", role: "viewer" });
    expect(await setRole(app, OPERATOR, "ann", "viewer")).toMatchObject({ result: "unchanged" });
    const { user, result } = await setRole(app, OPERATOR, "ann", "inbox");
    expect([user.role, result]).toEqual(["inbox", "updated"]);
    expect(await app.store.users.find("ann")).toEqual(user);
  });

  test("of the last admin cannot be taken away, nor the user deleted, also not of two at once", async () => {
    const app = openTestApp();
    for (const name of ["one", "two"]) await createUser(app, OPERATOR, { name, role: "admin" });
    const both = await Promise.allSettled([
      setRole(app, OPERATOR, "one", "viewer"),
      deleteUser(app, OPERATOR, "two"),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [last] = await app.store.users.admins(2);
    expect(await reasonOf(setRole(app, OPERATOR, last!, "releaser"))).toBe("conflict last-admin");
    expect(await reasonOf(deleteUser(app, OPERATOR, last!))).toBe("conflict last-admin");
    expect(await setRole(app, OPERATOR, last!, "admin")).toMatchObject({ result: "unchanged" });
  });

  test("gives its scopes to whoever is signed in, and messages name it", async () => {
    const app = openTestApp();
    for (const [role, scopes] of Object.entries(SCOPES_OF)) {
      const { caller } = await signIn(app, `a-${role}`, role as keyof typeof SCOPES_OF);
      const grants = role === "none" ? [] : [{ scopes }];
      expect(caller).toMatchObject({ name: `a-${role}`, role, grants });
    }
    const { caller } = await signIn(app, "a-viewer");
    expect(() => requireScope(caller, "forms:write")).toThrow(
      expect.objectContaining({
        message: 'the user "a-viewer" lacks the scope forms:write',
        hint: "the role viewer has read",
      }),
    );
  });

  test("that was changed ends what is on its way", async () => {
    const app = openTestApp();
    await createUser(app, OPERATOR, { name: "other", role: "admin" });
    const { caller } = await signIn(app, "demoted", "admin");
    await setRole(app, OPERATOR, "demoted", "viewer");
    expect(await reasonOf(createUser(app, caller, { name: "late", role: "admin" }))).toBe(
      "forbidden role-changed",
    );
    expect(await app.store.users.find("late")).toBeUndefined();
  });
});

describe("a link", () => {
  test("without any user creates the first one, an admin, and then is for that one", async () => {
    const app = openTestApp();
    const first = await createLink(app, OPERATOR);
    expect(first).toEqual({
      name: "admin",
      secret: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: new Date(app.now() + 15 * MINUTE).toISOString(),
      isFirst: true,
    });
    expect(await app.store.users.find("admin")).toMatchObject({ role: "admin" });
    expect(await createLink(app, OPERATOR)).toMatchObject({ name: "admin" });
    await createUser(app, OPERATOR, { name: "ann", role: "editor" });
    expect(await createLink(app, OPERATOR)).toMatchObject({ name: "admin" });
    expect(await createLink(app, OPERATOR, "ann")).toMatchObject({ name: "ann" });
    await setRole(app, OPERATOR, "ann", "admin");
    expect(await reasonOf(createLink(app, OPERATOR))).toBe("invalid link-unnamed");
  });

  test("names the first user, who is created once", async () => {
    const app = openTestApp();
    const links = await Promise.allSettled(["eve", "zoe"].map((name) => createLink(app, OPERATOR, name)));
    expect(links.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect((await app.store.users.page({ limit: 10 })).items).toHaveLength(1);
  });

  test("does not take the name of a token for the first user", async () => {
    const app = openTestApp();
    await createToken(app, OPERATOR, { name: "admin" });
    expect(await reasonOf(createLink(app, OPERATOR))).toBe("conflict name-taken");
    expect(await createLink(app, OPERATOR, "ann")).toMatchObject({ name: "ann" });
  });
});

describe("a password", () => {
  const app = openTestApp();
  const set = (who: Awaited<ReturnType<typeof signIn>>, next: string, current: string | null = null) =>
    setPassword(app, who.caller, who.user.name, { current, next }, who.session.id);

  test("is set without another one in a session that began by a link just now, and ends the others", async () => {
    const [other, ann] = [await signIn(app, "ann"), await signIn(app, "ann")];
    await set(ann, PASSWORD);
    expect(await resumeSession(app, ann.secret)).toMatchObject({ user: { hasPassword: true } });
    expect(await reasonOf(resumeSession(app, other.secret))).toBe("unauthenticated session-ended");
    await set(ann, `${PASSWORD} 2`);
    const signedIn = whole(await signInByPassword(app, { name: "ann", password: `${PASSWORD} 2` }, BROWSER));
    expect(signedIn.session.method).toBe("password");
  });

  test("needs the current one later, and in a session that began otherwise", async () => {
    const ben = await signIn(app, "ben");
    app.clock.now += 15 * MINUTE;
    // There is no current one yet.
    await set(ben, PASSWORD);
    expect(await reasonOf(set(ben, "another long one"))).toBe("invalid password-wrong");
    expect(await reasonOf(set(ben, "another long one", "wrong"))).toBe("invalid password-wrong");
    await set(ben, "another long one", PASSWORD);
    const by = whole(await signInByPassword(app, { name: "ben", password: "another long one" }, BROWSER));
    expect(await reasonOf(set({ ...ben, ...by }, PASSWORD))).toBe("invalid password-wrong");
    const fresh = await signIn(app, "ben");
    const elsewhere = await signIn(app, "ann");
    // Neither without a session, nor by that of somebody else.
    for (const keep of [null, elsewhere.session.id, "none"]) {
      const change = setPassword(app, fresh.caller, "ben", { current: null, next: PASSWORD }, keep);
      expect(await reasonOf(change)).toBe("invalid password-wrong");
    }
  });

  test("that is wrong as the current one too often makes the name wait", async () => {
    await signIn(app, "carl");
    await givePassword(app, "carl");
    const carl = await signIn(app, "carl");
    app.clock.now += 15 * MINUTE;
    for (let count = 0; count < 10; count += 1)
      expect(await reasonOf(set(carl, "another long one", "wrong"))).toBe("invalid password-wrong");
    expect(await reasonOf(set(carl, "another long one", PASSWORD))).toBe("rate_limited password-throttled");
  });

  test.each([
    ["11 characters", "a".repeat(11), "invalid password-short"],
    ["11 characters of two code units each", "😀".repeat(11), "invalid password-short"],
    ["nothing", "", "invalid password-short"],
    ["201 bytes", "a".repeat(201), "invalid password-long"],
    ["51 emoji", "😀".repeat(51), "invalid password-long"],
    ["12 characters", "a".repeat(12), "none"],
    ["12 spaces", " ".repeat(12), "none"],
    ["200 bytes", "😀".repeat(50), "none"],
  ])("of %s", async (_, next, expected) => {
    expect(await reasonOf(set(await signIn(app, "dora"), next))).toBe(expected);
  });

  test("is the same, however a keyboard composes its letters", async () => {
    await set(await signIn(app, "emil"), "caf\u00e9 caf\u00e9 caf\u00e9");
    const password = "cafe\u0301 cafe\u0301 cafe\u0301";
    expect(await signInByPassword(app, { name: "emil", password }, BROWSER)).toMatchObject({
      user: { name: "emil" },
    });
  });

  test("is the user's own business: no admin, token or operator sets it", async () => {
    const [admin] = [await signIn(app, "boss", "admin"), await signIn(app, "fred")];
    for (const by of [admin.caller, OPERATOR, callerNamed("fred")]) {
      const change = setPassword(app, by, "fred", { current: null, next: PASSWORD }, null);
      expect(await reasonOf(change)).toBe("forbidden");
      const save = Promise.try(() => saveSettings(app, by, "fred", { timeZone: null, shortcuts: false }));
      expect(await reasonOf(save)).toBe("forbidden");
    }
  });

  test("set twice at once counts once", async () => {
    const gina = await signIn(app, "gina");
    const both = await Promise.allSettled(
      ["first password", "second password"].map((next) => set(gina, next)),
    );
    const reasons = both.map((each) =>
      each.status === "fulfilled" ? "" : (each.reason as { reason: string }).reason,
    );
    expect(reasons.toSorted()).toEqual(["", "password-changed"]);
  });
});

test("settings are saved by their user; a time zone exists", async () => {
  const app = openTestApp();
  const { caller, secret } = await signIn(app, "ann");
  const settings = { timeZone: "Europe/Berlin", shortcuts: false };
  expect(await saveSettings(app, caller, "ann", settings)).toEqual(settings);
  expect(await resumeSession(app, secret)).toMatchObject({ user: { settings } });
  const wrong = Promise.try(() =>
    saveSettings(app, caller, "ann", { timeZone: "Mars/Base", shortcuts: true }),
  );
  expect(await reasonOf(wrong)).toBe("invalid time-zone");
});
