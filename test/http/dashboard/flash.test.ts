import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const FLASH = /^(__Host-)?formflag_[0-9a-f]{12}_flash$/;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const PLANTED = { text: "Saved", undo: { to: "/access/users", values: { name: "mallory", role: "admin" } } };

/** A dashboard with the name of its cookie for messages. */
async function open() {
  const app = openTestApp();
  const dashboard = openDashboard(app);
  const browser = await dashboard.signIn("admin");
  const session = [...browser.cookies.keys()].find((name) => name.endsWith("_session"))!;
  return { app, ...dashboard, ...browser, name: session.replace(/_session$/, "_flash") };
}

test("a message of an action is shown once, to the session that it is for", async () => {
  const { ask, get, cookies, name, signIn } = await open();
  const create = (user: string) =>
    ask("/access/users", {
      method: "POST",
      body: new URLSearchParams({ name: user, role: "viewer" }),
      headers: { Origin: "http://dashboard.test" },
    });
  await create("ann");
  expect((await get("/me")).text).toContain("Created ann");
  expect((await get("/me")).text).not.toContain("Created ann");
  await create("bob");
  const viewer = await signIn("viewer");
  viewer.cookies.set(name, cookies.get(name)!);
  expect((await viewer.get("/me")).text).not.toContain("Created bob");
});

test("a message waits while an open page is updated", async () => {
  const { ask, get } = await open();
  await ask("/access/users", {
    method: "POST",
    body: new URLSearchParams({ name: "ann", role: "viewer" }),
    headers: { Origin: "http://dashboard.test" },
  });
  const update = await ask("/me", { headers: { "X-Update": "1" } });
  expect(await update.text()).not.toContain("Created ann");
  expect((await get("/me")).text).toContain("Created ann");
});

test("a message that somebody planted is not shown, and a broken one is no error", async () => {
  const { ask, get, cookies, name, openBrowser } = await open();
  await ask("/access/users", {
    method: "POST",
    body: new URLSearchParams({ name: "ann", role: "viewer" }),
    headers: { Origin: "http://dashboard.test" },
  });
  const signature = cookies.get(name)!.split(".")[1]!;
  for (const planted of [
    encode(PLANTED),
    `${encode(PLANTED)}.${signature}`,
    `${encode(PLANTED)}.${signature}.`,
    encode({ text: "Saved", undo: {} }),
    encode({ text: "Saved", undo: { to: 1, values: 1 } }),
    encode({ text: "Saved", undo: { to: "/x", values: null } }),
    encode({ text: "Saved", undo: 5 }),
    encode(null),
    encode("Saved"),
    "",
    ".",
    `.${signature}`,
    "%",
    "%ff",
    "\u00ff",
    "x".repeat(4000),
    "eyJ0ZXh0Ijo",
  ]) {
    for (const browser of [{ get, cookies }, openBrowser()]) {
      browser.cookies.set(name, planted);
      for (const path of ["/me", "/nowhere", "/sign-in"]) {
        const shown = await browser.get(path);
        expect([planted, path, shown.status]).toEqual([planted, path, path === "/nowhere" ? 404 : 200]);
        expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(shown.text).not.toContain("mallory");
        expect(shown.text).not.toContain("Undo");
      }
    }
  }
});

test("under HTTPS a message has the prefix of the host, and one without it does not count", async () => {
  const app = openTestApp();
  const { signIn } = openDashboard(
    app,
    { dashboardUrl: "https://flags.example.com" },
    "https://flags.example.com",
  );
  const { ask, get, cookies } = await signIn("admin");
  const create = async (user: string) =>
    ask("/access/users", {
      method: "POST",
      body: new URLSearchParams({ name: user, role: "viewer" }),
      headers: { Origin: "https://flags.example.com" },
    });
  const set = (await create("ann")).headers.getSetCookie().find((line) => line.includes("_flash="))!;
  expect(set).toMatch(/^__Host-.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  expect((await get("/me")).text).toContain("Created ann");
  await create("bob");
  const [name, value] = [...cookies].find(([each]) => FLASH.test(each))!;
  cookies.delete(name);
  cookies.set(name.replace("__Host-", ""), value);
  expect((await get("/me")).text).not.toContain("Created bob");
});

test("the page of an error has the policy of pages also where the database fails again", async () => {
  const app = openTestApp();
  const failures: unknown[] = [];
  const report = { error: (error: unknown) => void failures.push(error), refused: () => {}, spam: () => {} };
  const { signIn } = openDashboard(app, { report });
  const { get } = await signIn("admin");
  const { submissions } = app.store;
  const unread = async () => {
    throw new AppError("unavailable", "the database does not answer", { reason: "database-unavailable" });
  };
  app.store.submissions = { ...submissions, unread };
  for (const path of ["/me", "/nowhere"]) {
    const shown = await get(path);
    expect([path, shown.status]).toEqual([path, path === "/me" ? 503 : 404]);
    expect(shown.headers.get("content-type")).toStartWith("text/html");
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(shown.text).toContain("<!doctype html>");
  }
  for (const failure of failures) expect(failure).toBeInstanceOf(AppError);
});

test("a message that is too large for a cookie is cut, so that browsers keep it", async () => {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
  await setFlag(app, OPERATOR, { project: "shop", environment: "develop", flag: "sale" }, { enabled: true });
  const { ask, get } = await openDashboard(app).signIn("editor");
  const tags = Array.from({ length: 20 }, (_, index) => `${index}${"\u7d50".repeat(48)}`).join(",");
  const answer = await ask("/projects/shop/flags/ticked", {
    method: "POST",
    body: new URLSearchParams({ flag: "sale", act: "tag", tag: tags }),
    headers: { Origin: "http://dashboard.test" },
  });
  expect(answer.status).toBe(303);
  for (const cookie of answer.headers.getSetCookie()) expect(cookie.length).toBeLessThan(4096);
  const { text } = await get("/projects/shop");
  expect(text).toContain("1 flag tagged 0\u7d50");
  expect(text).toContain("Undo");
});
