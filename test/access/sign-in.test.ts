import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { HASHING, PASSWORD_HASH } from "../../src/access/password.ts";
import { resumeSession } from "../../src/access/sessions.ts";
import { signInByLink, signInByPassword, signInByProxy } from "../../src/access/sign-in.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createLink, createUser, setPassword } from "../../src/access/users.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BROWSER, PASSWORD, signIn } from "../support/users.ts";

const MINUTE = 60_000;

describe("a link", () => {
  test("signs its user in, with a secret that is stored nowhere", async () => {
    const app = openTestApp();
    const { name, secret: link } = await createLink(app, OPERATOR, "ann");
    const { user, session, secret } = await signInByLink(app, link, BROWSER);
    expect(user).toMatchObject({ name, role: "admin" });
    expect(session).toEqual({
      id: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
      user: "ann",
      method: "link",
      ...BROWSER,
      createdAt: app.now(),
      seenAt: app.now(),
    });
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await resumeSession(app, secret)).toEqual({ user, session });
    const files = ["formflag.db", "formflag.db-wal"].map((file) =>
      readFileSync(join(app.directory, file), "latin1"),
    );
    for (const each of [link, secret]) expect(files.join("")).not.toContain(each);
  });

  test("works once, and until 15 minutes are over; an unknown one is refused alike", async () => {
    const app = openTestApp();
    const [spent, late, last] = [
      await createLink(app, OPERATOR),
      await createLink(app, OPERATOR),
      await createLink(app, OPERATOR),
    ];
    await signInByLink(app, spent.secret, BROWSER);
    app.clock.now += 15 * MINUTE - 1;
    await signInByLink(app, last.secret, BROWSER);
    app.clock.now += 1;
    for (const secret of [spent.secret, late.secret, "", "unknown", `${late.secret}x`])
      expect(await reasonOf(signInByLink(app, secret, BROWSER))).toBe("not_found link-unknown");
  });

  test("spent by two at once signs one in", async () => {
    const app = openTestApp();
    const { secret } = await createLink(app, OPERATOR);
    const both = await Promise.allSettled([1, 2].map(() => signInByLink(app, secret, BROWSER)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("keeps no more than some of what a browser says of itself", async () => {
    const app = openTestApp();
    const { secret } = await createLink(app, OPERATOR);
    const long = { agent: "a".repeat(10_000), address: "b".repeat(10_000) };
    const { session } = await signInByLink(app, secret, long);
    expect([session.agent.length, session.address.length]).toEqual([300, 300]);
  });
});

describe("a password", () => {
  const app = openTestApp();
  const login = (name: string, password: string) => signInByPassword(app, { name, password }, BROWSER);
  const give = async (name: string, password = PASSWORD) => {
    const { caller, session } = await signIn(app, name);
    await setPassword(app, caller, name, { current: null, next: password }, session.id);
  };

  test("signs in, and is stored as an argon2id hash of 19 MiB", async () => {
    await give("ann");
    const { user, session, secret } = await login("ann", PASSWORD);
    expect([user.name, session.method]).toEqual(["ann", "password"]);
    expect(await resumeSession(app, secret)).toEqual({ user, session });
    expect(await app.store.users.password("ann")).toMatch(PASSWORD_HASH);
    expect<object>(HASHING).toEqual({ algorithm: "argon2id", memoryCost: 19 * 1024, timeCost: 2 });
  });

  test("that is wrong is refused like an unknown name, a user without one, and what is none", async () => {
    await give("eve");
    await signIn(app, "linked");
    for (const [name, password] of [
      ["eve", "wrong"],
      ["eve", ""],
      ["eve", PASSWORD.toUpperCase()],
      ["eve", "x".repeat(1_000_000)],
      ["eve", (await app.store.users.password("eve"))!],
      ["EVE", PASSWORD],
      ["nobody", PASSWORD],
      ["", ""],
      ["x".repeat(1_000_000), PASSWORD],
      ["linked", ""],
      ["linked", PASSWORD],
    ] as const)
      expect(await reasonOf(login(name, password))).toBe("unauthenticated password-wrong");
  });

  test.each(["ben", "unknown"])(
    "of %s, wrong ten times, makes the name wait for a minute at most",
    async (name) => {
      if (name === "ben") await give(name);
      for (let count = 0; count < 10; count += 1)
        expect(await reasonOf(login(name, "wrong"))).toBe("unauthenticated password-wrong");
      const error = await login(name, PASSWORD).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "rate_limited", reason: "password-throttled", retryAfter: 60 });
      // A link always works.
      if (name === "ben") await signIn(app, name);
      app.clock.now += 60_000;
      expect(await reasonOf(login(name, PASSWORD))).toBe(
        name === "ben" ? "none" : "unauthenticated password-wrong",
      );
    },
  );

  test("that is right resets the count", async () => {
    await give("carl");
    for (const wrong of [9, 1]) {
      for (let count = 0; count < wrong; count += 1) await reasonOf(login("carl", "wrong"));
      expect(await reasonOf(login("carl", PASSWORD))).toBe("none");
    }
  });

  test("is checked for a few people at once; more are asked to try again", async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) => reasonOf(login(`p-${index}`, "x"))),
    );
    expect(all.filter((reason) => reason === "unauthenticated password-wrong")).toHaveLength(22);
    expect(all.filter((reason) => reason === "rate_limited sign-in-busy")).toHaveLength(8);
  });

  test("that is changed while it is checked does not sign in", async () => {
    await give("dora");
    const { caller, session } = await signIn(app, "dora");
    const { users } = app.store;
    // Changed between the check of the password and the start of the session.
    const password = async (name: string) => {
      const hash = await users.password(name);
      app.store.users = users;
      await setPassword(app, caller, "dora", { current: null, next: "another long one" }, session.id);
      return hash;
    };
    app.store.users = { ...users, password };
    expect(await reasonOf(login("dora", PASSWORD))).toBe("unauthenticated password-wrong");
  });
});

describe("a proxy", () => {
  test("signs in users that exist", async () => {
    const app = openTestApp();
    await createUser(app, OPERATOR, { name: "ann", role: "inbox" });
    const { user, session } = await signInByProxy(app, "ann", BROWSER, { createAs: null });
    expect([user.role, session.method]).toEqual(["inbox", "proxy"]);
    expect(await reasonOf(signInByProxy(app, "ben", BROWSER, { createAs: null }))).toBe(
      "forbidden user-unknown",
    );
  });

  test("creates them with a role, where it may", async () => {
    const app = openTestApp();
    await createUser(app, OPERATOR, { name: "ann", role: "inbox" });
    const both = await Promise.all(
      [1, 2].map(() => signInByProxy(app, "eve", BROWSER, { createAs: "viewer" })),
    );
    for (const { user } of both) expect(user).toMatchObject({ name: "eve", role: "viewer" });
    const ann = await signInByProxy(app, "ann", BROWSER, { createAs: "viewer" });
    expect(ann.user.role).toBe("inbox");
  });

  test("creates none with the name of a token, or one that users cannot have", async () => {
    const app = openTestApp();
    await createToken(app, OPERATOR, { name: "pipeline" });
    const signInAs = (name: string) => reasonOf(signInByProxy(app, name, BROWSER, { createAs: "viewer" }));
    expect(await signInAs("pipeline")).toBe("conflict name-taken");
    for (const name of ["", "a b", "ann@example.com"]) expect(await signInAs(name)).toBe("invalid");
  });
});
