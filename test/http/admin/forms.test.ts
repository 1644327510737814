import { describe, expect, test } from "bun:test";
import { DEFAULT_SETTINGS } from "../../../src/forms/settings/settings.ts";
import { fresh, path, openAdmin } from "../../support/admin.ts";
import { shownForm } from "../../support/records/records.ts";

const { app, ask } = await openAdmin();

describe("forms", () => {
  test("are made, shown by slug and key, changed, listed and deleted", async () => {
    const slug = fresh();
    const made = await ask("/forms", { body: { slug } });
    expect(made.status).toBe(201);
    const { result, ...form } = (await made.json()) as { result: string; key: string };
    expect(result).toBe("created");
    expect(form.key).toMatch(/^[A-Za-z0-9_-]{20,}$/);
    expect(form as unknown).toEqual(shownForm(slug, form.key, new Date(app.now()).toISOString()));
    for (const name of [slug, form.key]) expect(await (await ask(path("forms", name))).json()).toEqual(form);

    const settings = {
      name: "Contact",
      enabled: false,
      uploads: true,
      successUrl: "https://example.com/thanks?a=b",
      errorUrl: "http://localhost:8000/error",
      allowedOrigins: ["https://example.com", "https://*.example.org:8443"],
      blockedSenders: ["203.0.113.0/24", "2001:db8::1"],
      rateLimit: { count: 5, seconds: 60 },
      maxFileSize: 10_485_760,
      maxFiles: 1,
      allowedTypes: [".pdf", "image/*"],
      opensAt: "2027-01-01T00:00:00.000Z",
      closesAt: "2027-01-31T12:00:00.000Z",
      maxSubmissions: 10_000,
      spam: "reject",
      honeypots: ["website"],
      spamWords: ["viagra", "crypto*"],
      spamEmails: ["*@spam.example"],
      spamLinks: 0,
      spamDisposable: true,
      duplicates: 60,
      challenge: true,
      schema: { type: "object", required: ["email"], properties: { email: { format: "email" } } },
    };
    const patch = async (body: unknown) => (await ask(path("forms", slug), { method: "PATCH", body })).json();
    expect(await patch(settings)).toEqual({ ...form, ...settings, result: "updated" });
    expect(await patch(settings)).toMatchObject({ result: "unchanged" });
    expect(await patch({})).toMatchObject({ result: "unchanged" });
    const reset = { successUrl: null, errorUrl: null, rateLimit: null, maxFileSize: null, maxFiles: null };
    const resetToo = Object.fromEntries(Object.keys(DEFAULT_SETTINGS).map((name) => [name, null]));
    expect(await patch({ ...reset, ...resetToo })).toMatchObject({
      successUrl: null,
      rateLimit: null,
      maxFileSize: 1_048_576,
      maxFiles: 5,
      ...DEFAULT_SETTINGS,
      // Null is a value of this one: never.
      spamRetention: null,
    });

    const { forms } = (await (await ask("/forms")).json()) as { forms: { slug: string }[] };
    expect(forms.map((each) => each.slug)).toContain(slug);
    expect((await ask(path("forms", form.key), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("forms", slug))).status).toBe(404);
  });
});

describe("tokens", () => {
  test("are shown with their secret once, listed without it, and revoked", async () => {
    const name = fresh();
    const made = await ask("/tokens", {
      body: { name, scopes: ["read"], expiresAt: "2030-01-01T00:00:00Z" },
    });
    expect(made.status).toBe(201);
    const { token, result, ...shown } = (await made.json()) as { token: string; result: string };
    expect(result).toBe("created");
    expect(shown as unknown).toEqual({
      name,
      scopes: ["read"],
      createdAt: new Date(app.now()).toISOString(),
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    const listed = await (await ask("/tokens")).text();
    expect((JSON.parse(listed) as { tokens: unknown[] }).tokens).toContainEqual(shown);
    expect(listed).not.toContain(token);
    expect((await ask("/projects", { token })).status).toBe(200);
    expect((await ask(path("tokens", name), { method: "DELETE" })).status).toBe(204);
    expect((await ask("/projects", { token })).status).toBe(401);
  });
});

test("a form that would keep submissions for minutes is confirmed by its slug in X-Confirm", async () => {
  const slug = fresh();
  await ask("/forms", { body: { slug } });
  const body = { retention: 360 };
  const refused = await ask(path("forms", slug), { method: "PATCH", body });
  expect(refused.status).toBe(428);
  expect(await refused.json()).toEqual({
    error: {
      code: "unconfirmed",
      reason: "form-unconfirmed",
      message: `form ${slug} would keep submissions for 6 minutes and delete 0 of 0`,
      hint: "confirm the change by the slug of the form, in the header X-Confirm",
    },
  });
  const changed = await ask(path("forms", slug), { method: "PATCH", body, headers: { "x-confirm": slug } });
  expect([changed.status, ((await changed.json()) as { retention: number }).retention]).toEqual([200, 360]);
});
