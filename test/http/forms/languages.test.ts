import { describe, expect, test } from "bun:test";
import { setForm } from "../../../src/forms/forms.ts";
import { LANGUAGES } from "../../../src/forms/settings/kept.ts";
import { askedLanguage } from "../../../src/forms/settings/language.ts";
import { ENGLISH_READER, readerOf } from "../../../src/http/forms/pages/reader.ts";
import type { NewForm } from "../../../src/forms/form.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { type Sent, file, json, multipart, openInbox, plain, text } from "../../support/inbox.ts";

const { app, newForm, send, open, refused } = openInbox();

/** Where a submission without `mode=rest` leads. */
async function location(key: string, sent: Sent): Promise<string> {
  return (await send(key, { ...sent, query: "" })).headers.get("location")!;
}

/** The page after a submission to a new form. */
async function pageAfter(
  settings: Partial<NewForm>,
  sent: Sent,
  headers: Record<string, string> = {},
): Promise<{ page: Response; html: string }> {
  const page = await open(await location((await newForm(settings)).key, sent), headers);
  return { page, html: await page.text() };
}

describe("the language that a browser asks for", () => {
  test.each([
    ["de", "de"],
    ["de-AT, en;q=0.5", "de"],
    ["en-US,en;q=0.9,fr;q=0.95", "en"],
    ["zh-TW", "zh"],
    ["zh-Hans-CN", "zh"],
    ["PT-br", "pt"],
    ["sv, nl;q=0.1, it;q=0.3", "it"],
    ["sv", "en"],
    ["*", "en"],
    ["sv, *;q=0.5, de;q=0.1", "en"],
    ["de;q=0, fr;q=0.2", "fr"],
    ["de;q=nonsense, pl;q=0.1", "pl"],
    ["constructor, __proto__", "en"],
    ["", "en"],
  ] as const)("in %p is %s", (header, language) => {
    expect(askedLanguage(header)).toBe(language);
  });
});

describe("the texts of the pages", () => {
  /** Every text by its path. */
  const textsIn = (value: unknown, path = ""): [string, string][] =>
    typeof value === "string"
      ? [[path, value]]
      : Object.entries(value as object).flatMap(([name, child]) => textsIn(child, `${path}/${name}`));

  const english = new Map(textsIn(ENGLISH_READER.texts));

  test.each(LANGUAGES)("are complete in %s, with a value where English has one", async (language) => {
    const { texts } = await readerOf(language, null);
    const own = textsIn(texts);
    expect(own.map(([path]) => path)).toEqual([...english.keys()]);
    for (const [path, text] of own) {
      expect(text.trim()).toBe(text);
      const isSame = text.split("{value}").length === english.get(path)!.split("{value}").length;
      expect([path, isSame]).toEqual([path, true]);
    }
  });
});

describe("a form with a language", () => {
  test.each([
    ["de", "Vielen Dank"],
    ["fr", "Merci"],
    ["es", "Gracias"],
    ["pt", "Obrigado"],
    ["it", "Grazie"],
    ["nl", "Bedankt"],
    ["pl", "Dziękujemy"],
    ["ja", "ありがとうございます"],
    ["zh", "谢谢"],
    ["en", "Thank you"],
  ] as const)("thanks in %s whatever the browser asks for", async (language, thanks) => {
    const { page, html } = await pageAfter({ language }, plain, { "Accept-Language": "sv" });
    expect(page.status).toBe(200);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`<h1>${thanks}</h1>`);
    expect(page.headers.get("content-language")).toBe(language);
    expect(page.headers.get("vary")).toBeNull();
  });

  test("of the browser follows its header, and says so to caches", async () => {
    const form = await newForm({ language: "auto" });
    for (const link of [await location(form.key, plain), await location(form.key, json({}))]) {
      const german = await open(link, {
        "Accept-Language": "de-CH,fr;q=0.8",
        Referer: "https://a.example/b",
      });
      expect(german.headers.get("vary")).toBe("Accept-Language");
      expect(await german.text()).toMatch(/<html lang="de">[^]*Zurück zum Formular/);
      expect(await (await open(link)).text()).toContain('<html lang="en">');
    }
  });

  test("has its key in the addresses of its pages, and no text", async () => {
    const form = await newForm({ language: "de", successMessage: "Bis bald" });
    expect(await location(form.key, plain)).toBe(`/v1/thanks?form=${form.key}`);
    const link = new URL(await location(form.key, json({})), "http://forms.test");
    expect([...link.searchParams]).toEqual([
      ["form", form.key],
      ["code", "400"],
      ["problem", "submission-empty"],
      ["signature", expect.any(String)],
    ]);
    expect(await refused(form, json({}), 400)).toContain("the submission is empty");
  });

  test.each<[what: string, settings: Partial<NewForm>, sent: Sent, status: number, expected: string]>([
    ["an empty form", {}, json({}), 400, "mindestens ein Feld"],
    ["no JSON", {}, { body: "{", type: "application/json" }, 400, "beschädigt"],
    [
      "another website",
      { allowedOrigins: ["https://a.example"] },
      { ...plain, headers: { Origin: "https://b.example" } },
      403,
      "von dieser Website",
    ],
    ["a file", {}, multipart(file("a.txt", "1")), 403, "ohne Dateien"],
    ["spam", { spam: "reject", spamLinks: 0 }, json({ a: "http://a.example" }), 403, "nicht angenommen"],
    [
      "a form that opens",
      { opensAt: "2026-02-01T09:00:00Z" },
      plain,
      409,
      "öffnet am 1. Februar 2026 um 09:00 UTC",
    ],
    [
      "a form that closed",
      { closesAt: "2026-01-01T12:30:00Z" },
      plain,
      409,
      "am 1. Januar 2026 um 12:30 UTC",
    ],
    [
      "a large file",
      { uploads: true, maxFileSize: 1_572_864 },
      multipart(file("a.txt", "x".repeat(1_572_865))),
      413,
      "höchstens 1,5 MB",
    ],
    [
      "many files",
      { uploads: true, maxFiles: 1 },
      multipart(file("a.txt", "1"), file("b.txt", "1")),
      413,
      "höchstens 1.",
    ],
    ["a long text", {}, json({ a: "x".repeat(300_000) }), 413, "weniger Text"],
    [
      "a file type",
      { uploads: true, allowedTypes: [".pdf", "image/*"] },
      multipart(file("a.txt", "1")),
      415,
      "Möglich sind: .pdf, image/*.",
    ],
    [
      "a file of another kind",
      { uploads: true, allowedTypes: [".txt"] },
      multipart(file("a.txt", "\u0089PNG\r\n\u001a\n\0\0")),
      415,
      "passt nicht",
    ],
    ["another format", {}, { body: "a", type: "text/plain" }, 415, "Format"],
  ])("explains %s in it, with the limit", async (_, settings, sent, status, expected) => {
    const { page, html } = await pageAfter({ language: "de", ...settings }, sent);
    expect(page.status).toBe(status);
    expect(html).toContain(expected);
    expect(html).not.toMatch(/In detail|\{value\}|the /);
  });

  test("explains that it is full, and that it is closed", async () => {
    const form = await newForm({ language: "fr", maxSubmissions: 1 });
    await send(form.key, plain);
    const link = await location(form.key, plain);
    expect(await (await open(link)).text()).toContain("Ce formulaire est complet");
    await setForm(app, OPERATOR, form.key, { enabled: false });
    expect(await (await open(await location(form.key, plain))).text()).toContain("Ce formulaire est fermé");
  });

  const schema = {
    properties: {
      email: { type: "string", format: "email", title: "E-Mail" },
      age: { type: "integer", minimum: 18.5 },
      seats: { enum: ["a", "b"] },
      phone: { title: "Telefon" },
      address: { properties: { city: { minLength: 2 } } },
    },
    additionalProperties: false,
    anyOf: [{ required: ["email"] }, { required: ["phone"] }],
  };

  test("lists what is wrong with each field in it, by the title of the field", async () => {
    const data = { email: "x", age: 17, seats: "c", address: { city: "x" }, "Call 555": 1 };
    const { page, html } = await pageAfter({ language: "de", schema }, json(data));
    expect(page.status).toBe(422);
    expect([...html.matchAll(/<li>(.*?)<\/li>/g)].map((match) => match[1])).toEqual([
      "E-Mail: Bitte geben Sie eine E-Mail-Adresse wie name@example.com ein.",
      "age: Bitte geben Sie eine Zahl ein, die mindestens 18,5 ist.",
      "seats: Bitte wählen Sie eine der Möglichkeiten aus.",
      "address.city: Das ist zu kurz. Die Mindestzahl an Zeichen beträgt 2.",
      "Dieses Feld gehört nicht zum Formular.",
    ]);
    const { html: other } = await pageAfter({ language: "de", schema }, json({ age: 19 }));
    expect(other).toContain("mindestens eines dieser Felder aus: E-Mail, Telefon.");
  });

  test("shows nothing that this server did not sign", async () => {
    const form = await newForm({ language: "it", schema: { required: ["email"] } });
    const link = new URL(await location(form.key, plain), "http://forms.test");
    const attempts = [
      (query: URLSearchParams) => query.set("detail", '["Call 555","required"]'),
      (query: URLSearchParams) => query.append("detail", "555"),
      (query: URLSearchParams) => query.set("problem", "__proto__"),
      (query: URLSearchParams) => query.set("code", "200"),
      (query: URLSearchParams) => query.delete("signature"),
      (query: URLSearchParams) => query.delete("form"),
    ];
    for (const change of attempts) {
      const query = new URLSearchParams(link.searchParams);
      change(query);
      const page = await open(`/v1/error?${query.toString()}`);
      expect(page.status).toBe(400);
      expect(await page.text()).not.toMatch(/555|email|Compili/);
    }
  });
});

describe("a success message", () => {
  test("is shown as text, with its lines, and as it is now", async () => {
    const form = await newForm({ successMessage: "Hello <b>you</b>\n& goodbye" });
    const link = await location(form.key, plain);
    const html = await (await open(link)).text();
    expect(html).toContain('<p class="lines">Hello &lt;b&gt;you&lt;/b&gt;\n&amp; goodbye</p>');
    expect(html).toContain("Thank you");
    await setForm(app, OPERATOR, form.key, { successMessage: "See you", language: "nl" });
    expect(await (await open(link)).text()).toMatch(/Bedankt[^]*See you/);
  });

  test("does not change the answer to a script", async () => {
    const form = await newForm({ successMessage: "Hello" });
    expect(await (await send(form.key, plain)).json()).toMatchObject({
      message: "Thank you, your submission was received.",
      url: `/v1/thanks?form=${form.key}`,
    });
  });

  test("is not used where the form has a success URL", async () => {
    const form = await newForm({ successMessage: "Hello", successUrl: "https://example.com/ok" });
    expect(await location(form.key, plain)).toBe("https://example.com/ok");
  });
});

describe("a form without these settings", () => {
  test("keeps the addresses without its key", async () => {
    const form = await newForm({ spam: "reject", challenge: false, maxSubmissions: 5 });
    expect(await location(form.key, plain)).toBe("/v1/thanks");
    expect(await location(form.key, json({}))).toStartWith("/v1/error?code=400&message=");
  });

  test("has the plain pages also at an address with its key, as have keys of no form", async () => {
    const form = await newForm();
    const plainPage = await (await open("/v1/thanks")).text();
    for (const key of [form.key, "a".repeat(24), "x", "", "%00", "__proto__"]) {
      expect(await (await open(`/v1/thanks?form=${key}`)).text()).toBe(plainPage);
      expect((await open(`/v1/error?form=${key}&code=404`)).status).toBe(400);
    }
  });

  test("has plain error pages where it is unknown", async () => {
    expect(await location("a".repeat(24), multipart(text("a", "1")))).toStartWith("/v1/error?code=404&");
  });
});
