import { describe, expect, test } from "bun:test";
import { expiredSessionsJob } from "../../src/access/audit/expiry.ts";
import {
  endSession,
  endSessionBySecret,
  hasUsers,
  instanceId,
  listSessions,
  resumeSession,
  userCaller,
} from "../../src/access/sessions.ts";
import { signInByProxy } from "../../src/access/sign-in.ts";
import { authenticate } from "../../src/access/tokens.ts";
import { createLink, createUser } from "../../src/access/users.ts";
import { AppError } from "../../src/base/errors.ts";
import { openTestApp } from "../support/app.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { BROWSER, signIn } from "../support/records/users.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const ENDED = "unauthenticated session-ended";

describe("a session", () => {
  test("is known by its secret alone", async () => {
    const app = openTestApp();
    const { secret, session, user } = await signIn(app, "ann");
    expect(await resumeSession(app, secret)).toEqual({ user, memberships: [], session });
    const hash = new Bun.CryptoHasher("sha256").update(secret).digest("hex");
    for (const other of ["", session.id, hash, `${secret}x`, secret.slice(1)])
      expect(await reasonOf(resumeSession(app, other))).toBe(ENDED);
    expect(await reasonOf(authenticate(app, secret))).toBe("unauthenticated token-unknown");
  });

  test("lasts for 14 days after its last use", async () => {
    const app = openTestApp();
    const { secret } = await signIn(app, "ann");
    app.clock.now += 14 * DAY - 1;
    await resumeSession(app, secret);
    app.clock.now += 14 * DAY - 1;
    await resumeSession(app, secret);
    app.clock.now += 14 * DAY;
    expect(await reasonOf(resumeSession(app, secret))).toBe(ENDED);
  });

  test("lasts for 90 days at most", async () => {
    const app = openTestApp();
    const { secret } = await signIn(app, "ann");
    for (let days = 10; days < 90; days += 10) {
      app.clock.now += 10 * DAY;
      await resumeSession(app, secret);
    }
    app.clock.now += 10 * DAY;
    expect(await reasonOf(resumeSession(app, secret))).toBe(ENDED);
  });

  test("records its use every ten minutes, and goes on where that cannot be written", async () => {
    const app = openTestApp();
    const { secret, session } = await signIn(app, "ann");
    const seenAt = async () => (await app.store.sessions.findById(session.id))!.seenAt;
    app.clock.now += 10 * MINUTE - 1;
    await resumeSession(app, secret);
    expect(await seenAt()).toBe(session.seenAt);
    app.clock.now += 1;
    const { sessions } = app.store;
    app.store.sessions = {
      ...sessions,
      markSeen: () => Promise.reject(new AppError("unavailable", "the disk is full")),
    };
    expect(await resumeSession(app, secret)).toMatchObject({ user: { name: "ann" } });
    app.store.sessions = sessions;
    expect((await resumeSession(app, secret)).session.seenAt).toBe(app.now());
    expect(await seenAt()).toBe(app.now());
  });

  test("ends by its secret, also when there is none", async () => {
    const app = openTestApp();
    const { secret } = await signIn(app, "ann");
    await endSessionBySecret(app, secret, "192.0.2.1");
    await endSessionBySecret(app, secret, "192.0.2.1");
    expect(await reasonOf(resumeSession(app, secret))).toBe(ENDED);
  });

  test("that ends ends what is on its way", async () => {
    const app = openTestApp();
    const signedIn = await signIn(app, "ann", "admin");
    const confirmed: string[] = [];
    const has = (environment: string) => confirmed.push(environment) > 0;
    const caller = userCaller(app, signedIn, signedIn.secret, has, "because");
    expect([caller.why, caller.hasConfirmed("live"), confirmed]).toEqual(["because", true, ["live"]]);
    await endSession(app, caller, signedIn.session.id);
    expect(await reasonOf(createUser(app, caller, { name: "late", role: "viewer" }))).toBe(ENDED);
  });
});

describe("sessions", () => {
  test("are listed with the one used last first, without those that ended", async () => {
    const app = openTestApp();
    const old = await signIn(app, "ann");
    app.clock.now += 13 * DAY;
    const [one, two] = [await signIn(app, "ann"), await signIn(app, "ann")];
    const other = await signIn(app, "ben", "admin");
    app.clock.now += DAY;
    await resumeSession(app, two.secret);
    const ids = async (...args: Parameters<typeof listSessions>) =>
      (await listSessions(...args)).map(({ id }) => id);
    expect(await ids(app, one.caller, "ann")).toEqual([two.session.id, one.session.id]);
    expect(await ids(app, other.caller, "ann")).toHaveLength(2);
    expect((await ids(app, OPERATOR, null)).toSorted()).toEqual(
      [one, two, other].map(({ session }) => session.id).toSorted(),
    );
    expect(await reasonOf(listSessions(app, one.caller, null))).toBe("forbidden");
    expect(await reasonOf(listSessions(app, one.caller, "ben"))).toBe("forbidden");
    expect(await reasonOf(listSessions(app, callerNamed("ann", { scopes: ["read"] }), "ann"))).toBe(
      "forbidden",
    );
    expect(await reasonOf(listSessions(app, OPERATOR, "nobody"))).toBe("not_found user-not-found");
    expect(old.session.id).not.toBe(one.session.id);
  });

  test("are ended by their user or an admin", async () => {
    const app = openTestApp();
    const [ann, other, boss] = [
      await signIn(app, "ann"),
      await signIn(app, "carl"),
      await signIn(app, "ben", "admin"),
    ];
    expect(await reasonOf(endSession(app, other.caller, ann.session.id))).toBe("forbidden");
    expect(await reasonOf(endSession(app, other.caller, "none"))).toBe("forbidden");
    await endSession(app, other.caller, other.session.id);
    await endSession(app, boss.caller, ann.session.id);
    for (const { secret } of [ann, other]) expect(await reasonOf(resumeSession(app, secret))).toBe(ENDED);
    expect(await reasonOf(endSession(app, boss.caller, ann.session.id))).toBe("not_found session-not-found");
  });

  test("of one user are a hundred at most", async () => {
    const app = openTestApp();
    await createUser(app, OPERATOR, { name: "robot", role: "viewer" });
    const first = await signInByProxy(app, "robot", BROWSER, { createAs: null });
    for (let count = 0; count < 100; count += 1) {
      app.clock.now += 1;
      await signInByProxy(app, "robot", BROWSER, { createAs: null });
    }
    expect(await listSessions(app, OPERATOR, "robot")).toHaveLength(100);
    expect(await reasonOf(resumeSession(app, first.secret))).toBe(ENDED);
  });

  test("and links are removed by a job once they have ended", async () => {
    const app = openTestApp();
    const [gone] = [await signIn(app, "ann"), await createLink(app, OPERATOR, "ann")];
    app.clock.now += 14 * DAY;
    const kept = await signIn(app, "ann");
    await expiredSessionsJob(app).run();
    expect(await app.store.sessions.findById(gone.session.id)).toBeUndefined();
    expect(await app.store.sessions.findById(kept.session.id)).toBeDefined();
  });
});

test("there are users once the first one is created", async () => {
  const app = openTestApp();
  expect(await hasUsers(app)).toBe(false);
  await createLink(app, OPERATOR);
  expect(await hasUsers(app)).toBe(true);
});

test("the data has an id of its own, which stays", async () => {
  const [app, other] = [openTestApp(), openTestApp()];
  const id = await instanceId(app);
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  expect(await instanceId(app)).toBe(id);
  expect(await instanceId(other)).not.toBe(id);
});
