import { describe, expect, test } from "bun:test";
import { applyDocument } from "../../../src/documents/apply.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";
import { openShop } from "../../support/records/shop.ts";

const RULE = { ends_with: [{ var: "email" }, "@example.com"] };
const OF_LIVE = "/projects/shop/environments/live";

async function openPages() {
  const shop = await openShop();
  const { signIn } = openDashboard(shop.app);
  const browser = await signIn("admin");
  /** Sends a form with a file in it. */
  const upload = async (path: string, text: string, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set("file", new File([text], "file.json", { type: "application/json" }));
    const headers = { Origin: "http://dashboard.test" };
    const answer = await browser.ask(path, { method: "POST", body, headers });
    return { status: answer.status, text: await answer.text(), headers: answer.headers, path };
  };
  const lock = (environment: string) =>
    setEnvironment(shop.app, OPERATOR, "shop", environment, { locked: true });
  const project = () => shop.app.store.projects.find("shop");
  return { ...shop, ...browser, upload, lock, project };
}

describe("segments", () => {
  const one = (segment: string) => ({ project: "shop", environment: "live", segment });

  test("are created from conditions, listed in words, and saved as JSON", async () => {
    const { app, get, post } = await openPages();
    const typed = {
      environment: "live",
      name: "staff",
      as: "rows",
      join: "any",
      attribute: ["email", "plan", ""],
      operator: ["ends_with", "==", "=="],
      value: ["@example.com", "pro", ""],
    };
    const more = await post("/projects/shop/segments/new", { ...typed, act: "row" });
    expect(more.text.match(/name="attribute"/g)).toHaveLength(3);
    await post("/projects/shop/segments/new", { ...typed, why: "ours" });
    const rule = { or: [RULE, { "===": [{ var: "plan" }, "pro"] }] };
    expect(JSON.parse((await app.store.segments.find(one("staff")))!.rule)).toEqual(rule);
    const list = await get("/projects/shop/segments?environment=live");
    expect(list.text).toContain("email ends with @example.com or plan is pro");
    const page = await get(`${OF_LIVE}/segments/staff`);
    const revision = hiddenIn(page, "revision");
    await post(`${OF_LIVE}/segments/staff`, { revision, as: "json", rule: "true" });
    expect((await app.store.segments.find(one("staff")))!.rule).toBe("true");
  });

  test("are listed once, with who belongs to them in each environment", async () => {
    const { segment, get } = await openPages();
    await segment("live", "staff", RULE);
    await segment("develop", "staff", true);
    await segment("develop", "beta", RULE);
    const { text } = await get("/projects/shop/segments");
    expect(text.match(/id="segment-staff"/g)).toHaveLength(1);
    const row = /<tr id="segment-staff".*?<\/tr>/s.exec(text)![0];
    for (const each of ["everyone", "email ends with @example.com", "environments/live/segments/staff"])
      expect(row).toContain(each);
    expect(text.match(/New segment/g)).toHaveLength(1);
    const page = (await get(`${OF_LIVE}/segments/staff`)).text;
    expect(page).toMatch(/<details class="fold" id="who"><summary>/);
    expect(page).toContain('href="/dashboard/projects/shop/environments/develop/segments/staff"');
    const asJson = (await get(`${OF_LIVE}/segments/staff?as=json`)).text;
    expect(asJson).toContain('class="fold" id="who" open');
    // Of two elements of an id, a label would be of the first.
    const ids = [...asJson.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([]);
  });

  test("are offered as conditions only where conditions express their rule", async () => {
    const { segment, get } = await openPages();
    await segment("live", "rows", RULE);
    await segment("live", "computed", { "==": [{ "%": [{ var: "id" }, 2] }, 0] });
    for (const [name, isOffered] of [
      ["rows", true],
      ["computed", false],
    ] as const) {
      const { text } = await get(`${OF_LIVE}/segments/${name}?as=json`);
      expect([name, text.includes("Edit as conditions")]).toEqual([name, isOffered]);
    }
  });

  test("name the line of a fault in JSON, and keep what was typed", async () => {
    const { segment, get, post } = await openPages();
    await segment("live", "staff", RULE);
    const path = `${OF_LIVE}/segments/staff`;
    const revision = hiddenIn(await get(path), "revision");
    const broken = await post(path, { revision, as: "json", rule: '{\n  "ends_with": [1,\n}' });
    expect([broken.status, broken.text.includes("line 3")]).toEqual([400, true]);
    expect(broken.text).toContain("&quot;ends_with&quot;: [1,");
    const wrong = await post(path, { revision, as: "json", rule: '{\n  "ends_with": [\n    1\n  ]\n}' });
    expect([wrong.status, /line \d/.test(wrong.text)]).toEqual([400, true]);
    const missing = await post(path, { revision, as: "json", rule: '{"$ref":"none"}' });
    expect([missing.status, missing.text.includes("&quot;none&quot; does not exist")]).toEqual([400, true]);
    const empty = await post(path, { revision, as: "rows", attribute: "email", operator: "==", value: "" });
    expect([empty.status, empty.text.includes("has no value")]).toEqual([400, true]);
  });

  test("take no name that is taken or is none, and no save over a newer rule", async () => {
    const { app, segment, post } = await openPages();
    const { record } = await segment("live", "staff", RULE);
    const typed = { environment: "live", as: "json", rule: "false" };
    const taken = await post("/projects/shop/segments/new", { ...typed, name: "staff" });
    expect([taken.status, taken.text.includes("has a segment of this name")]).toEqual([409, true]);
    expect((await post("/projects/shop/segments/new", { ...typed, name: "a b" })).status).toBe(400);
    await segment("live", "staff", { "==": [1, 1] });
    const late = await post(`${OF_LIVE}/segments/staff`, { revision: String(record.revision), ...typed });
    expect([late.status, late.text.includes("Changed by another user")]).toEqual([409, true]);
    expect((await app.store.segments.find(one("staff")))!.rule).toBe('{"==":[1,1]}');
  });

  test("are not deleted while a flag refers to them", async () => {
    const { app, set, segment, get, post } = await openPages();
    await segment("live", "staff", RULE);
    const variants = { on: true, off: false };
    await set("live", { variants, defaultVariant: "off", targeting: { if: [{ $ref: "staff" }, "on"] } });
    const path = `${OF_LIVE}/segments/staff/delete`;
    const used = await get(path);
    expect(used.text).toContain("It is still used");
    expect(used.text).not.toContain('id="delete"');
    expect((await post(path, {})).status).toBe(409);
    await set("live", { variants: null });
    await post(path, { revision: hiddenIn(await get(path), "revision") });
    expect(await app.store.segments.find(one("staff"))).toBeUndefined();
  });
});

describe("settings", () => {
  const PATH = "/projects/shop/settings";

  test("rename the project, and keep a name that is too long", async () => {
    const { get, post, project } = await openPages();
    expect((await post(PATH, { name: "The <shop>" })).text).toContain("The &lt;shop&gt;");
    expect((await project())!.name).toBe("The <shop>");
    const { status, text } = await post(PATH, { name: "x".repeat(201) });
    expect([status, text.includes("x".repeat(201))]).toEqual([400, true]);
    expect((await get(PATH)).text).toContain((await project())!.key);
  });

  test("create environments from another, colour, lock and unlock them", async () => {
    const { set, find, post, project } = await openPages();
    await set("develop", { payload: "copied" });
    await post("/projects/shop/environments", { slug: "test", name: "", from: "develop", color: "pink" });
    expect(await find("test")).toMatchObject({ payload: '"copied"' });
    for (const [slug, status] of [
      ["test", 409],
      ["a b", 400],
      ["", 400],
    ] as const)
      expect((await post("/projects/shop/environments", { slug, name: "kept" })).status).toBe(status);
    const of = async () => (await project())!.environments.find(({ slug }) => slug === "test");
    expect(await of()).toMatchObject({ color: "pink", locked: false });
    const path = "/projects/shop/environments/test/settings";
    await post(path, { color: "red" });
    await post(path, { locked: "true" });
    expect(await of()).toMatchObject({ color: "red", locked: true });
    expect((await post(path, { color: "black" })).status).toBe(400);
    expect((await post(path, {})).status).toBe(400);
    await post(path, { locked: "false" });
    expect(await of()).toMatchObject({ color: "red", locked: false });
  });

  test("delete an environment and the project only by name", async () => {
    const { post, lock, project } = await openPages();
    await lock("live");
    const wrong = await post(`${OF_LIVE}/delete`, { confirm: "develop" });
    expect([wrong.status, wrong.text.includes("That is not the name")]).toEqual([400, true]);
    await post("/projects/shop/environments/develop/delete", { confirm: "develop" });
    expect((await project())!.environments.map(({ slug }) => slug)).toEqual(["live"]);
    expect((await post("/projects/shop/delete", { name: "shopp" })).status).toBe(400);
    const asked = await post("/projects/shop/delete", { name: "shop" });
    expect([asked.status, hiddenIn(asked, "name")]).toEqual([428, "shop"]);
    expect(await project()).toBeDefined();
    await post("/projects/shop/delete", { name: "shop", confirm: "live" });
    expect(await project()).toBeUndefined();
  });
});

describe("files", () => {
  const DOCUMENT = "/projects/shop/import/document";
  const FLAGD = "/projects/shop/import/flagd";

  test("a document that is downloaded changes nothing, and one that differs is shown before it is applied", async () => {
    const { app, set, find, get, post, upload } = await openPages();
    await set("live", { enabled: true, payload: { a: 1 } });
    const { text, headers } = await get("/projects/shop/document.json");
    expect(headers.get("content-disposition")).toContain('filename="shop.json"');
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect((await upload(DOCUMENT, text)).text).toContain("Nothing would change");
    const review = await upload(DOCUMENT, text.replace('"a": 1', '"a": 2'));
    expect(review.text).toContain("projects.shop.flags.sale.environments.live");
    expect(await find("live")).toMatchObject({ payload: '{"a":1}' });
    const file = hiddenIn(review, "file").replaceAll("&quot;", '"');
    await post(DOCUMENT, { act: "import", file });
    expect(await find("live")).toMatchObject({ payload: '{"a":2}' });
    const exported = JSON.parse((await get("/projects/shop/document.json")).text);
    expect(await applyDocument(app, OPERATOR, exported, { prune: true, confirmed: false })).toEqual({
      changes: [],
      warnings: [],
    });
  });

  test("a document that deletes an environment asks for the name of the project", async () => {
    const { post, project } = await openPages();
    const file = JSON.stringify({ projects: { shop: { environments: { live: {} } } } });
    const fields = { act: "import", prune: "on", file };
    const asked = await post(DOCUMENT, fields);
    expect([asked.status, asked.text.includes("Type shop to confirm")]).toEqual([428, true]);
    expect((await post(DOCUMENT, { ...fields, confirm: "live" })).status).toBe(428);
    expect((await project())!.environments).toHaveLength(2);
    await post(DOCUMENT, { ...fields, confirm: "shop" });
    expect((await project())!.environments).toHaveLength(1);
  });

  test.each([
    ["", "choose a file"],
    ["{\n  nope\n}", "line 2"],
    ["[]", "JSON object"],
    ['{"projects":{"other":{}}}', "names another project: other"],
    ['{"projects":{"shop":{"flags":{"a":{"x":1}}}}}', "projects.shop.flags.a"],
    ['{"forms":{}}', "holds forms"],
  ])("the document %j is refused: %s", async (text, message) => {
    const { upload } = await openPages();
    const answer = await upload(DOCUMENT, text);
    expect(answer.status).toBe(400);
    expect(answer.text.toLowerCase()).toContain(message.toLowerCase());
  });

  test("a file that is too large is refused", async () => {
    const { upload } = await openPages();
    expect((await upload(DOCUMENT, " ".repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  test("a flagd file is shown before it is imported, and asks for the name of a locked environment", async () => {
    const { find, get, post, upload, lock } = await openPages();
    const flags = { sale: { state: "ENABLED", variants: { a: 1, b: 2 }, defaultVariant: "a" } };
    const review = await upload(FLAGD, JSON.stringify({ flags }), { environment: "live" });
    expect(review.text).toContain("Import into live");
    expect(await find("live")).toBeUndefined();
    await lock("live");
    const fields = { act: "import", environment: "live", file: JSON.stringify({ flags }) };
    expect((await post(FLAGD, fields)).status).toBe(428);
    expect((await post(FLAGD, { ...fields, confirm: "live" })).status).toBe(200);
    expect(await find("live")).toMatchObject({ enabled: true });
    const exported = JSON.parse((await get(`${OF_LIVE}/flagd.json`)).text);
    expect(exported.flags).toEqual(flags);
    const broken = await upload(FLAGD, '{"flags":{"sale":{"state":"ON"}}}', { environment: "live" });
    expect([broken.status, broken.text.includes("/flags/sale")]).toEqual([400, true]);
  });
});
