import { afterAll, beforeEach, expect, test } from "bun:test";
import { createProject } from "../../../../src/projects/projects.ts";
import { beginLogin, pollLogin } from "../../../../src/access/device/device-logins.ts";
import { resumeSession } from "../../../../src/access/sessions.ts";
import { setMember } from "../../../../src/access/members/members.ts";
import { createInvitation } from "../../../../src/access/members/invitations.ts";
import { createUser, setRole } from "../../../../src/access/users.ts";
import { clientAt, openTestApp } from "../../../support/app.ts";
import { eventually } from "../../../support/eventually.ts";
import { CLIENT_ID, RULES, openCompany } from "../../../support/oidc/client.ts";
import { startProvider } from "../../../support/oidc/provider.ts";
import type { Shown } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { BROWSER } from "../../../support/records/users.ts";
import { reasonOf } from "../../../support/refusals.ts";

const app = openTestApp();
app.clock.now = Date.now();
const company = await openCompany(app, startProvider);
const { peer, rules, url } = company;
await createUser(app, OPERATOR, { name: "boss", role: "admin" });

/** The provider reaches the back channel of the dashboard. */
const server = Bun.serve({
  port: new URL(url).port,
  hostname: "127.0.0.1",
  fetch: async (request) =>
    (await company.created).fetch(request, { client: clientAt("127.0.0.1"), peer: () => "127.0.0.1" }),
});
afterAll(() => server.stop(true));
beforeEach(() => void Object.assign(rules, RULES));

type Browser = ReturnType<typeof company.openBrowser>;

const pathOf = (address: string) => address.replace(`${url}/dashboard`, "");
const { users, members, identities, sessions } = app.store;

let people = 0;
/** A person at the provider whom no user here knows. */
type Person = { subject: string; claims: Record<string, unknown>; name: string };
function newcomer(claims: Record<string, unknown> = {}): Person {
  const name = `person-${(people += 1)}`;
  return { subject: `subject-${people}`, claims: { preferred_username: name, ...claims }, name };
}

/** Signs somebody in at the provider, from a page of the dashboard on. */
async function signInAs(
  person: Person,
  { browser = company.openBrowser(), at = peer.openBrowser(), next = "" } = {},
): Promise<{ browser: Browser; at: typeof at; shown: Shown; answer: string }> {
  const begun = await browser.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`);
  expect(begun.status).toBe(303);
  const answer = await at.signIn(begun.headers.get("location")!, person);
  return { browser, at, answer, shown: await browser.get(pathOf(answer)) };
}

const isIn = async (browser: Browser) => (await browser.get("/me")).path === "/me";

test("A person whom the rules let in is created, once, and goes on to the page that was asked for", async () => {
  const ann = newcomer({ preferred_username: "Ann Lée", email: "ann@example.com" });
  const refused = await signInAs(ann);
  expect(refused.shown.status).toBe(403);
  expect(refused.shown.text).toContain("No user here has your account at Company.");
  expect(await users.find("Ann-Lee")).toBeUndefined();

  Object.assign(rules, { createAs: "viewer" });
  const { browser, shown, answer } = await signInAs(ann, { next: "/dashboard/device?code=a" });
  expect([shown.status, shown.path]).toEqual([404, "/device?code=a"]);
  expect(await users.find("Ann-Lee")).toMatchObject({ role: "viewer", hasPassword: false });
  expect(await identities.ofUser("Ann-Lee")).toEqual({ issuer: peer.issuer, subject: ann.subject });
  expect((await browser.get("/me")).text).toContain(ann.subject);
  // The code was spent, and the cookie is gone.
  expect((await browser.get(pathOf(answer))).status).toBe(400);
  // The account is the person, whatever its name is.
  Object.assign(rules, { createAs: null });
  const renamed = { ...ann, claims: { preferred_username: "boss" } };
  expect((await (await signInAs(renamed)).browser.get("/me")).text).toContain("Your account, Ann-Lee");
});

test("A new user is named by the mail address if there is no name, and nothing is made for a name that is taken", async () => {
  Object.assign(rules, { createAs: "none" });
  await signInAs(newcomer({ preferred_username: undefined, email: "carl@example.com" }));
  expect(await users.find("carl")).toMatchObject({ role: "none" });
  for (const claims of [
    { preferred_username: undefined, email: "carl@evil.example" },
    { preferred_username: "boss" },
    { preferred_username: "-" },
    { preferred_username: undefined, email: 7 },
  ]) {
    const other = newcomer(claims);
    const before = await app.store.readVersion();
    expect([claims, (await signInAs(other)).shown.status]).toEqual([claims, 403]);
    expect(await identities.find({ issuer: peer.issuer, subject: other.subject })).toBeUndefined();
    expect(await app.store.readVersion()).toEqual(before);
  }
});

test("A name is trusted only where that is wanted, exactly, and for a user without an identity", async () => {
  await createUser(app, OPERATOR, { name: "dora", role: "editor" });
  const dora = newcomer({ preferred_username: "dora" });
  expect((await signInAs(dora)).shown.status).toBe(403);
  Object.assign(rules, { trustsNames: true });
  for (const claims of [
    { preferred_username: "Dora" },
    { preferred_username: "dora " },
    { preferred_username: undefined, email: "dora@example.com" },
  ])
    expect([claims, (await signInAs(newcomer(claims))).shown.status]).toEqual([claims, 403]);
  expect(await isIn((await signInAs(dora)).browser)).toBe(true);
  expect((await signInAs(newcomer({ preferred_username: "dora" }))).shown.status).toBe(403);
  expect(await identities.ofUser("dora")).toMatchObject({ subject: dora.subject });
});

test("A claim that is required lets in only those who have it", async () => {
  Object.assign(rules, {
    createAs: "viewer",
    required: [
      { claim: "email", value: "eve@example.com" },
      { claim: "groups", value: "staff" },
    ],
  });
  for (const [claims, status] of [
    [{ groups: ["staff"] }, 403],
    [{ email: "eve@example.com", groups: ["other"] }, 403],
    [{ email: "eve@example.com.evil", groups: ["staff"] }, 403],
    [{ email: "eve@example.com", groups: ["other", "staff"] }, 200],
  ] as const)
    expect([claims, (await signInAs(newcomer(claims))).shown.status]).toEqual([claims, status]);
});

test("Groups give roles at each sign-in, which go with the group; those by hand stay, and the stronger counts", async () => {
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
  await createProject(app, OPERATOR, { slug: "blog", environments: ["develop"] });
  Object.assign(rules, {
    createAs: "none",
    map: [
      { group: "staff", project: null, role: "viewer" },
      { group: "devs", project: "shop", role: "editor" },
      { group: "leads", project: "shop", role: "admin" },
      { group: "devs", project: "not-made-yet", role: "editor" },
      { group: "leads", project: null, role: "editor" },
    ],
  });
  const fay = newcomer({ groups: ["devs"] });
  await signInAs(fay);
  const memberships = async () =>
    (await members.ofUser(fay.name)).map(({ project, role, source }) => `${project} ${role} ${source}`);
  expect([(await users.find(fay.name))?.role, await memberships()]).toEqual(["none", ["shop editor oidc"]]);

  await setMember(app, OPERATOR, "blog", fay.name, { role: "viewer" });
  await setMember(app, OPERATOR, "shop", fay.name, { role: "viewer" });
  await signInAs({ ...fay, claims: { ...fay.claims, groups: ["leads", "devs", "staff"] } });
  expect((await users.find(fay.name))?.role).toBe("editor");
  expect((await memberships()).toSorted()).toEqual([
    "blog viewer manual",
    "shop admin oidc",
    "shop viewer manual",
  ]);

  // By hand she is an inbox, which counts for less than the role of the group.
  await setRole(app, OPERATOR, fay.name, "inbox");
  expect((await users.find(fay.name))?.role).toBe("editor");
  await signInAs({ ...fay, claims: { ...fay.claims, groups: [] } });
  expect((await users.find(fay.name))?.role).toBe("inbox");
  expect((await memberships()).toSorted()).toEqual(["blog viewer manual", "shop viewer manual"]);
});

test("The last admin stays one, whatever the groups say", async () => {
  Object.assign(rules, { createAs: "none", map: [{ group: "admins", project: null, role: "admin" }] });
  const gus = newcomer({ groups: ["admins"] });
  await signInAs(gus);
  const without = { ...gus, claims: { ...gus.claims, groups: [] } };
  // Other tests make admins as well.
  const others = (await app.store.users.page({ limit: 100 })).items.filter(
    ({ name, role }) => role === "admin" && name !== gus.name,
  );
  for (const { name } of others) await setRole(app, OPERATOR, name, "viewer");
  await signInAs(without);
  expect((await users.find(gus.name))?.role).toBe("admin");
  await setRole(app, OPERATOR, "boss", "admin");
  await signInAs(without);
  expect((await users.find(gus.name))?.role).toBe("none");
});

test("Somebody who is signed in connects an account, which then signs in, and disconnects it", async () => {
  const browser = await company.signIn("inbox", "hal");
  const account = newcomer();
  expect((await browser.get("/me")).text).toContain("Connect");
  const connect = async (from: Browser, person: Person) => {
    const body = new URLSearchParams({ do: "connect" });
    const away = await from.ask("/me/identity", { method: "POST", body, headers: { Origin: url } });
    expect(away.status).toBe(200);
    const to = /^0; url=(.+)$/.exec(away.headers.get("refresh")!)![1]!;
    return pathOf(await peer.openBrowser().signIn(to, person));
  };
  // Nobody else can end what was begun here, nor begin it.
  const path = await connect(browser, account);
  const ivo = await company.signIn("inbox", "ivo");
  expect((await ivo.get(path)).status).toBe(400);
  for (const [name, value] of browser.cookies) if (name.endsWith("_oidc")) ivo.cookies.set(name, value);
  expect((await ivo.get(path)).status).toBe(403);
  const body = new URLSearchParams({ do: "connect" });
  const foreign = await browser.ask("/me/identity", {
    method: "POST",
    body,
    headers: { Origin: "https://evil.example" },
  });
  expect(foreign.status).toBe(403);
  expect(await identities.ofUser("hal")).toBeUndefined();

  const shown = await browser.get(await connect(browser, account));
  expect([shown.path, shown.text.includes("Connected your account at Company")]).toEqual(["/me", true]);
  expect(shown.text).toContain(account.subject);
  expect((await (await signInAs(account)).browser.get("/me")).text).toContain("Your account, hal");
  const taken = await ivo.get(await connect(ivo, account));
  expect([taken.status, taken.text.includes("that of another user")]).toEqual([403, true]);
  const second = await browser.get(await connect(browser, newcomer()));
  expect([second.status, await identities.ofUser("hal")]).toEqual([
    403,
    { issuer: peer.issuer, subject: account.subject },
  ]);

  await browser.post("/me/identity", { do: "disconnect" });
  expect((await signInAs(account)).shown.status).toBe(403);
  app.clock.now += 15 * 60_000;
  const late = await browser.post("/me/identity", { do: "connect" });
  expect([late.status, late.text.includes("sign in again")]).toEqual([403, true]);
  app.clock.now = Date.now();
});

test("A session lasts as long as the rules say, and signing out leads to the provider", async () => {
  Object.assign(rules, { createAs: "viewer", sessionSeconds: 600 });
  const { browser } = await signInAs(newcomer());
  app.clock.now += 599_000;
  expect(await isIn(browser)).toBe(true);
  app.clock.now += 1000;
  expect(await isIn(browser)).toBe(false);
  app.clock.now = Date.now();

  const { browser: other } = await signInAs(newcomer());
  const out = await other.ask("/sign-out", {
    method: "POST",
    body: new URLSearchParams(),
    headers: { Origin: url },
  });
  expect(out.status).toBe(200);
  const away = `${peer.issuer}/session/end?client_id=${CLIENT_ID}`;
  expect(out.headers.get("refresh")).toBe(`0; url=${away}`);
  expect(await out.text()).toContain(`href="${away}"`);
  expect(await isIn(other)).toBe(false);
  // A session by a link ends here alone.
  const byLink = await company.signIn("viewer", "jan");
  expect((await byLink.post("/sign-out", {})).path).toStartWith("/sign-in");
});

test("Who signs out at the provider is signed out here, in that browser alone", async () => {
  Object.assign(rules, { createAs: "viewer" });
  const kim = newcomer();
  const [one, two] = [await signInAs(kim), await signInAs(kim)];
  expect([await isIn(one.browser), await isIn(two.browser)]).toEqual([true, true]);
  await one.at.signOut(`${peer.issuer}/session/end?client_id=${CLIENT_ID}`);
  await eventually("the session has ended", async () => !(await isIn(one.browser)));
  expect(await isIn(two.browser)).toBe(true);
  expect((await sessions.page(kim.name, { limit: 10 })).items).toHaveLength(1);
});

test("Who signs out at the provider ends the logins of the command line that were allowed in that browser", async () => {
  Object.assign(rules, { createAs: "viewer" });
  const lou = newcomer();
  const [one, two] = [await signInAs(lou), await signInAs(lou)];
  const logIn = async (browser: Browser) => {
    const begun = await beginLogin(app, { client: "formflag on ada" }, BROWSER);
    expect((await browser.post("/device", { code: begun.userCode, answer: "allow" })).status).toBe(200);
    return () => pollLogin(app, begun.deviceCode);
  };
  const used = await (await logIn(one.browser))();
  const waiting = await logIn(one.browser);
  const elsewhere = await (await logIn(two.browser))();
  const isEnded = (secret: string) => reasonOf(resumeSession(app, secret, "cli"));
  expect(await isEnded(used.secret)).toBe("none");
  await one.at.signOut(`${peer.issuer}/session/end?client_id=${CLIENT_ID}`);
  await eventually("the login has ended", async () => (await isEnded(used.secret)) !== "none");
  expect(await reasonOf(waiting())).toStartWith("expired_token");
  expect([await isEnded(elsewhere.secret), await isIn(two.browser)]).toEqual(["none", true]);
  const ends = (await app.store.audit.page({ action: "session.end", projects: null, limit: 2 })).items;
  expect(ends.map(({ details }) => details)).toEqual(
    Array.from({ length: 2 }, () => ({ user: lou.name, reason: "provider" })),
  );
});

test("The pages lead only to the provider, and back to the dashboard", async () => {
  Object.assign(rules, { createAs: "viewer" });
  const person = newcomer();
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "/dashboard//evil.example",
    "\t//evil",
    "/../other",
    "/inbox/%2E%2e/%2e./other",
  ]) {
    const browser = company.openBrowser();
    const begun = await browser.ask(`/sign-in/oidc?next=${encodeURIComponent(next)}`);
    const answer = await peer.openBrowser().signIn(begun.headers.get("location")!, person);
    const to = (await browser.ask(pathOf(answer))).headers.get("location");
    expect([next, to]).toEqual([next, "/dashboard"]);
  }
  const { browser } = await signInAs(person);
  const again = await browser.ask("/sign-in/oidc?next=/inbox");
  expect(again.headers.get("location")).toBe("/dashboard/inbox");
  const page = (await company.openBrowser().get("/sign-in?next=/inbox")).text;
  expect(page).toContain(`href="${url}/dashboard/sign-in/oidc?next=%2Finbox"`);
  expect(page).toContain("Sign in with Company");
});

test("An invitation leads to the provider and back, also for a person whom the rules alone would not let in", async () => {
  await createProject(app, OPERATOR, { slug: "invited", environments: ["develop"] });
  const closed = await openCompany(app, startProvider, {}, { passwords: false });
  for (const dashboard of [company, closed]) {
    const person = newcomer();
    const { secret } = await createInvitation(app, OPERATOR, "invited", { role: "editor" });
    const browser = dashboard.openBrowser();
    const { text } = await browser.get(`/invitation/${secret}`);
    const [, link] = /href="([^"]*\/sign-in\/oidc\?next=[^"]*)"/.exec(text)!;
    const begun = await browser.ask(link!.replace(`${dashboard.url}/dashboard`, ""));
    const back = await dashboard.peer.openBrowser().signIn(begun.headers.get("location")!, person);
    const arrived = await browser.get(back.replace(`${dashboard.url}/dashboard`, ""));
    expect([arrived.path, arrived.text.includes(`Join as ${person.name}`)]).toEqual([
      `/invitation/${secret}`,
      true,
    ]);
    expect(await users.find(person.name)).toMatchObject({ role: "none", hasPassword: false });
    await browser.post(`/invitation/${secret}`, {});
    expect(await members.ofUser(person.name)).toMatchObject([{ project: "invited", role: "editor" }]);
    // Once it is spent, it lets nobody else in.
    const late = await signInAs(newcomer(), { next: `/invitation/${secret}` });
    expect(late.shown.status).toBe(403);
  }
});

test("A person whose name is taken reads what to do, and so does the page of that user", async () => {
  Object.assign(rules, { createAs: "viewer" });
  await createUser(app, OPERATOR, { name: "made-by-hand", role: "editor" });
  const { shown } = await signInAs(newcomer({ preferred_username: "made-by-hand" }));
  expect(shown.status).toBe(403);
  expect(shown.text).toContain("formflag users link made-by-hand");
  const known = newcomer();
  await signInAs(known);
  const admin = await company.signIn("admin", "keeper-of-users");
  const page = (await admin.get("/access/users/made-by-hand")).text;
  expect(page).toContain("send made-by-hand a sign-in link, and");
  const connected = await admin.get(`/access/users/${known.name}`);
  expect([connected.status, connected.text.includes("sign-in link, and")]).toEqual([200, false]);
});

test("A person to whom nothing was given yet reads that, and not which right is missing", async () => {
  Object.assign(rules, { createAs: "none" });
  const { browser, shown } = await signInAs(newcomer());
  for (const page of [shown, await browser.get(""), await browser.get("/inbox"), await browser.get("/forms")])
    expect([
      page.path,
      page.status,
      page.text.includes("No project yet"),
      page.text.includes("scope"),
    ]).toEqual([page.path, 403, true, false]);
  expect((await browser.get("/forms/contact")).status).toBe(404);
  expect((await browser.get("/me")).status).toBe(200);
});
