import { expect, test } from "bun:test";
import { createUser } from "../../../../src/access/users.ts";
import { setMember } from "../../../../src/access/members/members.ts";
import { listNoticeTargets } from "../../../../src/projects/notice-targets.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { fakeOutgoing } from "../../../support/peers/outgoing.ts";
import { OPERATOR } from "../../../support/records/caller.ts";
import { openShop } from "../../../support/records/shop.ts";

const PAGE = "/projects/shop/settings";

async function open() {
  const shop = await openShop();
  const { signIn } = openDashboard(shop.app, { outgoing: async () => fakeOutgoing() });
  return { ...shop, signIn, ...(await signIn("admin")) };
}

/** The texts of a page, without its markup. */
const wordsOf = (html: string) => html.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

test("The settings say what a change needs, and one form changes an environment", async () => {
  const { app, get, post } = await open();
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true, approvals: 2 });
  const words = wordsOf((await get(PAGE)).text);
  expect(words).toContain("A change needs nothing");
  expect(words).toContain("A change needs a confirmation and 2 approvals");
  const path = "/projects/shop/environments/develop/settings";
  const before = { "before-name": "develop", "before-color": "", "before-locked": "false" };
  const same = { name: "develop", color: "", locked: "false" };
  const saved = await post(path, { ...before, ...same, name: "Develop", color: "green", locked: "true" });
  expect(saved.text).toContain("develop is called Develop.");
  const find = async () =>
    (await app.store.environments.list("shop")).find(({ slug }) => slug === "develop")!;
  expect(await find()).toMatchObject({ name: "Develop", color: "green", locked: true });
  // Somebody else has given it another colour since: a form that did not touch it leaves it.
  await setEnvironment(app, OPERATOR, "shop", "develop", { color: "pink" });
  const shown = { "before-name": "Develop", "before-color": "green", "before-locked": "true" };
  await post(path, { ...shown, name: "Dev", color: "green", locked: "true" });
  expect(await find()).toMatchObject({ name: "Dev", color: "pink", locked: true });
  const none = await post(path, {
    ...shown,
    "before-name": "Dev",
    name: "Dev",
    color: "green",
    locked: "true",
  });
  expect(none.text).toContain("Nothing was changed");
});

test("Members are listed in words, with the users who have a role in every project", async () => {
  const { app, get, signIn } = await open();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  for (const name of ["jonas", "hanna"]) await createUser(app, OPERATOR, { name, role: "none" });
  await setMember(app, OPERATOR, "shop", "jonas", { role: "editor", environments: null });
  await setMember(app, OPERATOR, "shop", "hanna", { role: "admin", environments: null });
  const words = wordsOf((await get(PAGE)).text);
  expect(words).toContain("does everything, and manages access, in every project");
  expect(words).toContain("jonasworks with forms and flags; changes flags in develop; proposes in live");
  // An admin of the project alone learns of no user elsewhere.
  const hanna = await signIn("none", "hanna");
  const seen = wordsOf((await hanna.get(PAGE)).text);
  expect(seen).toContain("jonasworks with forms and flags");
  expect(seen).not.toContain("in every project");
  const viewer = await signIn("viewer");
  expect((await viewer.get(PAGE)).text).not.toContain("jonas");
});

test("A token is made for a purpose, or with scopes of one's own, and its page says what it is for", async () => {
  const { app, get, post } = await open();
  const typed = { name: "web", place: "shop/live", expires: "" };
  await post("/projects/shop/tokens", { ...typed, purpose: "application", scope: ["admin"] });
  await post("/projects/shop/tokens", { ...typed, name: "ci", purpose: "scopes", scope: ["flags:read"] });
  expect((await post("/projects/shop/tokens", { ...typed, name: "no", purpose: "scopes" })).status).toBe(400);
  const tokens = await app.store.tokens.list();
  expect(tokens.map(({ name, scopes }) => [name, scopes])).toEqual([
    ["ci", ["flags:read"]],
    ["web", ["flags:evaluate"]],
  ]);
  expect(wordsOf((await get(PAGE)).text)).toContain("an application reads flags; in live; never ends");
});

test("A target hears of what was chosen: everything, one of three groups, or some events", async () => {
  const { app, get, post } = await open();
  const add = (name: string, fields: Record<string, string | string[]>) =>
    post("/projects/shop/targets", {
      target: `mail:${name}@example.com`,
      environment: "",
      digest: "",
      ...fields,
    });
  await add("all", { about: "all", event: ["ramp.ended"] });
  await add("clean", { about: "cleaning", digest: "7d" });
  await add("some", { about: "some", event: ["ramp.ended"] });
  const targets = await listNoticeTargets(app, OPERATOR, "shop");
  expect(Object.fromEntries(targets.map(({ target, events }) => [target, events]))).toEqual({
    "mail:all@example.com": null,
    "mail:clean@example.com": ["flag.removable", "flag.stale", "flag.expired"],
    "mail:some@example.com": ["ramp.ended"],
  });
  const words = wordsOf((await get(PAGE)).text);
  expect(words).toContain("flags ready to remove; once a week");
  expect(words).toContain("everything in the project; at once");
});

test("The former pages of members, tokens and targets lead to their place in the settings", async () => {
  const { ask } = await open();
  for (const part of ["members", "tokens", "targets"]) {
    const { status, headers } = await ask(`/projects/shop/${part}`);
    expect([status, headers.get("location")]).toEqual([303, `/dashboard${PAGE}#${part}`]);
  }
});

test("The audit log names a project once, and omits a number that is zero", async () => {
  const { app, get } = await open();
  await setEnvironment(app, OPERATOR, "shop", "live", { color: "red" });
  const words = wordsOf((await get("/audit")).text);
  expect(words).toContain("live in shop");
  expect(words).not.toContain("shop in shop");
  expect(words).not.toContain("approvals 0");
});
