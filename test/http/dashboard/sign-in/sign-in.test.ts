import { describe, expect, test } from "bun:test";
import { createLink, createUser } from "../../../../src/access/users.ts";
import type { App } from "../../../../src/app.ts";
import { openTestApp } from "../../../support/app.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { PASSWORD, givePassword } from "../../../support/records/users.ts";

const MARKS = `a${"\u0301".repeat(40_000)}${"\u0316".repeat(40_000)}`;

test("A form that signs in or sets a password has at most 16 KB, with or without an announced length", async () => {
  const { openBrowser, signIn } = openDashboard(openTestApp());
  const viewer = await signIn("viewer");
  for (const [browser, path, field] of [
    [openBrowser(), "/sign-in", "password"],
    [openBrowser(), "/sign-in", "name"],
    [openBrowser(), "/sign-in", "next"],
    [openBrowser(), "/link/unknown", "more"],
    [viewer, "/me/password", "next"],
    [viewer, "/me/password", "current"],
    [viewer, "/sign-out", "more"],
  ] as const) {
    const shown = await browser.post(path, {
      name: "ann",
      password: PASSWORD,
      next: PASSWORD,
      [field]: MARKS,
    });
    expect([path, field, shown.status]).toEqual([path, field, 413]);
    const answer = await browser.ask(path, {
      method: "POST",
      body: new Blob([new URLSearchParams({ [field]: MARKS }).toString()]).stream(),
      headers: { Origin: "http://dashboard.test", "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect([path, field, answer.status]).toEqual([path, field, 413]);
  }
});

test("Passwords of the longest body are refused at once", async () => {
  const { openBrowser, signIn } = openDashboard(openTestApp());
  const viewer = await signIn("viewer");
  // As UTF-8 in multipart, which takes less than a third of what is escaped.
  const marks = `a${"\u0301".repeat(1700)}${"\u0316".repeat(1700)}`;
  const send = (browser: typeof viewer, path: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return browser.ask(path, { method: "POST", body, headers: { Origin: "http://dashboard.test" } });
  };
  const start = performance.now();
  expect((await send(openBrowser(), "/sign-in", { name: "viewer", password: marks })).status).toBe(401);
  expect((await send(openBrowser(), "/sign-in", { name: marks, password: PASSWORD })).status).toBe(401);
  const refused = await send(viewer, "/me/password", { next: marks });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("A password has at most 200 bytes");
  expect(performance.now() - start).toBeLessThan(10_000);
});

test("Wrong passwords are counted by the network of the client", async () => {
  const app = openTestApp();
  const { openBrowser } = openDashboard(app);
  await createUser(app, OPERATOR, { name: "ann", role: "viewer" });
  await givePassword(app, "ann");
  const browser = openBrowser();
  for (let count = 0; count < 10; count += 1)
    expect((await browser.post("/sign-in", { name: "ann", password: "wrong" })).status).toBe(401);
  const refused = await browser.post("/sign-in", { name: "ann", password: "wrong" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  const elsewhere = openBrowser({ address: "203.0.113.9" });
  expect((await elsewhere.post("/sign-in", { name: "ann", password: "wrong" })).status).toBe(401);
}, 60_000);

describe("Behind a sign-in proxy", () => {
  const PROXY = { header: "Remote-User", isTrusted: (address: string) => address === "198.51.100.7" };
  const open = async () => {
    const app = openTestApp();
    const proxy = { ...PROXY, createAs: null };
    const dashboard = openDashboard(app, { proxy, dashboardUrl: "http://dashboard.test" });
    const { secret } = await createLink(app, OPERATOR, "ann");
    return { app, secret, ...dashboard };
  };
  const sessionsOf = async (app: App) => (await app.store.sessions.page("ann", { limit: 10 })).items;
  const named = { "Remote-User": "ann" };

  test("a name that somebody points at the proxy reads nothing and changes nothing", async () => {
    const { app, openBrowser } = await open();
    const { ask } = openBrowser();
    for (const host of [
      "evil.example",
      "dashboard.test.evil.example",
      "dashboard.test.",
      "evil.example:80",
    ]) {
      for (const path of ["", "/access/users", "/events", "/me"]) {
        const read = await ask(path, { headers: { ...named, Host: host } });
        expect([host, path, read.status]).toEqual([host, path, 403]);
        expect(await read.text()).toContain("http://dashboard.test");
      }
      const change = await ask("/access/users", {
        method: "POST",
        body: new URLSearchParams({ name: "mallory", role: "admin" }),
        headers: { ...named, Host: host, Origin: `http://${host}` },
      });
      expect([host, change.status]).toEqual([host, 403]);
    }
    expect(await app.store.users.find("mallory")).toBeUndefined();
    expect(await sessionsOf(app)).toEqual([]);
    expect((await ask("/me", { headers: named })).status).toBe(200);
    expect((await ask("/me", { headers: { ...named, Host: "127.0.0.1:8787" } })).status).toBe(200);
  });

  test("a session that the proxy began ends with the header, one by a link does not", async () => {
    const { app, secret, openBrowser } = await open();
    const { ask, post, get } = openBrowser();
    expect((await ask("/me", { headers: named })).status).toBe(200);
    expect((await sessionsOf(app)).map(({ method }) => method)).toEqual(["proxy"]);
    expect((await ask("/me", { headers: named })).status).toBe(200);
    expect((await get("/me")).path).toStartWith("/sign-in");
    expect(await sessionsOf(app)).toEqual([]);
    await post(`/link/${secret}`, {});
    expect((await get("/me")).status).toBe(200);
  });

  test("a form without the header is refused in a session that the proxy began", async () => {
    const { app, openBrowser } = await open();
    const { ask, post } = openBrowser();
    await ask("/me", { headers: named });
    expect((await post("/access/users", { name: "bob", role: "admin" })).status).toBe(401);
    expect(await app.store.users.find("bob")).toBeUndefined();
  });
});

test("Where the URL of the dashboard is known, a form from any other origin is refused", async () => {
  const { openBrowser } = openDashboard(openTestApp(), { dashboardUrl: "https://flags.example.com" });
  const { ask } = openBrowser();
  const send = async (headers: Record<string, string>) =>
    (await ask("/sign-in", { method: "POST", body: new URLSearchParams({ name: "a" }), headers })).status;
  expect(await send({ Origin: "http://dashboard.test" })).toBe(403);
  expect(await send({ Origin: "http://evil.example", Host: "evil.example" })).toBe(403);
  expect(await send({ Origin: "http://flags.example.com", Host: "flags.example.com" })).toBe(403);
  expect(await send({ Host: "evil.example", "Sec-Fetch-Site": "same-origin" })).toBe(403);
  expect(await send({ Origin: "null" })).toBe(403);
  expect(await send({ Origin: "https://flags.example.com" })).toBe(401);
});

test("A page with a long address does not make the form of the sign-in too large", async () => {
  const { openBrowser, signIn } = openDashboard(openTestApp());
  await (await signIn("viewer")).post("/me/password", { next: PASSWORD });
  for (const [length, isKept] of [
    [1000, true],
    [7000, false],
  ] as const) {
    const browser = openBrowser();
    const shown = await browser.get(`/inbox?q=${"%2B".repeat(length / 3)}`);
    const next = /name="next" value="([^"]*)"/.exec(shown.text)?.[1] ?? "";
    expect(next !== "").toBe(isKept);
    const entered = await browser.ask("/sign-in", {
      method: "POST",
      body: new URLSearchParams({ name: "viewer", password: PASSWORD, next }),
      headers: { Origin: "http://dashboard.test" },
    });
    expect([length, entered.status]).toEqual([length, 303]);
  }
});
