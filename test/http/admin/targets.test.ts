import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { AppError } from "../../../src/base/errors.ts";
import { unanswered } from "../../../src/delivery/attempt.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { expectError, fresh, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ask, outgoing } = await openAdmin();

const HOOK = "https://example.com/hooks/PATH-SECRET?key=QUERY-SECRET";

async function addedTo(form: string, target = HOOK) {
  const answer = await ask(`/forms/${form}/targets`, { body: { target } });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: string; secret: string | null };
}

const newForm = async () => (await createForm(app, OPERATOR, { slug: fresh() })).slug;

describe("targets", () => {
  test("are added, listed, got, changed, tested and deleted, without a secret in any other answer", async () => {
    const form = await newForm();
    const added = await addedTo(form);
    expect(Object.keys(added)).toEqual(["id", "secret"]);
    const { id, secret } = added;
    const view = {
      id,
      project: "default",
      form,
      environment: null,
      events: null,
      digest: null,
      kind: "webhook",
      target: "https://example.com/…",
      method: "POST",
      headers: [],
      body: null,
      enabled: true,
      createdAt: new Date(app.now()).toISOString(),
      updatedAt: new Date(app.now()).toISOString(),
    };
    const answers = [
      await (await ask(`/forms/${form}/targets`)).json(),
      await (await ask(`/targets/${id}`)).json(),
      await (await ask(`/targets/${id}`, { method: "PATCH", body: { enabled: false } })).json(),
      await (await ask(`/targets/${id}/test`, { method: "POST" })).json(),
    ];
    expect(answers).toEqual([
      { targets: [view] },
      view,
      { ...view, enabled: false, result: "updated" },
      { code: 200, error: null, outcome: "delivered", request: null },
    ]);
    expect(JSON.stringify(answers)).not.toMatch(/SECRET|whsec_/);
    const rotated = (await (await ask(`/targets/${id}/rotate`, { body: {} })).json()) as typeof added;
    expect(rotated).toEqual({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.secret).not.toBe(secret);
    expect((await ask(`/targets/${id}`, { method: "DELETE" })).status).toBe(204);
    await expectError(await ask(`/targets/${id}`), 404, "not_found", id);
  });

  test("of a chat service have no secret", async () => {
    const { id, secret } = await addedTo(await newForm(), "ntfy:https://ntfy.sh/PATH-SECRET");
    expect(secret).toBeNull();
    expect(await (await ask(`/targets/${id}`)).text()).not.toContain("SECRET");
    await expectError(await ask(`/targets/${id}/rotate`, { body: {} }), 400, "invalid", "only webhooks");
  });

  test("are refused with a reason that does not repeat the URL", async () => {
    const form = await newForm();
    for (const target of [
      "example.com/SECRET",
      "https://u:SECRET@example.com",
      "gotify:https://a.example/SECRET",
    ]) {
      const answer = await ask(`/forms/${form}/targets`, { body: { target } });
      expect([target, answer.status]).toEqual([target, 400]);
      expect(await answer.text()).not.toContain("SECRET");
    }
    outgoing.refusal = new AppError("invalid", "10.0.0.1 is not public", { reason: "target-not-public" });
    const answer = await ask(`/forms/${form}/targets`, { body: { target: HOOK } });
    outgoing.refusal = null;
    expect(await answer.json()).toMatchObject({ error: { code: "invalid", reason: "target-not-public" } });
    expect(await (await ask(`/forms/${form}/targets`)).json()).toEqual({ targets: [] });
  });

  test("that fail a test are a 200 with the reason", async () => {
    const { id } = await addedTo(await newForm());
    const before = outgoing.answer;
    outgoing.answer = () => ({ ...unanswered("the answer was 410", false), outcome: "gone", code: 410 });
    const answer = await ask(`/targets/${id}/test`, { method: "POST" });
    outgoing.answer = before;
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { code: 410, error: "the answer was 410", outcome: "gone", request: null },
    ]);
    expect(await (await ask(`/targets/${id}`)).json()).toMatchObject({ enabled: true });
  });

  test("rotate with an overlap of 0 s to 30 d", async () => {
    const { id } = await addedTo(await newForm());
    for (const overlap of [0, 2_592_000])
      expect((await ask(`/targets/${id}/rotate`, { body: { overlap } })).status).toBe(200);
    for (const overlap of [-1, 2_592_001, 1.5, "24h", null])
      await expectError(await ask(`/targets/${id}/rotate`, { body: { overlap } }), 400, "invalid", "overlap");
  });

  test("are not read with a flag's token, and not changed with a reader's", async () => {
    const form = await newForm();
    const { id } = await addedTo(form);
    const { token: reader } = await createToken(app, OPERATOR, { name: fresh(), scopes: ["forms:read"] });
    const { token: flags } = await createToken(app, OPERATOR, { name: fresh(), scopes: ["flags:write"] });
    expect((await ask(`/forms/${form}/targets`, { token: reader })).status).toBe(200);
    expect((await ask(`/targets/${id}`, { token: flags })).status).toBe(403);
    for (const [address, asked] of [
      [`/forms/${form}/targets`, { body: { target: HOOK } }],
      [`/targets/${id}`, { method: "PATCH", body: { enabled: false } }],
      [`/targets/${id}`, { method: "DELETE" }],
      [`/targets/${id}/test`, { method: "POST" }],
      [`/targets/${id}/rotate`, { body: {} }],
    ] as const)
      expect((await ask(address, { ...asked, token: reader })).status).toBe(403);
  });
});
