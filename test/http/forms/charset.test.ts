import { describe, expect, test } from "bun:test";
import { type Sent, json, jsonText, multipart, openInbox, text, urlencoded } from "../../support/inbox.ts";

const { newForm, refused, stored } = openInbox();

/** Text, its encoding and its bytes there. */
const TEXTS: [charset: string, text: string, bytes: number[]][] = [
  ["utf-8", "René 日本", [...Buffer.from("René 日本")]],
  ["ISO-8859-1", "René", [0x52, 0x65, 0x6e, 0xe9]],
  ["windows-1252", "é €", [0xe9, 0x20, 0x80]],
  ["latin1", "ÿ", [0xff]],
  ["iso-8859-15", "€œ", [0xa4, 0xbd]],
  ["windows-1251", "Привет", [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]],
  ["koi8-r", "Да", [0xe4, 0xc1]],
  ["Shift_JIS", "ソ表日本ボ", [0x83, 0x5c, 0x95, 0x5c, 0x93, 0xfa, 0x96, 0x7b, 0x83, 0x7b]],
  ["euc-jp", "日本", [0xc6, 0xfc, 0xcb, 0xdc]],
  ["iso-2022-jp", "日本", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]],
  ["gbk", "你好A", [0xc4, 0xe3, 0xba, 0xc3, 0x41]],
  ["gb2312", "你", [0xc4, 0xe3]],
  ["gb18030", "\u{20000}", [0x95, 0x32, 0x82, 0x36]],
  ["big5", "中文", [0xa4, 0xa4, 0xa4, 0xe5]],
  ["euc-kr", "한국", [0xc7, 0xd1, 0xb1, 0xb9]],
];

/** The encodings whose text is not UTF-8 by chance. */
const OTHERS = TEXTS.filter(([charset]) => charset !== "utf-8" && charset !== "iso-2022-jp");

const FORM = "application/x-www-form-urlencoded";
const LIST = "multipart/form-data; boundary=frontier";

const joined = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Uint8Array.from(part))));

/** Every byte that is no letter or digit as an escape, as browsers send them. */
const escaped = (bytes: number[]) =>
  bytes
    .map((byte) => String.fromCharCode(byte))
    .join("")
    .replaceAll(/[^A-Za-z0-9]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);

const part = (name: string | number[], value: string | number[], more = "") => [
  '--frontier\r\nContent-Disposition: form-data; name="',
  name,
  `"\r\n${more}\r\n`,
  value,
  "\r\n",
];

const listed = (type: string, ...parts: (string | number[])[][]): Sent => ({
  type,
  body: joined(...parts.flat(), "--frontier--\r\n"),
});

/** The ways to send a name and a value in an encoding that the sender declares. */
const WAYS: [way: string, send: (charset: string, bytes: number[]) => Sent][] = [
  [
    "a urlencoded form whose content type names it",
    (charset, bytes) => ({
      type: `${FORM};charset=${charset}`,
      body: `n${escaped(bytes)}=v+${escaped(bytes)}`,
    }),
  ],
  [
    "a urlencoded form without escapes",
    (charset, bytes) => ({
      type: `${FORM}; charset="${charset}"`,
      body: joined("n", bytes, "=v+", bytes),
    }),
  ],
  [
    "a urlencoded form with a field _charset_ first",
    (charset, bytes) => urlencoded(`_charset_=${charset}&n${escaped(bytes)}=v+${escaped(bytes)}`),
  ],
  [
    "a urlencoded form with a field _CHARSET_ last, which counts more than the content type",
    (charset, bytes) => ({
      type: `${FORM}; charset=windows-1257`,
      body: `n${escaped(bytes)}=v+${escaped(bytes)}&_CHARSET_=${charset}`,
    }),
  ],
  [
    "a multipart form with a field _charset_ first",
    (charset, bytes) =>
      listed(LIST, part("_charset_", charset), part([0x6e, ...bytes], [0x76, 0x20, ...bytes])),
  ],
  [
    "a multipart form with a field _charset_ last",
    (charset, bytes) =>
      listed(LIST, part([0x6e, ...bytes], [0x76, 0x20, ...bytes]), part("_charset_", charset)),
  ],
  [
    "a multipart form whose content type names it",
    (charset, bytes) => listed(`${LIST}; charset=${charset}`, part([0x6e, ...bytes], [0x76, 0x20, ...bytes])),
  ],
  [
    "JSON whose content type names it",
    (charset, bytes) => ({
      type: `application/json; charset=${charset}`,
      body: joined('{"n', bytes, '":"v ', bytes, '"}'),
    }),
  ],
];

describe.each(WAYS)("%s", (_, send) => {
  test.each(TEXTS)("may be in %s: %s", async (charset, value, bytes) => {
    // A backslash is an escape in JSON, which the encoding of the bytes does not change.
    const form = await newForm();
    expect((await stored(form, send(charset, bytes))).data).toEqual({ [`n${value}`]: `v ${value}` });
  });

  test("is refused in an encoding that is not known", async () => {
    expect(await refused(await newForm(), send("x-nonsense", [0x61]), 400)).toContain('"x-nonsense"');
    await refused(await newForm(), send("hz-gb-2312", [0x61]), 400);
  });

  test("is refused where its bytes are not valid in the encoding that it names", async () => {
    const message = await refused(await newForm(), send("shift_jis", [0x61, 0x83]), 400);
    expect(message).toMatch(/is not valid "shift_jis" text/);
  });
});

describe("text in another encoding that its sender does not declare is refused:", () => {
  test.each(OTHERS)("%s, %s", async (_, __, bytes) => {
    const form = await newForm({ uploads: true });
    const advice = /is not UTF-8: .*accept-charset="utf-8"/;
    for (const sent of [
      urlencoded(`a=1&name=${escaped(bytes)}`),
      urlencoded(`a=1&${escaped(bytes)}=1`),
      urlencoded(joined("a=1&name=", bytes)),
      urlencoded(`_charset_=&name=${escaped(bytes)}`),
      { type: `${FORM}; charset=utf-8`, body: `name=${escaped(bytes)}` },
      listed(LIST, part("a", "1"), part("name", bytes)),
      listed(LIST, part("a", "1"), part(bytes, "1")),
      listed(LIST, part("a", "1"), [
        '--frontier\r\nContent-Disposition: form-data; name="f"; filename="',
        bytes,
        '.txt"\r\n\r\nx\r\n',
      ]),
      jsonText(joined('{"name":"', bytes, '"}')),
      urlencoded(joined('{"name":"', bytes, '"}')),
    ]) {
      expect(await refused(form, sent, 400)).toMatch(/utf-8/i);
    }
    expect(await refused(form, urlencoded(`name=${escaped(bytes)}`), 400)).toMatch(advice);
    expect(await refused(form, urlencoded(`name=${escaped(bytes)}`), 400)).toStartWith('the field "name"');
  });
});

test("a file has its name and its field in the encoding that the form declares", async () => {
  const form = await newForm({ uploads: true });
  const sent = listed(
    LIST,
    [
      '--frontier\r\nContent-Disposition: form-data; name="f',
      [0xe9],
      '"; filename="Ren',
      [0xe9],
      '.txt"\r\n\r\n',
    ],
    [[0xe9, 0xff], "\r\n"],
    part("_charset_", "iso-8859-1"),
  );
  const { files, data } = await stored(form, sent);
  expect(files.map(({ field, name, size, type }) => ({ field, name, size, type }))).toEqual([
    { field: "fé", name: "René.txt", size: 2, type: "text/plain" },
  ]);
  expect(data).toEqual({});
});

test("a file is checked by the name that it has in the encoding of its form", async () => {
  // In ISO-2022-JP, the quote is half of a character.
  const quote = [0x1b, 0x24, 0x42, 0x21, 0x22, 0x1b, 0x28, 0x42];
  const hidden = (name: string) => [
    ...Buffer.from('--frontier\r\nContent-Disposition: form-data; name="f"; z="'),
    ...quote,
    ...Buffer.from('; filename="a.txt"; y="'),
    ...quote,
    ...Buffer.from(`"; filename="${name}"\r\n\r\nhello\r\n`),
  ];
  const sent = (name: string) => listed(LIST, [hidden(name)], part("_charset_", "iso-2022-jp"));
  const form = await newForm({ uploads: true, allowedTypes: [".txt", ".pdf"] });
  expect((await stored(form, sent("b.txt"))).files.map(({ name }) => name)).toEqual(["b.txt"]);
  expect(await refused(form, sent("evil.html"), 415)).toContain("evil.html");
  expect(await refused(form, sent("b.pdf"), 415)).toContain("content");

  const long = (count: number) =>
    listed(
      LIST,
      [
        '--frontier\r\nContent-Disposition: form-data; name="f"; filename="',
        Array.from({ length: count }, () => 0x80),
        '.txt"\r\n\r\nhello\r\n',
      ],
      part("_charset_", "windows-1252"),
    );
  // € has three bytes in UTF-8, as has the character in its place before the encoding is known.
  await stored(form, long(340));
  await refused(form, long(341), 413);
  const words = Buffer.from("€".repeat(340));
  const utf8 = [
    [
      '--frontier\r\nContent-Disposition: form-data; name="f"; filename="',
      [...words],
      '.txt"\r\n\r\nhello\r\n',
    ],
  ];
  await stored(form, listed(LIST, ...utf8));
  await refused(form, listed(LIST, ...utf8, part("_charset_", "windows-1252")), 413);
});

test("a part names the encoding of its own value, which counts more than that of the form", async () => {
  const sent = listed(
    `${LIST}; charset=koi8-r`,
    part("_charset_", "windows-1251"),
    part("a", [0xe9], "Content-Type: text/plain; charset=iso-8859-1\r\n"),
    part("b", [0x41, 0], "Content-Type: text/plain; charset=utf-16le\r\n"),
    part("c", [0xe9]),
  );
  expect((await stored(await newForm(), sent)).data).toEqual({ a: "é", b: "A", c: "й" });
});

test("a replacement character that a person wrote is text", async () => {
  const form = await newForm();
  for (const sent of [
    urlencoded("a=%EF%BF%BD+x"),
    urlencoded("a=\ufffd x"),
    multipart(text("a", "\ufffd x")),
    json({ a: "\ufffd x" }),
  ]) {
    expect((await stored(form, sent)).data).toEqual({ a: "\ufffd x" });
  }
  expect((await stored(form, multipart(text("\ufffd", "1")))).data).toEqual({ "\ufffd": "1" });
  await refused(form, urlencoded("a=%EF%BF%BD%E9"), 400);
});

test.each(["UTF-8", "utf8", " utf-8 ", "unicode-1-1-utf-8", ""])(
  "UTF-8 may be called %p",
  async (charset) => {
    const form = await newForm();
    for (const sent of [
      { type: `${FORM}; charset=${charset}`, body: "a=%C3%A9" },
      urlencoded(`_charset_=${encodeURIComponent(charset)}&a=%C3%A9`),
      multipart(text("_charset_", charset), text("a", "é")),
      { type: `application/json; charset=${charset}`, body: '{"a":"é"}' },
    ]) {
      expect((await stored(form, sent)).data).toEqual({ a: "é" });
    }
  },
);

test("a form with no field but _charset_ is empty", async () => {
  const form = await newForm();
  for (const sent of [urlencoded("_charset_=UTF-8"), multipart(text("_charset_", "UTF-8"))])
    expect(await refused(form, sent, 400)).toContain("empty");
});

test("JSON may be in UTF-16, and a form may not", async () => {
  const form = await newForm();
  const utf16 = (value: string) => Buffer.from(value, "utf16le");
  const sent = { type: "application/json; charset=utf-16", body: utf16('\ufeff{"a":"é"}') };
  expect((await stored(form, sent)).data).toEqual({ a: "é" });
  const deep = { ...sent, body: utf16("[".repeat(17) + "]".repeat(17)) };
  expect(await refused(form, deep, 413)).toContain("levels");
  for (const each of [
    { type: `${FORM}; charset=utf-16`, body: utf16("ab=cd") },
    urlencoded("_charset_=utf-16be&ab=cd"),
    listed(`${LIST}; charset=ucs-2`, part("ab", "cd")),
  ]) {
    expect(await refused(form, each, 400)).toContain("UTF-16");
  }
});

test("text is measured as the UTF-8 that it becomes", async () => {
  const form = await newForm();
  const name = Array.from({ length: 200 }, () => 0xe9);
  const sent = { type: `${FORM}; charset=latin1`, body: joined(name.slice(0, 100), "=1") };
  expect((await stored(form, sent)).data).toEqual({ ["é".repeat(100)]: "1" });
  await refused(form, { ...sent, body: joined(name, "=1") }, 413);
  await refused(form, listed(`${LIST}; charset=latin1`, part(name, "1")), 413);
});
