import { describe, expect, test } from "bun:test";
import type { SubmissionMark } from "../../src/forms/submission-state.ts";
import { deleteForm } from "../../src/forms/forms.ts";
import { deleteSubmission } from "../../src/forms/keeping/submission-deletion.ts";
import { purgeSubmissions } from "../../src/forms/keeping/purge.ts";
import { markSubmissions } from "../../src/forms/inbox/submission-marks.ts";
import { evaluateStored } from "../../src/flags/reads/evaluations.ts";
import { createFlagReader } from "../../src/flags/reads/flag-reader.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { deleteSegment, setSegment } from "../../src/flags/segments.ts";
import { approve, listMembers, suspend } from "../../src/memberships/members.ts";
import type { GivenSource } from "../../src/flags/source-card.ts";
import { setSource } from "../../src/memberships/sources.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { json, openInbox, urlencoded } from "../support/inbox.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";
import { codeOf, errorOf } from "../support/refusals.ts";

const { app, newForm, stored, send } = openInbox();
await newForm();
await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "spare"] });
const segmentAt = (segment: string, environment = "live") => ({ project: "shop", environment, segment });
const variants = { on: true, off: false };
let names = 0;

/** A form that fills a segment, and a flag that is on for its members. */
async function openBeta(given: Partial<GivenSource> = {}) {
  const form = await newForm();
  const name = `beta-${(names += 1)}`;
  const place = segmentAt(name);
  const fill = (more: Partial<GivenSource> = {}) =>
    setSource(app, OPERATOR, place, { form: form.slug, field: "email", ...given, ...more }, null);
  const flag = async () => {
    const targeting = { if: [{ $ref: name }, "on", "off"] };
    await setFlag(
      app,
      OPERATOR,
      { project: "shop", environment: "live", flag: name },
      {
        enabled: true,
        variants,
        defaultVariant: "off",
        targeting,
      },
    );
  };
  const where = { project: "shop", environment: "live", flag: name };
  const evaluate = async (email: unknown) =>
    (await evaluateStored(app, OPERATOR, where, { email })) as { variant?: string };
  const reader = createFlagReader(app);
  const isIn = async (email: unknown, attribute = "email") => {
    const read = await reader.isTrue(where, { [attribute]: email });
    if (attribute === "email") expect((await evaluate(email)).variant === "on").toBe(read);
    return read;
  };
  const values = async (pending = false) =>
    (await listMembers(app, OPERATOR, place, { limit: 1000, pending })).items.map(({ value }) => value);
  const counts = async () => (await app.store.segments.find(place))!.counts;
  const mark = (id: string, as: SubmissionMark) => markSubmissions(app, OPERATOR, [id], as);
  return { form, name, place, fill, flag, isIn, values, counts, mark };
}

test("an address with a domain in Unicode is a member in both spellings, whichever was sent", async () => {
  const { form, fill, flag, isIn, values } = await openBeta();
  await fill();
  await flag();
  await stored(form, json({ email: "ann@bücher.example" }));
  await stored(form, json({ email: "bob@xn--bcher-kva.example" }));
  for (const name of ["ann", "bob"])
    for (const domain of ["bücher.example", "xn--bcher-kva.example", "BÜCHER.example"])
      expect([name, domain, await isIn(`${name}@${domain}`)]).toEqual([name, domain, true]);
  expect(await isIn("eve@xn--bcher-kva.example")).toBe(false);
  await stored(form, json({ email: "ann@xn--bcher-kva.example" }));
  expect((await values()).toSorted()).toEqual(["ann@bücher.example", "bob@bücher.example"]);
});

describe("a segment that a form fills", () => {
  test("has who is named in submissions, earlier and later ones, from the next read on", async () => {
    const { form, fill, flag, isIn, values, counts } = await openBeta();
    await stored(form, json({ email: " Ann@Example.com " }));
    await fill();
    await flag();
    expect(await isIn("ann@example.com")).toBe(true);
    expect(await isIn("ANN@example.com ")).toBe(true);
    expect(await isIn("bob@example.com")).toBe(false);
    await stored(form, urlencoded("email=bob%40example.com"));
    expect(await isIn("bob@example.com")).toBe(true);
    for (const nobody of [undefined, null, 5, "", ["bob@example.com"], { a: 1 }])
      expect(await isIn(nobody)).toBe(false);
    expect(await values()).toEqual(["ann@example.com", "bob@example.com"]);
    expect(await counts()).toEqual({ members: 2, pending: 0 });
  });

  test("takes texts of at most 254 characters, several of a list, each once", async () => {
    const { form, fill, values, counts } = await openBeta();
    await fill();
    const long = "x".repeat(254);
    await stored(
      form,
      json({ email: ["A", "a", " b ", "", "  ", 5, null, { a: 1 }, "\u0000", `${long}x`, long] }),
    );
    await stored(form, json({ email: "e\u0301" }));
    for (const other of [{ mail: "c" }, { email: {} }, { email: 1 }, { nested: { email: "d" } }])
      await stored(form, json(other));
    expect(await values()).toEqual(["a", "b", long, "é"]);
    expect(await counts()).toEqual({ members: 4, pending: 0 });
    const many = Array.from({ length: 300 }, (_, index) => `m${index}`);
    await stored(form, json({ email: many }));
    expect((await counts())?.members).toBe(104);
  });

  test("loses who is in no submission any more: deleted, spam, purged; and gets back who is restored", async () => {
    const { form, fill, flag, isIn, mark, counts } = await openBeta();
    await fill();
    await flag();
    const one = await stored(form, json({ email: "ann@example.com" }));
    const two = await stored(form, json({ email: "Ann@example.com" }));
    const bob = await stored(form, json({ email: "bob@example.com" }));
    await deleteSubmission(app, OPERATOR, one.id);
    expect(await isIn("ann@example.com")).toBe(true);
    await mark(two.id, "spam");
    expect(await isIn("ann@example.com")).toBe(false);
    await mark(two.id, "archived");
    expect(await isIn("ann@example.com")).toBe(true);
    await mark(two.id, "spam");
    await mark(bob.id, "archived");
    expect([await isIn("ann@example.com"), await isIn("bob@example.com")]).toEqual([false, true]);
    const spam = await stored(form, urlencoded("email=eve%40example.com&_gotcha=x"));
    expect(await isIn("eve@example.com")).toBe(false);
    await mark(spam.id, "inbox");
    expect(await isIn("eve@example.com")).toBe(true);
    await purgeSubmissions(app, OPERATOR, { email: "bob@example.com" });
    expect(await isIn("bob@example.com")).toBe(false);
    expect(await counts()).toEqual({ members: 1, pending: 0 });
    const rows = JSON.stringify(await Array.fromAsync(app.store.dump()));
    expect(rows).not.toContain("bob@example.com");
  });

  test("with approval has who was approved, one by one or all, however often they are sent", async () => {
    const { form, place, fill, flag, isIn, values, counts } = await openBeta({ approve: true });
    await stored(form, json({ email: "ann@example.com" }));
    await fill();
    await flag();
    await stored(form, json({ email: ["bob@example.com", "cy@example.com", "dee@example.com"] }));
    expect(await isIn("ann@example.com")).toBe(false);
    expect(await values(true)).toEqual([
      "ann@example.com",
      "bob@example.com",
      "cy@example.com",
      "dee@example.com",
    ]);
    const approved = await approve(app, OPERATOR, place, ["ANN@example.com ", "bob@example.com"]);
    expect(approved.counts).toEqual({ members: 2, pending: 2 });
    expect([await isIn("ann@example.com"), await isIn("cy@example.com")]).toEqual([true, false]);
    await stored(form, json({ email: "bob@example.com" }));
    expect(await counts()).toEqual({ members: 2, pending: 2 });
    expect(await codeOf(approve(app, OPERATOR, place, ["nobody@example.com"]))).toBe("not_found");
    await approve(app, OPERATOR, place, null);
    expect(await values(true)).toEqual([]);
    expect(await isIn("dee@example.com")).toBe(true);
    const [newest] = (await app.store.changes.page("shop", { limit: 1 })).items;
    expect(newest).toMatchObject({
      kind: "segment",
      name: place.segment,
      before: { pending: 2 },
      after: { pending: 0 },
    });
    await fill({ approve: false });
    await stored(form, json({ email: "ed@example.com" }));
    expect(await isIn("ed@example.com")).toBe(true);
  });

  test("takes approvals of values in an environment whose changes need approvals, and a confirmation if it is locked", async () => {
    const { form, place, fill, counts } = await openBeta({ approve: true });
    await stored(form, json({ email: "ann@example.com" }));
    await fill();
    const set = (more: object) => setEnvironment(app, OPERATOR, "shop", "live", more);
    await set({ approvals: 1, locked: true });
    const values = ["ann@example.com"];
    const hasty = callerNamed("ann", { hasConfirmed: () => false });
    for (const work of [() => approve(app, hasty, place, values), () => suspend(app, hasty, place, values)])
      expect(await codeOf(work())).toBe("unconfirmed");
    const token = callerNamed("ci", { scopes: ["flags:write", "forms:read"] });
    expect(await codeOf(approve(app, token, place, values))).toBe("forbidden");
    await approve(app, OPERATOR, place, values);
    expect(await counts()).toEqual({ members: 1, pending: 0 });
    await suspend(app, OPERATOR, place, values);
    expect(await counts()).toEqual({ members: 0, pending: 1 });
    await set({ approvals: 0, locked: false });
  });

  test("has no one any more whose approval was taken back, until the next one", async () => {
    const { form, place, fill, flag, isIn, values, counts } = await openBeta({ approve: true });
    await stored(form, json({ email: ["ann@example.com", "bob@example.com"] }));
    await fill();
    await flag();
    await approve(app, OPERATOR, place, ["ann@example.com"]);
    expect(await isIn("ann@example.com")).toBe(true);
    const back = () => suspend(app, OPERATOR, place, ["ANN@example.com", "bob@example.com"]);
    expect((await back()).counts).toEqual({ members: 0, pending: 2 });
    expect(await isIn("ann@example.com")).toBe(false);
    const [newest] = (await app.store.changes.page("shop", { limit: 1 })).items;
    expect(newest).toMatchObject({ name: place.segment, before: { pending: 1 }, after: { pending: 2 } });
    expect((await back()).counts).toEqual({ members: 0, pending: 2 });
    expect((await app.store.changes.page("shop", { limit: 1 })).items[0]).toEqual(newest);
    await stored(form, json({ email: "ann@example.com" }));
    expect(await values(true)).toEqual(["ann@example.com", "bob@example.com"]);
    await approve(app, OPERATOR, place, null);
    expect([await counts(), await isIn("ann@example.com")]).toEqual([{ members: 2, pending: 0 }, true]);
    expect(await codeOf(suspend(app, OPERATOR, place, ["nobody@example.com"]))).toBe("not_found");
    const reader = callerNamed("reader", { scopes: ["flags:read", "forms:read"] });
    expect(await codeOf(suspend(app, reader, place, ["ann@example.com"]))).toBe("forbidden");
    await fill({ approve: false });
    expect(await codeOf(suspend(app, OPERATOR, place, ["ann@example.com"]))).toBe("invalid");
  });

  test("compares another attribute, and is found anew when its form or field changes", async () => {
    const { form, fill, flag, isIn, values } = await openBeta();
    await fill({ attribute: "user.mail" });
    await flag();
    await stored(form, json({ email: "ann@example.com", other: "bob@example.com" }));
    const reader = createFlagReader(app);
    const where = { project: "shop", environment: "live", flag: `beta-${names}` };
    expect(await reader.isTrue(where, { user: { mail: "ann@example.com" } })).toBe(true);
    expect(await reader.isTrue(where, { email: "ann@example.com" })).toBe(false);
    await fill({ field: "other", attribute: "email" });
    expect(await values()).toEqual(["bob@example.com"]);
    expect([await isIn("ann@example.com"), await isIn("bob@example.com")]).toEqual([false, true]);
    const another = await newForm();
    await fill({ form: another.slug });
    expect(await isIn("bob@example.com")).toBe(false);
  });

  test("keeps its form until it has a rule, and then nobody is in it by the form", async () => {
    const { form, name, place, fill, flag, isIn, values } = await openBeta();
    await fill();
    await flag();
    await stored(form, json({ email: "ann@example.com" }));
    expect(await errorOf(deleteForm(app, OPERATOR, form.slug))).toBe(
      `conflict: form "${form.slug}" fills segment "${name}" of shop/live`,
    );
    await setSegment(app, OPERATOR, place, { "==": [{ var: "email" }, "x"] });
    expect([await isIn("ann@example.com"), await isIn("x")]).toEqual([false, true]);
    expect(await values()).toEqual([]);
    await fill();
    expect(await isIn("ann@example.com")).toBe(true);
    await setFlag(app, OPERATOR, { project: "shop", environment: "live", flag: name }, { targeting: null });
    await deleteSegment(app, OPERATOR, place);
    await stored(form, json({ email: "late@example.com" }));
    await deleteForm(app, OPERATOR, form.slug);
  });

  test("needs forms:read where the form is, and flags:write or flags:read where the segment is", async () => {
    const { form, place, fill } = await openBeta({ approve: true });
    await fill();
    await stored(form, json({ email: "ann@example.com" }));
    const [list, all] = [{ limit: 10, pending: true }, null];
    const as = (...scopes: ("flags:read" | "flags:write" | "forms:read")[]) => callerNamed("bob", { scopes });
    const source = { form: form.slug, field: "other" };
    expect(await codeOf(listMembers(app, as("flags:read"), place, list))).toBe("forbidden");
    expect(await codeOf(listMembers(app, as("forms:read"), place, list))).toBe("forbidden");
    expect(await codeOf(listMembers(app, as("forms:read", "flags:read"), place, list))).toBe("none");
    expect(await codeOf(approve(app, as("flags:write"), place, all))).toBe("forbidden");
    expect(await codeOf(approve(app, as("flags:read", "forms:read"), place, all))).toBe("forbidden");
    expect(await codeOf(setSource(app, as("flags:write"), place, source, null))).toBe("forbidden");
    expect(await codeOf(approve(app, as("flags:write", "forms:read"), place, all))).toBe("none");
  });

  test("is sent to by many at once, with idempotency keys and files of the same form too", async () => {
    const { form, fill, counts } = await openBeta();
    await fill();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        send(form.key, {
          ...json({ email: `user${index % 20}` }),
          headers: { "Idempotency-Key": `k${index % 30}` },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
    expect((await counts())?.pending).toBe(0);
    expect((await counts())?.members).toBeGreaterThan(0);
  });
});
