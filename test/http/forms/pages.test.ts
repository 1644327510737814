import { describe, expect, test } from "bun:test";
import { type NewForm } from "../../../src/forms/form.ts";
import { json, multipart, text, file, noise, type Sent, openInbox } from "../../support/inbox.ts";

const { newForm, send, open } = openInbox();
const KiB = 1024;

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
