import { describe, expect, test } from "bun:test";
import { MiB } from "../../src/base/bytes.ts";
import { parseExactly } from "../../src/base/json/exact-json.ts";
import { checkTemplate, membersOf, renderTemplate } from "../../src/delivery/template.ts";
import { describeValue } from "../../src/delivery/text.ts";
import { errorOf } from "../support/refusals.ts";

const fields = [
  { name: "name", value: "Ada <b>" },
  { name: "email", value: "ada@example.com" },
  { name: "empty", value: "" },
];

const render = (text: string, given = fields) => {
  checkTemplate(text, "the text");
  return renderTemplate(text, given);
};

const refusal = (text: string) => errorOf((async () => checkTemplate(text, "the text"))());

describe("a template", () => {
  test.each([
    ["", ""],
    ["Hello {{name}}, {{{name}}}, {{& name}}", "Hello Ada <b>, Ada <b>, Ada <b>"],
    ["{{#fields}}\n{{name}}: {{value}}\n{{/fields}}\n", "name: Ada <b>\nemail: ada@example.com\nempty: \n"],
    ["{{#name}}Dear {{name}}{{/name}}{{^empty}}, nothing{{/empty}}", "Dear Ada <b>, nothing"],
    ["{{#empty}}no{{/empty}}{{missing}}{{#missing}}no{{/missing}}{{^missing}}yes{{/missing}}", "yes"],
    ["{{#fields}}{{email}};{{/fields}}", "ada@example.com;ada@example.com;ada@example.com;"],
    ["{{#name}}{{.}}{{/name}}{{! a comment }}", "Ada <b>"],
    ["{{fields}}{{{fields}}}{{#fields}}{{.}}{{&.}}{{/fields}}", ""],
    ["a { b } } {c}", "a { b } } {c}"],
  ])("%j is rendered", (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  test("reaches fields by any name, dots included", () => {
    const odd = ["first name", "address.city", "__proto__", "constructor", "hasOwnProperty", "length"];
    for (const name of odd) expect(render(`{{${name}}}`, [{ name, value: "x" }])).toBe("x");
  });

  test.each([
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "name.length",
    "name.constructor",
    "name.constructor.constructor",
    "name.constructor.fromCharCode",
    "fields.length",
    "fields.map",
    "fields.0.value",
  ])("reaches nothing but the fields: {{%s}} is empty", (name) => {
    expect(
      render(`{{${name}}}{{{${name}}}}{{#${name}}}x{{/${name}}}{{#fields}}{{${name}}}{{/fields}}{{email}}`),
    ).toBe("ada@example.com");
  });

  const order = {
    user: { name: "Ada", address: { city: "London" }, "a.b": "dotted" },
    items: [
      { sku: "A-1", tags: ["x", "y"] },
      { sku: "B-2", tags: [] },
    ],
    sizes: ["S", "M"],
    length: "long",
    none: [],
  };
  const members = (data: object) =>
    Object.entries(data).map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : "whole",
      members: membersOf(value, String),
    }));

  test.each([
    ["{{user.name}} of {{user.address.city}}", "Ada of London"],
    ["{{#user}}{{name}}, {{address.city}}{{/user}}", "Ada, London"],
    ["{{#items}}{{sku}}:{{#tags}}{{.}}{{/tags}};{{/items}}", "A-1:xy;B-2:;"],
    ["{{items.0.sku}} {{items.1.sku}}", "A-1 B-2"],
    ["{{#sizes}}{{.}} {{/sizes}}{{sizes}} {{user.address}}", "S M whole city: London"],
    ["{{^none}}nothing{{/none}}{{#none}}something{{/none}}", "nothing"],
    ["{{user.missing}}{{items.9.sku}}{{sizes.length}}{{items.map}}{{#sizes.length}}x{{/sizes.length}}", ""],
    ["{{user.constructor}}{{user.__proto__}}{{#user}}{{toString}}{{/user}}{{length}}", "long"],
  ])("reaches members of objects and items of lists: %j", (text, rendered) => {
    checkTemplate(text, "the text");
    expect(renderTemplate(text, members(order))).toBe(rendered);
  });

  test("keeps the digits of numbers inside of objects and lists", () => {
    const value = parseExactly('{"items":[{"qty":1.10},{"qty":12345678901234567890}],"total":1e400}');
    const members = membersOf(value, (each) => describeValue(each, 100).text);
    const template = "{{#order}}{{#items}}{{qty}}, {{/items}}{{total}}{{total.rawJSON}}{{/order}}";
    const given = [{ name: "order", value: "", members }];
    expect(render(template, given)).toBe("1.10, 12345678901234567890, 1e400");
  });

  test("shows a megabyte of values at most, however often it repeats them", () => {
    const many = Array.from({ length: 1000 }, () => "é".repeat(200));
    const rendered = renderTemplate(`{{#a}}${"{{.}}".repeat(1400)}{{/a}}`, members({ a: many }));
    expect(rendered.length).toBe(MiB);
  });

  test("goes through no more items than a message holds, however lists are nested", () => {
    const many = Array.from({ length: 1500 }, () => "x");
    const nested = "{{#a}}{{#a}}{{#a}}{{.}}{{/a}}{{/a}}{{/a}}";
    expect(renderTemplate(nested, members({ a: many })).length).toBeLessThanOrEqual(1000);
    expect(
      membersOf(
        Array.from({ length: 500_000 }, () => 1),
        String,
      ),
    ).toBeUndefined();
    let deep: unknown = 1;
    for (let level = 0; level < 16; level += 1) deep = [deep];
    expect(membersOf(deep, String)).toBeUndefined();
  });

  test("looks up a bounded number of names, however many sections an item repeats", () => {
    let lookups = 0;
    const none: Record<string, never> = {};
    const inner = new Proxy(none, {
      getOwnPropertyDescriptor: (target, name) => {
        lookups += 1;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    const fields = [
      { name: "a", value: "", members: Array.from({ length: 1000 }, () => "x") },
      { name: "o", value: "", members: inner },
    ];
    const text = `{{#a}}${"{{#o}}".repeat(700)}{{q}}${"{{/o}}".repeat(700)}{{/a}}`;
    expect(renderTemplate(text, fields)).toBe("");
    expect(lookups).toBeLessThanOrEqual(1_000_000);
  });

  test("in a value is text", () => {
    const value = "{{email}} {{#fields}}x{{/fields}} {{> x}} {{=<% %>=}}";
    expect(render("{{note}}|{{email}}", [...fields, { name: "note", value }])).toBe(
      `${value}|ada@example.com`,
    );
  });
});

describe("a template is refused", () => {
  test.each([
    ["Hello\n{{name", "line 2: a tag is not closed"],
    ["{{a}}\n\n{{name}\n", "line 3: a tag is not closed"],
    ["Hello\n{{#name}}x\n", "{{#name}} is not closed"],
    ["{{#a}}\n{{#b}}\n{{/a}}\n{{/b}}", "line 3: the section {{#b}} is not closed"],
    ["a\n{{/name}}", "line 2: {{/name}} closes a section that is not open"],
    ["a\n{{> header}}", "line 2: partials such as {{> header}}"],
    ["{{#name}}\n{{>x}}{{/name}}", "line 2: partials"],
    ["a\n{{=<% %>=}}\n<%name%>", "delimiters"],
    ["{{=x=}}", "delimiters"],
    [
      "{{#fields}}{{#name}}\n{{#fields}}{{/fields}}{{/name}}{{/fields}}",
      "line 2: {{#fields}} cannot contain another",
    ],
    ["{{#fields}}{{/fields}}".repeat(6), "at most 5 sections"],
    ["x".repeat(10_001), "at most 10000 characters"],
  ])("%j", async (text, message) => {
    const error = await refusal(text);
    expect(error).toStartWith("invalid: the text: ");
    expect(error).toContain(message);
  });

  test("without repeating more than a little of it", async () => {
    for (const text of [
      `{{> ${"x".repeat(9000)}}}`,
      `{{#${"x".repeat(9000)}}}`,
      `{{/a\r\n\u001b${"x".repeat(9000)}}}`,
    ]) {
      const error = await refusal(text);
      expect(error.length).toBeLessThan(250);
      expect(error).not.toMatch(/[\x00-\x1f]/);
    }
  });
});
