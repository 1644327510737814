import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { checkJsonBody, renderJsonBody } from "../../../src/delivery/requests/json-body.ts";
import { AppError } from "../../../src/base/errors.ts";

const event = (data: string) =>
  `{"type":"submission.created","timestamp":"2026-01-02T03:04:05.678Z","data":{"id":"1","form":"contact","data":${data},"files":[]}}`;

const faultOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError && error.reason === "template-invalid") return error.message;
    throw error;
  }
  return null;
};

describe("a template of a body", () => {
  test("shows texts with the escapes of JSON, and values as JSON with every digit", () => {
    const data =
      '{"name":"A \\"B\\"\\n\\u2028","n":12345678901234567890.10,"none":null,"list":[1,{"a":"b"}],"yes":true}';
    const template = `{"text": "{{type}} {{timestamp}} {{form}}: {{data.name}} {{data.n}} {{data.none}}{{data.gone}}",
      "n": {{{data.n}}}, "all": {{{data.list}}}, "list": "{{data.list}}", "none": {{&data.gone}}, "yes": {{{data.yes}}}
      {{#data.list}}{{/data.list}}{{^data.gone}}, "inverted": 1{{/data.gone}}}`;
    const body = renderJsonBody(template, event(data));
    expect(JSON.parse(body)).toEqual({
      text: 'submission.created 2026-01-02T03:04:05.678Z contact: A "B"\n\u2028 12345678901234567890.10 ',
      n: Number("12345678901234567890.10"),
      all: [1, { a: "b" }],
      list: '[1,{"a":"b"}]',
      none: null,
      yes: true,
      inverted: 1,
    });
    expect(body).toContain('"n": 12345678901234567890.10,');
  });

  test("yields JSON with exactly the text that a stranger sent, whatever that is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const body = renderJsonBody(
          '{"a": "{{data.t}}", "b": {{{data.t}}}}',
          event(JSON.stringify({ t: text })),
        );
        expect(JSON.parse(body)).toEqual({ a: text, b: text });
      }),
    );
  });

  test("reaches nothing but the event: no prototype, no function, no partial, no other delimiters", () => {
    const names = [
      "constructor",
      "__proto__",
      "data.constructor.name",
      "data.toString",
      "toString",
      "data.list.length",
    ];
    for (const name of names)
      expect(renderJsonBody(`{"a": {{{${name}}}}}`, event('{"list":[1]}'))).toBe('{"a": null}');
    expect(renderJsonBody('{"a": "{{data.__proto__}}"}', event('{"__proto__":"x"}'))).toBe('{"a": "x"}');
    for (const template of ["{{> other}}", '{{=<% %>=}}{"a":1}', '{"a": "{{data.b"}', "{{#a}}{}"])
      expect(faultOf(() => checkJsonBody(template))).toStartWith("body: ");
  });

  test("is refused unless it yields JSON for a sample, with what to write", () => {
    for (const template of ["", "hello", '{"n": {{data.count}}}', '{"a": "{{{data.name}}}"}', '{"a": 1,}'])
      expect(faultOf(() => checkJsonBody(template))).toContain("does not yield JSON");
    for (const template of [
      '{"n": {{{data.count}}}}',
      "{{{data}}}",
      '"{{data.email}}"',
      '{"a": "{{data.name}}"}',
    ])
      expect(faultOf(() => checkJsonBody(template))).toBeNull();
  });

  test("yields 4 MiB at most, and goes through so many items that a submission costs little", () => {
    const long = JSON.stringify({ t: "x".repeat(500_000) });
    expect(faultOf(() => renderJsonBody(`[${'"{{data.t}}",'.repeat(9)}0]`, event(long)))).toContain(
      "more than",
    );
    const items = JSON.stringify({ list: Array.from({ length: 2000 }, () => 0) });
    const nested =
      "[{{#data.list}}{{#data.list}}{{#data.list}}0,{{/data.list}}{{/data.list}}{{/data.list}}0]";
    expect(faultOf(() => renderJsonBody(nested, event(items)))).toContain("too many items");
    const once = "[{{#data.list}}{{.}},{{/data.list}}0]";
    expect(JSON.parse(renderJsonBody(once, event(items)))).toHaveLength(2001);
  });
});
