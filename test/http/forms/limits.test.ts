import { describe, expect, test } from "bun:test";
import {
  json,
  jsonText,
  urlencoded,
  multipart,
  text,
  file,
  nested,
  type Sent,
  type Bytes,
  openInbox,
} from "../../support/inbox.ts";

const { newForm, send, storingNothing, refused, stored, storedText } = openInbox();
const MiB = 1024 * 1024;
const KiB = 1024;

describe("limits:", () => {
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, index): [string, string] => [`f${index}`, "x"]);

  test.each([
    ["JSON", (count: number) => json(Object.fromEntries(pairs(count)))],
    ["a urlencoded form", (count: number) => urlencoded(new URLSearchParams(pairs(count)).toString())],
    [
      "a multipart form",
      (count: number) => multipart(...pairs(count).map(([name, value]) => text(name, value))),
    ],
  ])("200 fields of %s are stored, and 201 are too many", async (_, sent) => {
    const form = await newForm();
    expect(Object.keys((await stored(form, sent(200))).data)).toHaveLength(200);
    expect(await refused(form, sent(201), 413)).toContain("200 fields");
  });

  test("a field that repeats counts each time", async () => {
    const form = await newForm();
    expect((await stored(form, urlencoded("a=1&".repeat(200)))).data["a"]).toHaveLength(200);
    await refused(form, urlencoded("a=1&".repeat(201)), 413);
    await refused(form, multipart(...Array.from({ length: 201 }, () => text("a", "1"))), 413);
  });

  test("files do not count as fields, nor fields as files", async () => {
    const form = await newForm({ uploads: true });
    const files = Array.from({ length: 5 }, () => file("a.txt", "a"));
    const submission = await stored(form, multipart(...pairs(200).map(([name]) => text(name, "")), ...files));
    expect([Object.keys(submission.data).length, submission.files.length]).toEqual([200, 5]);
  });

  const ways: [string, (name: string, value: string) => Sent][] = [
    ["JSON", (name, value) => json({ [name]: value })],
    ["a urlencoded form", (name, value) => urlencoded(`${name}=${value}`)],
    ["a multipart form", (name, value) => multipart(text(name, value))],
  ];

  test.each(ways)(
    "a field name of exactly 200 bytes in %s is stored, and one byte more is too long",
    async (_, sent) => {
      const form = await newForm();
      for (const name of ["n".repeat(200), "é".repeat(100), "🎉".repeat(50)]) {
        expect((await stored(form, sent(name, "x"))).data).toEqual({ [name]: "x" });
        expect(await refused(form, sent(`${name}n`, "x"), 413)).toContain("200 bytes");
      }
    },
  );

  test("a file's field name of exactly 200 bytes is stored, and one byte more is too long", async () => {
    const form = await newForm({ uploads: true });
    const named = (name: string): [string, Bytes] => [
      `Content-Disposition: form-data; name="${name}"; filename="a.txt"`,
      "x",
    ];
    const name = "é".repeat(100);
    expect((await stored(form, multipart(named(name)))).files[0]!.field).toBe(name);
    expect(await refused(form, multipart(named(`${name}n`)), 413)).toContain("200 bytes");
  });

  const values: [string, string][] = [
    ["of ASCII", "x".repeat(256 * KiB)],
    ["of two bytes a character", "é".repeat(128 * KiB)],
    ["of four bytes a character", "🎉".repeat(64 * KiB)],
  ];

  test.each(ways.flatMap(([way, sent]) => values.map(([what, value]) => [what, way, value, sent] as const)))(
    "a value %s of exactly 256 KiB in %s is stored, and one byte more is too long",
    async (_, __, value, sent) => {
      const form = await newForm();
      const { data } = await stored(form, sent("essay", value));
      expect(data["essay"] === value).toBe(true);
      expect(await refused(form, sent("essay", `${value}x`), 413)).toMatch(/"essay".*262144 bytes/);
    },
  );

  test("a text inside a JSON field is as long at most as a field", async () => {
    const form = await newForm();
    const value = "x".repeat(256 * KiB);
    await stored(form, json({ list: [value, { a: value }] }));
    expect(await refused(form, json({ list: [{ a: `${value}x` }] }), 413)).toContain('"list"');
  });

  const bodies: [string, (size: number) => Sent][] = [
    ["JSON", (size) => jsonText(Buffer.from('{"a":1}'.padEnd(size)))],
    ["urlencoded", (size) => urlencoded(Buffer.from("a=1".padEnd(size, "&")))],
  ];

  test.each(bodies)(
    "a %s body of exactly 1 MiB is stored, and one byte more is too large",
    async (_, sent) => {
      const form = await newForm();
      await stored(form, sent(MiB));
      expect(await refused(form, sent(MiB + 1), 413)).toContain("1 MB (1048576 bytes)");
    },
  );

  test.each(bodies)("a %s body that tells its length is treated alike", async (_, sent) => {
    const form = await newForm();
    const telling = (size: number) => ({ ...sent(size), headers: { "Content-Length": String(size) } });
    await stored(form, telling(MiB));
    await refused(form, telling(MiB + 1), 413);
  });

  test("JSON of 16 levels is stored, and 17 are too deep", async () => {
    const form = await newForm();
    const lists = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    for (const make of [nested, lists]) {
      expect(storedText(await stored(form, jsonText(make(16))))).toBe(make(16));
      expect(await refused(form, jsonText(make(17)), 413)).toContain("16 levels");
      await refused(form, jsonText(make(100_000)), 413);
    }
  });

  test("4 MiB of multipart text is stored, and one byte more is too large", async () => {
    const form = await newForm();
    const fields = Array.from({ length: 16 }, (_, index) => text(`f${index}`, "x".repeat(256 * KiB)));
    expect(Object.keys((await stored(form, multipart(...fields))).data)).toHaveLength(16);
    expect(await refused(form, multipart(...fields, text("one", "x")), 413)).toContain("4 MB");
  });

  test("fields that are too large as JSON are refused, those of quotes and line breaks hardly ever", async () => {
    const form = await newForm();
    const fields = (value: string, count: number) =>
      multipart(
        ...Array.from({ length: count }, (_, index) => text(`f${index}`, value.repeat((256 * KiB) / 2))),
      );
    expect(Object.keys((await stored(form, fields('"\n', 15))).data)).toHaveLength(15);
    expect(Object.keys((await stored(form, fields("\0\u0001", 5))).data)).toHaveLength(5);
    expect(await refused(form, fields("\0\u0001", 6), 413)).toContain(
      "as JSON, are larger than the limit of 8 MB",
    );
  });

  test("the headers of a part of exactly 16 KiB are read, and one byte more is too large", async () => {
    const form = await newForm();
    // The section ends with the line end of its last header.
    const headers = (size: number) =>
      'Content-Disposition: form-data; name="a"\r\nX-Filler: '.padEnd(size - 2, "x");
    expect((await stored(form, multipart([headers(16 * KiB), "1"]))).data).toEqual({ a: "1" });
    expect(await refused(form, multipart([headers(16 * KiB + 1), "1"]), 413)).toContain("16384 bytes");
  });

  /** A body of zeros that counts what is read of it. */
  function zeros(size: number) {
    const count = { read: 0 };
    const body = new ReadableStream({
      pull(controller) {
        if (count.read >= size) return controller.close();
        // Each chunk belongs to its reader, who gives its memory back.
        controller.enqueue(new Uint8Array(256 * KiB));
        count.read += 256 * KiB;
      },
    });
    return { body, count };
  }

  test("a sender of 20 MiB too much is heard to the end, and one of 64 MiB is not", async () => {
    const form = await newForm();
    const fits = zeros(20 * MiB);
    const heard = await storingNothing(() => send(form.key, jsonText(fits.body)));
    expect([heard.status, heard.headers.get("connection"), fits.count.read]).toEqual([413, null, 20 * MiB]);

    const endless = zeros(64 * MiB);
    const cut = await storingNothing(() => send(form.key, jsonText(endless.body)));
    expect([cut.status, cut.headers.get("connection")]).toEqual([413, "close"]);
    expect(endless.count.read).toBeGreaterThan(32 * MiB);
    expect(endless.count.read).toBeLessThan(36 * MiB);
  });
});
