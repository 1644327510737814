import { describe, expect, test } from "bun:test";
import { type NewForm } from "../../../src/forms/form.ts";
import { deleteForm } from "../../../src/forms/forms.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import {
  json,
  jsonText,
  urlencoded,
  multipart,
  text,
  file,
  noise,
  nested,
  plain,
  type ErrorBody,
  type Sent,
  openInbox,
} from "../../support/inbox.ts";

const { app, newForm, send, open, storingNothing, refused } = openInbox();
const MiB = 1024 * 1024;
const KiB = 1024;

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
    says: /"a" is not UTF-8: .*accept-charset="utf-8"/,
    page: /the field a is not UTF-8: .*accept-charset="utf-8"/,
    sent: multipart(text("a", Uint8Array.of(0x61, 0xff))),
  },
  {
    what: "a multipart field in an unknown encoding",
    status: 400,
    says: /"a".*x-nonsense/,
    page: /the field a is in an encoding that is not known/,
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
    "%s, redirected, also if a script accepts only JSON",
    async (_, refusal) => {
      const key = await keyOf(refusal);
      const headers = { ...refusal.sent.headers, Accept: "application/json", "X-Requested-With": "fetch" };
      const answer = await storingNothing(() => send(key, { ...refusal.sent, headers, query: "" }));
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
        if (sent > 0) await deleteForm(app, OPERATOR, form.key);
        const end = sent === 0 ? whole.byteLength - 1 : whole.byteLength;
        controller.enqueue(whole.subarray(sent, end));
        sent = end;
      },
    });
    await refused(form, { body, type: "multipart/form-data; boundary=frontier" }, 404);
  });
});
