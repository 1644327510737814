import { expect, test } from "bun:test";
import { authenticate } from "../../../src/access/tokens.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

function open() {
  const app = openTestApp();
  return { app, ...openDashboard(app) };
}

const PASSWORD = "correct horse battery";

test("Both pages behind Access are called so", async () => {
  const { get } = await open().signIn("admin");
  for (const page of ["users", "tokens"]) {
    const { text } = await get(`/access/${page}`);
    expect(text).toContain("<h1>Access</h1>");
    expect(text).toContain(`<title>Access: ${page} `);
  }
});

test("An admin creates users, changes their roles, makes links and deletes them by their name", async () => {
  const { app, signIn, openBrowser } = open();
  const { get, post } = await signIn("admin");
  expect((await post("/access/users", { name: "ann", role: "viewer" })).text).toContain("Created ann");
  const again = await post("/access/users", { name: "ann", role: "editor" });
  expect(again.status).toBe(409);
  expect(again.text).toContain("already exists");
  expect((await post("/access/users", { name: "bob", role: "emperor" })).status).toBe(400);

  await post("/access/users/ann", { do: "role", role: "releaser" });
  expect((await app.store.users.find("ann"))!.role).toBe("releaser");
  const linkOf = async () => {
    const { text } = await post("/access/users/ann", { do: "link" });
    return /\/dashboard(\/link\/[\w-]+)/.exec(text)![1]!;
  };
  const ann = openBrowser();
  const welcome = await ann.post(await linkOf(), {});
  expect(welcome.path).toBe("/start");
  expect(welcome.text).toContain("Welcome to formflag");
  expect(welcome.text).toContain('<span class="unseen">You, </span>ann');
  await ann.post("/me/password", { next: PASSWORD });
  expect((await openBrowser().post(await linkOf(), {})).path).toStartWith("/me");

  expect((await post("/access/users/ann", { do: "delete", name: "an" })).status).toBe(409);
  await post("/access/users/ann", { do: "delete", name: "ann" });
  expect((await ann.get("/me")).path).toStartWith("/sign-in");
  const last = await post("/access/users/admin", { do: "role", role: "viewer" });
  expect(last.status).toBe(409);
  expect((await get("/access/users")).status).toBe(200);
});

test("A link has the scheme of the browser that asks for it, also behind a proxy with TLS", async () => {
  const { signIn } = open();
  const { ask } = await signIn("admin");
  const answer = await ask("/access/users/admin", {
    method: "POST",
    body: new URLSearchParams({ do: "link" }),
    headers: { Origin: "https://dashboard.test" },
  });
  expect(await answer.text()).toContain("https://dashboard.test/dashboard/link/");
});

test("A user who turns shortcuts off gets pages without them", async () => {
  const { signIn } = open();
  const { get, post } = await signIn("viewer");
  expect((await get("/me")).text).toContain('data-shortcuts="on"');
  await post("/me/settings", { timeZone: "", shortcuts: "" });
  expect((await get("/me")).text).toContain('data-shortcuts="off"');
});

test("The page after sign-in is one of the dashboard, whatever the address asks for", async () => {
  const { openBrowser, signIn } = open();
  await (await signIn("viewer")).post("/me/password", { next: PASSWORD });
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "/a\nX-Injected: 1",
    "/\u{1f600}",
    "https://evil.example",
  ]) {
    const { ask } = openBrowser();
    const body = new URLSearchParams({ name: "viewer", password: PASSWORD, next });
    const answer = await ask("/sign-in", {
      method: "POST",
      body,
      headers: { Origin: "http://dashboard.test" },
    });
    expect([next, answer.status, answer.headers.get("location")]).toEqual([next, 303, "/dashboard"]);
  }
});

test("A token is shown once, works within its scopes, and is revoked", async () => {
  const { app, signIn } = open();
  const { get, post } = await signIn("admin");
  const wrong = await post("/access/tokens", { name: "ci", expires: "soon", scope: ["flags:read"] });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("Write a time such as 90d or 12h");
  expect(wrong.text).toContain('value="ci"');
  expect((await post("/access/tokens", { name: "ci", expires: "" })).status).toBe(400);
  for (const name of ["", "a b", "x".repeat(500)])
    expect((await post("/access/tokens", { name, expires: "", scope: ["flags:read"] })).status).toBe(400);

  const created = await post("/access/tokens", {
    name: "ci",
    expires: "90d",
    scope: ["flags:read", "forms:read"],
  });
  const [, secret] = /(ff_[\w-]+)/.exec(created.text)!;
  expect(await authenticate(app, secret!)).toMatchObject({
    name: "ci",
    scopes: ["flags:read", "forms:read"],
  });
  expect((await get("/access/tokens")).text).not.toContain(secret!);
  await post("/access/tokens/ci", {});
  expect(authenticate(app, secret!)).rejects.toThrow("not known here");
});

test("A new password ends the other sessions, and needs the present one later", async () => {
  const { app, signIn } = open();
  const [first, second] = [await signIn("editor", "ann"), await signIn("editor", "ann")];
  expect((await first.post("/me/password", { next: "short" })).status).toBe(400);
  expect((await first.post("/me/password", { next: PASSWORD })).text).toContain("Saved the password.");
  expect((await second.get("/me")).path).toStartWith("/sign-in");
  app.clock.now += 20 * 60_000;
  const refused = await first.post("/me/password", { current: "wrong", next: `${PASSWORD}!` });
  expect(refused.status).toBe(400);
  expect((await first.post("/me/password", { current: PASSWORD, next: `${PASSWORD}!` })).text).toContain(
    "Saved the password.",
  );
});

test("Settings of a user decide how times are shown", async () => {
  const { signIn } = open();
  const { get, post } = await signIn("viewer");
  expect((await post("/me/settings", { timeZone: "Asia/Tokyo" })).text).toContain("Saved your settings");
  expect((await get("/me")).text).toContain('<option value="Asia/Tokyo" selected');
  expect((await post("/me/settings", { timeZone: "Mars/Olympus" })).status).toBe(400);
});

test("Only an admin sees users and tokens", async () => {
  const { signIn } = open();
  for (const role of ["viewer", "inbox", "editor", "releaser"] as const) {
    const { get, post } = await signIn(role);
    expect((await get("/me")).text).not.toContain("/access/users");
    for (const path of ["/access/users", "/access/tokens"]) {
      expect((await get(path)).status).toBe(403);
      expect((await post(path, { name: "x", role: "admin", scope: "admin", expires: "" })).status).toBe(403);
    }
    expect((await post(`/access/users/${role}`, { do: "role", role: "admin" })).status).toBe(403);
  }
});

test("A user ends their own sessions and nobody else's", async () => {
  const { app, signIn } = open();
  const [ann, bob] = [await signIn("editor", "ann"), await signIn("editor", "bob")];
  const { items } = await app.store.sessions.page("bob", { limit: 10 });
  expect((await ann.post(`/me/sessions/${items[0]!.id}`, {})).status).toBeOneOf([403, 404]);
  expect((await bob.get("/me")).status).toBe(200);
  const own = await app.store.sessions.page("ann", { limit: 10 });
  expect((await ann.post(`/me/sessions/${own.items[0]!.id}`, {})).path).toStartWith("/sign-in");
});

test("A sign-in ends the session that the browser had before", async () => {
  const { app, signIn } = open();
  const { post } = await signIn("viewer");
  await post("/me/password", { next: PASSWORD });
  const [before] = (await app.store.sessions.page("viewer", { limit: 10 })).items;
  await post("/sign-in", { name: "viewer", password: PASSWORD });
  const { items } = await app.store.sessions.page("viewer", { limit: 10 });
  expect(items.map(({ method }) => method)).toEqual(["password"]);
  expect(items.map(({ id }) => id)).not.toContain(before!.id);
});
