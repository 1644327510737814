import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createForm, deleteForm, type Form } from "../../src/forms.ts";
import { deleteSubmission, getSubmission, openFile, type Submission } from "../../src/submissions.ts";
import { openServices, openTestApp } from "../support/app.ts";

const app = openTestApp();
const { forms, reported } = openServices(app);
const contact = await createForm(app, { slug: "contact", uploads: true });
const fuzzed = await createForm(app, { slug: "fuzzed", uploads: true });

/** Posts, and expects no bug of the service. */
async function post(form: Form, body: Uint8Array, type: string): Promise<Response> {
  const url = `http://forms.test/v1/s/${form.key}?mode=rest`;
  const request = new Request(url, { method: "POST", body, headers: { "Content-Type": type } });
  const answer = await forms.routes.fetch(request, { client: "203.0.113.7" });
  expect(reported.splice(0)).toEqual([]);
  return answer;
}

async function stored(body: Uint8Array, type: string): Promise<Submission> {
  const answer = await post(contact, body, type);
  const told = (await answer.json()) as { id: string };
  expect({ status: answer.status, told }).toMatchObject({ status: 200 });
  return getSubmission(app, told.id);
}

async function bytesOf(submission: Submission, number: number): Promise<Buffer> {
  const { bytes } = await openFile(app, submission.id, String(number));
  return Buffer.from(await new Response(bytes).arrayBuffer());
}

/** How many files stand in the folders of the upload directory, the one of staged files included. */
function uploads(): number {
  const paths = readdirSync(join(app.directory, "uploads"), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => dirname(path) !== ".").length;
}

/** As the fields of a submission are stored: a name that repeats holds its values in order. */
function grouped(fields: [name: string, value: string][]): string {
  const names = [...new Set(fields.map(([name]) => name))];
  const entries = names.map((name) => {
    const values = fields.flatMap(([other, value]) => (other === name ? [value] : []));
    return [name, values.length === 1 ? values[0] : values];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** Any text but lone surrogates, and what tends to break. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "",
    " ",
    "\0",
    "\r\n",
    "\ufeff",
    "a&b=c+d%",
    "?",
    "\\",
    '"',
    "10",
    "2",
  ),
);
const anyName = anyText.filter((name) => Buffer.byteLength(name) <= 200);

/** A few pairs whose names now and then repeat. */
const anyPairs = fc.array(fc.tuple(fc.oneof(anyName, fc.constantFrom("a", "b")), anyText), {
  minLength: 1,
  maxLength: 8,
});

describe("what is sent is what is stored:", () => {
  test("any JSON object", async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double({ noNaN: true }), anyText),
        fc.array(tie("any"), { maxLength: 4 }),
        fc
          .array(fc.tuple(anyText, tie("any")), { maxLength: 4 })
          .map((all) => Object.fromEntries(all) as unknown),
      ),
    })).any;
    const object = fc.array(fc.tuple(anyName, value), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(object, fc.constantFrom(undefined, 2, "\t"), async (entries, space) => {
        const sent = JSON.stringify(Object.fromEntries(entries), null, space);
        const { data, files } = await stored(Buffer.from(sent), "application/json");
        expect(JSON.stringify(data, null, space)).toBe(JSON.stringify(JSON.parse(sent), null, space));
        expect(files).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("any urlencoded form", async () => {
    await fc.assert(
      fc.asyncProperty(anyPairs, fc.boolean(), async (pairs, isEscaped) => {
        // What no browser escapes is read alike where it comes raw, but for what separates.
        const raw = (text: string) =>
          text.replaceAll(/[%&=+]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
        const body = isEscaped
          ? new URLSearchParams(pairs).toString()
          : pairs.map(([name, value]) => `${raw(name)}=${raw(value)}`).join("&");
        const { data } = await stored(Buffer.from(body), "application/x-www-form-urlencoded");
        expect(JSON.stringify(data)).toBe(grouped(pairs));
      }),
      { numRuns: 300 },
    );
  });

  test("any bytes as a urlencoded form, as the WHATWG URL standard reads them", async () => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    /** https://url.spec.whatwg.org/#concept-urlencoded-parser, a byte a character. */
    const parse = (body: string) =>
      body.split("&").flatMap((pair): [string, string][] => {
        if (pair === "") return [];
        const equals = pair.includes("=") ? pair.indexOf("=") : pair.length;
        const decode = (part: string) => {
          const bytes = part
            .replaceAll("+", " ")
            .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            );
          return decoder.decode(Buffer.from(bytes, "latin1"));
        };
        return [[decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]];
      });
    const special = fc.constantFrom(..."&=+%?;#41fFcC3éÃ\xef\xbb\xbf\0 a".split(""));
    const byte = fc.oneof(
      special,
      fc.nat(255).map((code) => String.fromCharCode(code)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { maxLength: 40 }), async (bytes) => {
        const body = bytes.join("");
        const pairs = parse(body);
        fc.pre(pairs.length > 0);
        const { data } = await stored(Buffer.from(body, "latin1"), "application/x-www-form-urlencoded");
        expect(JSON.stringify(data)).toBe(grouped(pairs));
      }),
      { numRuns: 800 },
    );
  });

  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

  /** In the way of browsers and of curl; an escape of theirs that stands in the text itself is not told apart. */
  const quotings = [
    (text: string) => text.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character)),
    (text: string) =>
      text
        .replaceAll(/["\\]/g, String.raw`\$&`)
        .replaceAll("\r", "%0D")
        .replaceAll("\n", "%0A"),
  ] as const;
  const quotable = (text: string) => !/%(?:22|0d|0a)/i.test(text);

  const contents = fc
    .array(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom(
            "\r",
            "\n",
            "-",
            "--",
            "\r\n",
            "\r\n\r\n",
            "\r\n--",
            "\0",
            `\r\n--${boundary.slice(0, -1)}`,
          )
          .map((text) => Buffer.from(text)),
      ),
      { maxLength: 6 },
    )
    .map((pieces) => Buffer.concat(pieces))
    .filter((bytes) => !bytes.includes(boundary));

  const part = fc.oneof(
    fc.record({ name: anyName.filter(quotable), text: anyText }),
    fc.record({
      name: anyName.filter(quotable),
      // Without a name and without bytes it would be a file input left empty.
      fileName: anyText.filter((name) => name !== "" && quotable(name)),
      isExtended: fc.boolean(),
      type: fc.constantFrom("text/plain", "image/png", "application/x-é; a=b"),
      bytes: contents,
    }),
  );
  const parts = fc
    .array(part, { minLength: 1, maxLength: 6 })
    .filter((all) => all.filter((each) => "bytes" in each).length <= 5);

  test("any multipart form: fields, file names, bytes and their sha256", async () => {
    await fc.assert(
      fc.asyncProperty(parts, fc.constantFrom(0, 1), async (all, way) => {
        const isBackslashKept = way === 1;
        const clean = (text: string) => (isBackslashKept ? text : text.replaceAll("\\", "/"));
        const quote = (text: string) => `"${quotings[way](clean(text))}"`;
        const body: Uint8Array[] = [];
        for (const each of all) {
          body.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name=${quote(each.name)}`));
          if ("bytes" in each) {
            const extended = encodeURIComponent(clean(each.fileName));
            const fileName = each.isExtended
              ? `filename*=UTF-8''${extended}`
              : `filename=${quote(each.fileName)}`;
            body.push(Buffer.from(`; ${fileName}\r\nContent-Type: ${each.type}\r\n\r\n`), each.bytes);
          } else body.push(Buffer.from(`\r\n\r\n${each.text}`));
          body.push(Buffer.from("\r\n"));
        }
        body.push(Buffer.from(`--${boundary}--\r\n`));

        const submission = await stored(Buffer.concat(body), `multipart/form-data; boundary=${boundary}`);
        const fields = all.flatMap((each) =>
          "text" in each ? [[clean(each.name), each.text] as [string, string]] : [],
        );
        expect(JSON.stringify(submission.data)).toBe(grouped(fields));
        const files = all.flatMap((each) => ("bytes" in each ? [each] : []));
        expect(submission.files).toEqual(
          files.map(({ name, fileName, type, bytes }) => ({
            field: clean(name),
            name: clean(fileName),
            type,
            size: bytes.byteLength,
            sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
          })),
        );
        for (const [index, { bytes }] of files.entries()) {
          expect((await bytesOf(submission, index + 1)).equals(bytes)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("no bytes make the service fail or leave a file behind:", () => {
  /** What the tests above stored goes, so that no file is left. */
  beforeAll(() => deleteForm(app, "contact"));

  /** Posts and expects an answer that blames the sender and leaves nothing, or a submission and its files alone. */
  async function survives(body: Uint8Array, type: string): Promise<void> {
    const answer = await post(fuzzed, body, type);
    const told = (await answer.json()) as { id: string; message: string };
    const isStored = answer.status === 200;
    const files = isStored ? (await getSubmission(app, told.id)).files : [];
    expect(uploads()).toBe(files.length);
    expect(await app.store.submissions.count(fuzzed.key)).toBe(isStored ? 1 : 0);
    if (isStored) await deleteSubmission(app, told.id);
    else {
      expect(answer.status).toBeWithin(400, 500);
      expect(told.message).not.toBe("");
    }
  }

  const VALID: Record<string, Buffer> = {
    "application/json": Buffer.from('{"name":"Ada é 🎉","n":[1,-2.5e3,true,null,{"__proto__":"\\ud800"}]}'),
    "application/x-www-form-urlencoded": Buffer.from("name=Ada+L%C3%B6we&a=1&a=2&=&é=%zz"),
    "multipart/form-data; boundary=b": Buffer.from(
      [
        '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda é',
        '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nx\r\n-y',
        `--b\r\nContent-Disposition: form-data; name="f"; filename*=UTF-8''%e2%82%ac\r\n\r\n`,
        '--b\r\nContent-Disposition: form-data; name="t"\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\na\0',
        '--b\r\nContent-Disposition: form-data; name="none"; filename=""\r\n\r\n',
        "--b--\r\n",
      ].join("\r\n"),
    ),
  };
  const types = Object.keys(VALID);

  test.each(types)("random bytes as %s", async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (body) => survives(body, type)),
      { numRuns: 150 },
    );
  });

  /** What may be done to a body behind a point in it. */
  const CHANGES = {
    insert: (rest: Buffer, bytes: Buffer) => [bytes, rest],
    remove: (rest: Buffer, bytes: Buffer) => [rest.subarray(bytes.byteLength)],
    overwrite: (rest: Buffer, bytes: Buffer) => [bytes, rest.subarray(bytes.byteLength)],
    repeat: (rest: Buffer, bytes: Buffer) => [rest.subarray(0, 4 * bytes.byteLength), rest],
    truncate: () => [],
  };

  const change = fc
    .record({
      kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom(
            "\r\n",
            "\r",
            "\n",
            "--b",
            "--",
            '"',
            "\\",
            ";",
            "=",
            "?",
            "%",
            "\0",
            "[",
            "{",
            "}",
            "*",
            "\xff",
          )
          .map((text) => Buffer.from(text, "latin1")),
      ),
    })
    .map(({ kind, at, bytes }) => (body: Buffer): Buffer => {
      const point = Math.floor(at * body.byteLength);
      return Buffer.concat([body.subarray(0, point), ...CHANGES[kind](body.subarray(point), bytes)]);
    });

  test.each(types)("changes to a valid body of %s", async (type) => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), (changes) =>
        survives(
          changes.reduce((body, change) => change(body), VALID[type]!),
          type,
        ),
      ),
      { numRuns: 300 },
    );
  });

  test("any content type", async () => {
    const pieces = fc.constantFrom(...types, "; boundary=", '"', "\\", "b", ";", "=", " ", "charset=utf-8");
    const anyType = fc.oneof(
      fc.array(pieces, { maxLength: 6 }).map((all) => all.join("")),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(anyType, fc.constantFrom(...Object.values(VALID)), (type, body) =>
        survives(body, type),
      ),
      { numRuns: 200 },
    );
  });

  test("any charset of a field", async () => {
    const charset = fc.oneof(
      fc.constantFrom(
        "utf-8",
        "utf-16",
        "utf-16be",
        "latin1",
        "shift_jis",
        "gbk",
        "x-user-defined",
        "utf-7",
        "replacement",
      ),
      fc.string({ maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(charset, fc.uint8Array({ maxLength: 12 }), (charset, value) => {
        const head = `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`;
        return survives(Buffer.concat([Buffer.from(head), value, Buffer.from("\r\n--b--")]), types[2]!);
      }),
      { numRuns: 200 },
    );
  });
});
