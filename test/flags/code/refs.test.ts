import { describe, expect, test } from "bun:test";
import { createReferenceFinder, createReferenceReport } from "../../../src/flags/code/refs.ts";

const FLAGS = ["new-checkout", "sale", "user_theme", "v2.search", "a-b"];
const find = createReferenceFinder(FLAGS);
const slugsIn = (text: string) => find(text).map(({ slug }) => slug);

describe("a flag is found", () => {
  test.each([
    ["uses new-checkout here", "new-checkout"],
    ["flag: new-checkout\n", "new-checkout"],
    ["(user_theme)", "user_theme"],
    ["It is new-checkout.", "new-checkout"],
    ["--v2.search,", "v2.search"],
    [`is("sale")`, "sale"],
    [`is('sale')`, "sale"],
    ["is(`sale`)", "sale"],
    [String.raw`"{\"flag\":\"sale\"}"`, "sale"],
    ["fetch(`${base}/api/v1/flags/sale`)", "sale"],
    ["POST /ofrep/v1/evaluate/flags/a-b HTTP/1.1", "a-b"],
    [`getObjectValue("sale.payload", {})`, "sale"],
    ["read new-checkout.payload", "new-checkout"],
  ])("in %j", (text, slug) => {
    expect(slugsIn(text)).toEqual([slug]);
  });

  test.each([
    ["the sale ends"],
    ["sale-ends"],
    ["const sale = 1"],
    [`"sale ends"`],
    [`'sale"`],
    ["a-b"],
    ["new-checkout-2"],
    ["my-new-checkout"],
    ["./new-checkout.js"],
    ["/flags/sale"],
  ])("not in %j", (text) => {
    expect(slugsIn(text)).toEqual([]);
  });
});

describe("a reference to what is no flag is found", () => {
  test.each([
    [`client.getBooleanValue("gone", false)`],
    [`await client.getStringDetails('gone', "")`],
    ["client.getObjectValue<Theme>(`gone`, {})"],
    [`client.getNumberValue(\n  "gone",\n  1,\n)`],
    [`const { value } = useFlag("gone", false)`],
    [`useBooleanFlagValue("gone", false)`],
    [`useNumberFlagDetails('gone', 1)`],
    [`<FeatureFlag flagKey="gone" defaultValue={false}>`],
    [`client.get_boolean_value("gone", False)`],
    [`client.get_string_details(flag_key="gone", default_value="")`],
    [`await client.get_boolean_value_async("gone", False)`],
    [`client.BooleanValue(ctx, "gone", false, openfeature.EvaluationContext{})`],
    [`client.IntValueDetails(context.Background(), "gone", 1, ec)`],
    [`client.Boolean(r.Context(), "gone", false, ec)`],
    [`client.getIntegerValue("gone", 1)`],
    [`await client.GetBooleanValueAsync("gone", false)`],
    [`await client.GetDoubleDetailsAsync("gone", 1.0)`],
    [`client.fetch_boolean_value(flag_key: "gone", default_value: false)`],
    [`client.get_bool_value("gone", None, None)`],
    [`curl https://flags.example.com/api/v1/flags/gone -H`],
    [`curl https://flags.example.com/ofrep/v1/evaluate/flags/gone.`],
  ])("in %s", (text) => {
    expect(slugsIn(text)).toEqual(["gone"]);
  });

  test.each([
    ["client.getBooleanValue(name, false)"],
    ["client.getBooleanValue(`gone-${id}`, false)"],
    [`getValue("gone")`],
    [`log.String("gone", value)`],
    ["/api/v1/flags/<slug> and /api/v1/flags/${slug}"],
  ])("not in %s", (text) => {
    expect(slugsIn(text)).toEqual([]);
  });

  test("by a pattern of one's own, with or without quotes", () => {
    const find = createReferenceFinder(FLAGS, [/isOn\("([^"]+)"\)/gm, /flags\.(\w+)/gm]);
    expect(find(`isOn("gone")\nflags.sale\nflags.lost`)).toEqual([
      { slug: "gone", line: 1 },
      { slug: "sale", line: 2 },
      { slug: "lost", line: 3 },
    ]);
  });
});

test("a reference is told once, with the line that names it", () => {
  expect(find(`\n\ngetBooleanValue(\r\n  "new-checkout", false);\n"sale" "sale"\nuseFlag("gone")`)).toEqual([
    { slug: "new-checkout", line: 4 },
    { slug: "sale", line: 5 },
    { slug: "sale", line: 5 },
    { slug: "gone", line: 6 },
  ]);
});

test("a report has every flag, what is none, and a hundred places of each at most", () => {
  const { add, report } = createReferenceReport(["b", "a"]);
  add("x.ts", [{ slug: "b", line: 3 }]);
  for (let line = 1; line <= 150; line += 1) add("y.ts", [{ slug: "gone", line }]);
  const { flags, unknown } = report();
  expect(flags).toEqual([
    { slug: "a", references: 0, places: [] },
    { slug: "b", references: 1, places: [{ file: "x.ts", line: 3 }] },
  ]);
  expect(unknown.map(({ slug, references, places }) => [slug, references, places.length])).toEqual([
    ["gone", 150, 100],
  ]);
});

test("long lines of anything are gone through in time that grows with their length", () => {
  for (const text of ["a", "-", "a-", " ", "(", `getBooleanValue(`, `"`, "useFlag<", ".Boolean(a."]) {
    expect(slugsIn(text.repeat(500_000 / text.length))).toEqual([]);
  }
});
