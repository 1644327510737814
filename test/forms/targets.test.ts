import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/base/errors.ts";
import { delivered, unanswered } from "../../src/delivery/attempt.ts";
import { MAX_SECRETS, MAX_TARGETS } from "../../src/delivery/limits.ts";
import { createForm, deleteForm } from "../../src/forms/forms.ts";
import {
  addTarget,
  deleteTarget,
  getTarget,
  listTargets,
  rotateSecret,
  setTarget,
} from "../../src/forms/targets.ts";
import { testTarget } from "../../src/forms/target-test.ts";
import { type TestApp, openTestApp } from "../support/app.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { chatsOf, fakeOutgoing, webhooksOf } from "../support/peers/outgoing.ts";
import { codeOf, reasonOf } from "../support/refusals.ts";

const HOOK = "https://example.com/hooks/path-secret";
const NTFY = "ntfy:https://ntfy.sh/path-secret";

async function openContact() {
  const app = openTestApp();
  const outgoing = fakeOutgoing();
  const form = await createForm(app, OPERATOR, { slug: "contact", name: "Contact us" });
  const add = (text = HOOK) => addTarget(app, OPERATOR, "contact", text, outgoing);
  /** The secrets that sign a delivery now. */
  const signing = async (id: string) => {
    await testTarget(app, OPERATOR, id, outgoing);
    return webhooksOf(outgoing).at(-1)!.secrets;
  };
  return { app, outgoing, form, add, signing };
}

describe("a target", () => {
  test("is added enabled, with a secret where it is a webhook, and shown without it and without its path", async () => {
    const { app, outgoing, form, add } = await openContact();
    const hook = await add();
    app.clock.now += 1;
    const chat = await addTarget(app, OPERATOR, form.key, NTFY, outgoing);
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(chat.secret).toBeNull();
    expect(outgoing.checked).toEqual([
      { kind: "webhook", url: HOOK },
      { kind: "ntfy", url: "https://ntfy.sh/path-secret" },
    ]);
    const view = {
      id: hook.id,
      project: "default",
      form: "contact",
      environment: null,
      events: null,
      digest: null,
      kind: "webhook",
      target: "https://example.com/…",
      method: "POST" as const,
      headers: [],
      body: null,
      enabled: true,
      createdAt: "2026-01-02T03:04:05.678Z",
      updatedAt: "2026-01-02T03:04:05.678Z",
    };
    expect(await getTarget(app, OPERATOR, hook.id)).toEqual(view);
    const listed = await listTargets(app, OPERATOR, "contact");
    expect(listed).toMatchObject([view, { id: chat.id, kind: "ntfy", target: "ntfy:https://ntfy.sh/…" }]);
    expect(JSON.stringify(listed)).not.toContain("secret");
  });

  test("is not added where its text, its form or its address is refused, or the form has twenty", async () => {
    const { app, outgoing, add } = await openContact();
    expect(await codeOf(add("example.com"))).toBe("invalid");
    expect(await reasonOf(addTarget(app, OPERATOR, "nobody", HOOK, outgoing))).toBe(
      "not_found form-not-found",
    );
    expect(outgoing.checked).toEqual([]);
    outgoing.refusal = new AppError("invalid", "no", { reason: "target-not-public" });
    expect(await reasonOf(add())).toBe("invalid target-not-public");
    outgoing.refusal = null;
    expect(await listTargets(app, OPERATOR, "contact")).toEqual([]);
    const outcomes = await Promise.all(Array.from({ length: MAX_TARGETS + 2 }, () => reasonOf(add())));
    expect(outcomes.filter((outcome) => outcome === "none")).toHaveLength(MAX_TARGETS);
    expect(outcomes.filter((outcome) => outcome === "conflict target-limit")).toHaveLength(2);
    expect(await listTargets(app, OPERATOR, "contact")).toHaveLength(MAX_TARGETS);
  });

  test("is disabled and enabled, deleted, and gone with its form", async () => {
    const { app, add } = await openContact();
    const [{ id }, { id: other }] = [await add(), await add(NTFY)];
    app.clock.now += 5;
    const disabled = await setTarget(app, OPERATOR, id, { enabled: false }, async () => fakeOutgoing());
    expect(disabled).toMatchObject({
      result: "updated",
      target: { enabled: false, updatedAt: "2026-01-02T03:04:05.683Z" },
    });
    const version = (await app.store.readVersion()).version;
    app.clock.now += 5;
    const again = await setTarget(app, OPERATOR, id, { enabled: false }, async () => fakeOutgoing());
    expect(again).toEqual({ ...disabled, result: "unchanged" });
    expect((await app.store.readVersion()).version).toBe(version);
    expect(
      (await setTarget(app, OPERATOR, id, { enabled: true }, async () => fakeOutgoing())).target.enabled,
    ).toBe(true);
    await deleteTarget(app, OPERATOR, id);
    expect(await reasonOf(deleteTarget(app, OPERATOR, id))).toBe("not_found target-not-found");
    await deleteForm(app, OPERATOR, "contact");
    expect(await reasonOf(getTarget(app, OPERATOR, other))).toBe("not_found target-not-found");
  });

  test("sends to another URL of its kind, with the same id and secret, once that is checked", async () => {
    const { app, outgoing, add } = await openContact();
    const { id } = await add();
    const [before] = await app.store.targets.list((await app.store.forms.named("contact"))[0]!.key);
    const move = (target: string) => setTarget(app, OPERATOR, id, { target }, async () => outgoing);
    outgoing.refusal = new AppError("invalid", "no", { reason: "target-not-public" });
    expect(await reasonOf(move("https://10.0.0.1/new"))).toBe("invalid target-not-public");
    outgoing.refusal = null;
    for (const wrong of ["example.com", NTFY]) expect(await codeOf(move(wrong))).toBe("invalid");
    expect(await app.store.targets.find(id)).toEqual(before);
    const moved = await move("https://new.example/hook?key=secret");
    expect(moved).toMatchObject({ result: "updated", target: { id, target: "https://new.example/…" } });
    expect(await app.store.targets.find(id)).toMatchObject({
      url: "https://new.example/hook?key=secret",
      secrets: before!.secrets,
    });
    expect((await move("https://new.example/hook?key=secret")).result).toBe("unchanged");
  });

  test("is changed and tested by those alone who hold the scope forms:write", async () => {
    const { app, outgoing, add } = await openContact();
    const { id } = await add();
    outgoing.checked.length = 0;
    const before = await app.store.targets.list((await app.store.forms.named("contact"))[0]!.key);
    const reader = callerNamed("ci", { scopes: ["forms:read", "flags:locked"] });
    for (const attempt of [
      async () => addTarget(app, reader, "contact", HOOK, outgoing),
      async () => setTarget(app, reader, id, { enabled: false }, async () => fakeOutgoing()),
      async () => rotateSecret(app, reader, id),
      async () => deleteTarget(app, reader, id),
      async () => testTarget(app, reader, id, outgoing),
    ])
      expect(await reasonOf(attempt())).toBe("forbidden");
    expect(await app.store.targets.list(before[0]!.formKey!)).toEqual(before);
    expect([outgoing.checked, webhooksOf(outgoing)]).toEqual([[], []]);
  });
});

describe("a rotation", () => {
  test("signs with the new secret first, and with the old one until the overlap ends", async () => {
    const { app, add, signing } = await openContact();
    const { id, secret: old } = await add();
    const { secret } = await rotateSecret(app, OPERATOR, id);
    expect(secret).not.toBe(old!);
    app.clock.now += 86_400_000 - 1;
    expect(await signing(id)).toEqual([secret, old!]);
    app.clock.now += 1;
    expect(await signing(id)).toEqual([secret]);
    await rotateSecret(app, OPERATOR, id);
    expect((await app.store.targets.find(id))!.secrets).toHaveLength(2);
  });

  test("never lets a secret sign longer than it was to, and without an overlap ends all at once", async () => {
    const { app, add, signing } = await openContact();
    const { id, secret: first } = await add();
    const { secret: second } = await rotateSecret(app, OPERATOR, id, 60);
    const { secret: third } = await rotateSecret(app, OPERATOR, id, 3600);
    expect(await signing(id)).toEqual([third, second, first!]);
    app.clock.now += 60_000;
    expect(await signing(id)).toEqual([third, second]);
    const { secret: last } = await rotateSecret(app, OPERATOR, id, 0);
    expect(await signing(id)).toEqual([last]);
    expect((await app.store.targets.find(id))!.secrets).toEqual([{ secret: last, until: null }]);
  });

  test("is refused past a number of secrets, and for a chat service", async () => {
    const { app, add } = await openContact();
    const [{ id }, { id: chat }] = [await add(), await add(NTFY)];
    for (let count = 1; count < MAX_SECRETS; count += 1) await rotateSecret(app, OPERATOR, id);
    expect(await reasonOf(rotateSecret(app, OPERATOR, id))).toBe("conflict target-secrets");
    expect(await reasonOf(rotateSecret(app, OPERATOR, id, 0))).toBe("none");
    expect(await reasonOf(rotateSecret(app, OPERATOR, chat))).toBe("invalid target-without-secret");
    expect(await reasonOf(rotateSecret(app, OPERATOR, "nope"))).toBe("not_found target-not-found");
  });
});

describe("a test", () => {
  test("sends a webhook a sample as a submission is shown, of a type and an id of its own", async () => {
    const { app, outgoing, add } = await openContact();
    const { id, secret } = await add();
    expect(await testTarget(app, OPERATOR, id, outgoing)).toEqual({ ...delivered(200), request: null });
    const [delivery] = webhooksOf(outgoing);
    expect(delivery).toMatchObject({
      url: HOOK,
      type: "submission.test",
      secrets: [secret!],
      createdAt: "2026-01-02T03:04:05.678Z",
    });
    const sample = JSON.parse(delivery!.data) as { id: string };
    expect(sample).toMatchObject({
      form: "contact",
      data: { name: expect.any(String), email: expect.stringContaining("@"), message: expect.any(String) },
      files: [],
      createdAt: "2026-01-02T03:04:05.678Z",
      state: "inbox",
      spam: null,
    });
    await testTarget(app, OPERATOR, id, outgoing);
    const ids = [...webhooksOf(outgoing).map((each) => each.id), sample.id];
    expect(new Set(ids).size).toBe(3);
    for (const each of ids) expect(each).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("sends a chat service a message that names the form", async () => {
    const { app, outgoing, add } = await openContact();
    const { id } = await add(NTFY);
    await testTarget(app, OPERATOR, id, outgoing);
    const [sent] = chatsOf(outgoing);
    expect(sent).toMatchObject({ kind: "ntfy", url: "https://ntfy.sh/path-secret" });
    expect(sent!.message.title).toContain("Contact us");
  });

  test("reaches a disabled target, stores nothing and reports what failed", async () => {
    const { app, outgoing, add, form } = await openContact();
    const { id } = await add();
    await setTarget(app, OPERATOR, id, { enabled: false }, async () => fakeOutgoing());
    const version = (await app.store.readVersion()).version;
    const refused = unanswered("the connection to example.com failed (ECONNREFUSED)", true);
    outgoing.answer = () => refused;
    expect(await testTarget(app, OPERATOR, id, outgoing)).toEqual({ ...refused, request: null });
    expect(webhooksOf(outgoing)).toHaveLength(1);
    expect((await app.store.readVersion()).version).toBe(version);
    expect(await app.store.submissions.count(form.key)).toBe(0);
    expect(await reasonOf(testTarget(app, OPERATOR, "nope", outgoing))).toBe("not_found target-not-found");
  });
});

describe("a target with a request of its own", () => {
  const headers = ["Authorization: Bearer HEADER-SECRET", "X-A: HEADER-SECRET"];
  const set = (app: TestApp, id: string, given: Parameters<typeof setTarget>[3]) =>
    setTarget(app, OPERATOR, id, given, async () => fakeOutgoing());

  test("shows the names of its headers alone, also in what is listed, logged and remembered", async () => {
    const { app, outgoing } = await openContact();
    const { id } = await addTarget(app, OPERATOR, "contact", HOOK, outgoing, {
      headers,
      method: "PUT",
      body: '{"a": "{{data.name}}"}',
    });
    await set(app, id, { headers: ["Authorization", "X-B: HEADER-SECRET"] });
    const shown = await getTarget(app, OPERATOR, id);
    expect(shown).toMatchObject({
      method: "PUT",
      headers: ["Authorization", "X-B"],
      body: '{"a": "{{data.name}}"}',
    });
    expect((await app.store.targets.find(id))!.request!.headers).toEqual([
      { name: "Authorization", value: "Bearer HEADER-SECRET" },
      { name: "X-B", value: "HEADER-SECRET" },
    ]);
    const { items } = await app.store.changes.everywhere({ limit: 100, kind: "form", name: "contact" }, null);
    expect(JSON.stringify([shown, items])).not.toContain("HEADER-SECRET");
    expect(JSON.stringify(items)).toContain(`request of ${id}`);
    await testTarget(app, OPERATOR, id, outgoing);
    expect(webhooksOf(outgoing)[0]!.request).toMatchObject({ method: "PUT", body: '{"a": "{{data.name}}"}' });
  });

  test("sends no header to another server than the one that it was given for", async () => {
    const { app, outgoing } = await openContact();
    const { id } = await addTarget(app, OPERATOR, "contact", HOOK, outgoing, { headers });
    const other = "https://example.net/hook";
    for (const given of [{}, { headers: ["X-A"] }, { headers: ["X-A", "X-B: new"] }])
      expect(await reasonOf(set(app, id, { target: other, ...given }))).toBe("invalid target-header");
    expect((await app.store.targets.find(id))!.url).toBe(HOOK);
    expect(await reasonOf(set(app, id, { target: "https://example.com/other" }))).toBe("none");
    expect(await reasonOf(set(app, id, { target: other, headers: ["X-A: new"] }))).toBe("none");
    expect(await reasonOf(set(app, id, { target: HOOK, headers: [] }))).toBe("none");
    expect((await app.store.targets.find(id))!.request).toBeNull();
    expect(await set(app, id, { headers: [], method: "POST", body: null })).toMatchObject({
      result: "unchanged",
    });
  });

  test("is refused with nothing stored where it cannot be sent", async () => {
    const { app, outgoing, add } = await openContact();
    const { id } = await add();
    for (const given of [{ headers: ["Host: a"] }, { headers: ["X-A"] }, { body: "no JSON" }]) {
      expect(await codeOf(set(app, id, given))).toBe("invalid");
      expect(await codeOf(addTarget(app, OPERATOR, "contact", HOOK, outgoing, given))).toBe("invalid");
    }
    expect(await reasonOf(addTarget(app, OPERATOR, "contact", NTFY, outgoing, { body: "{}" }))).toBe(
      "invalid target-request",
    );
    expect(await listTargets(app, OPERATOR, "contact")).toHaveLength(1);
  });
});
