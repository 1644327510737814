import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Form } from "../../../src/forms/form.ts";
import { createForm } from "../../../src/forms/forms.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { getSubmission, openFile } from "../../../src/forms/submissions.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { grouped, urlencodedPairs } from "../../support/records/fields.ts";

const app = openTestApp();
const { forms, reported } = openServices(app);
const contact = await createForm(app, OPERATOR, { slug: "contact", uploads: true });

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
  return getSubmission(app, OPERATOR, told.id);
}

async function bytesOf(submission: Submission, number: number): Promise<Buffer> {
  const { bytes } = await openFile(app, submission, String(number));
  return Buffer.from(await new Response(bytes).arrayBuffer());
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

/** Text between brackets, or that begins with a name in quotes, is read as JSON. */
const JSON_LIKE = /^\s*(?:[[{].*[\]}]\s*$|\{\s*")/s;

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
      { numRuns: 100 },
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
        fc.pre(!JSON_LIKE.test(body));
        const { data } = await stored(Buffer.from(body), "application/x-www-form-urlencoded");
        expect(JSON.stringify(data)).toBe(grouped(pairs));
      }),
      { numRuns: 100 },
    );
  });

  test("any bytes as a urlencoded form, as the WHATWG URL standard reads them, or nothing where they are not UTF-8", async () => {
    const special = fc.constantFrom(..."&=+%?;#41fFcC3éÃ\xef\xbb\xbf\0 a".split(""));
    const byte = fc.oneof(
      special,
      fc.nat(255).map((code) => String.fromCharCode(code)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { maxLength: 40 }), async (bytes) => {
        const body = Buffer.from(bytes.join(""), "latin1");
        fc.pre(body.some((byte) => byte !== 0x26) && !JSON_LIKE.test(body.toString("latin1")));
        const type = "application/x-www-form-urlencoded";
        let pairs: ReturnType<typeof urlencodedPairs>;
        try {
          pairs = urlencodedPairs(body);
        } catch {
          expect((await post(contact, body, type)).status).toBe(400);
          return;
        }
        const { data } = await stored(body, type);
        expect(JSON.stringify(data)).toBe(grouped(pairs));
      }),
      { numRuns: 300 },
    );
  });

  const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

  /** In the way of browsers and of curl; an escape of theirs that stands in the text itself is not told apart. */
  const quotings = [
    (text: string) => text.replaceAll(/["\r\n]/g, (character) => encodeURIComponent(character)),
    (text: string) =>
      text
        .replaceAll('"', String.raw`\"`)
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
      { numRuns: 60 },
    );
  });
});
