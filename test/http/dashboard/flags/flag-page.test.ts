import { expect, test } from "bun:test";
import { setFlag } from "../../../../src/flags/flags.ts";
import { scheduleChange } from "../../../../src/flags/schedule/schedule.ts";
import { setEnvironment } from "../../../../src/projects/environments.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { ORIGIN, hiddenIn, openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR, callerNamed } from "../../../support/records/caller.ts";

const FLAG = "/projects/shop/flags/search";

/** The project shop with the flag search, and an admin who is signed in. */
async function openShop() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop" });
  const place = (environment: string) => ({ project: "shop", environment, flag: "search" });
  await setFlag(app, OPERATOR, place("develop"), { enabled: true });
  const variants = { on: true, off: false };
  const targeting = {
    fractional: [
      ["on", 25],
      ["off", 75],
    ],
  };
  await setFlag(app, OPERATOR, place("staging"), {
    enabled: true,
    variants,
    defaultVariant: "off",
    targeting,
  });
  const ann = await openDashboard(app).signIn("admin", "ann");
  return {
    app,
    ann,
    find: async (environment = "develop") => (await app.store.flags.find(place(environment)))!,
  };
}

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

test("the older address of a flag leads to its page in the environment", async () => {
  const { ann } = await openShop();
  const answer = await ann.ask("/projects/shop/environments/staging/flags/search");
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    `/dashboard${FLAG}?environment=staging`,
  ]);
  expect((await ann.get(`${FLAG}?environment=nothing`)).status).toBe(404);
});

test("the strip has the environments in their order, each with its share, and copies to the next", async () => {
  const { app, ann } = await openShop();
  const page = await ann.get(`${FLAG}?environment=staging`);
  const strip = /<nav class="envs" aria-label="Environment">.*?<\/nav>/s.exec(page.text)![0];
  const words = textOf(strip).replaceAll(/\s+/g, " ");
  expect(words).toBe(" develop On for everyone staging On for 25 % production Off for everyone ");
  expect(strip).toContain('aria-current="page"');
  expect(page.text).toContain("Copy staging to production…");
  await setEnvironment(app, OPERATOR, "shop", "production", { position: 1 });
  expect(textOf((await ann.get(FLAG)).text)).toMatch(
    /production Off for everyone develop On for everyone staging On for 25 %/,
  );
});

test("the copy to the next environment leads to the flag, ticked, and to no other", async () => {
  const { app, ann } = await openShop();
  await setFlag(
    app,
    OPERATOR,
    { project: "shop", environment: "staging", flag: "another" },
    { enabled: true },
  );
  const page = await ann.get(`${FLAG}?environment=staging`);
  const [, path] = /href="\/dashboard(\/[^"]*)"[^>]*>Copy staging to production…/.exec(page.text)!;
  const compared = await ann.get(path!.replaceAll("&amp;", "&"));
  const boxes = [...compared.text.matchAll(/<input type="checkbox" name="flag" value="([^"]*)"([^>]*)>/g)];
  expect(boxes.map(([, flag, rest]) => [flag, rest!.includes("checked")])).toEqual([
    ["search", true],
    ["another", false],
  ]);
});

test("a scheduled change says what it sets, also to off, to none and to what is set already", async () => {
  const { app, ann } = await openShop();
  const place = { project: "shop", environment: "staging", flag: "search" };
  const at = app.now() + 86_400_000;
  await setFlag(app, OPERATOR, place, { enabled: true });
  for (const patch of [{ enabled: false, expiresAt: null }, { enabled: true }])
    await scheduleChange(app, OPERATOR, place, { at, patch });
  const { items } = await app.store.scheduled.page("shop", "staging", { limit: 9 });
  const same = items.find(({ patch }) => patch.enabled === true)!;
  const cancel = `/projects/shop/environments/staging/scheduled/${same.id}/cancel`;
  for (const path of [`${FLAG}?environment=staging`, cancel]) {
    const { text } = await ann.get(path);
    expect([path, text.includes("Nothing differs")]).toEqual([path, false]);
    expect([path, text.includes("<ins>+ on</ins>")]).toEqual([path, true]);
  }
  expect((await ann.get(`${FLAG}?environment=staging`)).text).toMatch(/>\+ off<.*>\+ none</s);
});

test("owner, tags and permanent are saved for every environment", async () => {
  const { ann, find } = await openShop();
  const fields = {
    environment: "staging",
    act: "details",
    owner: "ann",
    tags: "beta, search",
    permanent: "on",
  };
  const saved = await ann.post(`${FLAG}/details`, fields);
  expect(saved.path).toBe(`${FLAG}?environment=staging`);
  expect(saved.text).toContain("The details of search are saved.");
  expect(await find("production")).toMatchObject({ owner: "ann", tags: "beta,search", permanent: true });
  expect(saved.text).toContain('value="beta, search"');
});

test("a flag is archived and restored, by Undo too, and asks for locked environments", async () => {
  const { app, ann, find } = await openShop();
  const archived = await ann.post(`${FLAG}/details`, { act: "archive" });
  expect(archived.text).toContain("Restore flag");
  expect((await find()).archived).toBe(true);
  await ann.post(`${FLAG}/details`, { act: "restore" });
  expect((await find()).archived).toBe(false);
  await setEnvironment(app, OPERATOR, "shop", "production", { locked: true });
  const asked = await ann.post(`${FLAG}/details`, { act: "archive" });
  expect([asked.status, (await find()).archived]).toEqual([428, false]);
  await ann.post(`${FLAG}/details`, { act: "archive", confirm: "production" });
  expect((await find()).archived).toBe(true);
});

test("people are added, and shown with what they get now and after a change that is not saved", async () => {
  const { ann, find } = await openShop();
  const page = `${FLAG}?environment=develop`;
  const at = { flag: "search", environment: "develop" };
  const added = await ann.post("/projects/shop/people", { ...at, name: "Ann", context: "plan=beta" });
  expect(added.path).toBe(page);
  const person = (text: string) => textOf(/<li data-person="Ann".*?<\/li>/s.exec(text)![0]);
  expect(person(added.text)).toContain("Ann on plan=beta");
  const row = { "attribute-1": "plan", "operator-1": "==", "value-1": "beta", "serve-1": "off" };
  const typed = { ...row, rules: "1", "serve-rest": "on", act: "check" };
  const checked = await ann.post("/projects/shop/environments/develop/flags/search", typed);
  expect(person(checked.text)).toContain("on → off");
  expect((await find()).rules).toBeNull();
  const removed = await ann.post("/projects/shop/people", { ...at, name: "Ann", act: "remove" });
  expect(removed.text).not.toContain("data-person");
  const undone = await ann.post("/projects/shop/people", { ...at, ...undoIn(removed.text) });
  expect(person(undone.text)).toContain("on plan=beta");
});

test("what is wrong with details or a test context stands at its field, beside all that was typed", async () => {
  const { ann } = await openShop();
  const at = { flag: "search", environment: "develop" };
  const fieldIn = (text: string, id: string) => new RegExp(`<input\\b[^>]* id="${id}"[^>]*>`).exec(text)![0];
  const typed = { description: "for the sale", owner: "team", tags: `a, ${"x".repeat(51)}`, permanent: "on" };
  const details = await ann.post(`/projects/shop/flags/search/details`, { ...at, ...typed, act: "details" });
  expect(details.status).toBe(422);
  expect(fieldIn(details.text, "tags")).toContain('aria-invalid="true"');
  for (const id of ["description", "owner", "tags"] as const)
    expect(fieldIn(details.text, id)).toContain(`value="${typed[id]}"`);
  expect(details.text).toContain('<details class="card" id="details" open');

  for (const [name, context, wrong] of [
    ["..", "plan=beta", "name"],
    ["Ben", "beta", "context"],
    ["Ben", "{", "context"],
  ] as const) {
    const { status, text } = await ann.post("/projects/shop/people", { ...at, name, context });
    expect([name, status]).toEqual([name, 422]);
    expect(fieldIn(text, `person-${wrong}`)).toContain('aria-invalid="true"');
    expect(fieldIn(text, "person-name")).toContain(`value="${name}"`);
    expect(fieldIn(text, "person-context")).toContain(`value="${context}"`);
  }
});

/** What the button "Undo" of a page sends. */
function undoIn(text: string): Record<string, string> {
  const messages = /<div id="messages".*?<main/s.exec(text)![0];
  const pairs = messages.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name!, value!]));
}

test("details that are saved can be undone, and a viewer gets facts, with fields to try", async () => {
  const { app, ann } = await openShop();
  const at = { flag: "search", environment: "develop" };
  const path = "/projects/shop/flags/search/details";
  await ann.post(path, { ...at, owner: "one", tags: "a", act: "details" });
  const saved = await ann.post(path, { ...at, owner: "two", tags: "b, c", act: "details" });
  expect(saved.text).toContain('value="two"');
  await ann.post("/projects/shop/flags/ticked", undoIn(saved.text));
  const { text } = await ann.get(`${FLAG}?environment=develop`);
  expect(text).toContain('value="one"');
  const folded = /<span>Payload<\/span>.*<span class="change">Try<\/span>.* name="payload"/s;
  expect(text).not.toMatch(folded);
  const viewer = await openDashboard(app).signIn("viewer");
  expect((await viewer.get(`${FLAG}?environment=develop`)).text).toMatch(folded);
});

test("a change for a while and a scheduled one are taken back whole", async () => {
  const { app, ann } = await openShop();
  const action = "/projects/shop/environments/develop/flags/search";
  const find = () => app.store.flags.find({ project: "shop", environment: "develop", flag: "search" });
  const coming = async () => (await app.store.scheduled.page("shop", null, { limit: 9 })).items;
  const before = (await find())!;
  const turn = { who: before.enabled ? "none" : "all", revision: String(before.revision), span: "7200" };
  const turned = await ann.post(`${action}/release`, { ...turn, how: "while" });
  expect([(await find())!.enabled, (await coming()).length]).toEqual([!before.enabled, 1]);
  await ann.post(`${action}/release/undo`, undoIn(turned.text));
  expect([(await find())!.enabled, (await coming()).length]).toEqual([before.enabled, 0]);

  const later = await ann.post(`${action}/release`, { ...turn, how: "at", at: "2099-01-01T10:00" });
  const [{ id } = { id: "" }] = await coming();
  expect(later.text).toContain(`/projects/shop/environments/develop/scheduled/${id}/cancel`);
  await ann.post(`/projects/shop/environments/develop/scheduled/${id}/cancel`, {});
  expect(await coming()).toEqual([]);
});

test("a change for a while keeps its end if taking it back is refused, and both are proposed as one", async () => {
  const { app, ann, find } = await openShop();
  const action = "/projects/shop/environments/develop/flags/search";
  const coming = async () => (await app.store.scheduled.page("shop", null, { limit: 9 })).items.length;
  const turnOff = async () => {
    const turn = { who: "none", how: "while", span: "7200", revision: String((await find()).revision) };
    return undoIn((await ann.post(`${action}/release`, turn)).text);
  };
  const late = await turnOff();
  const place = { project: "shop", environment: "develop", flag: "search" };
  await setFlag(app, OPERATOR, place, { payload: 1 });
  expect((await ann.post(`${action}/release/undo`, late)).status).toBe(409);
  expect([(await find()).enabled, await coming()]).toEqual([false, 1]);

  await setFlag(app, OPERATOR, place, { enabled: true });
  const undo = await turnOff();
  await setEnvironment(app, OPERATOR, "shop", "develop", { approvals: 1 });
  expect((await ann.post(`${action}/release/undo`, undo)).status).toBe(428);
  const { path } = await ann.post(`${action}/release/undo`, { ...undo, propose: "14d" });
  expect([(await find()).enabled, await coming()]).toEqual([false, 2]);
  const { get, post } = await openDashboard(app).signIn("releaser");
  const address = path.replace(/\?.*/, "");
  const etag = hiddenIn(await get(address), "etag");
  await post(`${address}/approve`, { etag });
  await post(`${address}/apply`, { etag });
  expect([(await find()).enabled, await coming()]).toEqual([true, 1]);
});

test("a form whose revision cannot be read is answered with its page, and a sentence", async () => {
  const { ann, find } = await openShop();
  const before = await find();
  const action = "/projects/shop/environments/develop/flags/search";
  const at = { environment: "develop", revision: "one" };
  const release = { who: "none", how: "now" };
  for (const [path, fields] of [
    [action, { act: "save", payload: "1" }],
    [action, { act: "state", enabled: "off" }],
    [`${action}/turn`, { on: "false" }],
    [`${action}/release`, release],
    [`${action}/release/undo`, {}],
    [`${FLAG}/details`, { act: "details", owner: "ann" }],
    [`${FLAG}/details`, { act: "archive" }],
    [`${FLAG}/delete`, { name: "search" }],
  ] as const) {
    const { status, text } = await ann.post(path, { ...at, ...fields });
    const isPage = text.includes("Rules and values") || text.includes("Flags by environment");
    expect([path, fields, status >= 400 && status < 500, isPage]).toEqual([path, fields, true, true]);
    expect(textOf(text)).toContain("The form names no revision: load the page again.");
  }
  expect(await find()).toEqual(before);
});

test("JSON that cannot be read does not become rows, and says where", async () => {
  const { ann } = await openShop();
  const { status, text } = await ann.post("/projects/shop/environments/develop/flags/search", {
    act: "rows",
    targeting: '{"if":[1,}',
  });
  expect(status).toBe(422);
  expect(text).toContain("In line 1, column 10: a value is missing.");
  expect(text).toContain("{&quot;if&quot;:[1,}");
});

test("the switch is turned without reading what its page shows", async () => {
  const { app, ann, find } = await openShop();
  const read: string[] = [];
  for (const name of ["tallies", "testContexts", "scheduled", "ramps"] as const) {
    const get = (slice: object, key: string) => {
      read.push(`${name}.${key}`);
      return Reflect.get(slice, key) as unknown;
    };
    Object.assign(app.store, { [name]: new Proxy<object>(app.store[name], { get }) });
  }
  const body = new URLSearchParams({ act: "state", enabled: "off" });
  const headers = { Origin: ORIGIN };
  const path = "/projects/shop/environments/develop/flags/search";
  const { status } = await ann.ask(path, { method: "POST", body, headers });
  expect([status, (await find()).enabled, read]).toEqual([303, false, []]);
});

test("a change by an assistant names it beside its person, wherever the page of a flag and its questions name one", async () => {
  const { app, ann, find } = await openShop();
  const bob = callerNamed("bob", { via: "Claude" });
  await setFlag(app, bob, { project: "shop", environment: "develop", flag: "search" }, { enabled: false });
  const named = (html: string) => textOf(html).match(/bob via Claude/g)?.length ?? 0;
  const page = (await ann.get(FLAG)).text;
  expect([named(page), textOf(page).match(/\bbob\b/g)!.length]).toEqual([2, 2]);
  const { revision } = await find();
  const rollback = (await ann.get(`/projects/shop/history/${revision}/rollback?to=before`)).text;
  expect(textOf(rollback)).toContain(`before revision ${revision}, which bob via Claude made`);
  await setEnvironment(app, OPERATOR, "shop", "develop", { locked: true });
  const confirm = await ann.post(`/projects/shop/history/${revision}/rollback`, { to: "before" });
  expect([confirm.status, textOf(confirm.text)]).toEqual([428, expect.stringContaining("bob via Claude ,")]);
});
