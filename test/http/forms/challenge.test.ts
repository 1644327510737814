import { describe, expect, test } from "bun:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge } from "altcha-lib/types";
import type { Form } from "../../../src/forms/form.ts";
import { openServices } from "../../support/app.ts";
import { CLIENT, type Sent, openInbox, plain, urlencoded } from "../../support/inbox.ts";
import { clientAt } from "../../support/app.ts";

const inbox = openInbox();
const { app, forms, newForm, send, refused, stored, open, storingNothing } = inbox;
// Makes the project of the forms, whose keys have to differ.
await newForm();
// The lowest counter is solved in the shortest time.
const { random } = app;
app.random = (length) => (length === 4 ? new Uint8Array(4) : random(length));

type Asked = { method?: string; headers?: Record<string, string>; service?: typeof forms };

function ask(form: { key: string }, { method = "GET", headers = {}, service = forms }: Asked = {}) {
  const request = new Request(`http://forms.test/v1/s/${form.key}/challenge`, { method, headers });
  return service.routes.fetch(request, { client: clientAt(CLIENT) });
}

/** The payload of the widget. */
async function solve(form: Form, service = forms): Promise<string> {
  const challenge = (await (await ask(form, { service })).json()) as Challenge;
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
}

const withPayload = (payload: string, body = "a=1"): Sent =>
  urlencoded(`${body}&${new URLSearchParams({ altcha: payload }).toString()}`);

describe("a form with a challenge", () => {
  test("takes a submission with a solved one, once; the others are spam", async () => {
    const [form, other] = [await newForm({ challenge: true }), await newForm({ challenge: true })];
    const payload = await solve(form);
    expect(await stored(other, withPayload(payload))).toMatchObject({ spam: "challenge" });
    const solved = await stored(form, withPayload(payload));
    expect(solved).toMatchObject({ state: "inbox", spam: null, data: { a: "1" } });
    for (const sent of [withPayload(payload), plain, withPayload("no"), withPayload(await solve(other))])
      expect(await stored(form, sent)).toMatchObject({ state: "spam", spam: "challenge" });
    const late = await solve(form);
    app.clock.now += 3_600_001;
    expect(await stored(form, withPayload(late))).toMatchObject({ spam: "challenge" });
  });

  test("takes one of fifty submissions that bring the same solution at once", async () => {
    const form = await newForm({ challenge: true });
    const payload = await solve(form);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => send(form.key, withPayload(payload, `a=${index}`))),
    );
    expect(await app.store.submissions.count(form.key, ["inbox"])).toBe(1);
    expect(await app.store.submissions.count(form.key, ["spam"])).toBe(49);
  });

  test("does not spend a solution on a submission that has to be corrected", async () => {
    const form = await newForm({ challenge: true, schema: { required: ["email"] } });
    const payload = await solve(form);
    await refused(form, withPayload(payload), 422);
    expect(await stored(form, withPayload(payload, "email=a"))).toMatchObject({ spam: null });
    // Reused, so it is spam whatever the schema says.
    expect(await stored(form, withPayload(payload))).toMatchObject({ spam: "challenge" });
  });

  test("answers a repeat with its key, although the solution is spent", async () => {
    const form = await newForm({ challenge: true });
    const sent = { ...withPayload(await solve(form)), headers: { "Idempotency-Key": "k" } };
    const { id } = await stored(form, sent);
    const again = await storingNothing(() => send(form.key, sent));
    expect(((await again.json()) as { id: string }).id).toBe(id);
  });

  test("knows the challenges of other processes, as the keys are in the database", async () => {
    const form = await newForm({ challenge: true });
    const payload = await solve(form, openServices(app).forms);
    expect(await stored(form, withPayload(payload))).toMatchObject({ spam: null });
  });
});

describe("the address of challenges", () => {
  test("answers every page that may submit, and is not cached", async () => {
    const form = await newForm({ challenge: true, allowedOrigins: ["https://*.example.com"] });
    const answer = await ask(form, { headers: { Origin: "https://a.example.com" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.toJSON()).toMatchObject({
      "access-control-allow-origin": "https://a.example.com",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    const other = await ask(form, { headers: { Origin: "https://evil.example" } });
    expect(other.status).toBe(403);
    const preflight = await ask(form, { method: "OPTIONS", headers: { Origin: "https://a.example.com" } });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, OPTIONS",
    ]);
  });

  test.each<[string, number, () => Promise<{ key: string }>]>([
    ["a form that does not exist", 404, async () => ({ key: "nobody" })],
    ["a form without challenges", 404, () => newForm()],
    ["a form that is disabled", 409, () => newForm({ challenge: true, enabled: false })],
    ["a blocked sender", 403, () => newForm({ challenge: true, blockedSenders: [CLIENT] })],
  ])("gives none of %s: %d", async (_, status, make) => {
    const answer = await ask(await make());
    expect(answer.status).toBe(status);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toMatchObject({ error: true, code: status });
  });

  test("has the rate limit of the form, counted apart from its submissions", async () => {
    const form = await newForm({ challenge: true, rateLimit: { count: 2, seconds: 60 } });
    const statuses = [await ask(form), await ask(form), await ask(form)].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
    await stored(form, plain);
  });

  test("serves the widget and its worker beside it", async () => {
    for (const path of ["/v1/altcha.js", "/v1/altcha-worker.js"]) {
      const answer = await open(path);
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
      expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    }
  });
});
