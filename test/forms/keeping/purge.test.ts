import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { createFeed } from "../../../src/forms/feeds/feeds.ts";
import { createForm, deleteForm } from "../../../src/forms/forms.ts";
import { findPerson } from "../../../src/forms/keeping/person.ts";
import { listInbox } from "../../../src/forms/inbox/inbox.ts";
import { readFilter } from "../../../src/forms/inbox/filters.ts";
import { type Purge, purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { purgeSchema } from "../../../src/forms/keeping/purge-schema.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { confirmationTo } from "../../../src/forms/opt-in/opt-in.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";
import { uploadsOf } from "../../support/uploads.ts";

async function openForms() {
  const app = openTestApp();
  const forms = {
    contact: await createForm(app, OPERATOR, { slug: "contact" }),
    orders: await createForm(app, OPERATOR, { slug: "orders", uploads: true }),
  };
  const uploads = uploadsOf(app);
  const send = async (form: keyof typeof forms, data: unknown, ...files: string[]) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const draft = { data: text, files: await uploads.draftFiles(...files) };
    return (await storeSubmission(app, forms[form], draft)).id;
  };
  const purge = (given: Purge) => purgeSubmissions(app, OPERATOR, given);
  const counted = async (given: Purge) => (await purge({ ...given, dryRun: true })).submissions;
  const left = async () => {
    const pages = Object.values(forms).map(({ key }) => app.store.submissions.list(key, 100, null));
    return (await Promise.all(pages)).flatMap((page) => page.submissions.map(({ id }) => id));
  };
  return { app, send, purge, counted, left, uploads };
}

test("an address is found under a name that repeats, as older versions stored it", async () => {
  const { send, purge, counted, left } = await openForms();
  await send("contact", '{"email":"ada@example.com","email":"x"}');
  await send("contact", '{"to":{"email":{"cc":["ada@example.com"],"cc":1},"email":"y"},"to":[]}');
  const kept = await send("contact", '{"email":"x","email":"y"}');
  expect(await counted({ field: "cc", value: "ada@example.com" })).toBe(1);
  expect(await purge({ email: "ada@example.com" })).toMatchObject({ submissions: 2 });
  expect(await left()).toEqual([kept]);
});

test("an address is found in every spelling, field and form, and only the submissions with it go", async () => {
  const { send, purge, left, uploads } = await openForms();
  const ids = [
    await send("contact", { email: "ada@example.com" }),
    await send("contact", { nested: [{ to: " ADA@Example.COM\n" }, 1] }),
    await send("orders", String.raw`{"x":"\u0061da@example\u002ecom"}`, "a.txt", "b.txt"),
  ];
  const kept = [
    await send("contact", { email: "ada@example.com.au", "ada@example.com": "x" }),
    await send("contact", { text: "Write to Ada@example.com." }),
    await send("orders", { email: "bob@example.com" }, "c.txt"),
  ];
  const expected = {
    submissions: 3,
    files: 2,
    mentions: 2,
    ids,
    forms: [
      { project: "default", form: "contact", submissions: 2, files: 0 },
      { project: "default", form: "orders", submissions: 1, files: 2 },
    ],
  };
  expect(await purge({ email: "Ada@Example.com", dryRun: true })).toEqual({ dryRun: true, ...expected });
  expect(await left()).toHaveLength(6);
  expect(await purge({ email: "Ada@Example.com" })).toEqual({ dryRun: false, ...expected });
  expect((await left()).toSorted()).toEqual(kept.toSorted());
  expect(uploads.kept()).toEqual([`${kept[2]}.1`]);
  expect(await purge({ email: "ada@example.com" })).toMatchObject({ submissions: 0, forms: [], mentions: 2 });
});

const SPELLINGS = [
  "Ann@Bücher.example",
  " ann@xn--bcher-kva.example",
  "ann@XN--BCHER-KVA.example",
  "ann@bücher.example",
];

test.each(SPELLINGS)("an address with a domain in Unicode is one in all its spellings: %s", async (asked) => {
  const { app, send, purge, counted, left } = await openForms();
  for (const spelling of SPELLINGS) await send("contact", { email: spelling });
  const filter = readFilter({ state: "inbox", field: [`email=${asked.trim()}`] }, "ann");
  const listed = await listInbox(app, OPERATOR, { form: "contact", limit: 100, before: null, filter });
  expect(listed.submissions).toHaveLength(SPELLINGS.length);
  const kept = [
    await send("contact", { email: "ann@bucher.example" }),
    await send("contact", { text: "to ann@xn--bcher-kva.example" }),
  ];
  const found = await findPerson(app, OPERATOR, asked, { limit: 100, before: null });
  expect(found.submissions).toHaveLength(SPELLINGS.length);
  expect(await counted({ field: "email", value: asked })).toBe(SPELLINGS.length);
  expect(await purge({ email: asked })).toMatchObject({ submissions: SPELLINGS.length, mentions: 1 });
  expect((await left()).toSorted()).toEqual(kept.toSorted());
});

test("a purge takes no address of another domain, whose letters are alike elsewhere", async () => {
  const { send, purge, left } = await openForms();
  await send("contact", { email: "Ann@STRASSE.example" });
  const kept = await send("contact", { email: "ann@straße.example" });
  expect(await purge({ email: "ann@strasse.example" })).toMatchObject({ submissions: 1 });
  expect(await left()).toEqual([kept]);
});

test("a long number is found by its digits as they were sent, and as it is shown", async () => {
  const { send, counted } = await openForms();
  await send("contact", '{"customer":{"id":[1234567890123456789,1e400]},"__proto__":{"x":7}}');
  expect(await counted({ field: "id", value: "1234567890123456789" })).toBe(1);
  expect(await counted({ field: "id", value: "1234567890123456800" })).toBe(1);
  expect(await counted({ field: "id", value: "1E400" })).toBe(1);
  expect(await counted({ field: "id", value: "1234567890123456788" })).toBe(0);
  expect(await counted({ field: "x", value: "7" })).toBe(1);
});

test("a field has its value at any depth, whatever its type and case, and in one form where that is named", async () => {
  const { send, counted } = await openForms();
  await send("contact", { name: "Straße Ébène" });
  await send("orders", { person: { name: ["x", "STRASSE E\u0301be\u0300ne"] } });
  await send("orders", { other: "Straße Ébène", __proto__: 1 });
  await send("orders", String.raw`{"__proto__":{"id":4711,"done":true}}`);
  expect(await counted({ field: "name", value: "straße ébène" })).toBe(2);
  expect(await counted({ field: "name", value: "straße ébène", form: "orders" })).toBe(1);
  expect(await counted({ field: "Name", value: "straße ébène" })).toBe(0);
  expect(await counted({ field: "id", value: "4711" })).toBe(1);
  expect(await counted({ field: "__proto__", value: "TRUE" })).toBe(1);
  expect(await counted({ field: "id", value: "471" })).toBe(0);
});

test("more than one step finds them all", async () => {
  const { app, send, purge, left } = await openForms();
  const ids = await Promise.all(
    Array.from({ length: 1200 }, (_, n) => send("contact", { who: n % 3 ? "a@b.c" : "d@e.f" })),
  );
  expect(ids).toHaveLength(1200);
  expect(await purge({ email: "a@b.c" })).toMatchObject({ submissions: 800 });
  expect(await app.store.check()).toEqual([]);
  expect(await left()).toHaveLength(100);
});

test("a purge finishes the removal of deleted forms, needs forms:write, and knows the form", async () => {
  const { app, send, purge } = await openForms();
  await send("orders", { email: "ada@example.com" });
  // The clock is past every deadline, so that the deletion leaves the rows.
  await deleteForm({ ...app, now: () => (app.clock.now += 10_000) }, OPERATOR, "orders");
  expect(await purge({ email: "ada@example.com" })).toMatchObject({ submissions: 0 });
  expect(await app.store.submissions.clearDeleted(1)).toBeNull();
  const reader = callerNamed("reader", { scopes: ["forms:read"] });
  expect(await codeOf(purgeSubmissions(app, reader, { email: "a@b.c" }))).toBe("forbidden");
  expect(await codeOf(purge({ email: "a@b.c", form: "orders" }))).toBe("not_found");
});

test("a text that is not an address is refused in time, however long", () => {
  const isValid = (email: string) => purgeSchema.safeParse({ email }).success;
  expect(["ada@example.com", " ada@localhost ", '"a@b"@c.de'].map(isValid)).toEqual([true, true, true]);
  expect(["ada", "@", "a@", "@b", "a b@c", "a@b c"].map(isValid)).toEqual(Array(6).fill(false));
  expect(isValid(`${"@".repeat(256 * 1024 - 2)} x`)).toBe(false);
});

test("why the database was not rewritten decides what the operator is told to do", async () => {
  const { app, purge } = await openForms();
  const reasonFor = async (cause: AppError) => {
    app.store.submissions.rewrite = async () => {
      throw cause;
    };
    return (await purge({ email: "ada@example.com" }).catch((error: unknown) => error)) as AppError;
  };
  const busy = await reasonFor(new AppError("unavailable", "a backup reads it"));
  expect(busy.reason).toBe("purge-unfinished");
  for (const reason of ["database-pooled", "purge-not-owner"]) {
    const error = await reasonFor(new AppError("forbidden", "it may not", { reason }));
    expect([error.code, error.reason]).toEqual(["unavailable", reason]);
    expect(error.message).toContain("it may not");
  }
});

test("feeds that search for the address are revoked, in the forms of the purge, and others stay", async () => {
  const { app, purge } = await openForms();
  const feed = async (form: string, search: string) =>
    (await createFeed(app, OPERATOR, form, { search, name: "a feed", format: "csv" } as never)).id;
  const [whole, inside, other] = [
    await feed("contact", "Ada@Example.com"),
    await feed("contact", '"ada@example.com" is:unread'),
    await feed("contact", "bob@example.com"),
  ];
  const elsewhere = await feed("orders", "ada@example.com");
  const left = async () => {
    const found = await app.store.feeds.page({ limit: 10, after: null, projects: null, form: null });
    return new Set(found.items.map(({ id }) => id));
  };
  await purge({ email: "ada@example.com", dryRun: true });
  expect(await left()).toEqual(new Set([whole, inside, other, elsewhere]));
  await purge({ email: "ada@example.com", form: "contact" });
  expect(await left()).toEqual(new Set([other, elsewhere]));
  await purge({ email: "ADA@example.com" });
  expect(await left()).toEqual(new Set([other]));
  const bytes = [...new Bun.Glob("formflag.db*").scanSync(app.directory)].map((name) =>
    readFileSync(join(app.directory, name), "latin1"),
  );
  expect(bytes.filter((text) => /ada@example\.com/i.test(text))).toEqual([]);
});

test("how often a mailbox was asked to confirm is forgotten with it, also where its submissions are gone", async () => {
  const app = openTestApp();
  const form = await createForm(app, OPERATOR, { slug: "news", optIn: "email" });
  /** The requests to confirm that a submission causes. */
  const asked = async () => {
    const draft = { data: '{"email":"ada@example.com"}', files: [] };
    const deliveries = [confirmationTo(app, form, "ada@example.com")];
    const { id } = await storeSubmission(app, form, draft, { deliveries });
    const query = { limit: 9, before: null, formKeys: null, projects: null, status: null, submission: id };
    const { items } = await app.store.deliveries.page(query);
    await deleteSubmission(app, OPERATOR, id);
    app.clock.now += 60_000;
    return items.length;
  };
  expect([await asked(), await asked(), await asked(), await asked()]).toEqual([1, 1, 1, 0]);
  await purgeSubmissions(app, OPERATOR, { email: "Ada+news@Example.com", dryRun: true });
  expect(await asked()).toBe(0);
  await purgeSubmissions(app, OPERATOR, { email: "Ada+news@Example.com" });
  expect(await asked()).toBe(1);
});
