import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HASHING, PASSWORD_HASH } from "../../src/access/password.ts";
import { resumeSession } from "../../src/access/sessions.ts";
import { signInByLink, signInByPassword, signInByProxy } from "../../src/access/sign-in.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createLink, createUser, setPassword } from "../../src/access/users.ts";
import { type TestApp, openTestApp } from "../support/app.ts";
import { replaceHashing } from "../support/hashes.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BROWSER, PASSWORD, givePassword, signIn, whole } from "../support/records/users.ts";

const MINUTE = 60_000;

/** A browser in another network. */
const from = (address: string) => ({ ...BROWSER, address, network: address });

describe("a link", () => {
  test("signs its user in, with a secret that is stored nowhere", async () => {
    const app = openTestApp();
    const { name, secret: link } = await createLink(app, OPERATOR, "ann");
    const { user, session, secret } = whole(await signInByLink(app, link, BROWSER));
    expect(user).toMatchObject({ name, role: "admin" });
    expect(session).toEqual({
      id: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
      user: "ann",
      method: "link",
      agent: BROWSER.agent,
      address: BROWSER.address,
      createdAt: app.now(),
      seenAt: app.now(),
      expiresAt: null,
    });
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await resumeSession(app, secret)).toEqual({ user, memberships: [], session });
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
    const long = { agent: "a".repeat(10_000), address: "b".repeat(10_000), network: null };
    const { session } = whole(await signInByLink(app, secret, long));
    expect([session.agent.length, session.address.length]).toEqual([300, 300]);
  });
});

describe("a password", () => {
  // Wrong passwords count for the network of every test, in whatever order they run.
  let app: TestApp;
  beforeEach(() => {
    app = openTestApp();
  });
  const login = async (name: string, password: string) =>
    whole(await signInByPassword(app, { name, password }, BROWSER));
  const give = async (name: string, password = PASSWORD) => {
    const { caller, session } = await signIn(app, name);
    await setPassword(app, caller, name, { current: null, next: password }, session.id);
  };

  test("signs in, and is stored as an argon2id hash of 19 MiB", async () => {
    await give("ann");
    const { user, session, secret } = await login("ann", PASSWORD);
    expect([user.name, session.method]).toEqual(["ann", "password"]);
    expect(await resumeSession(app, secret)).toEqual({ user, memberships: [], session });
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

  test("is never normalised where it is too long to be one, in a sign-in or as a new one", async () => {
    await give("frieda");
    const { caller, session } = await signIn(app, "frieda");
    app.clock.now += 20 * MINUTE;
    // NFKC orders marks in quadratic time: 160 KB took 42 s, 1 MB half an hour.
    const marks = `a${"\u0301".repeat(250_000)}${"\u0316".repeat(250_000)}`;
    const start = performance.now();
    const asked = [
      [marks, PASSWORD],
      ["frieda", marks],
    ].map(([name, password]) => reasonOf(login(name!, password!)));
    const set = (current: string, next: string) =>
      reasonOf(setPassword(app, caller, "frieda", { current, next }, session.id));
    expect(await Promise.all([...asked, set(marks, "another long one"), set(PASSWORD, marks)])).toEqual([
      "unauthenticated password-wrong",
      "unauthenticated password-wrong",
      "invalid password-wrong",
      "invalid password-long",
    ]);
    expect(performance.now() - start).toBeLessThan(10_000);
  }, 60_000);

  test("may be typed as the longest text that NFKC makes a password of", async () => {
    // A mathematical letter has four bytes, and the letter that NFKC makes of it one.
    await give("greta", "\u{1d400}".repeat(200));
    expect(await reasonOf(login("greta", "A".repeat(200)))).toBe("none");
  });

  describe("that is guessed at", () => {
    // What a hash costs is no part of it.
    let restore: () => void;
    beforeAll(() => {
      restore = replaceHashing(() => new Promise((resolve) => void setImmediate(resolve)));
    });
    afterAll(() => restore());

    test.each(["ben", "unknown"])(
      "of %s, wrong ten times, makes the name wait for a minute at most",
      async (name) => {
        if (name === "ben") {
          await give(name);
        }
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

    test("that is right always passes from elsewhere while others guess at the name", async () => {
      await give("ann");
      const guess = (index: number) =>
        reasonOf(signInByPassword(app, { name: "ann", password: "wrong" }, from(`203.0.113.${index % 2}`)));
      const guesses = Promise.all(Array.from({ length: 24 }, (_, index) => guess(index)));
      for (let index = 0; index < 5; index += 1) {
        const owner = from(`198.51.100.${index}`);
        expect(await reasonOf(signInByPassword(app, { name: "ann", password: PASSWORD }, owner))).toBe(
          "none",
        );
      }
      // Ten of each network are checked at all.
      const refused = (await guesses).filter((reason) => reason === "rate_limited password-throttled");
      expect(refused).toHaveLength(4);
    }, 60_000);

    test("that is right passes from elsewhere while one address sends 28 wrong ones at once", async () => {
      await give("ann");
      const over = new AbortController();
      const attack = Array.from({ length: 28 }, async (_, connection) => {
        for (let count = 0; !over.signal.aborted; count += 1) {
          const name = `n-${connection}-${count}`;
          await reasonOf(signInByPassword(app, { name, password: "wrong" }, from("203.0.113.7")));
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      for (let index = 0; index < 8; index += 1) {
        const owner = from(`198.51.100.${index}`);
        expect(await reasonOf(signInByPassword(app, { name: "ann", password: PASSWORD }, owner))).toBe(
          "none",
        );
      }
      over.abort();
      await Promise.all(attack);
    }, 60_000);

    test("that is wrong 20 times a minute makes its network wait, but nobody who signed in there lately", async () => {
      const names = Array.from({ length: 21 }, (_, index) => `name-${index}`);
      for (const name of ["ben", ...names]) {
        await createUser(app, OPERATOR, { name, role: "viewer" });
        await givePassword(app, name);
      }
      await give("ann");
      const as = (name: string, password: string, browser = BROWSER) =>
        reasonOf(signInByPassword(app, { name, password }, browser));
      for (const name of names.slice(1))
        expect(await as(name, "wrong")).toBe("unauthenticated password-wrong");
      expect(await as("ben", "wrong")).toBe("rate_limited password-throttled");
      expect(await as("ann", PASSWORD)).toBe("none");
      expect(await as("ben", "wrong", from("198.51.100.1"))).toBe("unauthenticated password-wrong");
      // This machine has no limit of names, as it has none of wrong tokens.
      const local = { ...BROWSER, address: "127.0.0.1", network: null };
      for (const name of names) expect(await as(name, "wrong", local)).toBe("unauthenticated password-wrong");
      app.clock.now += 3000;
      expect(await as("ben", "wrong")).toBe("unauthenticated password-wrong");
      expect(await as("ben", "wrong")).toBe("rate_limited password-throttled");
    }, 60_000);
  });

  test("that is changed while it is checked does not sign in", async () => {
    await give("dora");
    const { caller, session } = await signIn(app, "dora");
    const { sessions } = app.store;
    // Changed between the check of the password and the start of the session.
    const begin: typeof sessions.begin = async (...start) => {
      app.store.sessions = sessions;
      await setPassword(app, caller, "dora", { current: null, next: "another long one" }, session.id);
      return sessions.begin(...start);
    };
    app.store.sessions = { ...sessions, begin };
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
