import { describe, expect, test } from "bun:test";
import { setForm } from "../../../src/forms/forms.ts";
import type { NewForm } from "../../../src/forms/form.ts";
import { clientAt, openServices } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import {
  CLIENT,
  type Sent,
  file,
  formData,
  json,
  multipart,
  openInbox,
  plain,
  text,
  urlencoded,
} from "../../support/inbox.ts";

const { app, forms, newForm, send, open, storingNothing } = openInbox();

const schema = {
  title: "Apply",
  description: "We answer\nwithin a week.",
  required: ["name", "size", "consent"],
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    email: { format: "email", description: "For our answer" },
    size: { enum: ["S", "M"] },
    topics: { type: "array", items: { enum: ["code", "art"] }, maxItems: 1 },
    age: { type: "integer", minimum: 18 },
    about: { maxLength: 500 },
    edition: { const: 2027 },
    consent: { const: true },
  },
};

const newPage = (settings: Partial<NewForm> = {}) => newForm({ schema, page: true, ...settings });

/** Sends to the page of a form. */
async function post(form: { key: string }, sent: Sent, service = forms): Promise<Response> {
  const { body = null, type, headers, method = "POST", client = CLIENT } = sent;
  const request = new Request(`http://forms.test/v1/f/${form.key}`, {
    method,
    body,
    headers: { ...(type === undefined ? {} : { "Content-Type": type }), ...headers },
  });
  return service.routes.fetch(request, { client: clientAt(client) });
}

const filled = (data: Record<string, string> = {}) =>
  urlencoded(
    new URLSearchParams({ name: "Ann", size: "M", edition: "2027", consent: "true", ...data }).toString(),
  );

const stored = async ({ key }: { key: string }) =>
  (await app.store.submissions.list(key, 10, null)).submissions.map(({ data, state }) => ({ data, state }));

const hiddenKey = (html: string) => /name="_idempotency" value="([^"]+)"/.exec(html)![1]!;

describe("the page of a form", () => {
  test("has its fields, and neither scripts nor other files", async () => {
    const page = await open(`/v1/f/${(await newPage({ language: "de" })).key}`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('<html lang="de">');
    expect(html).toContain("<h1>Apply</h1>");
    expect(html).toContain("We answer\nwithin a week.");
    expect(html).toContain('<form method="post">');
    for (const part of [
      '<label for="field-1">Your name',
      'name="name" required type="text" minlength="2" autocomplete="name"',
      'type="email" autocomplete="email"',
      '<p class="hint lines" id="field-2-hint-0">For our answer</p>',
      'type="radio" name="size" value="M" required',
      'type="checkbox" name="topics" value="art"',
      'type="number" min="18" step="1"',
      '<textarea id="field-6" name="about" maxlength="500">',
      '<input type="hidden" name="edition" value="2027">',
      'name="consent" required type="checkbox" value="true"',
      '<input name="_gotcha" tabindex="-1" autocomplete="off">',
      "<button>Absenden</button>",
    ]) {
      expect(html).toContain(part);
    }
    expect(html).not.toMatch(/<script|\son\w+=|\sstyle=|<link|<img|url\(|\{value\}|undefined|\[object/i);
    expect(page.headers.toJSON()).toMatchObject({
      "content-language": "de",
      "content-security-policy": expect.not.stringContaining("script-src"),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
  });

  test("has another idempotency key each time", async () => {
    const { key } = await newPage();
    const keys = [];
    for (let count = 0; count < 3; count += 1)
      keys.push(hiddenKey(await (await open(`/v1/f/${key}`)).text()));
    expect(new Set(keys).size).toBe(3);
    for (const each of keys) expect(each).toMatch(/^[\w-]{22}$/);
  });

  test("has a widget, and a policy for its scripts alone, where a challenge is required", async () => {
    const form = await newPage({ challenge: true });
    const page = await open(`/v1/f/${form.key}`);
    const html = await page.text();
    expect(html).toContain(`challenge="../s/${form.key}/challenge"`);
    expect(html).toContain('<script type="module" src="../altcha.js"></script>');
    expect(html).toMatch(/<noscript>.*JavaScript/);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; frame-ancestors 'none'$/,
    );
  });

  test("offers files as the form takes them", async () => {
    const properties = { cv: { format: "binary" }, photos: { type: "array", items: { format: "binary" } } };
    const settings = { schema: { properties }, allowedTypes: [".pdf"], maxFileSize: 2_097_152 };
    const html = await (await open(`/v1/f/${(await newPage({ uploads: true, ...settings })).key}`)).text();
    expect(html).toContain('<form method="post" enctype="multipart/form-data">');
    expect(html).toContain('type="file" accept=".pdf"');
    expect(html).toContain('type="file" multiple accept=".pdf"');
    expect(html).toContain(".pdf · Up to 2 MB");
  });

  test("shows texts of its schema as texts", async () => {
    const evil = `"><script>alert(1)</script>`;
    const properties = { [evil]: { title: evil, description: evil, enum: [evil, "b"], default: evil } };
    const { key } = await newPage({ schema: { title: evil, description: evil, properties } });
    expect(await (await open(`/v1/f/${key}`)).text()).not.toContain("<script");
  });

  test("is nowhere for a form without one, and answers as for no form", async () => {
    const without = await newForm({ schema });
    const missing = await open(`/v1/f/${"a".repeat(24)}`);
    expect(missing.status).toBe(404);
    for (const key of [without.key, without.slug, "x"]) {
      for (const answer of [await open(`/v1/f/${key}`), await post({ key }, filled())]) {
        expect(answer.status).toBe(404);
        expect(await answer.text()).toBe(await missing.clone().text());
      }
    }
    expect(await stored(without)).toEqual([]);
  });

  test("follows the settings of the form", async () => {
    const form = await newPage();
    await setForm(app, OPERATOR, form.key, { schema: { ...schema, title: "New" }, language: "pl" });
    expect(await (await open(`/v1/f/${form.key}`)).text()).toMatch(/<h1>New<\/h1>[^]*<button>Wyślij/);
    await setForm(app, OPERATOR, form.key, { page: false });
    expect((await open(`/v1/f/${form.key}`)).status).toBe(404);
  });

  test.each<[what: string, settings: Partial<NewForm>, expected: string]>([
    ["is closed", { closesAt: "2026-01-01T00:00:00Z" }, "Dieses Formular ist geschlossen"],
    ["is not open yet", { opensAt: "2027-01-01T00:00:00Z" }, "Es öffnet am 1. Januar 2027"],
    ["is full", { maxSubmissions: 1 }, "Dieses Formular ist voll"],
  ])("says that the form %s", async (_, settings, expected) => {
    const form = await newPage({ language: "de", ...settings });
    await post(form, filled());
    for (const answer of [await open(`/v1/f/${form.key}`), await post(form, filled({ name: "Bob" }))]) {
      expect(answer.status).toBe(409);
      const html = await answer.text();
      expect(html).toContain(expected);
      expect(html).not.toContain("<form");
    }
  });

  test("says that the form is disabled, unless it has no page", async () => {
    const form = await newPage();
    await setForm(app, OPERATOR, form.key, { enabled: false });
    const without = await newForm();
    await setForm(app, OPERATOR, without.key, { enabled: false });
    expect((await open(`/v1/f/${without.key}`)).status).toBe(404);
    expect((await post(without, filled())).status).toBe(404);
    expect(await (await open(`/v1/f/${form.key}`)).text()).toContain("This form is closed");
    expect((await post(form, filled())).status).toBe(409);
  });

  test("takes GET, HEAD and POST", async () => {
    const form = await newPage();
    expect((await post(form, { method: "HEAD" })).status).toBe(200);
    for (const method of ["PUT", "DELETE", "OPTIONS"]) {
      const answer = await post(form, { method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    }
  });
});

describe("a submission to the page", () => {
  test("is stored without control fields, and leads to the thanks of the form", async () => {
    const form = await newPage({ successMessage: "See you" });
    const answer = await post(form, filled({ _idempotency: "k", _gotcha: "" }));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/v1/thanks?form=${form.key}`]);
    expect(await stored(form)).toEqual([
      { data: { name: "Ann", size: "M", edition: "2027", consent: "true" }, state: "inbox" },
    ]);
    expect(await (await open(answer.headers.get("location")!)).text()).toContain("See you");
  });

  test("leads to the success URL", async () => {
    const form = await newPage({ successUrl: "https://example.com/ok" });
    expect((await post(form, filled())).headers.get("location")).toBe("https://example.com/ok");
  });

  test("is stored once for a double click, and again after a change", async () => {
    const form = await newPage();
    for (const name of ["Ann", "Ann", "Anna"]) await post(form, filled({ name, _idempotency: "k" }));
    expect(await stored(form)).toHaveLength(2);
  });

  test("with a filled honeypot is spam, and answered alike", async () => {
    const form = await newPage();
    expect((await post(form, filled({ _gotcha: "x" }))).status).toBe(303);
    const [spam] = (await app.store.submissions.list(form.key, 10, null, ["spam"])).submissions;
    expect(spam).toMatchObject({ state: "spam", spam: "honeypot" });
  });

  test("is stored with its files, also as JSON without any", async () => {
    const form = await newPage({
      uploads: true,
      schema: { properties: { cv: { format: "binary" }, a: {} } },
    });
    await post(
      form,
      formData([
        ["cv", new File(["x"], "cv.txt")],
        ["a", "1"],
      ]),
    );
    await post(form, json({ a: 2 }));
    const { submissions } = await app.store.submissions.list(form.key, 10, null);
    expect(submissions.map(({ data, files }) => [data, files.map(({ name }) => name)])).toEqual([
      [{ a: 2 }, []],
      [{ a: "1" }, ["cv.txt"]],
    ]);
  });
});

describe("a submission that is wrong", () => {
  const wrong = {
    name: "A",
    email: `"><b>`,
    size: "S",
    topics: "code",
    age: "12",
    about: "</textarea>\nHello",
    edition: "1",
    consent: "",
  };

  test("shows the form again, as it was filled in, with an error beside each field", async () => {
    const form = await newPage({ language: "de" });
    const answer = await storingNothing(() => post(form, filled(wrong)));
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([422, "no-store"]);
    const html = await answer.text();
    expect(html).toContain("<title>Fehler: Apply</title>");
    for (const part of [
      '<a href="#field-1">Your name: Das ist zu kurz. Die Mindestzahl an Zeichen beträgt 2.</a>',
      '<a href="#field-8">Consent: Bitte setzen Sie hier ein Häkchen.</a>',
      '<p class="wrong" id="field-1-error">',
      'aria-describedby="field-1-error" aria-invalid="true" autofocus',
      'aria-describedby="field-2-hint-0 field-2-error" aria-invalid="true"',
      'value="A"',
      'value="&quot;&gt;&lt;b&gt;"',
      'value="S" checked',
      'value="code" checked',
      'value="12"',
      "\n&lt;/textarea&gt;\nHello</textarea>",
      // What nobody can change has its value again.
      'name="edition" value="2027"',
    ]) {
      expect(html).toContain(part);
    }
    expect(html.match(/autofocus/g)).toHaveLength(1);
    expect(html).not.toContain('value="M" checked');
  });

  test("can be corrected, with the key of the page or the first one", async () => {
    const form = await newPage();
    const html = await (await post(form, filled({ ...wrong, _idempotency: "first" }))).text();
    await post(form, filled({ _idempotency: hiddenKey(html) }));
    await post(form, filled({ name: "Bob", _idempotency: "first" }));
    expect(await stored(form)).toHaveLength(2);
  });

  test("lists what belongs to no field, without a name of the sender's choosing", async () => {
    const rules = { anyOf: [{ required: ["email"] }, { required: ["age"] }], additionalProperties: false };
    const form = await newPage({ schema: { ...schema, ...rules } });
    const html = await (await post(form, filled({ "Call 555": "1", nickname: "1" }))).text();
    const items = [...html.matchAll(/<li>(.*?)<\/li>/g)].map((match) => match[1]);
    expect(items).toEqual([
      "Please fill in at least one of these: Email, Age.",
      "This field is not part of the form.",
      "nickname: This field is not part of the form.",
    ]);
    // The summary has the focus where no field has.
    expect(html).toContain('aria-labelledby="summary" tabindex="-1" autofocus');
  });

  test("is an error of a list where one of its items is wrong", async () => {
    const form = await newPage();
    const html = await (await post(form, filled({ topics: "sport" }))).text();
    expect(html).toContain('<a href="#field-4">Topics: Please choose one of the options.</a>');
  });

  test("without anything is shown as the empty form", async () => {
    const form = await newPage({ schema: { properties: { a: { type: "boolean" } } } });
    const answer = await post(form, urlencoded("_idempotency=k&_gotcha="));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Please fill in at least one field.");
  });

  test("past the rate limit says so, and keeps what was typed", async () => {
    const properties = { ...schema.properties, cv: { format: "binary" } };
    const settings = { uploads: true, schema: { ...schema, properties } };
    const form = await newPage({ ...settings, rateLimit: { count: 1, seconds: 60 } });
    await post(form, filled());
    const sent = formData([
      ["cv", new File(["x"], "cv.txt")],
      ["name", "Bob"],
    ]);
    const answer = await storingNothing(() => post(form, sent));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "60"]);
    const html = await answer.text();
    expect(html).toContain("That was too often");
    expect(html).toContain('value="Bob"');
    expect(html).toContain("Please choose the file again.");
    expect(html).not.toContain("Files are not accepted");
  });

  test("as rejected spam is answered as that", async () => {
    const form = await newPage({ spam: "reject" });
    const answer = await post(form, filled({ _gotcha: "x" }));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toMatch(/This was not accepted[^]*value="Ann"/);
  });
});

describe("a file that is refused", () => {
  const files = {
    required: ["name"],
    properties: { cv: { format: "binary" }, photo: { format: "binary" }, name: { minLength: 2 }, b: {} },
  };
  const upload = (field: string, name: string, content: string): [string, string] => [
    `Content-Disposition: form-data; name="${field}"; filename="${name}"`,
    content,
  ];
  const settings = { uploads: true, schema: files, maxFileSize: 10, allowedTypes: [".txt"] };

  test.each<[what: string, part: [string, string], status: number, expected: string]>([
    [
      "a large one",
      upload("cv", "a.txt", "x".repeat(11)),
      413,
      "A file is too large. A file can have at most 10 byte.",
    ],
    [
      "one of another type",
      upload("cv", "a.pdf", "%PDF"),
      415,
      "This type of file is not accepted. The form takes .txt.",
    ],
    [
      "one of another content",
      upload("cv", "a.txt", "%PDF-1.7\0"),
      415,
      "Its content does not match its name.",
    ],
  ])("%s is named at its field, and the fields behind it are kept", async (_, part, status, expected) => {
    const form = await newPage(settings);
    const sent = multipart(part, upload("photo", "b.txt", "x"), text("name", "Ann"), text("b", "behind"));
    const answer = await storingNothing(() => post(form, sent));
    expect(answer.status).toBe(status);
    const html = await answer.text();
    expect(html).toContain(`<p class="wrong" id="field-1-error">`);
    expect(html).toContain(expected);
    expect(html).toContain('value="behind"');
    expect(html).toContain('<p class="wrong" id="field-2-note">Please choose the file again.</p>');
    expect(html).not.toContain('id="field-2-error"');
  });

  test("is one of too many", async () => {
    const form = await newPage({ ...settings, maxFiles: 1 });
    const sent = multipart(upload("cv", "a.txt", "x"), upload("photo", "b.txt", "x"), text("b", "1"));
    const html = await (await storingNothing(() => post(form, sent))).text();
    expect(html).toMatch(/id="field-2-error">These are too many files. Please send no more than 1.</);
    expect(html).not.toContain('id="field-1-error"');
  });

  test("is not read without end, and another error is shown before its own", async () => {
    const form = await newPage(settings);
    const endless = multipart(upload("cv", "a.txt", "x".repeat(34 * 1024 * 1024)), text("b", "1"));
    expect((await post(form, endless)).status).toBe(413);
    const broken = multipart(upload("cv", "a.txt", "x".repeat(11)), text("b", "1"));
    const cut = { ...broken, body: broken.body.subarray(0, -10) };
    expect((await post(form, cut)).status).toBe(400);
  });

  test("must be chosen again after another error", async () => {
    const form = await newPage(settings);
    const sent = multipart(upload("cv", "a.txt", "x"), text("name", "A"));
    const html = await (await storingNothing(() => post(form, sent))).text();
    expect(html).toContain('<p class="wrong" id="field-1-note">Please choose the file again.</p>');
    expect(html).toContain('id="field-3-error"');
  });

  test("is refused where the form takes none", async () => {
    const form = await newPage();
    const answer = await post(form, multipart(text("name", "Ann"), file("a.txt", "x")));
    expect(answer.status).toBe(403);
    expect(await answer.text()).toMatch(/Files are not accepted[^]*value="Ann"/);
  });
});

describe("a form that limits its origins", () => {
  const limited = { allowedOrigins: ["https://example.com"] };

  test.each<[what: string, headers: Record<string, string>, status: number]>([
    ["its own page by the host", { Host: "forms.test:8787", Origin: "http://forms.test:8787" }, 303],
    ["its own page behind a proxy with TLS", { Host: "forms.test", Origin: "https://forms.test" }, 303],
    ["its own page at the public URL", { Host: "127.0.0.1:8787", Origin: "https://public.example" }, 303],
    [
      "its own page as the browser says",
      { Host: "x", Origin: "https://y", "Sec-Fetch-Site": "same-origin" },
      303,
    ],
    ["an allowed page", { Host: "forms.test", Origin: "https://example.com" }, 303],
    ["a program", { Host: "forms.test" }, 303],
    ["another page", { Host: "forms.test", Origin: "https://evil.example" }, 403],
    [
      "a page of the same site",
      { Host: "forms.test", Origin: "https://a.forms.test", "Sec-Fetch-Site": "same-site" },
      403,
    ],
    ["a page on another port", { Host: "forms.test:8787", Origin: "http://forms.test:9000" }, 403],
    ["a page without an origin", { Host: "forms.test", Origin: "null" }, 403],
  ])("takes submissions to its page from %s: %j", async (_, headers, status) => {
    const service = openServices(app, "https://public.example/base").forms;
    const form = await newPage(limited);
    expect((await post(form, { ...filled(), headers }, service)).status).toBe(status);
  });

  test("does not take more at the address for submissions", async () => {
    const form = await newPage(limited);
    const headers = { Host: "forms.test", Origin: "http://forms.test" };
    expect((await send(form.key, { ...plain, headers })).status).toBe(403);
  });
});

describe("a page is refused", () => {
  test("without a schema, or with one that is not flat", async () => {
    expect(newForm({ page: true })).rejects.toThrow("page: the form has no schema");
    const nested = { properties: { address: { type: "object" } } };
    expect(newForm({ page: true, schema: nested })).rejects.toThrow(
      "page: the schema is not flat: the field address holds other fields",
    );
  });

  test("when what it needs is removed", async () => {
    const { key } = await newPage({
      uploads: true,
      schema: { required: ["cv"], properties: { cv: { format: "binary" } } },
    });
    const set = (patch: Parameters<typeof setForm>[3]) => setForm(app, OPERATOR, key, patch);
    expect(set({ schema: null })).rejects.toThrow("page: the form has no schema");
    expect(set({ uploads: false })).rejects.toThrow("the field cv is a required file");
    expect(set({ honeypots: ["cv"] })).rejects.toThrow("the field cv is a honeypot");
    await set({ schema: null, page: false });
  });
});
