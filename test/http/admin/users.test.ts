import { describe, expect, test } from "bun:test";
import { newSession, signInByLink } from "../../../src/access/sign-in.ts";
import { createAdminApp } from "../../../src/http/admin/admin.ts";
import { expectError, openAdmin } from "../../support/admin.ts";
import { fakeOutgoing } from "../../support/peers/outgoing.ts";
import { BROWSER, signIn, whole } from "../../support/records/users.ts";
import { ROOT, bearer } from "../../support/postgres/world.ts";

/** The admin API with an administrator, `boss`. */
async function openUsers() {
  const { app, ADMIN, ask } = await openAdmin();
  await signIn(app, "boss", "admin");
  return { app, ADMIN, ask };
}
type Ask = Awaited<ReturnType<typeof openUsers>>["ask"];

const json = async (asked: ReturnType<Ask>) => {
  const answer = await asked;
  const body: unknown = await answer.json();
  return { status: answer.status, cache: answer.headers.get("cache-control"), body };
};

describe("users", () => {
  test("are created, read, listed, given a role, and deleted", async () => {
    const { app, ask } = await openUsers();
    const made = await json(ask("/users", { body: { name: "ann", role: "inbox" } }));
    const ann = {
      name: "ann",
      role: "inbox",
      hasPassword: false,
      secondFactors: [],
      settings: { timeZone: null, shortcuts: true },
      createdAt: new Date(app.now()).toISOString(),
    };
    const more = { memberships: [], secondFactors: [], identity: null };
    expect(made).toMatchObject({ status: 201, body: { ...ann, ...more, result: "created" } });
    expect((await json(ask("/users/ann"))).body).toEqual({ ...ann, ...more });
    const { body } = await json(ask("/users?limit=1"));
    expect(body).toEqual({ users: [ann], next: "ann" });
    const rest = await json(ask("/users?after=ann"));
    expect(rest.body).toMatchObject({ users: [{ name: "boss" }], next: null });
    const set = (role: string) => json(ask("/users/ann", { method: "PATCH", body: { role } }));
    expect((await set("editor")).body).toEqual({ ...ann, ...more, role: "editor", result: "updated" });
    expect((await set("editor")).body).toMatchObject({ result: "unchanged" });
    expect((await ask("/users/ann", { method: "DELETE" })).status).toBe(204);
    await expectError(await ask("/users/ann"), 404, "not_found", "ann");
  });

  test.each<[what: string, body: unknown, word: string]>([
    ["no role", { name: "x" }, "role is one of viewer, inbox"],
    ["a role there is not", { name: "x", role: "owner" }, "role is one of"],
    ["a name with a space", { name: "a b", role: "viewer" }, "a user is named by"],
    ["a password", { name: "x", role: "viewer", password: "correct horse battery" }, "password"],
  ])("are refused with %s", async (_, body, word) => {
    const { ask } = await openUsers();
    await expectError(await ask("/users", { body }), 400, "invalid", word);
  });

  test("keep their last admin, and their names to themselves", async () => {
    const { ask } = await openUsers();
    const demote = () => ask("/users/boss", { method: "PATCH", body: { role: "viewer" } });
    expect((await json(demote())).body).toMatchObject({ error: { reason: "last-admin" } });
    await expectError(await demote(), 409, "conflict", "last admin");
    await expectError(await ask("/users/boss", { method: "DELETE" }), 409, "conflict");
    await expectError(await ask("/users", { body: { name: "boss", role: "viewer" } }), 409, "conflict");
    await expectError(await ask("/tokens", { body: { name: "boss" } }), 409, "conflict", "user");
    await expectError(
      await ask("/users", { body: { name: "admin", role: "viewer" } }),
      409,
      "conflict",
      "token",
    );
  });
});

describe("a sign-in link", () => {
  const linkOf = async (options: { dashboardUrl?: string | null; basePath?: string }) => {
    const { app, ADMIN } = await openUsers();
    const report = { error: () => {}, refused: () => {}, spam: () => {} };
    const outgoing = async () => fakeOutgoing();
    const admin = await createAdminApp(app, { version: "test", report, outgoing, ...options });
    const answer = await admin.request(`${ROOT}/users/links`, {
      method: "POST",
      headers: { ...bearer(ADMIN), "content-type": "application/json" },
      body: "{}",
    });
    return { ...((await answer.json()) as { name: string; url: string; expiresAt: string }), now: app.now() };
  };

  test("is a path under the base path, or whole where the address of the dashboard is known", async () => {
    const { name, url, expiresAt, now } = await linkOf({});
    expect({ name, expiresAt }).toEqual({
      name: "boss",
      expiresAt: new Date(now + 900_000).toISOString(),
    });
    expect(url).toMatch(/^\/dashboard\/link\/[\w-]{43}$/);
    expect((await linkOf({ basePath: "/ff" })).url).toStartWith("/ff/dashboard/link/");
    const whole = await linkOf({ basePath: "/ff", dashboardUrl: "https://flags.example.com/ff" });
    expect(whole.url).toStartWith("https://flags.example.com/ff/dashboard/link/");
  });

  test("signs in, and neither it nor the session is a token", async () => {
    const { app, ask } = await openUsers();
    const link = await ask("/users/links", { body: { name: "boss" } });
    expect(link.status).toBe(201);
    const { url } = (await link.json()) as { url: string };
    const secret = url.split("/").at(-1)!;
    for (const token of [secret, `ff_${secret}`])
      await expectError(await ask("/users", { token }), 401, "unauthenticated");
    const signedIn = whole(await signInByLink(app, secret, BROWSER));
    expect(signedIn.user.name).toBe("boss");
    for (const token of [signedIn.secret, `ff_${signedIn.secret}`, signedIn.session.id])
      await expectError(await ask("/users", { token }), 401, "unauthenticated");
  });

  test("is for a user that exists, and has a valid name", async () => {
    const { ask } = await openUsers();
    await expectError(await ask("/users/links", { body: { name: "nobody" } }), 404, "not_found", "nobody");
    await expectError(
      await ask("/users/links", { body: { name: "a b" } }),
      400,
      "invalid",
      "a user is named by",
    );
    await expectError(await ask("/users/links", { body: { user: "boss" } }), 400, "invalid");
  });
});

describe("sessions", () => {
  test("are listed, of one user too, and ended", async () => {
    const { app, ask } = await openUsers();
    const { session } = await signIn(app, "carl");
    const all = (await json(ask("/sessions"))).body as { sessions: { id: string; user: string }[] };
    expect(all.sessions.map(({ user }) => user)).toContain("boss");
    const ofCarl = await json(ask("/sessions?user=carl"));
    const at = new Date(app.now()).toISOString();
    expect(ofCarl.body).toEqual({ sessions: [{ ...session, createdAt: at, seenAt: at }] });
    expect(ofCarl.cache).toBe("no-store");
    const end = () => ask(`/sessions/${session.id}`, { method: "DELETE" });
    expect((await end()).status).toBe(204);
    await expectError(await end(), 404, "not_found", session.id);
    await expectError(await ask("/sessions?user=nobody"), 404, "not_found", "nobody");
    await expectError(await ask("/sessions?name=carl"), 400, "invalid");
  });

  test("of a user are listed and ended by that user too, who changes settings of the account", async () => {
    const { app, ask } = await openUsers();
    const { session } = await signIn(app, "carl");
    const { secret, stored } = newSession(app, "carl", "cli", BROWSER, app.now() + 86_400_000);
    await app.store.sessions.insert(stored, null);
    const asCarl = (path: string, options: object = {}) => ask(path, { token: secret, ...options });
    const { sessions } = (await json(asCarl("/sessions?user=carl"))).body as { sessions: object[] };
    expect(sessions).toHaveLength(2);
    await expectError(await asCarl("/sessions"), 403, "forbidden");
    await expectError(await asCarl("/sessions?user=boss"), 403, "forbidden");
    await expectError(await asCarl("/sessions/8k2d-0xqa-w51m", { method: "DELETE" }), 403, "forbidden");
    expect((await asCarl(`/sessions/${session.id}`, { method: "DELETE" })).status).toBe(204);

    const set = (body: object) => asCarl("/me", { method: "PATCH", body });
    expect(await (await set({ timeZone: "Asia/Tokyo" })).json()).toEqual({
      timeZone: "Asia/Tokyo",
      shortcuts: true,
      reviewMail: null,
    });
    expect(await (await set({ shortcuts: false })).json()).toEqual({
      timeZone: "Asia/Tokyo",
      shortcuts: false,
      reviewMail: null,
    });
    await expectError(await set({ timeZone: "Mars/Base" }), 400, "invalid", "Mars/Base");
    await expectError(await ask("/me", { method: "PATCH", body: {} }), 403, "forbidden");
  });
});
