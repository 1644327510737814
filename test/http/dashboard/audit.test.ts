import { expect, test } from "bun:test";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

function open() {
  const app = openTestApp();
  return { app, ...openDashboard(app) };
}

const WRONG = { name: "admin", password: "not the password" };

test("The audit log shows who signed in, who failed to and what was changed, by filters", async () => {
  const { signIn, openBrowser, app } = open();
  const { get, post } = await signIn("admin");
  await post("/access/users", { name: "ann", role: "viewer" });
  await openBrowser().post("/sign-in", WRONG);
  await openBrowser().post("/sign-in", { ...WRONG, name: "hunter2 hunter2" });
  const { text } = await get("/audit");
  for (const action of ["session.start", "session.fail", "user.create"]) expect(text).toContain(action);
  expect(text).toContain("unknown");
  expect(text).toContain(">a browser</bdi>");
  expect(text).not.toContain("hunter2");
  const { items } = await app.store.audit.page({ projects: null, action: "session.fail", limit: 10 });
  expect(items.map(({ who, details }) => [who, details])).toEqual([
    [null, { method: "password" }],
    ["admin", { method: "password" }],
  ]);
  const filtered = (await get("/audit?action=user&who=admin")).text;
  expect(filtered).toContain("role viewer");
  expect(filtered).not.toContain('id="entry-1"');
  expect((await get("/audit?who=nobody")).text).toContain("No entry matches");
  expect((await get("/audit?before=x")).status).toBe(400);
});

test("Users who are no admin do not see the audit log, and no link to it", async () => {
  const { signIn } = open();
  const { get } = await signIn("releaser");
  expect((await get("/audit")).status).toBe(403);
  expect((await get("/me")).text).not.toContain("/audit");
});

test("Guesses without end are recorded sixty times a minute, and counted", async () => {
  const { app, openBrowser } = open();
  const browser = openBrowser();
  for (let count = 0; count < 70; count += 1) await browser.post(`/link/${"x".repeat(43)}`, {});
  const failures = async () =>
    (await app.store.audit.page({ projects: null, action: "session.fail", limit: 100 })).items;
  expect(await failures()).toHaveLength(60);
  const now = app.now();
  app.now = () => now + 60_000;
  await browser.post(`/link/${"x".repeat(43)}`, {});
  expect((await failures())[0]!.details).toEqual({ method: "link", omitted: 10 });
});
