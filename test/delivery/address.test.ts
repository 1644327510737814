import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  findSenderAddress,
  messageId,
  parseMailbox,
  plainAddress,
  senderFault,
} from "../../src/delivery/address.ts";
import { parseFields } from "../../src/delivery/text.ts";
import { reasonOf } from "../support/refusals.ts";

describe("a plain address", () => {
  test.each([
    ["ada@example.com", "ada@example.com"],
    ["  ada@example.com ", "ada@example.com"],
    ["Ada.Lovelace+forms@Mail.EXAMPLE.com", "Ada.Lovelace+forms@mail.example.com"],
    ["o'brien@example.co.uk", "o'brien@example.co.uk"],
    ["ada@exämple.de", "ada@xn--exmple-cua.de"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ])("is %j", (text, address) => {
    expect(plainAddress(text)).toBe(address);
  });

  test.each([
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "ada@localhost",
    "ada@example",
    "ada@example..com",
    "ada@.example.com",
    "ada@example.com.",
    "ada@-example.com",
    "ada@127.0.0.1",
    "ada@[127.0.0.1]",
    "ada@exam ple.com",
    "a@b@example.com",
    ".ada@example.com",
    "ada..l@example.com",
    '"ada"@example.com',
    '"a@evil.example, b"@example.com',
    "a@example.com, b@example.com",
    "a@example.com;b@example.com",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    "ada@example.com (Ada)",
    "ada@example.com\r\nBcc: b@example.com",
    "ada@example.com\n",
    "ada\r\n@example.com",
    "ada\0@example.com",
    "jürgen@example.com",
    "victim%evil.example@example.com",
    "evil.example!victim@example.com",
    "mailto:ada@example.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(64)}.com`,
    `a@${"b.".repeat(130)}com`,
  ])("is not %j", (text) => {
    expect(plainAddress(text)).toBeNull();
  });

  test.each([[null], [undefined], [5], [true], [["ada@example.com"]], [{ address: "ada@example.com" }]])(
    "is not the value %j",
    (value) => {
      expect(plainAddress(value)).toBeNull();
    },
  );

  test("has no character that ends an address or a header, whatever the text", () => {
    const piece = fc.constantFrom(
      "a",
      "b.c",
      "@",
      "example.com",
      " ",
      ",",
      "<",
      ">",
      '"',
      "\r\n",
      "ü",
      ":",
      "%",
      ".",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const address = plainAddress(pieces.join(""));
        if (address !== null) expect(address).toMatch(/^[a-z.]+@[a-z0-9.-]+$/);
      }),
    );
  });

  test("is found missing in a long text at once", () => {
    for (const text of [
      "a".repeat(1 << 20),
      `${"a.".repeat(1 << 19)}@x`,
      " ".repeat(1 << 20),
      "@".repeat(1 << 20),
    ]) {
      expect(plainAddress(text)).toBeNull();
    }
  });
});

describe("the sender's address", () => {
  const find = (data: unknown, emailField: string | null = null, schemaField: string | null = null) =>
    findSenderAddress(data, emailField, schemaField);
  const all = { email: "a@x.example", _replyto: "b@x.example", "e-mail": "c@x.example", mail: "d@x.example" };

  test("comes from the first known field with one plain address", () => {
    expect(find({ ...all, name: "Ada" })).toBe("a@x.example");
    expect(find({ ...all, email: "" })).toBe("b@x.example");
    expect(find({ ...all, email: "to a@x.example", _replyto: [] })).toBe("c@x.example");
    expect(find({ mail: "d@x.example" })).toBe("d@x.example");
    expect(find({ "E-Mail": "c@x.example" })).toBe("c@x.example");
    expect(find({ contact: "a@x.example" })).toBeNull();
  });

  test.each<[value: unknown, address: string | null]>([
    ["a@x.example, e@x.example", "a@x.example"],
    ["  a@x.example;e@x.example ", "a@x.example"],
    ["a@localhost e@x.example", "e@x.example"],
    ["jörg@x.example\te@x.example", "e@x.example"],
    [["", "b@x.example", "c@x.example"], "b@x.example"],
    [["Ann", "a@x.example,b@x.example"], "a@x.example"],
    ["bad, a@x.example", "a@x.example"],
    ["a@x.example; none", "a@x.example"],
    ["write to a@x.example", null],
    [Array.from({ length: 20 }, () => "x").concat("a@x.example"), null],
    [{ a: "a@x.example" }, null],
  ])("is the first that can be sent to of several in a field: %j", (email, address) => {
    expect(find({ email })).toBe(address);
  });

  test.each<[data: Record<string, unknown>, emailField: string | null, ...words: string[]]>([
    [{ name: "Ada" }, null, "the submission has no mail address of its sender"],
    [{ email: "", "your-email": "a@x.example" }, null, "; the field your-email holds one"],
    [
      { contact: "Ada", other: "a@x.example" },
      "contact",
      "Ada in the field contact is no mail",
      "field other holds",
    ],
    [{ email: "jörg@x.example" }, null, "the mailbox of jörg@x.example has other characters than ASCII"],
    [{ email: "a b@x.example\n\u001b[1m" }, null, "a b@x.example [1m in the field email is no mail address"],
  ])("is missing for a reason: %j", (data, emailField, ...words) => {
    expect(find(data, emailField)).toBeNull();
    for (const word of words) expect(senderFault(data, emailField, null)).toContain(word);
  });

  test.each([
    ['{"email":1.10}', "1.10 in the field email"],
    ['{"email":[12345678901234567890]}', "[12345678901234567890] in the field email"],
    ['{"email":{"toString":1,"valueOf":1}}', '{"toString":1,"valueOf":1} in the field email'],
  ])("is missing for a reason where a stranger sends %s", (json, words) => {
    expect(senderFault(parseFields(json), null, null)).toContain(words);
  });

  test("comes from the field that the form names, and from no other", () => {
    expect(find({ ...all, contact: "e@x.example" }, "contact")).toBe("e@x.example");
    expect(find(all, "contact")).toBeNull();
    expect(find({ ...all, contact: "nobody" }, "contact", "email")).toBeNull();
  });

  test("comes from the field that the schema describes, where the form names none", () => {
    expect(find({ ...all, contact: "e@x.example" }, null, "contact")).toBe("e@x.example");
    expect(find({ ...all, contact: "e@x.example" }, "mail", "contact")).toBe("d@x.example");
  });

  test.each(["__proto__", "constructor", "toString"])("is not inherited from %s", (name) => {
    expect(find({}, name)).toBeNull();
    expect(find(JSON.parse(`{"${name}":"a@x.example"}`), name)).toBe("a@x.example");
  });

  test.each([[null], [[]], ["ada@example.com"], [5]])("is missing in %j", (data) => {
    expect(find(data)).toBeNull();
  });
});

describe("a mailbox", () => {
  test.each([
    ["shop@example.com", "", "shop@example.com"],
    ["Shop <shop@Example.com>", "Shop", "shop@example.com"],
    [' "Shop, \\"Berlin\\"" <shop@example.com> ', 'Shop, "Berlin"', "shop@example.com"],
    ["Größe & Söhne <shop@example.com>", "Größe & Söhne", "shop@example.com"],
    ["<root@localhost>", "", "root@localhost"],
  ])("is %j", (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address });
  });

  test.each([
    "",
    "Shop",
    "Shop <shop>",
    "a@x.example, b@x.example",
    "A <a@x.example> b",
    "a <b <c@x.example>",
    "A\r\nB <a@x.example>",
  ])("is not %j", async (text) => {
    expect(await reasonOf((async () => parseMailbox(text))())).toBe("invalid mail-address-invalid");
  });
});

test("the Message-ID of a delivery has the domain of its sender, and is the same each time", () => {
  const from = { name: "Shop", address: "forms@shop.example" };
  expect(messageId("0192-ab", from)).toBe("<0192-ab@shop.example>");
});
