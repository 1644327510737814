import { beforeAll, describe, expect, test } from "bun:test";
import type { Role } from "../../../src/access/role.ts";
import { uploadReferences } from "../../../src/flags/code/code-references.ts";
import { takeFeedback } from "../../../src/flags/previews/feedbacks.ts";
import { fingerprintOf } from "../../../src/flags/promotions.ts";
import { promoteFlags } from "../../../src/flags/promotions.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { deleteEnvironment, getEnvironment, setEnvironment } from "../../../src/projects/environments.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";
import { openShop } from "../../support/records/shop.ts";

const RULE = { ends_with: [{ var: "email" }, "@example.com"] };

async function openPages(...names: string[]) {
  const shop = await openShop(...names);
  const dashboard = openDashboard(shop.app);
  const lock = (environment: string, locked = true) =>
    setEnvironment(shop.app, OPERATOR, "shop", environment, { locked });
  return { ...shop, ...dashboard, lock };
}

describe("the history", () => {
  test("lists changes newest first with who, why and what, and the older ones behind a link", async () => {
    const { set, signIn } = await openPages();
    await set("live", { enabled: true }, callerNamed("bob", { why: "launch <b>day</b>" }));
    for (let number = 0; number < 20; number += 1) await set("develop", { payload: number });
    const { get } = await signIn("viewer");
    const first = await get("/projects/shop/history");
    expect(first.text).toContain("<title>History, shop · formflag</title>");
    expect(first.text).not.toContain("launch");
    expect(first.text.indexOf("+ 19")).toBeLessThan(first.text.indexOf("+ 18"));
    const older = /href="\/dashboard(\/projects\/shop\/history\?before=\d+)"/.exec(first.text)![1]!;
    const { text } = await get(older);
    expect(text).toContain("launch &lt;b&gt;day&lt;/b&gt;");
    expect(text).toContain("bob");
    expect(text).not.toContain("Undo this change…");
    expect(text).not.toContain("Restore this state…");
  });

  test("has rules in words, with their JSON behind them", async () => {
    const { set, signIn } = await openPages();
    const switched = { variants: { on: true, off: false }, defaultVariant: "off" };
    const share = {
      fractional: [
        ["on", 25],
        ["off", 75],
      ],
    };
    await set("live", {
      enabled: true,
      ...switched,
      targeting: { if: [{ "===": [{ var: "plan" }, "pro"] }, "on", share] },
    });
    const { text } = await (await signIn("viewer")).get("/projects/shop/history");
    expect(text).toContain("+ plan is pro: on\n+ 25 % of users on\n+ everyone else off");
    expect(text).toMatch(/<summary[^>]*>As JSON<\/summary>.*fractional/s);
    expect(text).not.toContain("targeting");
  });

  test("offers to undo a change and to restore its state, and neither where that would do nothing", async () => {
    const { app, set, drop, lock, signIn } = await openPages();
    const { record: on } = await set("live", { enabled: true });
    const { record: off } = await set("live", { enabled: false });
    const { get } = await signIn("editor");
    const offered = async (revision: number, browser = { get }) => {
      const { text } = await browser.get(`/projects/shop/history/${revision}`);
      return ["Undo this change…", "Restore this state…"].map((each) => text.includes(each));
    };
    // The first change began with a flag that was off, as it is now.
    expect(await offered(on.revision)).toEqual([false, true]);
    expect(await offered(off.revision)).toEqual([true, false]);
    await drop();
    expect(await offered(on.revision)).toEqual([false, true]);
    await set("live", { enabled: true });
    await lock("live");
    expect(await offered(off.revision)).toEqual([false, false]);
    expect(await offered(off.revision, await signIn("releaser"))).toEqual([false, true]);
    await deleteEnvironment(app, OPERATOR, "shop", "live");
    expect(await offered(off.revision, await signIn("admin"))).toEqual([false, false]);
  });

  test("offers the way back from the newest change alone in its list, and who made one is a filter", async () => {
    const { set, signIn } = await openPages();
    for (const payload of ["one", "two", "three"]) await set("live", { payload }, callerNamed("bob"));
    const { get } = await signIn("editor");
    const { text } = await get("/projects/shop/history");
    expect(text.match(/Undo…/g)).toHaveLength(1);
    expect(text.indexOf("Undo…")).toBeLessThan(text.indexOf("+ &quot;two&quot;"));
    for (const each of ["Restore this state…", ">Show<"]) expect(text).not.toContain(each);
    expect(text).toContain('href="/dashboard/projects/shop/history?who=bob"');
    const by = await get("/projects/shop/history?who=bob&environment=live");
    expect(by.text).toContain('href="/dashboard/projects/shop/history?environment=live"');
    expect(by.text).toContain("By bob ×");
  });

  test("filters by environment, kind, name and who", async () => {
    const { set, segment, signIn } = await openPages();
    await set("live", { description: "one" }, callerNamed("bob"));
    await set("develop", { payload: "two" });
    await segment("develop", "staff", RULE);
    const { get } = await signIn("viewer");
    const shown = async (query: string) => {
      const { text } = await get(`/projects/shop/history?${query}`);
      return ["+ one", "+ &quot;two&quot;", "@example.com"].map((each) => text.includes(each));
    };
    expect(await shown("who=bob")).toEqual([true, false, false]);
    expect(await shown("environment=develop&kind=flag")).toEqual([false, true, false]);
    expect(await shown("kind=segment&name=staff")).toEqual([false, false, true]);
    expect((await get("/projects/shop/history?name=nothing")).text).toContain("No change matches");
    expect((await get("/projects/shop/history?kind=other")).status).toBe(400);
    expect((await get("/projects/shop/history?before=x")).status).toBe(400);
    expect((await get("/projects/none/history")).status).toBe(404);
  });
});

describe("rolling back", () => {
  test("shows what changes, sets the flag to the revision with a reason, and can be undone", async () => {
    const { set, find, history, signIn } = await openPages();
    const { record } = await set("live", { enabled: true, payload: { old: 1 } });
    await set("live", { enabled: false, payload: { next: 2 } });
    const { get, post } = await signIn("editor");
    const path = `/projects/shop/history/${record.revision}/rollback`;
    const shown = await get(path);
    for (const each of ["- off", "+ on", "old", "next"]) expect(shown.text).toContain(each);
    const after = await post(path, { revision: hiddenIn(shown, "revision"), why: "it broke" });
    expect(await find("live")).toMatchObject({ enabled: true, payload: '{"old":1}' });
    const [change] = await history();
    expect(change).toMatchObject({ who: "editor", why: "it broke" });
    expect(after.text).toContain(`as it was after revision ${record.revision}`);
    const undo = /action="\/dashboard(\/projects\/shop\/history\/\d+\/rollback)"/.exec(after.text)![1]!;
    await post(undo, { revision: String(change!.revision) });
    expect(await find("live")).toMatchObject({ enabled: false, payload: '{"next":2}' });
  });

  test("asks once why: where an environment is locked, on the page that confirms", async () => {
    const { set, find, lock, signIn } = await openPages();
    const { record } = await set("live", { enabled: true });
    await set("live", { enabled: false });
    await lock("live");
    const { get, post } = await signIn("releaser");
    const path = `/projects/shop/history/${record.revision}/rollback`;
    const shown = await get(path);
    expect(shown.text).not.toContain('name="why"');
    const asked = await post(path, { revision: hiddenIn(shown, "revision") });
    expect([asked.status, asked.text.match(/name="why"/g)]).toEqual([428, ['name="why"']]);
    await post(path, { revision: hiddenIn(shown, "revision"), confirm: "live", why: "it broke" });
    expect(await find("live")).toMatchObject({ enabled: true });
  });

  test("offers to undo the newest change, also the first in an environment", async () => {
    const { set, find, signIn } = await openPages();
    await set("develop", { enabled: true });
    const { record } = await set("live", { enabled: true, payload: 1 });
    const { get, post } = await signIn("editor");
    const path = `/projects/shop/history/${record.revision}/rollback`;
    const shown = await get(path);
    expect(shown.text).toContain("before revision");
    const [revision, to] = [hiddenIn(shown, "revision"), hiddenIn(shown, "to")];
    const after = await post(path, { revision, to });
    expect(after.text).toContain(`as it was before revision ${record.revision}`);
    expect(await find("live")).toMatchObject({ enabled: false, payload: null });
    expect((await get(path)).text).toContain("after revision");
    const undo = /action="\/dashboard(\/projects\/shop\/history\/\d+\/rollback)"/.exec(after.text)![1]!;
    await post(undo, { revision: hiddenIn(after, "revision"), to: "before" });
    expect(await find("live")).toMatchObject({ enabled: true, payload: "1" });
  });

  test("rolls nothing back where the flag has changed since, and keeps the reason", async () => {
    const { set, find, signIn } = await openPages();
    const { record } = await set("live", { enabled: true });
    const { record: second } = await set("live", { enabled: false });
    const { post } = await signIn("editor");
    await set("live", { payload: "theirs" });
    const path = `/projects/shop/history/${record.revision}/rollback`;
    const { status, text } = await post(path, { revision: String(second.revision), why: "my <reason>" });
    expect(status).toBe(409);
    for (const each of ["Changed by another user", "my &lt;reason&gt;", "theirs"])
      expect(text).toContain(each);
    expect(await find("live")).toMatchObject({ enabled: false });
  });

  test("asks for the name of a locked environment, and takes no other", async () => {
    const { set, find, lock, signIn } = await openPages();
    const { record } = await set("live", { enabled: true });
    await set("live", { enabled: false });
    await lock("live");
    const { get, post } = await signIn("releaser");
    const path = `/projects/shop/history/${record.revision}/rollback`;
    const revision = hiddenIn(await get(path), "revision");
    const asked = await post(path, { revision, why: "because" });
    expect([asked.status, hiddenIn(asked, "revision")]).toEqual([428, revision]);
    expect(asked.text).toContain("Type live to confirm");
    expect((await post(path, { revision, confirm: "develop" })).status).toBe(428);
    expect(await find("live")).toMatchObject({ enabled: false });
    expect((await post(path, { revision, confirm: "live" })).status).toBe(200);
    expect(await find("live")).toMatchObject({ enabled: true });
  });

  test("leads nowhere from a deletion, another thing, or a revision that is none", async () => {
    const { set, drop, segment, history, signIn } = await openPages();
    await set("live", {});
    await drop();
    await segment("live", "staff", RULE);
    const [ofSegment, ofDeletion] = await history();
    const { get } = await signIn("editor");
    const statusOf = async (revision: number | string) =>
      (await get(`/projects/shop/history/${revision}/rollback`)).status;
    expect(await statusOf(ofSegment!.revision)).toBe(404);
    expect(await statusOf(ofDeletion!.revision)).toBe(400);
    expect(await statusOf(99_999)).toBe(404);
    expect(await statusOf("x")).toBe(400);
  });
});

describe("comparing and promoting", () => {
  const REVIEW = "/projects/shop/compare/review";
  const PROMOTE = "/projects/shop/compare/promote";
  const PAIR = { from: "develop", to: "live" };

  async function openDifferent() {
    const pages = await openPages();
    await pages.segment("develop", "staff", RULE);
    const variants = { on: true, off: false };
    const targeting = { if: [{ $ref: "staff" }, "on"] };
    await pages.set("develop", { enabled: true, variants, defaultVariant: "off", targeting });
    await pages.set("develop", { payload: "p" }, OPERATOR, "other");
    return pages;
  }

  test("lists what the dry run lists, and promotes what is ticked with its segments", async () => {
    const { app, find, signIn, history } = await openDifferent();
    const { get, post } = await signIn("editor");
    const { text } = await get("/projects/shop/compare?from=develop&to=live");
    for (const each of [
      "2 flags",
      'value="sale"',
      'value="other"',
      "missing in live",
      "+ off",
      "+ &quot;p&quot;",
    ])
      expect(text).toContain(each);
    const order = { ...PAIR, flags: null, segments: false };
    const dryRun = await promoteFlags(app, OPERATOR, "shop", order, true);
    const all = await post(REVIEW, { ...PAIR, which: "all" });
    expect(hiddenIn(all, "expected")).toBe(await fingerprintOf(dryRun));
    const review = await post(REVIEW, { ...PAIR, flag: "sale", segments: "on", which: "ticked" });
    expect(review.text).toContain("Promote 1 flag and 1 segment to live");
    const expected = hiddenIn(review, "expected");
    const done = await post(PROMOTE, { ...PAIR, flag: "sale", segments: "on", expected, why: "ready" });
    expect(done.text).toContain("Promoted 1 flag from develop to live.");
    expect(await find("live")).toMatchObject({ enabled: true, rules: (await find("develop"))!.rules });
    expect(await find("live", "other")).toMatchObject({ payload: null });
    expect(
      await app.store.segments.find({ project: "shop", environment: "live", segment: "staff" }),
    ).toBeDefined();
    expect((await history())[0]).toMatchObject({ name: "sale", environment: "live", why: "ready" });
  });

  test("says before and after the review why a flag that another one needs is not promoted", async () => {
    const { set, find, signIn } = await openPages();
    const choices = (...names: string[]) => ({
      variants: Object.fromEntries(names.map((name) => [name, name])),
      defaultVariant: names[0]!,
    });
    await set("develop", choices("b"), OPERATOR, "other");
    await set("live", choices("a", "b"), OPERATOR, "other");
    const { post } = await signIn("editor");
    const order = { ...PAIR, flag: "other", which: "ticked" };
    const expected = hiddenIn(await post(REVIEW, order), "expected");
    await set("live", { requires: [{ flag: "other", variants: ["a"] }] });
    for (const answer of [await post(REVIEW, order), await post(PROMOTE, { ...order, expected })]) {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain("that would go are needed by sale (a) in live");
    }
    expect((await find("live", "other"))!.rules).toContain('"a"');
  });

  test("compares the usual environments at once, and links to all others", async () => {
    const { signIn } = await openDifferent();
    const { get } = await signIn("viewer");
    const { text } = await get("/projects/shop/compare");
    expect(text).toContain("2 flags");
    expect(text).toContain("segment staff: on");
    const links = [...text.matchAll(/href="\/dashboard\/projects\/shop\/compare\?([^"]*)"/g)].map(
      ([, query]) => query,
    );
    expect(links).toContain("from=live&amp;to=develop");
    expect((await get("/projects/shop/compare?from=live&to=live")).status).toBe(400);
  });

  test("promotes nothing that the review did not show", async () => {
    const { set, find, signIn } = await openDifferent();
    const { post } = await signIn("editor");
    const review = await post(REVIEW, { ...PAIR, flag: "other" });
    await set("develop", { payload: "since" }, OPERATOR, "other");
    const late = await post(PROMOTE, { ...PAIR, flag: "other", expected: hiddenIn(review, "expected") });
    expect([late.status, late.text.includes("Changed by another user")]).toEqual([409, true]);
    expect(late.text).toContain("since");
    expect(await find("live", "other")).toMatchObject({ payload: null });
  });

  test("says which segments are missing, and takes nothing without them", async () => {
    const { find, signIn } = await openDifferent();
    const { post } = await signIn("editor");
    const review = await post(REVIEW, { ...PAIR, which: "all" });
    expect(review.text).toContain("1 segment would not be copied");
    const refused = await post(PROMOTE, { ...PAIR, which: "all", expected: hiddenIn(review, "expected") });
    expect([refused.status, refused.text.includes("staff")]).toEqual([409, true]);
    expect(await find("live")).toMatchObject({ enabled: false });
  });

  test("asks for ticks, for two environments, and for the name of a locked one", async () => {
    const { find, lock, signIn } = await openDifferent();
    const { get, post } = await signIn("releaser");
    expect((await get("/projects/shop/compare?from=live&to=live")).status).toBe(400);
    expect((await get("/projects/shop/compare?from=live&to=none")).status).toBe(404);
    const none = await post(REVIEW, PAIR);
    expect([none.status, none.text.includes("Tick the flags")]).toEqual([400, true]);
    await lock("live");
    const expected = hiddenIn(await post(REVIEW, { ...PAIR, flag: "other" }), "expected");
    const asked = await post(PROMOTE, { ...PAIR, flag: "other", expected });
    expect([asked.status, hiddenIn(asked, "flag")]).toEqual([428, "other"]);
    expect(await find("live", "other")).toMatchObject({ payload: null });
    await post(PROMOTE, { ...PAIR, flag: "other", expected, confirm: "live" });
    expect(await find("live", "other")).toMatchObject({ payload: '"p"' });
  });
});

describe("scheduled changes", () => {
  test("are shown with their difference and cancelled, and failed ones say why", async () => {
    const { app, set, place, history, signIn } = await openPages();
    await set("live", {});
    const at = app.now() + 60_000;
    const caller = callerNamed("bob", { why: "launch" });
    const { id } = await scheduleChange(app, caller, place("live"), { patch: { enabled: true }, at });
    const { get, post } = await signIn("editor");
    const { text } = await get("/projects/shop/releases");
    for (const each of ["bob", "launch", "on in live", "Cancel…"]) expect(text).toContain(each);
    const path = `/projects/shop/environments/live/scheduled/${id}/cancel`;
    const page = await get(path);
    for (const each of ["bob", "launch", "- off", "+ on", "Cancel this change"])
      expect(page.text).toContain(each);
    expect((await post(path, {})).text).toContain("Nothing is released");
    expect((await post(path, {})).status).toBe(404);
    expect(await history({ kind: "scheduled" })).toEqual([]);
  });
});

describe("flags that are ready to be removed", () => {
  test("say why, and in how much code they are, in the list that the old page leads to", async () => {
    const { app, set, signIn } = await openPages();
    await set("live", { expiredAt: "2026-01-01T00:00:00Z" });
    await set("develop", { expiredAt: "2026-01-01T00:00:00Z" });
    const line = { filePath: "src/<a>.ts", lineNumber: 7, lineContent: "flags.sale" };
    const code = { branch: "main", projectName: "web", references: { sale: [line] } };
    await uploadReferences(app, OPERATOR, "shop", Buffer.from(JSON.stringify(code)));
    const { ask, get } = await signIn("viewer");
    const old = await ask("/projects/shop/stale");
    expect([old.status, old.headers.get("location")]).toEqual([302, "/dashboard/projects/shop?stale=1"]);
    const { text } = await get("/projects/shop?stale=1");
    for (const each of ["Ready to remove · 1", "Expired; in 1 file"]) expect(text).toContain(each);
    expect((await get("/projects/shop/flags/sale/code")).text).toContain("flags.sale");
    expect((await get("/projects/shop/flags/none/code")).status).toBe(404);
  });
});

describe("feedback", () => {
  test("is counted, listed with its text escaped, and deleted", async () => {
    const { app, set, signIn } = await openPages();
    await set("live", { isPreview: true });
    const { key: projectKey } = (await app.store.projects.find("shop"))!;
    const { key: environmentKey } = await getEnvironment(app, "shop", "live");
    const origin = { projectKey, environmentKey, flag: "sale", network: "198.51.100.7" };
    const { id } = await takeFeedback(app, origin, {
      mood: "HAPPY",
      rating: 4,
      description: "<script>alert(1)</script>",
      metadata: null,
    });
    const { get, post } = await signIn("editor");
    const path = "/projects/shop/flags/sale/feedback";
    const { text } = await get(path);
    for (const each of ["4 of 5", "1 rating", "&lt;script&gt;alert(1)"]) expect(text).toContain(each);
    expect((await post(`${path}/delete`, { id })).text).toContain("No feedback yet");
    expect((await post(`${path}/delete`, { id })).status).toBe(404);
  });
});

describe("roles", () => {
  const READ = ["history", "compare", "releases", "segments", "settings"];
  const pages = openPages();
  beforeAll(async () => {
    const { set, segment } = await pages;
    await set("live", {});
    await segment("live", "staff", RULE);
  });

  test.each(READ)("a viewer reads %s without a form that changes anything", async (page) => {
    const { signIn } = await pages;
    const { get } = await signIn("viewer");
    const { status, text } = await get(`/projects/shop/${page}`);
    expect(status).toBe(200);
    const main = text.slice(text.indexOf("<main"));
    expect(main).not.toContain('<form method="post"');
    expect(main).toContain("formflag ");
  });

  test.each([
    ["viewer", "history/1/rollback"],
    ["viewer", "compare/review"],
    ["viewer", "compare/promote"],
    ["viewer", "environments/live/scheduled/x/cancel"],
    ["viewer", "segments/new"],
    ["viewer", "environments/live/segments/staff"],
    ["viewer", "environments/live/segments/staff/delete"],
    ["viewer", "flags/sale/feedback/delete"],
    ["viewer", "import/flagd"],
    ["releaser", "settings"],
    ["releaser", "environments"],
    ["releaser", "environments/live/settings"],
    ["releaser", "environments/live/delete"],
    ["releaser", "delete"],
    ["releaser", "import/document"],
  ] satisfies [Role, string][])("a %s may not post to %s", async (role, page) => {
    const { signIn } = await pages;
    const { post } = await signIn(role);
    expect((await post(`/projects/shop/${page}`, {})).status).toBe(403);
  });

  test("people of the inbox see no project", async () => {
    const { signIn } = await pages;
    const { get } = await signIn("inbox");
    for (const page of READ) expect((await get(`/projects/shop/${page}`)).status).toBe(403);
  });
});
