import { expect, test } from "bun:test";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/dashboard.ts";

const PASSWORD = "correct horse battery";
const MARKS = `a${"\u0301".repeat(40_000)}${"\u0316".repeat(40_000)}`;

test("A form that signs in or sets a password has at most 8 KB, with or without an announced length", async () => {
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
  const { openBrowser } = openDashboard(openTestApp());
  const browser = openBrowser();
  for (let count = 0; count < 10; count += 1)
    expect((await browser.post("/sign-in", { name: "ann", password: "wrong" })).status).toBe(401);
  const refused = await browser.post("/sign-in", { name: "ann", password: "wrong" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  const elsewhere = openBrowser({ address: "203.0.113.9" });
  expect((await elsewhere.post("/sign-in", { name: "ann", password: "wrong" })).status).toBe(401);
}, 60_000);
