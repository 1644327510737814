import { beforeAll, describe, expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { listInbox } from "../../../src/forms/inbox/inbox.ts";
import { neighboursOf } from "../../../src/forms/inbox/neighbours.ts";
import { findPerson } from "../../../src/forms/keeping/person.ts";
import { purgeSubmissions } from "../../../src/forms/keeping/purge.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import type { SubmissionFilter } from "../../../src/forms/inbox/filters.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { submissionTo } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";

const app = openTestApp();
const FORMS = 7;
/** Every submission, newest first. */
const all: { id: string; form: string; word: string; state: string; read: boolean }[] = [];

beforeAll(async () => {
  const forms = await Promise.all(
    Array.from({ length: FORMS }, (_, index) => createForm(app, OPERATOR, { slug: `form-${index}` })),
  );
  await createForm(app, OPERATOR, { slug: "empty" });
  for (let index = 0; index < 400; index += 1) {
    app.clock.now += index % 3;
    // Forms get very different shares, in runs.
    const form = forms[Math.floor(Math.abs(Math.sin(index / 9)) * FORMS) % FORMS]!;
    const word = ["alpha", "beta", "gamma"][(index * 7) % 3]!;
    const email = index % 40 === 0 ? " ADA@example.com" : `p${index}@example.com`;
    const data = JSON.stringify({ word, email, n: index });
    const row = submissionTo(form.key, { id: app.nextId(), data, createdAt: app.clock.now });
    await app.store.submissions.insert(row);
    all.unshift({ id: row.id, form: form.slug, word, state: "inbox", read: false });
  }
  const markEvery = async (nth: number, mark: "archived" | "spam" | "read") => {
    const chosen = all.filter((_, index) => index % nth === 0);
    await markSubmissions(
      app,
      OPERATOR,
      chosen.map(({ id }) => id),
      mark,
    );
    for (const each of chosen)
      if (mark === "read") each.read = true;
      else each.state = mark;
  };
  await markEvery(5, "archived");
  await markEvery(11, "spam");
  await markEvery(2, "read");
});

const FILTERS: [string, SubmissionFilter, (each: (typeof all)[number]) => boolean][] = [
  ["of the inbox", { states: ["inbox"] }, ({ state }) => state === "inbox"],
  ["of every folder", { states: ["inbox", "spam", "archived"] }, () => true],
  ["that are unread", { states: ["inbox"], unread: true }, ({ state, read }) => state === "inbox" && !read],
  [
    "with a word",
    { states: ["inbox"], search: "bet" },
    ({ state, word }) => state === "inbox" && word === "beta",
  ],
  [
    "with a field",
    { states: ["archived", "spam"], fields: [{ name: "word", value: "ALPHA" }] },
    ({ state, word }) => state !== "inbox" && word === "alpha",
  ],
  ["with a word that none has", { states: ["inbox"], search: "omega" }, () => false],
];

describe("the submissions of all forms", () => {
  test.each(FILTERS)("%s are listed newest first, whatever the page", async (_, filter, isMeant) => {
    const expected = all.filter(isMeant).map(({ id }) => id);
    for (const limit of [1, 13, 1000]) {
      const listed: string[] = [];
      for (let before: string | null = null, next: string | null = ""; next !== null; before = next) {
        const page = await listInbox(app, OPERATOR, { form: null, limit, before, filter });
        expect(page.submissions.length).toBeLessThanOrEqual(limit);
        listed.push(...page.submissions.map(({ id }) => id));
        next = page.next;
        if (limit === 1 && listed.length > 20) break;
      }
      expect(listed).toEqual(expected.slice(0, listed.length));
      if (limit > 1) expect(listed).toHaveLength(expected.length);
    }
  });

  test("end without another page, name their forms, and have no total", async () => {
    const states = ["inbox", "spam", "archived"] as const;
    const page = await listInbox(app, OPERATOR, { form: null, limit: 400, before: null, filter: { states } });
    expect([page.next, page.total]).toEqual([null, undefined]);
    expect(page.submissions.map(({ form }) => form)).toEqual(all.map(({ form }) => form));
  });

  test("are those of one form where one is named", async () => {
    const filter = { states: ["inbox"] } as const;
    const page = await listInbox(app, OPERATOR, { form: "form-0", limit: 1000, before: null, filter });
    const expected = all.filter(({ form, state }) => form === "form-0" && state === "inbox");
    expect(page.submissions.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(page.total).toBe(expected.length);
  });

  test("are not listed without the right, for an unknown form, or for a search without a word", async () => {
    const query = { form: null, limit: 1, before: null, filter: { states: ["inbox"] as const } };
    const other = callerNamed("other", { scopes: ["flags:read"] });
    expect(await codeOf(listInbox(app, other, query))).toBe("forbidden");
    expect(await codeOf(listInbox(app, OPERATOR, { ...query, form: "nothing" }))).toBe("not_found");
    const filter = { states: ["inbox"] as const, search: "!" };
    expect(await codeOf(listInbox(app, OPERATOR, { ...query, filter }))).toBe("invalid");
  });
});

test("a person is found in every form and folder, in pages: what a purge would delete", async () => {
  const { ids, submissions } = await purgeSubmissions(app, OPERATOR, {
    email: "ada@example.com",
    dryRun: true,
  });
  expect(submissions).toBe(10);
  const found: string[] = [];
  for (let before: string | null = null, next: string | null = ""; next !== null; before = next) {
    const page = await findPerson(app, OPERATOR, "Ada@Example.com ", { limit: 4, before });
    found.push(...page.submissions.map(({ id }) => id));
    next = page.next;
  }
  expect(found).toEqual(ids.toReversed());
  const none = await findPerson(app, OPERATOR, "example.com", { limit: 4, before: null });
  expect(none.submissions).toEqual([]);
  const other = callerNamed("other", { scopes: ["flags:read"] });
  expect(await codeOf(findPerson(app, other, "a@b.c", { limit: 1, before: null }))).toBe("forbidden");
});

test("the neighbours of a submission are the next ones of its form that a filter selects", async () => {
  for (const [, filter, isMeant] of FILTERS) {
    const [one] = all.filter(({ form }) => form === "form-2").slice(10);
    const own = all.filter((each) => each.form === one!.form && (isMeant(each) || each === one));
    const at = own.indexOf(one!);
    expect(await neighboursOf(app, OPERATOR, { project: "default", ...one! }, filter)).toEqual({
      newer: own[at - 1]?.id ?? null,
      older: own[at + 1]?.id ?? null,
    });
  }
  const newest = all.find(({ form }) => form === "form-2")!;
  const states = ["inbox", "spam", "archived"] as const;
  expect((await neighboursOf(app, OPERATOR, { project: "default", ...newest }, { states })).newer).toBeNull();
});
