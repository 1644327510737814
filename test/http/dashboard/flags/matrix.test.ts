import { expect, test } from "bun:test";
import { hourOf } from "../../../../src/base/days.ts";
import { setDetails, setFlag } from "../../../../src/flags/flags.ts";
import { scheduleChange } from "../../../../src/flags/schedule/schedule.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { type Shown, hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const LIST = "/projects/shop";
const DAY = 86_400_000;

/** The project shop with three flags, and an admin who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const set = (flag: string, environment: string, patch: Parameters<typeof setFlag>[3]) =>
    setFlag(app, OPERATOR, { project: "shop", environment, flag }, patch);
  for (const flag of ["alpha", "beta", "gamma"]) await set(flag, "develop", {});
  await set("alpha", "live", {
    enabled: true,
    variants: { on: true, off: false },
    targeting: {
      fractional: [
        ["on", 25],
        ["off", 75],
      ],
    },
  });
  const details = (flag: string, patch: Parameters<typeof setDetails>[3]) =>
    setDetails(app, OPERATOR, { project: "shop", flag }, patch);
  await details("alpha", { owner: "ann", tags: ["search", "ui"] });
  await details("beta", { owner: "team", tags: ["ui"] });
  const { signIn } = openDashboard(app);
  const ann = await signIn("admin", "ann");
  const flagsAt = async (path: string) =>
    [...(await ann.get(path)).text.matchAll(/<tr[^>]* data-flag="([^"]+)"/g)].map(([, name]) => name);
  const tagsOf = async (flag: string) =>
    (await app.store.flags.find({ project: "shop", environment: "live", flag }))!.tags;
  return { app, ann, signIn, set, details, flagsAt, tagsOf };
}

test("a row has a switch in each environment, and says who gets the flag there", async () => {
  const { ann, signIn } = await openShop();
  const { text } = await ann.get(LIST);
  const row = /<tr[^>]* data-flag="alpha".*?<\/tr>/s.exec(text)![0];
  const cell = (name: string) =>
    new RegExp(`<td[^>]* data-environment="${name}".*?</td>`, "s").exec(row)![0].replaceAll(/<[^>]*>/g, " ");
  expect(cell("live")).toContain("25 %");
  expect(cell("develop")).toContain("off");
  expect(row).toContain("Tick alpha");
  expect(row).toMatch(/role="switch" aria-checked="true"[^>]* aria-label="alpha in live"/);
  expect(row).toMatch(/role="switch" aria-checked="false"[^>]* aria-label="alpha in develop"/);
  expect(row).toContain('href="/dashboard/projects/shop/flags/alpha?environment=live"');
  const seen = (await (await signIn("viewer")).get(LIST)).text;
  expect([seen.includes("25 %"), seen.includes('role="switch"'), seen.includes("Tick")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("an owner and a description of several lines are shown as they are", async () => {
  const { ann, details } = await openShop();
  await details("alpha", { owner: "ann\nben", description: "one\ntwo" });
  const { text } = await ann.get(`${LIST}/flags/alpha`);
  expect(text).toMatch(/<textarea[^>]* name="owner"[^>]*>\nann\nben</);
  expect(text).toMatch(/<textarea[^>]* name="description"[^>]*>\none\ntwo</);
});

test("the list is filtered by state, tag, owner, what changed, what is stale, and one's own", async () => {
  const { app, details, flagsAt, set } = await openShop();
  expect(await flagsAt(`${LIST}?state=on`)).toEqual(["alpha"]);
  expect(await flagsAt(`${LIST}?state=off`)).toEqual(["beta", "gamma"]);
  expect(await flagsAt(`${LIST}?tag=ui`)).toEqual(["alpha", "beta"]);
  expect(await flagsAt(`${LIST}?tag=ui&owner=team`)).toEqual(["beta"]);
  expect(await flagsAt(`${LIST}?mine=1`)).toEqual(["alpha"]);
  expect(await flagsAt(`${LIST}?tag=none`)).toEqual([]);
  app.clock.now += 10 * DAY;
  await set("gamma", "live", { payload: 1 });
  expect(await flagsAt(`${LIST}?changed=7d`)).toEqual(["gamma"]);
  await details("alpha", { permanent: true });
  expect(await flagsAt(`${LIST}?stale=1`)).not.toContain("alpha");
  await details("beta", { archived: true });
  expect(await flagsAt(LIST)).toEqual(["alpha", "gamma"]);
  expect(await flagsAt(`${LIST}?state=archived`)).toEqual(["beta"]);
});

test("ticked flags are tagged, archived once a locked environment is confirmed, and promoted after a review", async () => {
  const { app, ann, flagsAt, tagsOf } = await openShop();
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const tagged = await act({ act: "tag", tag: "q3", flag: ["alpha", "gamma"] });
  expect(tagged.text).toContain("2 flags tagged q3.");
  expect([await tagsOf("alpha"), await tagsOf("gamma")]).toEqual(["search,ui,q3", "q3"]);
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  expect((await act({ act: "archive", flag: "beta" })).status).toBe(428);
  await act({ act: "archive", flag: "beta", confirm: "live" });
  expect(await flagsAt(LIST)).toEqual(["alpha", "gamma"]);
  const review = await ann.post(`${LIST}/compare/review`, { from: "live", to: "develop", flag: "alpha" });
  expect(review.text).toContain("alpha");
  expect((await act({ act: "archive" })).status).toBe(400);
});

test("what differs between environments is a list of its own", async () => {
  const { ann, flagsAt, set } = await openShop();
  expect(await flagsAt(`${LIST}?differs=1`)).toEqual(["alpha"]);
  await set("beta", "live", { payload: 1 });
  expect(await flagsAt(`${LIST}?differs=1`)).toEqual(["alpha", "beta"]);
  const old = await ann.ask(`${LIST}/compare?differs=1`);
  expect([old.status, old.headers.get("location")]).toEqual([302, "/dashboard/projects/shop?differs=1"]);
});

test("what was done to ticked flags is undone for those that it changed", async () => {
  const { ann, flagsAt, tagsOf } = await openShop();
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const undone = (page: Shown) =>
    act({ act: "undo", first: hiddenIn(page, "first"), last: hiddenIn(page, "last") });
  const tagged = await act({ act: "tag", tag: "ui,q3", flag: ["alpha", "beta"] });
  expect([await tagsOf("alpha"), await tagsOf("beta")]).toEqual(["search,ui,q3", "ui,q3"]);
  expect((await undone(tagged)).text).toContain("2 flags changed back.");
  expect([await tagsOf("alpha"), await tagsOf("beta")]).toEqual(["search,ui", "ui"]);
  const archived = await act({ act: "archive", flag: ["alpha", "gamma"] });
  expect(await flagsAt(LIST)).toEqual(["beta"]);
  await undone(archived);
  expect(await flagsAt(LIST)).toEqual(["alpha", "beta", "gamma"]);
});

test("ticked flags are changed all or none, and changed back all or none", async () => {
  const { app, ann, set, tagsOf, flagsAt } = await openShop();
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  expect((await act({ act: "archive", flag: ["gamma", "missing"] })).status).toBe(404);
  expect(await flagsAt(LIST)).toEqual(["alpha", "beta", "gamma"]);
  const before = (await app.store.readVersion()).version;
  const tagged = await act({ act: "tag", tag: "q3", flag: ["alpha", "beta"] });
  expect((await app.store.readVersion()).version).toBe(before + 2);
  await set("beta", "develop", { payload: 1 });
  const [first, last] = [hiddenIn(tagged, "first"), hiddenIn(tagged, "last")];
  expect((await act({ act: "undo", first, last })).status).toBe(409);
  expect([await tagsOf("alpha"), await tagsOf("beta")]).toEqual(["search,ui,q3", "ui,q3"]);
  expect((await act({ act: "undo", first: "1", last: "3" })).status).toBe(404);
});

test("a promotion of several flags is taken back by one Undo", async () => {
  const { app, ann, set } = await openShop();
  const ons = async () => {
    const flags = await app.store.flags.among("shop", "live", ["alpha", "beta", "gamma"]);
    return flags.map(({ enabled }) => enabled);
  };
  await set("beta", "develop", { enabled: true });
  await set("gamma", "develop", { enabled: true });
  const order = { from: "develop", to: "live", flag: ["beta", "gamma"] };
  const review = await ann.post(`${LIST}/compare/review`, order);
  const expected = hiddenIn(review, "expected");
  const promoted = await ann.post(`${LIST}/compare/promote`, { ...order, expected });
  expect(promoted.text).toContain("Promoted 2 flags from develop to live.");
  expect(await ons()).toEqual([true, true, true]);
  const [first, last] = [hiddenIn(promoted, "first"), hiddenIn(promoted, "last")];
  await ann.post(`${LIST}/flags/ticked`, { act: "undo", first, last });
  expect(await ons()).toEqual([true, false, false]);
});

test("where environments need approvals, ticked flags are proposed together", async () => {
  const { app, ann, flagsAt, signIn } = await openShop();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const asked = await act({ act: "archive", flag: ["beta", "gamma"] });
  expect(asked.status).toBe(428);
  expect(asked.text).toContain("Propose for approval");
  const { path } = await act({ act: "archive", flag: ["beta", "gamma"], propose: "14d" });
  expect(await flagsAt(LIST)).toEqual(["alpha", "beta", "gamma"]);
  const { get, post } = await signIn("releaser");
  const address = path.replace(/\?.*/, "");
  const etag = hiddenIn(await get(address), "etag");
  await post(`${address}/approve`, { etag });
  await post(`${address}/apply`, { etag });
  expect(await flagsAt(LIST)).toEqual(["alpha"]);
});

test("ticked flags are turned on or off in an environment, and what could not be is named", async () => {
  const { app, ann, signIn } = await openShop();
  const act = (fields: Record<string, string | string[]>, by = ann) =>
    by.post(`${LIST}/flags/ticked`, fields);
  const onIn = async (environment: string) => {
    const found = await app.store.flags.among("shop", environment, ["alpha", "beta", "gamma"]);
    return found.filter(({ enabled }) => enabled).map(({ slug }) => slug);
  };
  expect((await ann.get(LIST)).text).toMatch(/Turn on in….*<select id="turn-in" name="environment"/s);
  const all = ["alpha", "beta", "gamma"];
  const on = await act({ act: "on", environment: "live", flag: all });
  expect(on.text).toContain("2 flags are on in live. 1 was on already.");
  expect([await onIn("live"), await onIn("develop")]).toEqual([all, []]);
  await act({ act: "undo", first: hiddenIn(on, "first"), last: hiddenIn(on, "last") });
  expect(await onIn("live")).toEqual(["alpha"]);

  const some = await act({ act: "on", environment: "live", flag: ["missing", "gamma", "gone"] });
  expect(some.text).toContain("1 flag is on in live. Not turned on: missing: ");
  expect(some.text).toMatch(/; gone: [^.]*does not exist/);
  expect([await onIn("live"), some.path]).toEqual([["alpha", "gamma"], LIST]);

  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  const asked = await act({ act: "off", environment: "live", flag: ["alpha", "gamma"] });
  expect([asked.status, asked.text.includes("Turn 2 flags off in live")]).toEqual([428, true]);
  expect(await onIn("live")).toEqual(["alpha", "gamma"]);
  const off = { act: "off", environment: "live", flag: ["alpha", "gamma"], confirm: "live" };
  const editor = await signIn("editor");
  expect((await act(off, editor)).status).toBe(403);
  await act({ ...off, why: "an incident" });
  expect(await onIn("live")).toEqual([]);
  expect((await app.store.changes.page("shop", { limit: 1 })).items[0]).toMatchObject({ why: "an incident" });
  for (const wrong of [{ environment: "none", flag: "alpha" }, { environment: "live" }, { flag: "alpha" }])
    expect((await act({ act: "on", ...wrong })).status).toBeGreaterThanOrEqual(400);
});

test("ticked flags are proposed, a change for each, where turning them on needs approvals", async () => {
  const { app, ann } = await openShop();
  await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
  const act = (fields: Record<string, string | string[]>) => ann.post(`${LIST}/flags/ticked`, fields);
  const on = { act: "on", environment: "live", flag: ["beta", "gamma"] };
  const asked = await act(on);
  expect([asked.status, asked.text.includes("Propose for approval")]).toEqual([428, true]);
  const proposed = await act({ ...on, propose: "14d" });
  expect(proposed.text).toContain("2 changes proposed, one for each flag.");
  expect(proposed.path).toBe(`${LIST}/releases`);
  expect((await act({ ...on, flag: "gamma", propose: "14d" })).path).toMatch(/\/changes\/./);
  const found = await app.store.flags.among("shop", "live", ["beta", "gamma"]);
  expect(found.map(({ enabled }) => enabled)).toEqual([false, false]);
});

test("a row has a line of the reads in the last hours", async () => {
  const { app, ann } = await openShop();
  const { environments } = (await app.store.projects.find("shop"))!;
  const live = environments.find(({ slug }) => slug === "live")!;
  const served = (flag: string, ago: number, count: number) => ({
    kind: "served" as const,
    hour: hourOf(app.now()) - ago,
    what: `${live.key}/${flag}`,
    variant: "on",
    count,
  });
  await app.store.tallies.add([served("alpha", 0, 30), served("alpha", 5, 10), served("alphabet", 0, 99)]);
  await app.store.flags.markRead([{ environmentKey: live.key, slug: "alpha", at: app.now() }]);
  const { text } = await ann.get(LIST);
  expect([...text.matchAll(/aria-label="([\d,]+ reads in 24 hours)"/g)].map(([, words]) => words)).toEqual([
    "40 reads in 24 hours",
  ]);
});

const turnAt = (flag: string, environment = "live") =>
  `${LIST}/environments/${environment}/flags/${flag}/turn`;

test("a switch turns a flag on or off where it is pressed, comes back to the same list, and is undone", async () => {
  const { app, ann } = await openShop();
  const find = async () =>
    (await app.store.flags.find({ project: "shop", environment: "live", flag: "beta" }))!;
  const { revision } = await find();
  const turned = await ann.post(`${turnAt("beta")}?q=bet`, { on: "true", revision: String(revision) });
  expect(turned.path).toContain("?q=bet");
  expect(turned.text).toContain("beta is on in live.");
  expect((await find()).enabled).toBe(true);
  // What changed since is not overwritten.
  expect((await ann.post(turnAt("beta"), { on: "false", revision: String(revision) })).status).toBe(409);
  await ann.post(turnAt("beta"), { on: hiddenIn(turned, "on"), revision: hiddenIn(turned, "revision") });
  expect((await find()).enabled).toBe(false);
  expect((await ann.post(turnAt("beta"), { revision: "1" })).status).toBe(400);
});

test("the switch of a locked environment asks in place, with a reason, and one that needs approvals proposes", async () => {
  const { app, ann, signIn } = await openShop();
  const find = async () =>
    (await app.store.flags.find({ project: "shop", environment: "live", flag: "beta" }))!;
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
  const { text } = await ann.get(LIST);
  expect(text).toContain('aria-label="beta is off in live, which is locked: change…"');
  const ask = new RegExp(`<form[^>]* action="/dashboard${turnAt("beta")}.*?</form>`, "s").exec(text)![0];
  for (const each of [
    "Turn beta on in live?",
    'name="why"',
    "Turn on in live",
    'name="confirm" value="live"',
  ])
    expect(ask).toContain(each);
  const revision = hiddenIn({ text: ask } as Shown, "revision");
  expect((await ann.post(turnAt("beta"), { on: "true", revision })).status).toBe(428);
  expect((await find()).enabled).toBe(false);
  await ann.post(turnAt("beta"), { on: "true", revision, confirm: "live", why: "it is ready" });
  expect((await find()).enabled).toBe(true);
  expect((await app.store.changes.page("shop", { limit: 1 })).items[0]).toMatchObject({ why: "it is ready" });
  expect((await (await signIn("editor")).get(LIST)).text).not.toContain("which is locked");
  await setEnvironment(app, OPERATOR, "shop", "live", { locked: false, approvals: 1 });
  const guarded = await ann.get(LIST);
  expect(guarded.text).toContain("Propose for approval");
  const proposed = await ann.post(turnAt("alpha"), { on: "false", propose: "14d" });
  expect(proposed.path).toContain("/projects/shop/changes/");
  expect((await app.store.flags.find({ project: "shop", environment: "live", flag: "alpha" }))!.enabled).toBe(
    true,
  );
});

test("flags stand in lanes: those in a release, those in use, and those ready to be removed with the reason", async () => {
  const { app, details, set, signIn } = await openShop();
  app.clock.now += 41 * DAY;
  await set("beta", "develop", { enabled: true });
  await scheduleChange(
    app,
    OPERATOR,
    { project: "shop", environment: "live", flag: "beta" },
    { at: app.now() + 3 * DAY, patch: { enabled: true } },
  );
  await details("alpha", { permanent: true });
  const { text } = await (await signIn("viewer")).get(LIST);
  const rows = [...text.matchAll(/<tr[^>]* data-flag="([^"]+)"/g)].map(([, name]) => name);
  expect(rows).toEqual(["beta", "alpha", "gamma"]);
  const lanes = [...text.matchAll(/<tr class="lane"><th[^>]*>([^<]*)/g)].map(([, words]) => words);
  expect(lanes).toEqual(["In release · 1", "In use · 1", "Ready to remove · 1"]);
  expect(text).toContain("Same for everyone, 41 days; not read for 41 days");
  expect(text).toMatch(/<span class="info">on \w{3}, \d\d:\d\d<\/span>/);
});

test("filters are links that say how many flags they show", async () => {
  const { app, ann, details, flagsAt } = await openShop();
  await details("gamma", { archived: true });
  const { environments } = (await app.store.projects.find("shop"))!;
  await app.store.flags.markRead([{ environmentKey: environments[0]!.key, slug: "beta", at: app.now() }]);
  const { text } = await ann.get(LIST);
  const chips = [
    ...text.matchAll(/<a href="\/dashboard\/projects\/shop([^"]*)"[^>]*>(\w[\w ]*)<span>(\d+)/g),
  ];
  expect(chips.map(([, query, name, count]) => [query, name, count])).toEqual([
    ["", "All", "2"],
    ["?mine=1", "Yours", "1"],
    ["?differs=1", "Differs", "1"],
    ["?unread=1", "Not read", "1"],
    ["?state=archived", "Archived", "1"],
  ]);
  expect(await flagsAt(`${LIST}?unread=1`)).toEqual(["alpha"]);
  for (const word of ["team", "UI", "beta"]) expect(await flagsAt(`${LIST}?q=${word}`)).toContain("beta");
});

test("more flags than a page holds are shown on the next, each once, in the order of lanes", async () => {
  const { set, ann, flagsAt } = await openShop();
  for (let at = 0; at < 60; at += 1) await set(`f${String(at).padStart(2, "0")}`, "develop", {});
  const first = await flagsAt(LIST);
  const next = /href="\/dashboard(\/projects\/shop\?after=[^"]+)"/.exec((await ann.get(LIST)).text)![1]!;
  const second = await flagsAt(next);
  expect(first).toHaveLength(40);
  expect(new Set([...first, ...second]).size).toBe(63);
  expect((await ann.get(LIST)).text.length).toBeLessThan(250_000);
});
