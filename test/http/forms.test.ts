import { readdirSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import { newFormSchema } from "../../src/forms/form-schema.ts";
import type { Form, NewForm } from "../../src/forms/form.ts";
import { createForm } from "../../src/forms/forms.ts";
import type { Submission } from "../../src/forms/submission.ts";
import { getSubmission, listSubmissions, openFile } from "../../src/forms/submissions.ts";
import { clientAt, openServices, openTestApp } from "../support/app.ts";

const app = openTestApp();
const { forms, reported } = openServices(app);
const database = new Database(join(app.directory, "formflag.db"), { readonly: true });
afterAll(() => database.close());

/** No request is a bug of the service. */
afterEach(() => expect(reported.splice(0)).toEqual([]));

const CLIENT = "203.0.113.7";
const MiB = 1024 * 1024;
const KiB = 1024;

let formCount = 0;

/** A new form, its settings read as the admin API reads them. */
function newForm(settings: Partial<NewForm> = {}): Promise<Form> {
  formCount += 1;
  return createForm(app, newFormSchema.parse({ slug: `form-${formCount}`, ...settings }));
}

type Sent = {
  body?: Bun.BodyInit | null;
  type?: string;
  headers?: Record<string, string>;
  query?: string;
  method?: string;
  client?: string;
};

/** Sends to the form of that key, with `?mode=rest` unless another query is given. */
async function send(key: string, sent: Sent, service = forms): Promise<Response> {
  const { body = null, type, headers, query = "?mode=rest", method = "POST", client = CLIENT } = sent;
  const request = new Request(`http://forms.test/v1/s/${key}${query}`, {
    method,
    body,
    headers: { ...(type === undefined ? {} : { "Content-Type": type }), ...headers },
  });
  return service.routes.fetch(request, { client: clientAt(client) });
}

/** Asks the service for a page. */
async function open(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return forms.routes.fetch(new Request(`http://forms.test${path}`, { headers }), {
    client: clientAt(CLIENT),
  });
}

const json = (data: unknown): Sent => ({ body: JSON.stringify(data), type: "application/json" });
const jsonText = (body: Bun.BodyInit): Sent => ({ body, type: "application/json" });
const urlencoded = (body: Bun.BodyInit): Sent => ({ body, type: "application/x-www-form-urlencoded" });

type Bytes = string | Uint8Array;

/** A multipart body of parts, each the headers of one and its bytes. */
function multipart(...parts: [headers: string, content: Bytes][]): { body: Buffer; type: string } {
  const body = parts.flatMap(([headers, content]) => [`--frontier\r\n${headers}\r\n\r\n`, content, "\r\n"]);
  return {
    body: Buffer.concat([...body, "--frontier--\r\n"].map((bytes) => Buffer.from(bytes as string))),
    type: "multipart/form-data; boundary=frontier",
  };
}

const text = (name: string, value: Bytes): [string, Bytes] => [
  `Content-Disposition: form-data; name="${name}"`,
  value,
];

const file = (name: string, content: Bytes, type?: string): [string, Bytes] => [
  `Content-Disposition: form-data; name="upload"; filename="${name}"${type === undefined ? "" : `\r\nContent-Type: ${type}`}`,
  content,
];

/** What a browser or `fetch` makes of a form. */
const formData = (fields: [string, string | File][]): Sent => {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return { body };
};

/** Every row and every file there is, staged ones included. */
function everything() {
  const count = (table: string) => database.query(`SELECT count(*) AS count FROM ${table}`).get();
  const files = readdirSync(join(app.directory, "uploads"), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return { submissions: count("submissions"), files: count("files"), uploads: files.toSorted() };
}

/** Does something that may store nothing. */
async function storingNothing<T>(act: () => Promise<T>): Promise<T> {
  const before = everything();
  const result = await act();
  expect(everything()).toEqual(before);
  return result;
}

type ErrorBody = { error: true; code: number; message: string; url: string };

/** Expects the form to refuse it with that status and to store nothing; returns the message. */
async function refused(form: { key: string }, sent: Sent, status: number): Promise<string> {
  const answer = await storingNothing(() => send(form.key, sent));
  const { error, code, message, url } = (await answer.json()) as ErrorBody;
  expect({ status: answer.status, error, code }).toEqual({ status, error: true, code: status });
  expect(url).toStartWith("/v1/error?");
  return message;
}

/** Expects the form to store it; returns the submission. */
async function stored(form: { key: string }, sent: Sent): Promise<Submission> {
  const answer = await send(form.key, sent);
  const body = (await answer.json()) as { id: string };
  expect({ status: answer.status, body }).toMatchObject({ status: 200, body: { success: true } });
  return getSubmission(app, body.id);
}

/** The stored JSON, as text. */
function storedText(submission: Submission): string {
  const row = database.query("SELECT data FROM submissions WHERE id = ?").get(submission.id);
  return (row as { data: string }).data;
}

async function bytesOf(submission: Submission, number: number): Promise<Uint8Array> {
  const { bytes } = await openFile(app, submission.id, String(number));
  return new Uint8Array(await new Response(bytes).arrayBuffer());
}

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

/** `count` bytes that no compression or text decoding would leave as they are. */
function noise(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) bytes[index] = (index * 7919 + (index >> 8)) & 0xff;
  return bytes;
}

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("a submission that is stored", () => {
  const ways: [string, Sent][] = [
    ["JSON", json({ name: "Ada" })],
    ["a urlencoded form", urlencoded("name=Ada")],
    ["a multipart form", multipart(text("name", "Ada"))],
  ];

  test.each(ways)("as %s is answered with its id under mode=rest", async (_, sent) => {
    const form = await newForm();
    const answer = await send(form.key, sent);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    const { id, ...body } = (await answer.json()) as { id: string };
    expect<object>(body).toEqual({
      code: 200,
      success: true,
      message: expect.stringMatching(/\S/),
      url: "/v1/thanks",
    });
    expect((await listSubmissions(app, form.slug, { limit: 10, before: null })).submissions).toEqual([
      {
        id,
        form: form.slug,
        data: { name: "Ada" },
        files: [],
        createdAt: "2026-01-02T03:04:05.678Z",
      },
    ]);
  });

  test.each(ways)("as %s is answered with a 303 to the thank-you page otherwise", async (_, sent) => {
    for (const query of ["", "?mode=", "?mode=REST", "?mode=rest2", "?mode=%20rest", "?rest"]) {
      const form = await newForm();
      const answer = await send(form.key, { ...sent, query });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/v1/thanks"]);
      expect(await answer.text()).toBe("");
      expect(await app.store.submissions.count(form.key)).toBe(1);
    }
  });

  test("goes to the form's success URL, whose own query and fragment stay", async () => {
    const successUrl = "https://example.com/thanks?lang=de&x=1%202#top";
    const form = await newForm({ successUrl });
    const redirect = await send(form.key, { ...json({ a: 1 }), query: "" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, successUrl]);
    const rest = await send(form.key, json({ a: 1 }));
    expect(await rest.json()).toMatchObject({ url: successUrl });
  });

  test.each([
    ["https://example.com/спасибо", "https://example.com/%D1%81%D0%BF%D0%B0%D1%81%D0%B8%D0%B1%D0%BE"],
    ["https://example.com/é?q=ü", "https://example.com/%C3%A9?q=%C3%BC"],
  ])("goes to the success URL %s, encoded", async (successUrl, location) => {
    const form = await newForm({ successUrl });
    const answer = await send(form.key, { ...json({ a: 1 }), query: "" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, location]);
    expect(await app.store.submissions.count(form.key)).toBe(1);
  });

  test("has the time of its arrival, and is listed newest first", async () => {
    const form = await newForm();
    const before = app.clock.now;
    for (const n of [1, 2]) {
      await stored(form, json({ n }));
      app.clock.now += 1000;
    }
    app.clock.now = before;
    const { submissions } = await listSubmissions(app, form.slug, { limit: 10, before: null });
    expect(submissions.map(({ data, createdAt }) => [data["n"], createdAt])).toEqual([
      [2, "2026-01-02T03:04:06.678Z"],
      [1, "2026-01-02T03:04:05.678Z"],
    ]);
  });
});

type Refusal = {
  /** What the page says, where that differs: it shows no text that the sender chose. */
  page?: RegExp;
  what: string;
  status: number;
  /** What the message has to tell. */
  says: RegExp;
  sent: Sent;
  settings?: Partial<NewForm>;
  /** Posts to a key that no form has. */
  unknown?: boolean;
};

const plain = urlencoded("a=1");

const REFUSALS: Refusal[] = [
  { what: "an unknown form key", status: 404, says: /no form/, sent: json({ a: 1 }), unknown: true },
  {
    what: "a disabled form",
    status: 409,
    says: /closed/,
    sent: json({ a: 1 }),
    settings: { enabled: false },
  },
  { what: "an empty JSON object", status: 400, says: /empty/, sent: json({}) },
  { what: "an empty urlencoded body", status: 400, says: /empty/, sent: urlencoded("") },
  { what: "a urlencoded body of separators", status: 400, says: /empty/, sent: urlencoded("&&&") },
  { what: "a multipart body without parts", status: 400, says: /empty/, sent: multipart() },
  {
    what: "a multipart body of an empty file input alone",
    status: 400,
    says: /empty/,
    sent: multipart(file("", "", "application/octet-stream")),
    settings: { uploads: true },
  },
  { what: "a JSON array", status: 400, says: /object/, sent: json([{ a: 1 }]) },
  { what: "a JSON text", status: 400, says: /object/, sent: json("a") },
  { what: "a JSON number", status: 400, says: /object/, sent: json(1) },
  { what: "a JSON null", status: 400, says: /object/, sent: json(null) },
  { what: "broken JSON", status: 400, says: /JSON/, sent: jsonText('{"a":1') },
  { what: "JSON with more behind it", status: 400, says: /JSON/, sent: jsonText('{"a":1} {"b":2}') },
  { what: "an empty JSON body", status: 400, says: /JSON/, sent: jsonText("") },
  {
    what: "JSON that is not UTF-8",
    status: 400,
    says: /UTF-8/,
    sent: jsonText(Buffer.from('{"a":"\xff"}', "latin1")),
  },
  {
    what: "a multipart body that is cut off",
    status: 400,
    says: /multipart/,
    sent: {
      body: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      type: "multipart/form-data; boundary=b",
    },
  },
  {
    what: "a multipart body that is cut off within its second file",
    status: 400,
    says: /multipart/,
    sent: {
      body: multipart(file("a.txt", "a"), file("b.txt", "b")).body.subarray(0, -20),
      type: "multipart/form-data; boundary=frontier",
    },
    settings: { uploads: true },
  },
  {
    what: "multipart without a boundary",
    status: 400,
    says: /boundary/,
    sent: { ...multipart(text("a", "1")), type: "multipart/form-data" },
  },
  {
    what: "a multipart part without a name, behind a file",
    status: 400,
    says: /name/,
    sent: multipart(file("a.txt", "a"), ["Content-Disposition: form-data", "1"]),
    settings: { uploads: true },
  },
  {
    what: "a multipart field that is not UTF-8",
    status: 400,
    says: /"a".*UTF-8/,
    page: /the field a is not valid text/,
    sent: multipart(text("a", Uint8Array.of(0x61, 0xff))),
  },
  {
    what: "a multipart field in an unknown encoding",
    status: 400,
    says: /"a".*x-nonsense/,
    page: /the field a is not valid text/,
    sent: multipart([
      'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=x-nonsense',
      "1",
    ]),
  },
  {
    what: "a file while uploads are off",
    status: 403,
    says: /no files.*"cv\.pdf"/,
    page: /takes no files$/,
    sent: multipart(text("a", "1"), file("cv.pdf", "x")),
  },
  {
    what: "an empty file with a name while uploads are off",
    status: 403,
    says: /"cv\.pdf"/,
    page: /takes no files$/,
    sent: multipart(text("a", "1"), file("cv.pdf", "")),
  },
  {
    what: "a file without a name while uploads are off",
    status: 403,
    says: /no files/,
    sent: multipart(text("a", "1"), file("", "x")),
  },
  {
    what: "a file over the limit",
    status: 413,
    says: /"big\.bin".*1 MB \(1048576 bytes\)/,
    page: /the file in the field \w+ is larger than the limit of 1 MB/,
    sent: multipart(text("a", "1"), file("small.bin", "x"), file("big.bin", noise(MiB + 1))),
    settings: { uploads: true },
  },
  {
    what: "too many files",
    status: 413,
    says: /limit of 5 files/,
    sent: multipart(...Array.from({ length: 6 }, (_, index) => file(`${index}.txt`, "x"))),
    settings: { uploads: true },
  },
  {
    what: "too large a JSON body",
    status: 413,
    says: /body.*1 MB \(1048576 bytes\)/,
    sent: jsonText('{"a":1}'.padEnd(MiB + 1)),
  },
  {
    what: "too large a urlencoded body",
    status: 413,
    says: /body.*1 MB \(1048576 bytes\)/,
    sent: urlencoded("a=1".padEnd(MiB + 1, "&")),
  },
  {
    what: "too many fields",
    status: 413,
    says: /limit of 200 fields/,
    sent: urlencoded("a=1&".repeat(201)),
  },
  {
    what: "too long a field name",
    status: 413,
    says: /field name "n+….*200 bytes/,
    page: /a field name is longer than the limit of 200 bytes/,
    sent: json({ ["n".repeat(201)]: 1 }),
  },
  {
    what: "too long a field value",
    status: 413,
    says: /"essay".*256 KB \(262144 bytes\)/,
    page: /the field essay .*256 KB \(262144 bytes\)/,
    sent: json({ essay: "x".repeat(256 * KiB + 1) }),
  },
  {
    what: "too long a file type",
    status: 413,
    says: /the type of the file "a\.txt" is longer than the limit of 255 characters/,
    page: /the type of a file is longer than the limit of 255 characters/,
    sent: multipart(file("a.txt", "x", `text/plain; a=${"b".repeat(242)}`)),
    settings: { uploads: true },
  },
  {
    what: "a file type with control characters",
    status: 400,
    says: /the type of the file "a\.txt" holds control characters/,
    page: /the type of a file holds control characters/,
    sent: multipart(file("a.txt", "x", "text/\u001b[31mplain")),
    settings: { uploads: true },
  },
  { what: "too deep a JSON", status: 413, says: /limit of 16 levels/, sent: jsonText(nested(17)) },
  {
    what: "another content type",
    status: 415,
    says: /application\/json.*multipart\/form-data/,
    sent: { body: "a=1", type: "text/plain" },
  },
  {
    what: "a content type that only begins like one of the three",
    status: 415,
    says: /application\/json/,
    sent: { body: '{"a":1}', type: "application/json-seq" },
  },
  {
    what: "no content type",
    status: 415,
    says: /application\/json/,
    sent: { body: new Uint8Array([0x7b, 0x7d]) },
  },
  { what: "no content type and no body", status: 415, says: /application\/json/, sent: {} },
  {
    what: "a compressed body",
    status: 415,
    says: /compressed/,
    sent: {
      body: Bun.gzipSync(Buffer.from('{"a":1}')),
      type: "application/json",
      headers: { "Content-Encoding": "gzip" },
    },
  },
  {
    what: "an origin that is not allowed",
    status: 403,
    says: /website/,
    sent: { ...plain, headers: { Origin: "https://evil.example" } },
    settings: { allowedOrigins: ["https://example.com"] },
  },
  {
    what: "a blocked sender",
    status: 403,
    says: /your address/,
    sent: plain,
    settings: { blockedSenders: ["203.0.113.0/24"] },
  },
];

describe("a submission is refused with nothing stored:", () => {
  const keyOf = async ({ unknown, settings }: Refusal, more: Partial<NewForm> = {}) =>
    unknown ? "abcdefghijklmnopqrstuvwx" : (await newForm({ ...settings, ...more })).key;

  test.each(REFUSALS.map((refusal) => [refusal.what, refusal] as const))(
    "%s, mode=rest",
    async (_, refusal) => {
      const key = await keyOf(refusal);
      const answer = await storingNothing(() => send(key, refusal.sent));
      expect(answer.status).toBe(refusal.status);
      expect(answer.headers.get("content-type")).toStartWith("application/json");
      const body = (await answer.json()) as ErrorBody;
      expect(body).toEqual({
        error: true,
        code: refusal.status,
        message: expect.stringMatching(refusal.says),
        url: expect.stringMatching(/^\/v1\/error\?/),
      });
      const query = new URL(body.url, "http://forms.test").searchParams;
      expect(query.get("code")).toBe(String(refusal.status));
      expect(query.get("message")).toMatch(refusal.page ?? refusal.says);
    },
  );

  test.each(REFUSALS.map((refusal) => [refusal.what, refusal] as const))(
    "%s, redirected",
    async (_, refusal) => {
      const key = await keyOf(refusal);
      const answer = await storingNothing(() => send(key, { ...refusal.sent, query: "" }));
      expect(answer.status).toBe(303);
      const location = answer.headers.get("location")!;
      expect(location).toStartWith("/v1/error?");
      const page = await open(location);
      expect([page.status, page.headers.get("content-type")]).toEqual([
        refusal.status,
        "text/html; charset=utf-8",
      ]);
      const message = new URL(location, "http://forms.test").searchParams.get("message")!;
      expect(message).toMatch(refusal.page ?? refusal.says);
      expect(await page.text()).toContain(Bun.escapeHTML(message).replaceAll("&#x27;", "&#39;"));
    },
  );

  test.each(REFUSALS.filter(({ unknown }) => !unknown).map((refusal) => [refusal.what, refusal] as const))(
    "%s, redirected to the form's error URL",
    async (_, refusal) => {
      const key = await keyOf(refusal, { errorUrl: "https://example.com/oops?lang=de&x=a%26b#top" });
      const answer = await storingNothing(() => send(key, { ...refusal.sent, query: "" }));
      expect(answer.status).toBe(303);
      const url = new URL(answer.headers.get("location")!);
      expect([url.origin, url.pathname, url.hash]).toEqual(["https://example.com", "/oops", "#top"]);
      const query = Object.fromEntries(url.searchParams);
      expect(query).toEqual({
        lang: "de",
        x: "a&b",
        code: String(refusal.status),
        message: expect.stringMatching(refusal.says),
      });
      const rest = (await (await send(key, refusal.sent)).json()) as ErrorBody;
      expect([rest.url, rest.message]).toEqual([url.href, query["message"]!]);
    },
  );

  test("an address with the form's slug in place of its key", async () => {
    const form = await newForm();
    await refused({ key: form.slug }, json({ a: 1 }), 404);
  });

  test("a body whose sender goes away within a file", async () => {
    const form = await newForm({ uploads: true });
    const start = multipart(file("a.bin", noise(MiB))).body;
    let sentStart = false;
    const body = new ReadableStream({
      pull(controller) {
        if (sentStart) return controller.error(new Error("gone"));
        sentStart = true;
        controller.enqueue(start.subarray(0, 500_000));
      },
    });
    await refused(form, { body, type: "multipart/form-data; boundary=frontier" }, 400);
  });

  test("a submission whose form is deleted while it arrives, and its file goes", async () => {
    const form = await newForm({ uploads: true });
    const whole = multipart(file("a.txt", "a")).body;
    let sent = 0;
    const body = new ReadableStream({
      async pull(controller) {
        if (sent === whole.byteLength) return controller.close();
        // All but the last byte, so that the form is gone before the submission is complete.
        if (sent > 0) await app.store.forms.delete(form.key);
        const end = sent === 0 ? whole.byteLength - 1 : whole.byteLength;
        controller.enqueue(whole.subarray(sent, end));
        sent = end;
      },
    });
    await refused(form, { body, type: "multipart/form-data; boundary=frontier" }, 404);
  });
});

describe("files:", () => {
  test("a file of exactly 1,048,576 bytes is stored, and one byte more is too large", async () => {
    const form = await newForm({ uploads: true });
    const bytes = noise(MiB);
    const submission = await stored(form, multipart(file("a.bin", bytes)));
    expect(submission.files).toEqual([
      { field: "upload", name: "a.bin", type: expect.any(String), size: MiB, sha256: sha256(bytes) },
    ]);
    expect(sha256(await bytesOf(submission, 1))).toBe(sha256(bytes));
    const message = await refused(form, multipart(file("b.bin", noise(MiB + 1))), 413);
    expect(message).toContain('"b.bin"');
  });

  test.each([
    [1, "1 byte"],
    [10, "10 bytes"],
    [1536, "1.5 KB (1536 bytes)"],
    [3 * MiB, "3 MB (3145728 bytes)"],
  ])("a form's own limit of %p bytes holds at its edge", async (maxFileSize, says) => {
    const form = await newForm({ uploads: true, maxFileSize });
    const submission = await stored(form, multipart(file("a.bin", noise(maxFileSize))));
    expect(submission.files[0]!.size).toBe(maxFileSize);
    expect(await refused(form, multipart(file("a.bin", noise(maxFileSize + 1))), 413)).toContain(says);
  });

  test("5 files are stored and 6 are too many, however they are named", async () => {
    const form = await newForm({ uploads: true });
    const files = (count: number) => Array.from({ length: count }, () => file("a.txt", "x"));
    expect((await stored(form, multipart(...files(5)))).files).toHaveLength(5);
    expect(await refused(form, multipart(...files(6)), 413)).toContain("limit of 5 files");
  });

  test.each([
    [1, "limit of 1 file"],
    [7, "limit of 7 files"],
  ])("a form's own limit of %p files holds at its edge", async (maxFiles, says) => {
    const form = await newForm({ uploads: true, maxFiles });
    const files = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}`, "x"));
    expect((await stored(form, multipart(...files(maxFiles)))).files).toHaveLength(maxFiles);
    expect(await refused(form, multipart(...files(maxFiles + 1)), 413)).toMatch(new RegExp(`${says}$`));
  });

  test("several under one field and several fields keep their order, beside text", async () => {
    const form = await newForm({ uploads: true });
    const submission = await stored(
      form,
      formData([
        ["photos", new File(["one"], "1.png", { type: "image/png" })],
        ["name", "Ada"],
        ["cv", new File(["two"], "2.pdf", { type: "application/pdf" })],
        ["photos", new File(["three"], "1.png", { type: "image/png" })],
      ]),
    );
    expect(submission.data).toEqual({ name: "Ada" });
    expect(submission.files.map(({ field, name, type, size }) => [field, name, type, size])).toEqual([
      ["photos", "1.png", "image/png", 3],
      ["cv", "2.pdf", "application/pdf", 3],
      ["photos", "1.png", "image/png", 5],
    ]);
    expect(Buffer.from(await bytesOf(submission, 3)).toString()).toBe("three");
  });

  test("a submission of a file alone has no fields", async () => {
    const form = await newForm({ uploads: true });
    const submission = await stored(form, multipart(file("a.txt", "a")));
    expect([submission.data, submission.files.length]).toEqual([{}, 1]);
  });

  test("an input left empty is no file, with uploads on and off", async () => {
    for (const uploads of [true, false]) {
      const form = await newForm({ uploads });
      const empty = file("", "", "application/octet-stream");
      const submission = await stored(form, multipart(empty, text("a", "1"), empty));
      expect([submission.data, submission.files]).toEqual([{ a: "1" }, []]);
    }
  });

  test("200 inputs left empty are none, and 201 are too many", async () => {
    const form = await newForm({ uploads: true });
    const empty = (count: number) => Array.from({ length: count }, () => file("", ""));
    expect((await stored(form, multipart(text("a", "1"), ...empty(200)))).files).toEqual([]);
    await refused(form, multipart(text("a", "1"), ...empty(201)), 413);
  });

  test("an empty file with a name is a file, and so are bytes without a name", async () => {
    const form = await newForm({ uploads: true });
    const { files } = await stored(form, multipart(file("empty.txt", ""), file("", "x")));
    expect(files.map(({ name, size, sha256 }) => [name, size, sha256])).toEqual([
      ["empty.txt", 0, sha256(new Uint8Array())],
      ["", 1, sha256(Buffer.from("x"))],
    ]);
  });

  test.each([
    ["what the part says", "a.txt", "image/png", "image/png"],
    ["what the part says, with parameters", "a.bin", "text/plain; charset=x", "text/plain; charset=x"],
    ["what goes with the extension", "a.pdf", undefined, "application/pdf"],
    ["what goes with the extension in capitals", "PHOTO.JPG", undefined, "image/jpeg"],
    ["what goes with the last extension", "a.pdf.txt", undefined, "text/plain"],
    ["what goes with the extension where the part's type is empty", "a.png", "", "image/png"],
    ["bytes for an unknown extension", "a.nonsense", undefined, "application/octet-stream"],
    ["bytes without an extension", "README", undefined, "application/octet-stream"],
    ["bytes for a name that ends with a dot", "README.", undefined, "application/octet-stream"],
  ])("the type is %s", async (_, name, type, expected) => {
    const form = await newForm({ uploads: true });
    const { files } = await stored(form, multipart(file(name, "x", type)));
    expect(files[0]!.type).toBe(expected);
  });

  test.each([
    ["in UTF-8", 'filename="naïve 漢字 🎉.txt"', "naïve 漢字 🎉.txt"],
    ["with what browsers escape", 'filename="a%22b%0D%0Ac%0a.txt"', 'a"b\r\nc\n.txt'],
    ["with other percent signs", 'filename="100%25 %41.txt"', "100%25 %41.txt"],
    ["as filename*, which wins", `filename="plain.txt"; filename*=UTF-8''na%C3%AFve.txt`, "naïve.txt"],
    ["as filename* alone", `filename*=UTF-8''%e2%82%ac%20rates`, "€ rates"],
    ["with a literal escape in filename*", `filename*=UTF-8''50%2522.txt`, "50%22.txt"],
    ["with backslashes", String.raw`filename="C:\fakepath\new.txt"`, String.raw`C:\fakepath\new.txt`],
    ["with escaped quotes", String.raw`filename="say \"hi\".txt"`, 'say "hi".txt'],
    ["without quotes", "filename=plain.txt", "plain.txt"],
    ["that is a path", 'filename="../../../etc/passwd"', "../../../etc/passwd"],
    ["that is an absolute path", 'filename="/etc/passwd"', "/etc/passwd"],
    ["of dots", 'filename=".."', ".."],
    ["with a null character", 'filename="a\0b.txt"', "a\0b.txt"],
    ["with semicolons", 'filename="a; name=b.txt"', "a; name=b.txt"],
    ["that fakes a field", 'filename="__proto__"', "__proto__"],
  ])("a name is stored as sent: %s", async (_, parameter, name) => {
    const form = await newForm({ uploads: true });
    const part = `Content-Disposition: form-data; name="upload"; ${parameter}`;
    const submission = await stored(form, multipart([part, "content"]));
    expect(submission.files[0]).toMatchObject({ field: "upload", name, size: 7 });
    expect(Buffer.from(await bytesOf(submission, 1)).toString()).toBe("content");
  });

  test("a name of exactly 1,024 bytes is stored, and one byte more is too large", async () => {
    const form = await newForm({ uploads: true });
    const name = "é".repeat(512);
    const { files } = await stored(form, multipart(file(name, "x")));
    expect(files[0]!.name).toBe(name);
    expect(await refused(form, multipart(file(`${name}a`, "x")), 413)).toContain("1024 bytes");
  });

  test("text after a file is refused like text before one, and the file goes", async () => {
    const form = await newForm({ uploads: true });
    const long = text("essay", "x".repeat(256 * KiB + 1));
    await refused(form, multipart(file("a.txt", "a"), long), 413);
    await refused(form, multipart(long, file("a.txt", "a")), 413);
  });
});

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
    const chunk = new Uint8Array(256 * KiB);
    const count = { read: 0 };
    const body = new ReadableStream({
      pull(controller) {
        if (count.read >= size) return controller.close();
        controller.enqueue(chunk);
        count.read += chunk.byteLength;
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
    ["broken UTF-8 becomes U+FFFD", "a=%ff%c3x%e2%82", { a: "\ufffd\ufffdx\ufffd" }],
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

  test("raw bytes that are no UTF-8 become U+FFFD", async () => {
    const form = await newForm();
    const { data } = await stored(form, urlencoded(Buffer.from("a=\xff\xc3x&\x80=1", "latin1")));
    expect(data).toEqual({ a: "\ufffd\ufffdx", "\ufffd": "1" });
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

describe("origins:", () => {
  const ALLOWED = "https://example.com";
  const limited = () => newForm({ allowedOrigins: [ALLOWED, "http://localhost:3000"] });
  const from = (origin: string): Sent => ({ ...json({ a: 1 }), headers: { Origin: origin } });
  const preflight = (origin: string): Sent => ({
    method: "OPTIONS",
    query: "",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,x-requested-with",
    },
  });

  test("a preflight is answered with 204 and what the request asks for", async () => {
    const form = await newForm();
    const answer = await storingNothing(() => send(form.key, preflight("https://any.example")));
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe("");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("access-control-allow-headers")).toBe("content-type,x-requested-with");
  });

  test("a preflight of an unknown form is answered alike, so that the page can read the 404", async () => {
    const answer = await send("nope", preflight("https://any.example"));
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("a preflight from an origin that is allowed names it, and from another one names none", async () => {
    const form = await limited();
    const allowed = await send(form.key, preflight(ALLOWED));
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, ALLOWED]);
    expect(allowed.headers.get("vary")).toContain("Origin");
    const other = await send(form.key, preflight("https://evil.example"));
    expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([204, null]);
    expect(other.headers.get("vary")).toContain("Origin");
  });

  test("any origin may post and read the answer, stored or refused", async () => {
    const form = await newForm();
    for (const sent of [from("https://any.example"), from("null"), json({ a: 1 }), json({})]) {
      expect((await send(form.key, sent)).headers.get("access-control-allow-origin")).toBe("*");
    }
    const unknown = await send("nope", from("https://any.example"));
    expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
  });

  test("an allowed origin may post and read the answer, stored or refused", async () => {
    const form = await limited();
    for (const origin of [ALLOWED, "http://localhost:3000"]) {
      const answer = await send(form.key, from(origin));
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
      expect(answer.headers.get("vary")).toContain("Origin");
      const empty = await send(form.key, { ...json({}), headers: { Origin: origin } });
      expect([empty.status, empty.headers.get("access-control-allow-origin")]).toEqual([400, origin]);
    }
  });

  test.each([
    "https://evil.example",
    "null",
    "http://example.com",
    "https://example.com:444",
    "https://sub.example.com",
  ])("%s is none of the allowed ones", async (origin) => {
    const form = await limited();
    const answer = await storingNothing(() => send(form.key, from(origin)));
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  });

  test("what names no origin is no browser and may post", async () => {
    const form = await limited();
    await stored(form, json({ a: 1 }));
  });
});

describe("senders:", () => {
  test("an address or a range that is blocked may not post, and its neighbour may", async () => {
    const form = await newForm({ blockedSenders: ["203.0.113.8", "198.51.100.0/25", "2001:db8::/32"] });
    for (const client of ["203.0.113.8", "198.51.100.127", "2001:db8:1::1"]) {
      await refused(form, { ...json({ a: 1 }), client }, 403);
    }
    for (const client of ["203.0.113.7", "198.51.100.128", "2001:db9::1"]) {
      await stored(form, { ...json({ a: 1 }), client });
    }
  });

  test("are looked up in a list that is built once, until the form changes", async () => {
    const blockedSenders = Array.from({ length: 1000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const form = await newForm({ blockedSenders });
    using built = spyOn(BlockList.prototype, "addAddress");
    for (let count = 0; count < 5; count += 1) await stored(form, json({ a: 1 }));
    expect(built).toHaveBeenCalledTimes(1000);
    await app.store.forms.update(form.key, { blockedSenders: [CLIENT] }, app.now());
    for (let count = 0; count < 2; count += 1) await refused(form, json({ a: 1 }), 403);
    expect(built).toHaveBeenCalledTimes(1001);
  });

  test("what a sender claims in X-Forwarded-For does not unblock it", async () => {
    const form = await newForm({ blockedSenders: [CLIENT] });
    await refused(form, { ...json({ a: 1 }), headers: { "X-Forwarded-For": "192.0.2.1" } }, 403);
  });
});

describe("a rate limit", () => {
  const limited = () => newForm({ rateLimit: { count: 2, seconds: 60 } });
  const one = json({ a: 1 });

  test("lets its count pass, then answers 429 with Retry-After until its time is over", async () => {
    const form = await limited();
    await stored(form, one);
    app.clock.now += 10_000;
    await stored(form, one);
    for (const [wait, passed] of [
      ["50", 0],
      ["50", 1],
      ["1", 49_998],
    ] as const) {
      app.clock.now += passed;
      const answer = await storingNothing(() => send(form.key, one));
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, wait]);
      expect(await answer.json()).toMatchObject({ error: true, code: 429 });
    }
    app.clock.now += 1;
    await stored(form, one);
    await stored(form, one);
    expect(await refused(form, one, 429)).toContain("60 seconds");
  });

  test("answers 303 with Retry-After where mode=rest is not asked for", async () => {
    const form = await limited();
    await stored(form, one);
    await stored(form, one);
    const answer = await storingNothing(() => send(form.key, { ...one, query: "" }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([303, "60"]);
    expect(answer.headers.get("location")).toStartWith("/v1/error?code=429&");
  });

  test("counts each sender and each form on its own", async () => {
    for (const form of [await limited(), await limited()]) {
      for (const client of ["203.0.113.1", "203.0.113.2", "2001:db8::1"]) {
        await stored(form, { ...one, client });
        await stored(form, { ...one, client });
        await refused(form, { ...one, client }, 429);
      }
    }
  });

  test("counts the addresses of one IPv6 network together", async () => {
    const form = await limited();
    await stored(form, { ...one, client: "2001:db8:1:2::1" });
    await stored(form, { ...one, client: "2001:db8:1:2:ffff::2" });
    await refused(form, { ...one, client: "2001:db8:1:2::3" }, 429);
    await stored(form, { ...one, client: "2001:db8:1:3::1" });
  });

  test("never holds for loopback", async () => {
    const form = await newForm({ rateLimit: { count: 1, seconds: 60 } });
    for (const client of ["127.0.0.1", "127.0.0.1", "127.1.2.3", "127.1.2.3", "::1", "::1"]) {
      await stored(form, { ...one, client });
    }
  });

  test("is none unless it is set", async () => {
    const form = await newForm();
    for (let count = 0; count < 300; count += 1) await stored(form, one);
  });
});

describe("links", () => {
  const EVIL = "https://evil.example/";

  test("stand under --public-url where it is set, with or without a slash at its end", async () => {
    for (const publicUrl of ["https://forms.example.com/base", "https://forms.example.com/base/"]) {
      const service = openServices(app, publicUrl).forms;
      const form = await newForm();
      const thanks = await send(form.key, { ...json({ a: 1 }), query: "" }, service);
      expect(thanks.headers.get("location")).toBe("https://forms.example.com/base/v1/thanks");
      const error = await send(form.key, { ...json({}), query: "" }, service);
      expect(error.headers.get("location")).toStartWith("https://forms.example.com/base/v1/error?code=400&");
      expect(await (await send(form.key, json({}), service)).json()).toMatchObject({
        url: error.headers.get("location"),
      });
    }
  });

  test("never come from Host, X-Forwarded-Host, a Referer, an Origin or a query", async () => {
    const form = await newForm();
    const headers = {
      Host: "evil.example",
      "X-Forwarded-Host": "evil.example",
      Forwarded: "host=evil.example",
      Referer: EVIL,
      Origin: "https://evil.example",
    };
    const names = ["url", "redirect", "next", "success_url", "successUrl", "error_url", "errorUrl", "return"];
    const query = `?${names.map((name) => `${name}=${encodeURIComponent(EVIL)}`).join("&")}`;
    for (const [sent, path] of [
      [json({ url: EVIL, _next: EVIL, redirect: EVIL }), "/v1/thanks"],
      [json({}), "/v1/error"],
    ] as const) {
      const redirect = await send(form.key, { ...sent, headers, query });
      const location = redirect.headers.get("location")!;
      expect([redirect.status, location.split("?")[0]]).toEqual([303, path]);
      expect(decodeURIComponent(location)).not.toContain("evil");
      const rest = await send(form.key, { ...sent, headers, query: `${query}&mode=rest` });
      expect(await rest.text()).not.toContain("evil");
    }
  });

  test("to a form's error URL encode the message, whatever a sender names", async () => {
    const form = await newForm({ errorUrl: "https://example.com/oops" });
    const name = `a&b=c#d?%0d\r\n${"é".repeat(200)}`;
    const answer = await send(form.key, { ...json({ [name]: 1 }), query: "" });
    const url = new URL(answer.headers.get("location")!);
    expect([url.origin, url.pathname, url.hash]).toEqual(["https://example.com", "/oops", ""]);
    expect([...url.searchParams.keys()]).toEqual(["code", "message"]);
    expect(url.searchParams.get("message")).toContain(String.raw`a&b=c#d?%0d\r\n`);
  });

  test("to an error URL in any language are encoded", async () => {
    const form = await newForm({ errorUrl: "https://example.com/ошибка" });
    const answer = await send(form.key, { ...json({}), query: "" });
    expect(answer.headers.get("location")).toStartWith(
      "https://example.com/%D0%BE%D1%88%D0%B8%D0%B1%D0%BA%D0%B0?code=400&message=",
    );
  });
});

describe("other methods", () => {
  test.each(["GET", "PUT", "PATCH", "DELETE"])(
    "%s is answered with 405, as JSON under mode=rest",
    async (method) => {
      const form = await newForm();
      const rest = await storingNothing(() => send(form.key, { method }));
      expect([rest.status, rest.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(await rest.json()).toEqual({
        error: true,
        code: 405,
        message: expect.stringContaining("POST"),
        url: expect.stringMatching(/^\/v1\/error\?code=405&/),
      });
      const page = await storingNothing(() => send(form.key, { method, query: "" }));
      expect([page.status, page.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    },
  );
});

describe("the built-in pages", () => {
  /** The link of the error page that a refused submission is sent to. */
  async function errorLink(sent: Sent, settings: Partial<NewForm> = {}): Promise<string> {
    const form = await newForm(settings);
    return (await send(form.key, { ...sent, query: "" })).headers.get("location")!;
  }

  const pages: [string, () => Promise<Response>][] = [
    ["thanks", () => open("/v1/thanks")],
    ["thanks with a way back", () => open("/v1/thanks", { Referer: "https://example.com/contact" })],
    ["error", async () => open(await errorLink(json({})))],
    ["error without a message", () => open("/v1/error")],
    ["method", async () => send((await newForm()).key, { method: "GET", query: "" })],
  ];

  test.each(pages)("carry nosniff and a policy that lets nothing but their style in: %s", async (_, get) => {
    const page = await get();
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("script-src");
  });

  test.each(pages)("have the style that their policy names by its hash: %s", async (_, get) => {
    const page = await get();
    const [, style] = /<style>([^]*?)<\/style>/.exec(await page.text())!;
    const hash = new Bun.CryptoHasher("sha256").update(style!).digest("base64");
    expect(page.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
  });

  test.each(pages)("work without a script and load nothing: %s", async (_, get) => {
    const html = await (await get()).text();
    expect(html).not.toMatch(/<script|\son\w+=|javascript:|\sstyle=|<link|<img|@import|url\(/i);
    expect(html).toStartWith("<!doctype html>");
  });

  const CALL = "Your account is locked, call 555-0100";
  const part = (headers: string, value: string): [string, string] => [
    `Content-Disposition: form-data; ${headers}`,
    value,
  ];
  const large = "x".repeat(256 * KiB + 1);

  test.each<[what: string, sent: Sent, settings?: Partial<NewForm>]>([
    ["a file's name", multipart(file(CALL, "x"))],
    ["a large file's name", multipart(file(CALL, noise(11))), { uploads: true, maxFileSize: 10 }],
    ["a long file name", multipart(file(CALL.repeat(30), "x")), { uploads: true }],
    ["a long field name", json({ [CALL.repeat(6)]: 1 })],
    ["the name of a long field", json({ [CALL]: large })],
    ["the name of a long multipart field", multipart(text(CALL, large))],
    ["the name of a field in no encoding", multipart(text(CALL, Uint8Array.of(0xff)))],
    ["an encoding", multipart(part(`name="a"\r\nContent-Type: text/plain; charset="${CALL}"`, "1"))],
    [
      "a file's type",
      multipart(part(`name="a"; filename="a.txt"\r\nContent-Type: ${CALL.repeat(8)}`, "1")),
      { uploads: true },
    ],
  ])("show no text of a sender's choosing: %s", async (_, sent, settings) => {
    const link = await errorLink(sent, settings);
    expect(decodeURIComponent(link)).not.toMatch(/account|555/);
    const page = await open(link);
    expect(page.status).toBeGreaterThanOrEqual(400);
    const html = await page.text();
    expect(html).toContain("In detail");
    expect(html).not.toMatch(/account|555/);
  });

  test("name a field by a name that a form would have", async () => {
    const essay = await errorLink(json({ "essay[1]": large }));
    expect(await (await open(essay)).text()).toContain(
      "the field essay[1] is larger than the limit of 256 KB",
    );
    const sent = multipart(part('name="cv"; filename="report of 2026.pdf"', "x".repeat(11)));
    const link = await errorLink(sent, { uploads: true, maxFileSize: 10 });
    const html = await (await open(link)).text();
    expect(html).toContain("the file in the field cv is larger than the limit of 10 bytes");
  });

  test("show the message of a link that this server made", async () => {
    const link = await errorLink(json([]));
    expect(await (await open(link)).text()).toContain("the JSON of a submission is an object of fields");
  });

  test("show no message that this server did not sign", async () => {
    const link = new URL(await errorLink(json([])), "http://forms.test");
    const attempts = [
      (query: URLSearchParams) => query.set("message", "call 555-0100 and tell your password"),
      (query: URLSearchParams) => query.delete("signature"),
      (query: URLSearchParams) => query.set("signature", ""),
      (query: URLSearchParams) => query.set("signature", "é".repeat(11)),
      (query: URLSearchParams) => query.set("signature", "A".repeat(22)),
      (query: URLSearchParams) => query.set("code", "413"),
    ];
    for (const change of attempts) {
      const query = new URLSearchParams(link.searchParams);
      change(query);
      const page = await open(`/v1/error?${query.toString()}`);
      expect(page.status).toBe(400);
      expect(await page.text()).not.toMatch(/In detail|password|is an object of fields|too large/);
    }
  });

  test.each(["", "0", "200", "503", "999", "nonsense", "<b>", "__proto__", "constructor", "toString"])(
    "explain an error of code %p that this server did not sign in general words, and answer 400",
    async (code) => {
      const page = await open(`/v1/error?code=${encodeURIComponent(code)}`);
      expect(page.status).toBe(400);
      expect(await page.text()).toContain("This did not work");
    },
  );

  test.each(["/v1/thanks", "/v1/error?code=400"])(
    "lead back to the page that the visitor came from: %s",
    async (path) => {
      const html = await (await open(path, { Referer: `https://example.com/a?b="c'<d>&e` })).text();
      const [, href] = /<a class="back" href="([^"]*)"/.exec(html)!;
      expect(href).toBe("https://example.com/a?b=%22c%27%3Cd%3E&amp;e");
      expect(await (await open(path, { Referer: "http://localhost:8080/" })).text()).toContain(
        "http://localhost:8080/",
      );
    },
  );

  test.each([
    "javascript:alert(1)",
    "JavaScript://example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/",
    "/contact",
    "https://",
    "",
  ])("lead back to nothing that is no web address: %p", async (referer) => {
    for (const path of ["/v1/thanks", "/v1/error"]) {
      const html = await (await open(path, { Referer: referer })).text();
      expect(html).not.toMatch(/<a |alert|evil/);
      expect(html).toContain("back button");
    }
  });
});
