import { expect, test } from "bun:test";
import { setFlag } from "../../../../src/flags/flags.ts";
import { createProject } from "../../../../src/projects/projects.ts";
import { openTestApp } from "../../../support/app.ts";
import { openDashboard } from "../../../support/pages/dashboard.ts";
import { OPERATOR } from "../../../support/records/caller.ts";

const FLAG = "/projects/shop/flags/hero?environment=staging";
const ACTION = "/projects/shop/environments/staging/flags/hero";
const DETAILS = "/projects/shop/flags/hero/details";
const place = { project: "shop", environment: "staging", flag: "hero" };

/** The project shop with the flag hero in staging, and an editor who is signed in. */
async function openShop(patch: object) {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop" });
  await setFlag(app, OPERATOR, place, { enabled: true, ...patch });
  const ann = await openDashboard(app).signIn("editor");
  const stored = async () => {
    const { rules, colours } = (await app.store.flags.find(place))!;
    const { variants, defaultVariant } = JSON.parse(rules ?? "{}") as Record<string, unknown>;
    return { variants, defaultVariant, colours };
  };
  return { ann, stored, send: (fields: Record<string, string | string[]>) => ann.post(ACTION, fields) };
}

const table = (
  type: string,
  ...rows: [name: string, value: string, colour?: string, standard?: string][]
) => ({
  "variant-type": type,
  "variant-name": rows.map(([name]) => name),
  "variant-value": rows.map(([, value]) => value),
  "variant-colour": rows.map(([, , colour = ""]) => colour),
  "variant-standard": rows.map(([, , colour = "", standard = colour]) => standard),
});

const PLAIN = [
  ["on", "true"],
  ["off", "false"],
] as [string, string][];

test("a plain flag shows the variants on and off, which saving leaves as they are", async () => {
  const { ann, send, stored } = await openShop({});
  const { text } = await ann.get(FLAG);
  for (const part of ['aria-label="Variants"', 'value="on"', 'data-served="on"', "Add variant"])
    expect(text).toContain(part);
  expect(text).not.toContain('name="variants"');
  await send({ act: "save", ...table("boolean", ...PLAIN), expires: "2030-01-01T00:00" });
  expect(await stored()).toEqual({ variants: undefined, defaultVariant: undefined, colours: "" });
});

test("the variants of a plain flag become texts, of which those who got true get the one of their name", async () => {
  const { send, stored } = await openShop({});
  await send({ act: "save", ...table("text", ["off", "No"], ["on", "Yes"], ["", ""]) });
  expect(await stored()).toMatchObject({ variants: { off: "No", on: "Yes" }, defaultVariant: "on" });
  await send({ act: "save", ...table("number", ["off", "0"], ["on", "1.5"]) });
  expect(await stored()).toMatchObject({ variants: { off: 0, on: 1.5 } });
  await send({ act: "save", ...table("JSON", ["off", "{}"], ["on", '{"a":[1]}']) });
  expect(await stored()).toMatchObject({ variants: { off: {}, on: { a: [1] } } });
});

test("rows are added and removed without JavaScript, with what was typed", async () => {
  const { send, stored } = await openShop({ variants: { a: "A", b: "B" }, defaultVariant: "a" });
  const typed = table("text", ["a", "Anna"], ["b", "B"]);
  const more = await send({ act: "variant", ...typed });
  expect([...more.text.matchAll(/name="variant-name"/g)].length).toBe(3);
  expect(more.text).toContain('value="Anna"');
  const fewer = await send({ act: "drop-2", ...typed });
  expect([...fewer.text.matchAll(/name="variant-name"/g)].length).toBe(1);
  expect(await stored()).toMatchObject({ variants: { a: "A", b: "B" } });
});

test.each([
  ["number", "off", "x", "The value of off is not a number."],
  ["boolean", "off", "maybe", "The value of off is not true or false."],
  ["JSON", "off", "{", "The value of off is not JSON: in line 1"],
  ["text", "", "No", "Variant 2 has no name."],
  ["text", "on", "No", "Two variants have the name on."],
])("a wrong row of type %s keeps its text, and says what is wrong", async (type, name, value, fault) => {
  const { send, stored } = await openShop({ variants: { on: 1, off: 2 }, defaultVariant: "on" });
  const first = { number: "1", boolean: "true", JSON: "1", text: "1" }[type]!;
  const page = await send({ act: "save", ...table(type, ["on", first], [name, value]) });
  expect(page.status).toBe(422);
  expect(page.text).toContain(fault);
  expect(page.text).toMatch(/name="variant-(name|value)"[^>]*aria-invalid="true"/);
  expect(await stored()).toMatchObject({ variants: { on: 1, off: 2 } });
});

test("colours are kept if they are not the usual ones, and draw the shares", async () => {
  const { ann, send, stored } = await openShop({ variants: { a: 1, b: 2 }, defaultVariant: "a" });
  await send({ act: "save", ...table("number", ["a", "1", "#123456", "#1c7ed6"], ["b", "2", "#e67700"]) });
  expect((await stored()).colours).toBe('{"a":"#123456"}');
  expect((await ann.get(FLAG)).text).toMatch(/<rect[^>]*fill="#123456"/);
  await send({ act: "save", ...table("number", ["a", "1", "#123456", ""], ["b", "2", "#e67700"]) });
  expect((await stored()).colours).toBe('{"a":"#123456"}');
});

test("JSON is a second way to write variants and rule, from which rows are one press away", async () => {
  const { send, stored } = await openShop({ variants: { a: 1, b: 2 }, defaultVariant: "a" });
  const asJson = await send({ act: "json", ...table("number", ["a", "5"], ["b", "2"]) });
  for (const part of ['name="variants"', 'name="targeting"', "Edit as rows", "&quot;a&quot;: 5"])
    expect(asJson.text).toContain(part);
  const asRows = await send({ act: "rows", variants: '{"a":{"x":1},"b":{}}', targeting: "" });
  expect(asRows.text).toMatch(/<option value="JSON" selected="">/);
  await send({ act: "save", variants: '{"a":{"x":1},"b":{}}', targeting: "" });
  expect(await stored()).toMatchObject({ variants: { a: { x: 1 }, b: {} } });
});

test("the description of a flag is one of its details", async () => {
  const { ann } = await openShop({});
  await ann.post(DETAILS, { description: "The big picture", owner: "", tags: "", act: "details" });
  expect((await ann.get(FLAG)).text).toMatch(/name="description"[^>]*value="The big picture"/);
});

test("the difference names each variant and colour that changes", async () => {
  const { send } = await openShop({ variants: { a: 1, b: 2 }, defaultVariant: "a" });
  const rows = table("number", ["a", "5", "#123456", "#1c7ed6"], ["c", "3"]);
  const { text } = await send({ act: "check", ...rows });
  for (const line of ["variants, a: 1 → 5", "variants, b: 2 → none", "variants, c: none → 3"])
    expect(text).toContain(line);
  expect(text).toContain("colours, a: none → &quot;#123456&quot;");
});
