import { expect, test } from "bun:test";
import { createForm, getForm, setForm } from "../../../src/forms/forms.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

const PATH = "/forms/contact/fields";

async function open(schema: Record<string, unknown> | null = null) {
  const app = openTestApp();
  await createForm(app, OPERATOR, { slug: "contact", schema });
  const { get, post } = await openDashboard(app).signIn("inbox");
  /** The fields of the form on a page, as a browser would send them. */
  const valuesIn = (page: string) => {
    const form = page.slice(page.indexOf('id="fields-form"'), page.indexOf('id="preview"'));
    const values: Record<string, string> = {};
    for (const [, attributes] of form.matchAll(/<input([^>]*)>/g)) {
      const [name, value = "on"] = ["name", "value"].map(
        (each) => new RegExp(` ${each}="([^"]*)"`).exec(` ${attributes}`)?.[1],
      );
      if (name && (!attributes!.includes("checkbox") || attributes!.includes("checked")))
        values[name] = decoded(value);
    }
    for (const [, name, text] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n?([^<]*)</g))
      values[name!] = decoded(text!);
    for (const [, name, options] of form.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      values[name!] = decoded(/value="([^"]*)" selected/.exec(options!)?.[1] ?? "");
    return values;
  };
  return { app, get, post, valuesIn, schema: async () => (await getForm(app, OPERATOR, "contact")).schema };
}

function decoded(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

const SCHEMA = {
  title: "Order",
  required: ["size"],
  properties: {
    size: { title: 'Size "EU"', type: "string", enum: ["S", "M"] },
    address: { title: "Where to", type: "string", minLength: 3 },
  },
};

test("Fields are written as rows, moved, removed and saved as a schema", async () => {
  const { get, post, valuesIn, schema } = await open();
  const first = await get(PATH);
  expect(first.text).toContain('aria-label="Field 1"');
  expect(first.text).toContain("There are no fields yet.");
  const typed = { ...valuesIn(first.text), "label-1": "Your name", "required-1": "on" };
  const added = await post(PATH, { ...typed, act: "add" });
  expect(added.text).toContain('aria-label="Field 2"');
  const second = {
    "label-2": "Size",
    "type-2": "choice",
    "choices-2": "S\r\nM\r\n",
    "help-2": "As on the <tag>",
  };
  const checked = await post(PATH, { ...valuesIn(added.text), ...second, act: "check" });
  expect(checked.text).toMatch(
    /id="preview".*Your name.*<select.*<option value="S">S<.*<option value="M">M</s,
  );
  expect(checked.text).toContain("As on the &lt;tag&gt;");
  const moved = await post(PATH, { ...valuesIn(checked.text), act: "up-2" });
  expect(valuesIn(moved.text)).toMatchObject({
    "label-1": "Size",
    "label-2": "Your name",
    "required-2": "on",
  });
  const saved = await post(PATH, { ...valuesIn(moved.text), act: "save" });
  expect(saved.text).toContain("Saved the fields");
  const stored = {
    type: "object",
    properties: {
      size: { title: "Size", type: "string", enum: ["S", "M"], description: "As on the <tag>" },
      your_name: { title: "Your name", type: "string" },
    },
    required: ["your_name"],
  };
  expect(JSON.stringify(await schema())).toBe(JSON.stringify(stored));
  const removed = await post(PATH, { ...valuesIn((await get(PATH)).text), act: "remove-2" });
  await post(PATH, { ...valuesIn(removed.text), act: "save" });
  expect(Object.keys((await schema())!["properties"] as object)).toEqual(["size"]);
});

test("A schema that rows can say comes back to the letter, and is edited as JSON too", async () => {
  const { get, post, valuesIn, schema } = await open(SCHEMA);
  const page = await get(PATH);
  expect((await post(PATH, { ...valuesIn(page.text), act: "save" })).text).toContain("Nothing was changed");
  expect(JSON.stringify(await schema())).toBe(JSON.stringify(SCHEMA));
  const renamed = { ...valuesIn(page.text), "label-2": "Address" };
  const json = await post(PATH, { ...renamed, act: "json" });
  const text = valuesIn(json.text)["schema"]!;
  expect(JSON.parse(text)).toMatchObject({ properties: { address: { title: "Address", minLength: 3 } } });
  const rows = await post(PATH, { ...valuesIn(json.text), act: "rows" });
  expect(valuesIn(rows.text)).toMatchObject({ "label-1": 'Size "EU"', "label-2": "Address" });
  await post(PATH, { ...valuesIn(rows.text), act: "save" });
  expect(await schema()).toMatchObject({ properties: { address: { title: "Address", minLength: 3 } } });
});

test("JSON says where it is wrong, and why it has no rows", async () => {
  const { get, post, valuesIn, schema } = await open(SCHEMA);
  const typed = valuesIn((await get(`${PATH}?as=json`)).text);
  const send = async (json: string, act = "save") => (await post(PATH, { ...typed, schema: json, act })).text;
  expect(await send('{\n  "type" "object"\n}')).toContain("In line 2, column 10: a colon is missing.");
  expect(await send('{\n  "properties": {\n    "a": {"type": "txt"}\n  }\n}')).toMatch(
    /In line 3, column 19: .*txt.* is not a type/,
  );
  expect(await send("[]")).toContain("In line 1, column 1: a schema is an object.");
  const nested = '{"properties":{"a":{"type":"object"}}}';
  expect(await send(nested, "rows")).toContain("The schema is not flat: the field a holds other fields.");
  expect(await schema()).toEqual(SCHEMA);
  await send(nested);
  expect((await get(PATH)).text).toContain("Rows cannot show these fields: the schema is not flat");
});

test("Rows say what is missing, and keep what was typed", async () => {
  const { get, post, valuesIn, schema } = await open();
  const typed = { ...valuesIn((await get(PATH)).text), "label-1": "Size", "type-1": "choice" };
  const refused = await post(PATH, { ...typed, act: "save" });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain("Write the choices, a line each.");
  expect(valuesIn(refused.text)).toMatchObject({ "label-1": "Size", "type-1": "choice" });
  expect(await schema()).toBeNull();
});

test("Fields that others saved meanwhile are replaced after a warning alone", async () => {
  const { app, get, post, valuesIn, schema } = await open(SCHEMA);
  const typed = { ...valuesIn((await get(PATH)).text), "label-2": "Address" };
  await setForm(app, OPERATOR, "contact", { schema: { properties: { other: {} } } });
  const refused = await post(PATH, { ...typed, act: "save" });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain("Other fields were saved since you opened the page.");
  expect(await schema()).toEqual({ properties: { other: {} } });
  await post(PATH, { ...valuesIn(refused.text), act: "save" });
  expect(await schema()).toMatchObject({ properties: { address: { title: "Address" } } });
});
