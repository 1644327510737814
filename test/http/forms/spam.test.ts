import { describe, expect, test } from "bun:test";
import { setForm } from "../../../src/forms/forms.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import {
  type Sent,
  file,
  formData,
  json,
  jsonText,
  multipart,
  openInbox,
  plain,
  text,
  urlencoded,
} from "../../support/inbox.ts";

const { app, newForm, send, storingNothing, refused, stored, storedText } = openInbox();

type Filed = [folder: string, reason: string | null];

/** The folder of what was sent, and the reason. */
async function filed(form: { key: string }, sent: Sent): Promise<Filed> {
  const { state, spam } = await stored(form, sent);
  return [state, spam];
}

const INBOX: Filed = ["inbox", null];
const fileIn = (field: string, name: string, content: string): [string, string] => [
  `Content-Disposition: form-data; name="${field}"; filename="${name}"`,
  content,
];

describe("spam", () => {
  test("is kept in the spam folder and answered as any submission", async () => {
    const form = await newForm();
    const spam = await send(form.key, urlencoded("a=1&_gotcha=x"));
    const fine = await send(form.key, urlencoded("a=1&_gotcha="));
    expect([spam.status, fine.status]).toEqual([200, 200]);
    const bodies = (await Promise.all([spam.json(), fine.json()])) as { id: string }[];
    const [first, second] = bodies.map(({ id: _id, ...body }) => body);
    expect(first).toEqual(second);
    const redirects = await Promise.all(
      ["a=1&_gotcha=x", "a=1"].map((body) => send(form.key, { ...urlencoded(body), query: "" })),
    );
    expect(redirects.map(({ status }) => status)).toEqual([303, 303]);
    const places = redirects.map(({ headers }) => headers.get("location"));
    expect(places[0]).toBe(places[1]);
  });

  test("is refused with 403 and not stored where the form rejects it", async () => {
    const form = await newForm({ spam: "reject", uploads: true });
    const message = await refused(form, urlencoded("a=1&_gotcha=x"), 403);
    expect(message).toContain("spam");
    expect(message).not.toContain("honeypot");
    await refused(form, multipart(text("botcheck", "on"), file("a.txt", "x")), 403);
    expect(await filed(form, plain)).toEqual(INBOX);
  });

  test("is not held against the schema", async () => {
    const form = await newForm({ schema: { required: ["email"] } });
    expect(await filed(form, urlencoded("a=1&_gotcha=x"))).toEqual(["spam", "honeypot"]);
    await refused(form, plain, 422);
  });

  test("is named by the first check that it fails", async () => {
    const form = await newForm({
      spamEmails: ["*@spam.example"],
      spamWords: ["crypto*", "viagra"],
      spamLinks: 0,
      spamDisposable: true,
      challenge: true,
    });
    const all = {
      email: "a@spam.example",
      text: "ＶＩÁGRA CryptoCoins http://a.example",
      other: "a@mailinator.com",
    };
    const steps: [object, string][] = [
      [{ ...all, _honeypot: "x" }, "honeypot"],
      [all, "email"],
      [{ ...all, email: "" }, "word:crypto*"],
      [{ other: all.other, text: "specialists http://a.example" }, "links"],
      [{ other: all.other }, "disposable"],
      [{ text: "specialists" }, "challenge"],
    ];
    for (const [data, reason] of steps) expect(await filed(form, json(data))).toEqual(["spam", reason]);
  });

  test("rules that change count for the next submission", async () => {
    const form = await newForm();
    expect(await filed(form, json({ text: "casino" }))).toEqual(INBOX);
    await setForm(app, OPERATOR, form.key, { spamWords: ["casino"] });
    expect(await filed(form, json({ text: "casino" }))).toEqual(["spam", "word:casino"]);
  });
});

describe("control fields", () => {
  test.each<[string, Sent]>([
    ["urlencoded", urlencoded("website=x&a=1")],
    ["JSON", json({ website: "x", a: "1" })],
    ["multipart", multipart(text("website", "x"), text("a", "1"))],
    ["a file", multipart(fileIn("website", "x.txt", "x"), text("a", "1"))],
    ["an empty file", multipart(fileIn("website", "x.txt", ""), text("a", "1"))],
  ])("are cut out of %s, with a honeypot of the form's own", async (_, sent) => {
    const form = await newForm({ honeypots: ["website"] });
    const submission = await stored(form, sent);
    expect(submission).toMatchObject({ data: { a: "1" }, files: [], spam: "honeypot" });
  });

  test("leave every digit of the other numbers", async () => {
    const submission = await stored(await newForm(), jsonText('{"_gotcha":"", "n":12345678901234567890.10}'));
    expect(storedText(submission)).toBe('{"n":12345678901234567890.10}');
  });

  test("alone are no submission", async () => {
    const form = await newForm({ uploads: true });
    const sent = [
      urlencoded("_gotcha=&altcha=x"),
      json({ _idempotency: "a" }),
      formData([["botcheck", "on"]]),
    ];
    for (const each of [...sent, multipart(fileIn("altcha", "x.txt", "x"))]) await refused(form, each, 400);
  });

  test("a file input that is a honeypot may stay empty, and files under it are no uploads", async () => {
    const form = await newForm({ honeypots: ["cv"] });
    expect(await filed(form, multipart(fileIn("cv", "", ""), text("a", "1")))).toEqual(INBOX);
    const large = "x".repeat(1024 * 1024 + 1);
    await refused(form, multipart(fileIn("cv", "a.txt", large), text("a", "1")), 413);
  });
});

describe("duplicates", () => {
  const from = (client: string, body = "a=1"): Sent => ({ ...urlencoded(body), client });
  const DUPLICATE: Filed = ["spam", "duplicate"];

  test("of one sender are spam within the time of the form, and never dropped", async () => {
    const form = await newForm({ duplicates: 60 });
    expect(await filed(form, from("203.0.113.1"))).toEqual(INBOX);
    expect(await filed(form, from("203.0.113.1"))).toEqual(DUPLICATE);
    expect(await filed(form, from("203.0.113.2"))).toEqual(INBOX);
    expect(await filed(form, from("203.0.113.1", "a=2"))).toEqual(INBOX);
    expect(await filed(await newForm({ duplicates: 60 }), from("203.0.113.1"))).toEqual(INBOX);
    app.clock.now += 60_000;
    expect(await filed(form, from("203.0.113.1"))).toEqual(INBOX);
  });

  test("count the addresses of one IPv6 network as one sender", async () => {
    const form = await newForm({ duplicates: 60 });
    expect(await filed(form, from("2001:db8:1:2::1"))).toEqual(INBOX);
    expect(await filed(form, from("2001:db8:1:2:ffff::9"))).toEqual(DUPLICATE);
    expect(await filed(form, from("2001:db8:1:3::1"))).toEqual(INBOX);
  });

  test("have the same files, whatever their names are", async () => {
    const form = await newForm({ duplicates: 60, uploads: true });
    expect(await filed(form, multipart(file("a.txt", "x")))).toEqual(INBOX);
    expect(await filed(form, multipart(file("b.txt", "x")))).toEqual(DUPLICATE);
    expect(await filed(form, multipart(file("a.txt", "y")))).toEqual(INBOX);
  });

  test("are refused where the form rejects spam, with their files", async () => {
    const form = await newForm({ duplicates: 60, uploads: true, spam: "reject" });
    const sent = multipart(file("a.txt", "x"));
    await stored(form, sent);
    await refused(form, sent, 403);
  });

  test("that no longer match the schema are spam all the same", async () => {
    const form = await newForm({ duplicates: 60 });
    await stored(form, plain);
    await setForm(app, OPERATOR, form.key, { schema: { required: ["email"] } });
    expect(await filed(form, plain)).toEqual(DUPLICATE);
  });
});

test("an address with a wildcard allows the pages of its subdomains", async () => {
  const form = await newForm({ allowedOrigins: ["https://*.example.com"] });
  const from = (Origin: string): Sent => ({ ...plain, headers: { Origin } });
  const answer = await send(form.key, from("https://shop.example.com"));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBe("https://shop.example.com");
  for (const origin of ["https://example.com", "https://example.com.evil.example", "http://a.example.com"]) {
    const refusal = await storingNothing(() => send(form.key, from(origin)));
    expect([refusal.status, refusal.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  }
});
