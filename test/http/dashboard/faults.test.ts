import { expect, test } from "bun:test";
import { openTestApp } from "../../support/app.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";
import { openShop } from "../../support/records/shop.ts";

/** The names or ids of the fields that a page marks as wrong. */
function wrongIn(text: string): string[] {
  const tags = [...text.matchAll(/<(?:input|textarea|select)\b[^>]*aria-invalid="true"[^>]*>/g)];
  return tags.map(([tag]) => (/ id="([^"]*)"/.exec(tag) ?? / aria-label="([^"]*)"/.exec(tag))![1]!);
}

test.each([
  [
    "schema",
    "/fields",
    { as: "json", act: "save", before: "null", schema: '{"type": 5}' },
    "In line 1, column 10",
    422,
  ],
  [
    "autoreplyText",
    "/settings",
    { autoreplyText: "{{#x}}" },
    "Line 1: the section {{#x}} is not closed",
    400,
  ],
])("what is wrong with the setting %s stands at its field", async (name, at, fields, message, refused) => {
  const { signIn } = openDashboard(openTestApp());
  const { post } = await signIn("editor");
  await post("/forms/new", { slug: "contact" });
  const { status, text } = await post(`/forms/contact${at}`, fields);
  expect([status, wrongIn(text)]).toEqual([refused, [name]]);
  expect(text).toContain(message);
});

test("what is wrong with a flag stands at its field, and names the row or the line of its rule", async () => {
  const { app, set } = await openShop();
  await set("live", { enabled: true, variants: { on: true, off: false }, defaultVariant: "off" });
  const { get, post } = await openDashboard(app).signIn("editor");
  const path = "/projects/shop/environments/live/flags/sale";
  const page = await get(path);
  const form = {
    base: hiddenIn(page, "base").replaceAll("&quot;", '"'),
    revision: hiddenIn(page, "revision"),
    act: "save",
  };
  const rows = {
    condition: ["email ends_with @example.com", "country == AT"],
    serve: ["on", "blue"],
    rest: "",
  };
  const send = async (fields: Record<string, string | string[]>) => {
    const { status, text } = await post(path, { ...form, ...fields });
    expect(status).toBe(422);
    return { wrong: wrongIn(text), error: /<p class="error"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] };
  };
  expect(await send(rows)).toEqual({
    wrong: ["Attribute", "Value", "Serve"],
    error: "Row 2: blue is not a variant of the flag: choose one of on, off.",
  });
  const without = await send({
    ...rows,
    condition: ["email ends_with @example.com", "country =="],
    serve: "on",
  });
  expect(without).toEqual({
    wrong: ["Condition of rule 2", "Serve"],
    error: expect.stringMatching(/^Row 2: at column 11, /),
  });
  expect(await send({ ...rows, serve: ["on", "off"], rest: "110 %" })).toEqual({
    wrong: ["Serve"],
    error: expect.stringMatching(/^Everyone else: 110 % is not a share/),
  });

  const targeting = '{"if":[\n{"==":[{"var":"a"},1]},\n"blue",\n"off"]}';
  expect(await send({ targeting })).toEqual({
    wrong: ["targeting"],
    error: "Line 3: &quot;blue&quot; is not one of the variants: on, off.",
  });
  expect((await send({ defaultVariant: "nope" })).wrong).toEqual(["defaultVariant"]);
  const past = await send({ act: "schedule", description: "new", at: "2001-01-01T00:00" });
  expect(past.wrong).toEqual(["values-at"]);
});

test("what is wrong with a segment names the condition", async () => {
  const { app } = await openShop();
  const { post } = await openDashboard(app).signIn("editor");
  const { text } = await post("/projects/shop/segments/new", {
    environment: "live",
    name: "staff",
    as: "rows",
    join: "all",
    attribute: ["email", "country"],
    operator: ["ends_with", "=="],
    value: ["@example.com", ""],
  });
  expect(wrongIn(text)).toEqual(["Attribute of condition 2", "Value of condition 2"]);
  expect(text).toContain("condition 2: ");
});

test("what is wrong with a user or a token stands at its field", async () => {
  const { post } = await openDashboard(openTestApp()).signIn("admin");
  const wrongAfter = async (path: string, fields: Record<string, string | string[]>) => {
    const { status, text } = await post(path, fields);
    expect(status).toBeGreaterThanOrEqual(400);
    return wrongIn(text);
  };
  expect(await wrongAfter("/access/users", { name: "a b", role: "viewer" })).toEqual(["new-name"]);
  expect(await wrongAfter("/access/users", { name: "admin", role: "viewer" })).toEqual(["new-name"]);
  await post("/access/users", { name: "eve", role: "viewer" });
  const deletion = await post("/access/users/eve", { do: "delete", name: "nope" });
  expect(wrongIn(deletion.text)).toEqual(["delete-eve"]);
  expect(deletion.text).toContain("That is not eve: no user was deleted.");

  const token = { name: "ci", place: "", expires: "90d", scope: "read" };
  const tokens = "/access/tokens";
  expect(await wrongAfter(tokens, { ...token, name: "a b" })).toEqual(["token-name"]);
  expect(await wrongAfter(tokens, { ...token, expires: "soon" })).toEqual(["token-expires"]);
  expect((await wrongAfter(tokens, { ...token, scope: [] }))[0]).toBe("scope-admin");
  await post(tokens, token);
  expect(await wrongAfter(tokens, token)).toEqual(["token-name"]);
});

test("a form of a user whose session has ended is given back, to be sent again after a sign-in", async () => {
  const { app, set } = await openShop();
  await set("live", { enabled: true });
  const { openBrowser, signIn } = openDashboard(app);
  const path = "/projects/shop/environments/live/flags/sale";
  const typed = {
    act: "save",
    payload: '{"kept":\n"<b>"}',
    revision: hiddenIn(await (await signIn("editor")).get(path), "revision"),
  };
  const { status, text } = await openBrowser().post(path, typed);
  expect(status).toBe(401);
  expect(text).toContain(`action="/dashboard${path}"`);
  const kept = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const sent = Object.fromEntries(kept.map(([, name, value]) => [name!, unescaped(value!)]));
  expect(sent).toEqual(typed);
  expect((await (await signIn("editor")).post(path, sent)).text).toContain("Saved in live");
  expect((await app.store.flags.find({ project: "shop", environment: "live", flag: "sale" }))!.payload).toBe(
    '{"kept":"<b>"}',
  );
});

test.each([
  ["/me/password", { current: "a long password", next: "another password" }],
  ["/inbox/-/views", { name: "x".repeat(300 * 1024) }],
])("what is sent to %s is not given back: it is a password, or large", async (path, fields) => {
  const { status, text } = await openDashboard(openTestApp()).openBrowser().post(path, fields);
  expect(status).toBe(401);
  expect(text).not.toContain('type="hidden"');
});

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

test.each(["constructor", "__proto__", "toString", "valueOf"])(
  "%s, which every object inherits, is as unknown as any other word in a form",
  async (word) => {
    const { app, set } = await openShop();
    const values = { enabled: true, variants: { on: true, off: false }, defaultVariant: "off" };
    await set("live", values);
    const { post } = await openDashboard(app).signIn("editor");
    const path = "/projects/shop/environments/live/flags/sale";
    const both = async (to: string, fields: (word: string) => Record<string, string>) => {
      const [inherited, unknown] = [await post(to, fields(word)), await post(to, fields("unheardof"))];
      expect(inherited.status).toBe(unknown.status);
      expect(inherited.text).not.toContain("native code");
      return inherited;
    };
    await both("/projects/shop/flags/sale/details", (act) => ({ act, environment: "live", owner: word }));
    await both("/projects/shop/flags/ticked", (act) => ({ act, flag: "sale", tag: "a" }));
    const row = { rules: "1", "attribute-1": "a", "value-1": "b", "serve-1": "on", act: "check" };
    const checked = await both(path, (operator) => ({ ...row, "operator-1": operator }));
    expect(checked.text).toContain("unknown operator");
    await both(path, (base) => ({ ...row, "operator-1": "==", base, revision: base }));
    await both(`/projects/shop/flags`, (changed) => ({ slug: `new-${changed.length}`, changed }));
    const stored = (await app.store.flags.find({ project: "shop", environment: "live", flag: "sale" }))!;
    expect(stored.archived).toBe(false);
  },
);
