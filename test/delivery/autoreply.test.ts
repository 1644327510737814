import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { buildAutoreply } from "../../src/delivery/autoreply.ts";

const LIST = "{{#fields}}{{name}}: {{value}}\n{{/fields}}";

function build(more: Partial<Parameters<typeof buildAutoreply>[0]> = {}) {
  return buildAutoreply({
    id: "d-1",
    from: { name: "Shop", address: "forms@shop.example" },
    to: "ada@example.com",
    now: 1_700_000_000_000,
    data: '{"name":"Ada","email":"ada@example.com"}',
    subject: null,
    text: null,
    ...more,
  });
}

const textOf = (data: unknown, text = LIST) => build({ data: JSON.stringify(data), text })!.text;

describe("an automatic reply", () => {
  test("has a default subject and text, and repeats nothing of the submission", () => {
    const message = build()!;
    expect(message).toMatchObject({
      id: "<d-1@shop.example>",
      from: { name: "Shop", address: "forms@shop.example" },
      to: "ada@example.com",
      replyTo: null,
      date: 1_700_000_000_000,
      autoSubmitted: "auto-replied",
      subject: "We received your message",
      attachments: [],
    });
    expect(message.text).toContain("automatic reply");
    expect(`${message.text}${message.html}`).not.toContain("Ada");
  });

  test("renders its templates with the fields", () => {
    const message = build({ subject: "Hello\n {{name}}", text: `Dear {{name}},\n\n${LIST}` })!;
    expect(message.subject).toBe("Hello Ada");
    expect(message.text).toBe("Dear Ada,\n\nname: Ada\nemail: ada@example.com\n");
  });

  test("has the same text as HTML, escaped once", () => {
    const { text, html } = build({ data: '{"name":"<b> & \\"c\\""}', text: "Tom & {{name}}\n{{{name}}}" })!;
    expect(text).toBe('Tom & <b> & "c"\n<b> & "c"');
    expect(html).toContain("Tom &amp; &lt;b&gt; &amp; &quot;c&quot;<br>\n&lt;b&gt; &amp; &quot;c&quot;");
  });

  test.each(["ada", "a@x.example, b@x.example", '"a"@x.example', "a@x.example\r\nBcc: b@x.example", ""])(
    "is not sent to %j",
    (to) => {
      expect(build({ to })).toBeNull();
    },
  );
});

describe("a text of the sender in an automatic reply", () => {
  test.each([
    "https://evil.example",
    "see HTTPS://evil.example now",
    "www.evil.example",
    "WwW.evil.example",
    "ftp://x",
    "a\n\nhttp://evil.example",
    `${"x".repeat(5000)} http://evil.example`,
    "http:\u200b//evil.example",
    "w\u00adww.evil.example",
    "https：／／evil.example",
    "ｗｗｗ.evil.example",
    "evil-login.com/reset",
    "Reset it at EVIL-LOGIN.COM now",
    "evil.xn--p1ai",
    "bücher.de",
    "пример.рф",
    "例え。テスト",
    "evil-login｡com",
    "evil-login․com",
    "evil-login.\u200bcom",
    "evil\ufe0f.com",
    "a_.com",
    "💩.la",
    "192.0.2.1/reset",
    "help@evil.example",
  ])("is empty where it holds a link: %j", (link) => {
    expect(textOf({ note: link })).toBe("note: \n");
    expect(textOf({ [link]: "x" })).toBe(": x\n");
    expect(textOf({ note: ["a", link] })).toBe("note: \n");
    expect(textOf({ note: { deep: { in: link } } })).toBe("note: \n");
    expect(build({ subject: "{{note}}", data: JSON.stringify({ note: link }) })!.subject).not.toContain(
      "evil",
    );
  });

  test.each([
    "Dr. Ada Lovelace, b. 1815",
    "z.B. um 12.30 Uhr am 24.12.2026, 1.500,00 €",
    "Thanks... Regards. (J.R.)",
    "Version 1.2.3",
  ])("is kept where it holds none: %j", (note) => {
    expect(textOf({ note })).toBe(`note: ${note}\n`);
  });

  test("may be the address that the reply goes to, and no other", () => {
    const shown = (to: string, email = to) =>
      build({ to, data: JSON.stringify({ email }), text: "{{email}}" })!.text;
    expect(shown("ada.lovelace+shop@example.com")).toBe("ada.lovelace+shop@example.com");
    expect(shown("ada@example.com", " ada@EXAMPLE.com ")).toBe("ada@example.com");
    expect(shown("ada@example.com", "eve@example.com")).toBe("");
    expect(shown("ada+evil.com/reset@example.com")).toBe("");
  });

  test("is one line of at most 200 characters", () => {
    expect(textOf({ "a\nb": "c\r\nd\u2028e\tf" })).toBe("a b: c d e f\n");
    expect(textOf({ note: "x".repeat(9999) })).toBe(`note: ${"x".repeat(199)}…\n`);
    expect(textOf({ ["n".repeat(300)]: "x" }).length).toBeLessThan(210);
    expect(textOf({ tags: ["a", "b"], to: { city: "Paris" } })).toBe("tags: a b\nto: city: Paris\n");
  });

  test("keeps joined characters and accents", () => {
    expect(textOf({ name: "Zoë 👨‍👩‍👧 می‌خواهم" })).toBe("name: Zoë 👨‍👩‍👧 می‌خواهم\n");
  });

  test("has members, of which those that hold a link, alone or side by side, are left out", () => {
    const text = "{{user.name}}|{{#items}}{{sku}}{{/items}}|{{#items}}{{.}}{{/items}}";
    expect(textOf({ user: { name: "Ada" }, items: [{ sku: "A" }, { sku: "B" }] }, text)).toStartWith(
      "Ada|AB|",
    );
    for (const data of [
      { user: { name: "evil.example/x" }, items: ["https://evil.example"] },
      { items: ["evil.", "example/x"] },
      { items: [{ sku: "www" }, { sku: ".evil.example" }] },
      { user: { "evil.example": "x" } },
    ])
      expect(textOf(data, `${text}{{user}}{{items}}`)).not.toMatch(/[\w/]\.\w|:\//);
  });

  test.each([
    [
      "{{#items}}{{sku}}{{/items}}",
      {
        items: [
          { sku: "evil.", x: "-" },
          { sku: "com/login", x: "-" },
        ],
      },
    ],
    ["{{items.1}}{{items.0}}", { items: ["com/login", "evil."] }],
    ["{{#items}}{{.}}{{/items}}", { items: ["a ".repeat(90), "b ".repeat(90), "evil．", "com/login"] }],
    ["{{a}}{{b}}", { a: "evil.", b: "com/login" }],
    ["{{#email}}{{a}}{{b}}{{/email}}", { email: "ada@example.com", a: "evil.", b: "com/login" }],
    ["{{#fields}}{{name}}{{value}}{{/fields}}", { "evil.": "com/login" }],
  ])("is no link with what the template %s shows beside it", (text, data) => {
    const shown = build({ to: "ada@example.com", data: JSON.stringify(data), text })!.text;
    expect(shown).not.toContain("evil");
    // A text of the template in between is not the sender's.
    const apart = text.replaceAll("}}{{", "}} and {{");
    expect(build({ to: "ada@example.com", data: JSON.stringify(data), text: apart })!.text).toContain("evil");
  });

  test("never makes a link or a line, whatever it is", () => {
    const piece = fc.constantFrom(
      "http",
      ":",
      "/",
      "//",
      "www",
      ".",
      "w",
      "\n",
      "\r",
      "\u2028",
      "x",
      " ",
      "{{name}}",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (value) => {
        const rendered = textOf({ value }, "{{value}}");
        expect(rendered).not.toMatch(/:\/\/|www\.|[a-z]\.[a-z]{2}|[\r\n\u2028]/i);
        expect(rendered.length).toBeLessThanOrEqual(200);
      }),
    );
  });

  test("called like a part of the template does not replace it", () => {
    expect(textOf({ fields: "x", name: "Ada" })).toBe("fields: x\nname: Ada\n");
    expect(textOf(JSON.parse('{"__proto__":"x","constructor":"y"}'))).toBe("__proto__: x\nconstructor: y\n");
  });
});
