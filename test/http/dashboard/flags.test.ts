import { describe, expect, test } from "bun:test";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";

const CHECKOUT = "/projects/shop/environments/live/flags/checkout";

/** The project shop with the flag checkout, and somebody signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  const place = (environment: string, flag = "checkout") => ({ project: "shop", environment, flag });
  await setFlag(app, OPERATOR, place("live"), { payload: { a: 1 }, description: "The new checkout" });
  const { signIn } = openDashboard(app);
  return {
    app,
    place,
    signIn,
    find: (environment = "live", flag = "checkout") => app.store.flags.find(place(environment, flag)),
    lock: () => setEnvironment(app, OPERATOR, "shop", "live", { locked: true }),
  };
}

/** What a form of the page sends unseen. */
const decoded = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

describe("projects", () => {
  test("are created with their environments, and wrong input is kept beside what is wrong", async () => {
    const { signIn, app } = await openShop();
    const ann = await signIn("admin", "admin");
    const wrong = await ann.post("/projects", { slug: "no good", environments: "a, b" });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="no good"');
    expect(wrong.text).toContain("A project is named by 1 to 150 letters");
    const taken = await ann.post("/projects", { slug: "shop", environments: "a" });
    expect(taken.text).toContain("already exists");
    const made = await ann.post("/projects", { slug: "blog", name: "The <b>blog</b>", environments: "a, b" });
    expect(made.path).toBe("/projects/blog");
    expect(made.text).toContain("The project blog is ready.");
    expect(made.text).toContain("The &lt;b&gt;blog&lt;/b&gt;");
    const { environments } = (await app.store.projects.find("blog"))!;
    expect(environments.map(({ slug }) => slug)).toEqual(["a", "b"]);
    expect((await ann.get("/projects")).text).toContain('href="/dashboard/projects/blog"');
  });

  test("are skipped on the way to flags if there is one", async () => {
    const { signIn, app } = await openShop();
    const { ask } = await signIn("viewer");
    const leadsTo = async () => (await ask("/flags")).headers.get("location");
    expect(await leadsTo()).toBe("/dashboard/projects/shop");
    await createProject(app, OPERATOR, { slug: "other" });
    expect(await leadsTo()).toBe("/dashboard/projects");
  });

  test("are listed in pages by their names", async () => {
    const { signIn, app } = await openShop();
    for (let number = 0; number < 51; number += 1)
      await createProject(app, OPERATOR, { slug: `p${String(number).padStart(2, "0")}`, environments: [] });
    const ann = await signIn("viewer");
    const first = await ann.get("/projects");
    expect(first.text).toContain("after=p49");
    expect(first.text).not.toContain("Create a project");
    const second = await ann.get("/projects?after=p49");
    expect(second.text).toContain("projects/shop");
    expect(second.text).toMatch(/data-label="Flags"><div>\d+</);
    expect(second.text).not.toContain("after=");
    expect((await ann.get("/projects?after=zz")).text).toContain("There are no more projects");
  });
});

describe("the flags of a project", () => {
  test("are shown with their state in each environment, searched, and paged", async () => {
    const { signIn, app, place } = await openShop();
    const rule = { variants: { on: true, off: false }, targeting: { var: "variant" } };
    await setFlag(app, OPERATOR, place("develop", "beta"), { enabled: true, isPreview: true, ...rule });
    await setFlag(app, OPERATOR, place("live", "old"), { enabled: true, expiredAt: "2020-01-01T00:00:00Z" });
    const ann = await signIn("viewer");
    const { text } = await ann.get("/projects/shop");
    const cell = (flag: string, environment: string) =>
      new RegExp(`flags/${flag}\\?environment=${environment}"[^>]*>(.*?)</a>`)
        .exec(text)![1]!
        .replaceAll(/<[^>]*>/g, " ")
        .trim();
    expect(cell("beta", "develop")).toMatch(/^a rule of its own +preview$/);
    expect(cell("beta", "live")).toBe("off");
    expect(cell("old", "live")).toBe("expired");
    const found = (await ann.get("/projects/shop?q=NEW+check")).text;
    expect(found).toContain("flag-checkout");
    expect(found).not.toContain("flag-beta");
    expect((await ann.get("/projects/shop?q=nothing")).text).toContain("No flag matches");
    expect((await ann.get("/projects/nobody")).status).toBe(404);
  });

  test("are created off, and a name that cannot be or is taken is kept beside what is wrong", async () => {
    const { signIn, find, app } = await openShop();
    const ann = await signIn("editor");
    const wrong = await ann.post("/projects/shop/flags", { flag: "a b", description: "kept" });
    expect([wrong.status, wrong.text.includes('value="a b"'), wrong.text.includes('value="kept"')]).toEqual([
      422,
      true,
      true,
    ]);
    expect((await ann.post("/projects/shop/flags", { flag: "checkout" })).text).toContain(
      "There is a flag of this name",
    );
    const made = await ann.post("/projects/shop/flags", {
      flag: "beta",
      description: "Beta",
      why: "asked for",
    });
    expect(made.path).toBe("/projects/shop/flags/beta");
    expect(await find("live", "beta")).toMatchObject({ enabled: false, description: "Beta" });
    const [change] = (await app.store.changes.page("shop", { limit: 1 })).items;
    expect(change).toMatchObject({ who: "editor", why: "asked for" });
  });

  test("are deleted by their names, once it is said who still reads them", async () => {
    const { signIn, find, app, place } = await openShop();
    const { key } = (await app.store.environments.list("shop")).find(({ slug }) => slug === "live")!;
    await app.store.flags.markRead([{ environmentKey: key, slug: "checkout", at: app.now() }]);
    const ann = await signIn("editor");
    const page = await ann.get("/projects/shop/flags/checkout");
    expect(page.text).toContain("Applications still read it");
    const revision = deletionIn(page);
    const wrong = await ann.post("/projects/shop/flags/checkout/delete", { name: "check", revision });
    expect([wrong.status, wrong.text.includes('value="check"')]).toEqual([422, true]);
    await setFlag(app, OPERATOR, place("live"), { enabled: true });
    const late = await ann.post("/projects/shop/flags/checkout/delete", { name: "checkout", revision });
    expect(late.status).toBe(409);
    const again = { name: "checkout", revision: deletionIn(late) };
    expect((await ann.post("/projects/shop/flags/checkout/delete", again)).path).toBe("/projects/shop");
    expect(await find()).toBeUndefined();
  });
});

describe("a flag in an environment", () => {
  test("is turned on by its form, for the reason given, and taken back", async () => {
    const { signIn, find, app } = await openShop();
    const ann = await signIn("editor");
    const page = await ann.get(CHECKOUT);
    expect(page.text).toContain("Turn on in live");
    const revision = hiddenIn(page, "revision");
    const done = await ann.post(CHECKOUT, { act: "state", enabled: "on", revision, why: "launch" });
    expect(done.text).toContain("checkout is on in live.");
    expect(done.text).toContain("Turn off in live");
    expect(await find()).toMatchObject({ enabled: true });
    expect(await find("develop")).toMatchObject({ enabled: false });
    const [change] = (await app.store.changes.page("shop", { limit: 1 })).items;
    expect(change).toMatchObject({ who: "editor", why: "launch" });
    const undo = { act: "state", enabled: "off", revision: hiddenIn(done, "revision") };
    const undone = await ann.post(CHECKOUT, undo);
    expect(await find()).toMatchObject({ enabled: false });
    const again = { act: "state", enabled: "on", revision: hiddenIn(undone, "revision") };
    const long = await ann.post(CHECKOUT, { ...again, why: "x".repeat(501) });
    expect([long.status, (await find())?.enabled]).toEqual([400, false]);
  });

  test("shows and changes the payload beside variants that are true and false, and beside no others", async () => {
    const { app, place, signIn, find } = await openShop();
    const ann = await signIn("editor");
    await setFlag(app, OPERATOR, place("live"), { variants: { on: true, off: false }, defaultVariant: "on" });
    const page = await ann.get(CHECKOUT);
    expect(page.text).toContain('name="payload"');
    const [base, revision] = [decoded(hiddenIn(page, "base")), hiddenIn(page, "revision")];
    await ann.post(CHECKOUT, { base, revision, payload: "[2]" });
    expect(await find()).toMatchObject({ payload: "[2]", rules: expect.stringContaining("on") });
    await setFlag(app, OPERATOR, place("live"), { variants: { a: 1 }, defaultVariant: null });
    expect((await ann.get(CHECKOUT)).text).not.toContain('name="payload"');
  });

  test("says in which line a payload is broken, and keeps it", async () => {
    const { signIn, find } = await openShop();
    const ann = await signIn("editor");
    const { base, revision } = await formOf(ann);
    const broken = '{\n  "a": 1\n  "b": </textarea><b>\n}';
    const page = await ann.post(CHECKOUT, { base, revision, payload: broken, why: "kept too" });
    expect(page.status).toBe(422);
    expect(page.text).toContain("In line 3, column 3: a comma is missing");
    expect(page.text).toContain("&lt;/textarea&gt;&lt;b&gt;");
    expect(page.text).toContain('value="kept too"');
    expect(await find()).toMatchObject({ payload: '{"a":1}' });
    const inexact = await ann.post(CHECKOUT, { base, revision, payload: '{"a":\n12345678901234567890}' });
    expect(inexact.text).toContain("In line 2, column ");
    const saved = await ann.post(CHECKOUT, { base, revision, payload: '{"b":2}' });
    expect(saved.text).toContain("Saved in live: payload.");
    const [, undo = "", made = ""] =
      /action="[^"]*(\/projects\/[^"]*\/(\d+)\/rollback)"/.exec(saved.text) ?? [];
    const undone = await ann.post(undo, { revision: made, to: "before" });
    expect(undone.text).toContain("is as it was before revision");
    expect(await find()).toMatchObject({ payload: '{"a":1}' });
    expect((await ann.post(CHECKOUT, { ...(await formOf(ann)).hidden, payload: '{"b":2}' })).status).toBe(
      200,
    );
    expect(await find()).toMatchObject({ payload: '{"b":2}', description: "The new checkout" });
    expect((await ann.post(CHECKOUT, { payload: "" })).status).toBe(200);
    expect(await find()).toMatchObject({ payload: null });
  });

  test("takes a rule as rows, and one that rows cannot say as JSON", async () => {
    const { signIn, find } = await openShop();
    const ann = await signIn("editor");
    const empty = await formOf(ann);
    const { base, revision } = empty;
    const rows = {
      condition: ["email ends_with @example.com", "country in AT, DE", ""],
      serve: ["on", "25 %", ""],
      rest: "10 %",
    };
    const more = await ann.post(CHECKOUT, { base, revision, act: "row", ...rows });
    expect(more.text).toContain('aria-label="Rule 4"');
    expect(empty.text).not.toContain('aria-label="Rule 1"');
    const moved = await ann.post(CHECKOUT, { base, revision, act: "up-2", ...rows });
    expect(moved.text.indexOf('value="country"')).toBeLessThan(moved.text.indexOf('value="email"'));
    const removed = await ann.post(CHECKOUT, { base, revision, act: "remove-1", ...rows });
    expect([removed.text.includes('value="email"'), removed.text.includes('value="AT, DE"')]).toEqual([
      false,
      true,
    ]);
    const wrong = await ann.post(CHECKOUT, { base, revision, ...rows, serve: ["on", "maybe", ""] });
    expect([wrong.status, wrong.text.includes("Row 2: maybe is not a variant of the flag")]).toEqual([
      422,
      true,
    ]);
    expect(wrong.text).toContain('value="@example.com"');
    await ann.post(CHECKOUT, { base, revision, ...rows });
    const stored = JSON.parse((await find())!.rules!);
    expect(stored).toMatchObject({ variants: { on: true, off: false }, defaultVariant: "off" });
    expect(stored.targeting.if).toEqual([
      { ends_with: [{ var: "email" }, "@example.com"] },
      "on",
      { in: [{ var: "country" }, ["AT", "DE"]] },
      {
        fractional: [
          ["on", 25],
          ["off", 75],
        ],
      },
      {
        fractional: [
          ["on", 10],
          ["off", 90],
        ],
      },
    ]);
    const shown = (await ann.get(`${CHECKOUT.replace("/environments/live", "")}?environment=live`)).text;
    expect(shown).toContain("email ends with @example.com: on");

    const page = await formOf(ann);
    expect(page.text).toContain("email ends with @example.com: on; country is one of AT, DE: 25 % on");
    expect(page.text).toMatch(/history\/\d+\/rollback\?to=before"[^>]*>Undo…/);
    expect(page.text).toMatch(/name="share-rest"[^>]* value="10"/);
    const before = await find();
    const same = await ann.post(CHECKOUT, { ...page.hidden, ...rowsOf(page.text), payload: "7" });
    expect(same.text).toContain("Saved in live: payload.");
    expect(await find()).toMatchObject({ payload: "7", rules: before!.rules });
    const targeting = '{"if":[{"and":[{"==":[{"var":"a"},1]},{"==":[{"var":"b"},2]}]},"on"]}';
    await ann.post(CHECKOUT, { ...(await formOf(ann)).hidden, targeting });
    const json = await ann.get(CHECKOUT);
    expect(json.text).toContain('name="targeting"');
    expect(json.text).not.toContain('aria-label="Rule 1"');
    const refused = await ann.post(CHECKOUT, { ...(await formOf(ann)).hidden, defaultVariant: "maybe" });
    expect([refused.status, refused.text.includes("is not one of the variants")]).toEqual([422, true]);
  });

  test("is tried before anything is saved, by those who may only read too", async () => {
    const { signIn, find, app, place } = await openShop();
    await setFlag(app, OPERATOR, place("live"), { enabled: true });
    const ann = await signIn("viewer");
    const before = await find();
    const { hidden, text } = await formOf(ann);
    expect(text).not.toContain("Turn off in live");
    expect(text).not.toContain("Save in live");
    const row = { condition: "email == a@b.c", serve: "on" };
    const tried = await ann.post(CHECKOUT, {
      ...hidden,
      ...row,
      act: "try",
      contexts: '{"email":"a@b.c"}\n\n{"email":"<b>"}',
    });
    expect(tried.status).toBe(200);
    expect(tried.text).toContain("by the rule");
    expect(tried.text).toContain("&lt;b&gt;");
    expect(tried.text).toContain('value="a@b.c"');
    const wrong = await ann.post(CHECKOUT, { ...hidden, act: "try", contexts: '{}\n{"a":}' });
    expect(wrong.text).toContain("In line 2, ");
    expect(await find()).toEqual(before);
    for (const act of ["save", "state", "for", "state-at", "schedule", "row"])
      expect((await ann.post(CHECKOUT, { ...hidden, act, enabled: "off", payload: "1" })).status).toBe(403);
  });

  test("is changed for a while or later, at a time of the viewer's clock", async () => {
    const { signIn, find, app } = await openShop();
    const ann = await signIn("editor");
    const revision = hiddenIn(await ann.get(CHECKOUT), "revision");
    const hour = { who: "all", how: "while", span: "3600", revision };
    const release = `${CHECKOUT}/release`;
    expect((await ann.post(release, hour)).text).toContain("For the next 1 hour, everyone gets on");
    expect(await find()).toMatchObject({ enabled: true });
    const later = { who: "none", how: "at" };
    expect((await ann.post(release, { ...later, at: "" })).text).toContain("Write a date and a time");
    expect((await ann.post(release, { ...later, at: "2020-01-01T00:00" })).text).toContain("has passed");
    expect((await ann.post(release, { ...later, at: "2026-07-01T12:00" })).status).toBe(200);
    const { hidden } = await formOf(ann);
    const nothing = await ann.post(CHECKOUT, { ...hidden, act: "schedule", at: "2026-07-01T12:00" });
    expect(nothing.text).toContain("Nothing differs");
    const zone = "Europe/Berlin";
    await ann.post(CHECKOUT, { ...hidden, zone, act: "schedule", at: "2026-07-02T12:00", payload: "7" });
    const { items } = await app.store.scheduled.page("shop", "live", { limit: 9 });
    expect(items.map(({ at, patch }) => [at, patch])).toEqual([
      [app.now() + 3_600_000, { enabled: false }],
      [Date.parse("2026-07-01T12:00:00Z"), { enabled: false }],
      [Date.parse("2026-07-02T10:00:00Z"), { payload: 7 }],
    ]);
    expect((await ann.get(CHECKOUT)).text).toContain("Scheduled in live");
  });

  test("shows theirs, mine and the base of two changes, and saves mine on top", async () => {
    const { signIn, find } = await openShop();
    const [ann, bob] = [await signIn("editor", "ann"), await signIn("editor", "bob")];
    const { hidden } = await formOf(bob);
    await ann.post(CHECKOUT, { ...hidden, payload: '{"a":2}', expires: "2030-01-01T00:00", why: "first" });
    const page = await bob.post(CHECKOUT, { ...hidden, payload: '{"a":3}', previewName: "Mine" });
    expect(page.status).toBe(409);
    for (const text of ["Before both", "Theirs, stored", "Yours", "both changed it", ">ann</bdi>", "first"])
      expect(page.text).toContain(text);
    expect(await find()).toMatchObject({ payload: '{"a":2}' });
    // The form has what bob typed, and what only ann changed.
    expect(page.text).toContain('value="2030-01-01T00:00"');
    const next = { revision: hiddenIn(page, "revision"), base: decoded(hiddenIn(page, "base")) };
    const fields = { payload: '{"a":3}', previewName: "Mine", expires: "2030-01-01T00:00" };
    await bob.post(CHECKOUT, { ...next, ...fields });
    expect(await find()).toMatchObject({
      payload: '{"a":3}',
      previewName: "Mine",
      expiresAt: Date.parse("2030-01-01T00:00:00Z"),
    });
    const stale = await bob.post(CHECKOUT, { act: "state", enabled: "on", revision: hidden.revision });
    expect([stale.status, (await find())?.enabled]).toEqual([409, false]);
  });

  test("keeps what was typed where the flag was deleted meanwhile", async () => {
    const { signIn, find } = await openShop();
    const ann = await signIn("editor");
    const { hidden } = await formOf(ann);
    await ann.post("/projects/shop/flags/checkout/delete", { name: "checkout", revision: hidden.revision });
    const page = await ann.post(CHECKOUT, { ...hidden, payload: '{"mine":1}' });
    expect([page.status, page.text.includes("deleted this flag")]).toEqual([409, true]);
    const next = { revision: hiddenIn(page, "revision"), base: decoded(hiddenIn(page, "base")) };
    await ann.post(CHECKOUT, { ...next, payload: '{"mine":1}' });
    expect(await find()).toMatchObject({ payload: '{"mine":1}' });
    expect((await ann.get("/projects/shop/environments/live/flags/none")).status).toBe(404);
    expect((await ann.get("/projects/shop/environments/none/flags/checkout")).status).toBe(404);
  });

  test("is left as it is by forms that no page sends", async () => {
    const { signIn, find } = await openShop();
    const ann = await signIn("editor");
    const before = await find();
    const wrong: Record<string, string>[] = [
      { act: "state", enabled: "maybe" },
      { act: "toString", enabled: "on" },
      { act: "state", enabled: "on", revision: "-1" },
      { act: "schedule", zone: "Nowhere/Else", at: "2027", payload: "1" },
      { base: "[]", revision: "1", payload: "2" },
      { condition: "a", targeting: "x" },
      { expires: "soon" },
      { isPreview: "on", previewName: "x".repeat(201) },
    ];
    for (const fields of wrong) {
      const { status } = await ann.post(CHECKOUT, fields);
      expect([fields, status >= 400 && status < 500]).toEqual([fields, true]);
    }
    expect(await find()).toEqual(before);
  });

  test("that is locked is changed once its environment's name is typed, by those who may", async () => {
    const { signIn, find, lock } = await openShop();
    await lock();
    const [ann, bob] = [await signIn("releaser"), await signIn("editor")];
    const { hidden } = await formOf(ann);
    const typed = { ...hidden, act: "save", payload: '{"a":\n2}', previewName: "Now", why: "fix" };
    const page = await ann.post(CHECKOUT, typed);
    expect(page.status).toBe(428);
    for (const text of ["Save in live?", "Type live to confirm", 'value="fix"', "Last changed", "Reads"])
      expect(page.text).toContain(text);
    const sent = { ...typed, payload: decoded(hiddenIn(page, "payload")), act: hiddenIn(page, "act") };
    expect(sent.payload).toBe(typed.payload);
    const wrong = await ann.post(CHECKOUT, { ...sent, confirm: "*" });
    expect([wrong.status, wrong.text.includes("That is not the name")]).toEqual([428, true]);
    expect(await find()).toMatchObject({ payload: '{"a":1}' });
    expect((await bob.post(CHECKOUT, { ...sent, confirm: "live" })).status).toBe(403);
    expect((await ann.post(CHECKOUT, { ...sent, confirm: "live" })).status).toBe(200);
    expect(await find()).toMatchObject({ payload: '{"a":2}', previewName: "Now" });
  });

  test("that is locked has no buttons for those who may not change it, and still takes contexts to try", async () => {
    const { signIn, lock } = await openShop();
    const editor = await signIn("editor");
    expect((await editor.get(CHECKOUT)).text).toContain("Turn on in live");
    await lock();
    const { text } = await editor.get(CHECKOUT);
    for (const button of ["Turn on in live", 'value="save"']) expect(text).not.toContain(button);
    for (const rest of ["takes the role releaser or admin", 'value="try"']) expect(text).toContain(rest);
    expect((await (await signIn("releaser")).get(CHECKOUT)).text).toContain("Turn on in live");
  });
});

/** The revision in the form that deletes the flag of a page. */
function deletionIn(page: Parameters<typeof hiddenIn>[0]): string {
  const [form] = /<form[^>]* id="delete-form".*/s.exec(page.text)!;
  return hiddenIn({ ...page, text: form }, "revision");
}

/** The page of the flag, with what its form of values sends unseen. */
async function formOf(browser: { get: (path: string) => Promise<Parameters<typeof hiddenIn>[0]> }) {
  const page = await browser.get(CHECKOUT);
  const revision = page.text.includes('name="revision"') ? hiddenIn(page, "revision") : "";
  const base = decoded(hiddenIn(page, "base"));
  return { text: page.text, base, revision, hidden: { base, revision } };
}

/** The rows of the rule in a page, as its form sends them. */
function rowsOf(text: string): Record<string, string | string[]> {
  const sent: Record<string, string[]> = {};
  const name = "((?:attribute|operator|value|serve|share|of|was)-(?:\\d+|rest)|rules)";
  for (const [, field, value] of text.matchAll(
    new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"`, "g"),
  ))
    (sent[field!] ??= []).push(decoded(value!));
  for (const [, field, options] of text.matchAll(
    new RegExp(`<select name="${name}"[^>]*>(.*?)</select>`, "gs"),
  ))
    (sent[field!] ??= []).push(decoded(/value="([^"]*)" selected/.exec(options!)?.[1] ?? ""));
  return sent;
}
