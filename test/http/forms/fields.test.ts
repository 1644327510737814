import { describe, expect, test } from "bun:test";
import { json, jsonText, urlencoded, multipart, text, openInbox } from "../../support/inbox.ts";

const { newForm, stored, storedText } = openInbox();

describe("JSON", () => {
  test("keeps the types of its values", async () => {
    const form = await newForm();
    const data = {
      a: 1,
      b: -0.5,
      c: true,
      d: null,
      e: "1",
      f: [1, "1", [], {}],
      g: { h: { i: false } },
      "": "",
    };
    expect((await stored(form, json(data))).data).toEqual(data);
  });

  test("is stored as the text it came as, digits, order and spaces included", async () => {
    const form = await newForm();
    const sent = '{ "id" : 12345678901234567890.10, "b":1e400, "10":1,"2":2,\n"s":"\\u00e9\\ud800" }';
    expect(storedText(await stored(form, jsonText(sent)))).toBe(sent);
  });

  test("in which a name repeats, at any depth, keeps its last value, with every digit", async () => {
    const form = await newForm();
    const sent =
      '{"email":"a@x.example","n":1.0,"to":[{"id":1,"id":12345678901234567890}],"email":"b@x.example"}';
    expect(storedText(await stored(form, jsonText(sent)))).toBe(
      '{"n":1.0,"to":[{"id":12345678901234567890}],"email":"b@x.example"}',
    );
  });

  test("has no byte order mark once it is stored", async () => {
    const form = await newForm();
    expect(storedText(await stored(form, jsonText('\ufeff{"a":1}')))).toBe('{"a":1}');
  });

  test("may name its charset, in any case", async () => {
    const form = await newForm();
    await stored(form, { body: '{"a":1}', type: "Application/JSON ; charset=UTF-8" });
  });

  test("may say that it is not compressed", async () => {
    const form = await newForm();
    await stored(form, { ...json({ a: 1 }), headers: { "Content-Encoding": "identity" } });
  });
});

describe("field names such as __proto__ are data:", () => {
  test.each([
    ["JSON", jsonText('{"__proto__":"x","constructor":"y","toString":"z"}')],
    ["a urlencoded form", urlencoded("__proto__=x&constructor=y&toString=z")],
    ["a multipart form", multipart(text("__proto__", "x"), text("constructor", "y"), text("toString", "z"))],
  ])("%s", async (_, sent) => {
    const form = await newForm();
    expect(Object.entries((await stored(form, sent)).data)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
      ["toString", "z"],
    ]);
  });
});

describe("a field that repeats keeps every value, in order:", () => {
  test.each([
    ["a urlencoded form", urlencoded("a=3&b=x&a=1&a=&a=3&__proto__=1&__proto__=2")],
    [
      "a multipart form",
      multipart(
        ...["3", "1", "", "3"].map((value) => text("a", value)),
        text("b", "x"),
        text("__proto__", "1"),
        text("__proto__", "2"),
      ),
    ],
  ])("%s", async (_, sent) => {
    const form = await newForm();
    const { data } = await stored(form, sent);
    expect(Object.fromEntries(Object.entries(data))).toEqual(
      Object.fromEntries([
        ["a", ["3", "1", "", "3"]],
        ["b", "x"],
        ["__proto__", ["1", "2"]],
      ]),
    );
  });
});

describe("a urlencoded form is parsed as the WHATWG URL standard does:", () => {
  test.each([
    ["plus signs are spaces", "a+b=c+d%2B", { "a b": "c d+" }],
    ["escapes are UTF-8", "n=%F0%9F%8E%89%c3%a9", { n: "🎉é" }],
    ["raw UTF-8 is read alike", "é=漢字", { é: "漢字" }],
    [
      "broken escapes stay as they are",
      "a=100%&b=%zz&c=%4&d=%%41",
      { a: "100%", b: "%zz", c: "%4", d: "%A" },
    ],
    [
      "a replacement character that was written is text",
      "a=%EF%BF%BD&\ufffd=b",
      { a: "\ufffd", "\ufffd": "b" },
    ],
    ["a name without a value is empty", "a&b=", { a: "", b: "" }],
    ["a value without a name has the empty name", "=x", { "": "x" }],
    ["further equals signs belong to the value", "a=b=c==", { a: "b=c==" }],
    ["empty pairs are skipped", "&&a=1&&b=2&", { a: "1", b: "2" }],
    ["a leading question mark belongs to the name", "?a=1", { "?a": "1" }],
    ["a question mark belongs to any name", "a=1&?b=?2&??=3", { a: "1", "?b": "?2", "??": "3" }],
    ["a question mark alone is a name", "a=1&?", { a: "1", "?": "" }],
    ["an escaped question mark is one", "%3Fa=%3F", { "?a": "?" }],
    ["semicolons separate nothing", "a=1;b=2", { a: "1;b=2" }],
    ["escaped separators are text", "a%26b=c%3Dd", { "a&b": "c=d" }],
    ["a null and line ends are text", "a=%00%0D%0A", { a: "\0\r\n" }],
    ["a byte order mark is text", "%EF%BB%BFa=%EF%BB%BFb", { "\ufeffa": "\ufeffb" }],
  ])("%s", async (_, body, data) => {
    const form = await newForm();
    expect((await stored(form, urlencoded(body))).data).toEqual(data);
  });
});

describe("a multipart field", () => {
  test("keeps its line ends, its white space and its byte order mark", async () => {
    const form = await newForm();
    const value = "\ufeff \r\n a\n\n\r--\r\n--frontie\0 ";
    expect((await stored(form, multipart(text("a", value)))).data).toEqual({ a: value });
  });

  test("may be in an encoding that its part names", async () => {
    const form = await newForm();
    const part = 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset="ISO-8859-1"';
    expect((await stored(form, multipart([part, Uint8Array.of(0xe9)]))).data).toEqual({ a: "é" });
  });

  test("has the name that browsers escape", async () => {
    const form = await newForm();
    expect((await stored(form, multipart(text("a%22b%0D%0A", "1")))).data).toEqual({ 'a"b\r\n': "1" });
  });

  test("may come behind a quoted boundary", async () => {
    const form = await newForm();
    const type = 'multipart/form-data; charset=utf-8; boundary="frontier"';
    expect((await stored(form, { ...multipart(text("a", "1")), type })).data).toEqual({ a: "1" });
  });
});
