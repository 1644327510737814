import { describe, expect, test } from "bun:test";
import type { Form } from "../../../src/forms/form.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { MAX_SCANNED } from "../../../src/forms/limits.ts";
import { searchJob } from "../../../src/forms/inbox/search-index.ts";
import type { Submission } from "../../../src/forms/submission.ts";
import { expectError, fresh, path, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { submissionTo } from "../../support/records/records.ts";

type Page = { submissions: Submission[]; next: string | null; total?: number; indexing?: number };

/** Forms on an app of their own. */
async function openForms() {
  // Many submissions share a commit.
  const { app, ask } = await openAdmin("thread");
  const openForm = () => createForm(app, OPERATOR, { slug: fresh() });
  const add = async (form: Form, data: object, createdAt = app.now()) => {
    const id = app.nextId();
    await app.store.submissions.insert(submissionTo(form.key, { id, data: JSON.stringify(data), createdAt }));
    return id;
  };
  const listOf = (form: Form, query: string) => ask(`${path("forms", form.slug, "submissions")}?${query}`);
  const pageOf = async (form: Form, query: string) => (await (await listOf(form, query)).json()) as Page;
  const idsOf = async (form: Form, query: string) =>
    (await pageOf(form, query)).submissions.map(({ id }) => id);
  const mark = (ids: unknown, as: unknown) => ask("/submissions/mark", { body: { ids, mark: as } });
  return { app, ask, openForm, add, listOf, pageOf, idsOf, mark };
}

/** Those of tests that add a few submissions: a search indexes only so many at once, of whatever form. */
const { app, ask, openForm, add, listOf, pageOf, idsOf, mark } = await openForms();

describe("a list of submissions", () => {
  test("is filtered by fields, their values and the values of their lists", async () => {
    const form = await openForm();
    const first = await add(form, { email: "Ann@Example.com", topics: ["Billing", 7], n: 1.5, ok: true });
    const second = await add(form, { email: "bob@example.com", topics: [["billing"]], deep: { n: 1.5 } });
    expect(await idsOf(form, "field=email=ann@example.com")).toEqual([first]);
    expect(await idsOf(form, "field=topics=billing")).toEqual([first]);
    expect(await idsOf(form, "field=topics=7&field=n=1.5&field=ok=true")).toEqual([first]);
    expect(await idsOf(form, "field=email=bob@example.com&field=topics=billing")).toEqual([]);
    expect(await idsOf(form, "field=toString=x")).toEqual([]);
    expect(await idsOf(form, "field=email=bob%40example.com")).toEqual([second]);
  });

  test("is filtered by time, folder and what was read, in any combination, without a total", async () => {
    const form = await openForm();
    const at = (day: number) => Date.parse(`2026-01-0${day}T00:00:00Z`);
    const ids = [
      await add(form, { a: 1 }, at(1)),
      await add(form, { a: 2 }, at(2)),
      await add(form, { a: 3 }, at(3)),
    ];
    const days = (since: number, until: number) =>
      `since=2026-01-0${since}T00:00:00Z&until=2026-01-0${until}T00:00:00Z`;
    expect(await idsOf(form, days(1, 3))).toEqual([ids[1]!, ids[0]!]);
    expect(await (await mark([ids[1]], "read")).json()).toEqual({ changed: 1 });
    expect(await idsOf(form, `${days(1, 3)}&unread=true`)).toEqual([ids[0]!]);
    await mark([ids[0]], "archived");
    expect(await idsOf(form, "unread=true")).toEqual([ids[2]!]);
    expect(await idsOf(form, "unread=true&state=archived")).toEqual([ids[0]!]);
    expect(Object.keys(await pageOf(form, "unread=true"))).toEqual(["submissions", "next"]);
    expect((await pageOf(form, "unread=false")).total).toBe(2);
  });

  test("is searched at once, in pages whose cursor goes on, also with other filters", async () => {
    const form = await openForm();
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift(await add(form, { text: `Grüße ${n}`, even: n % 2 === 0 }));
    const first = await pageOf(form, "search=grusse&limit=3");
    expect([first.submissions.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 3), ids[2]!]);
    expect(await idsOf(form, `search=grusse&limit=3&before=${first.next}`)).toEqual(ids.slice(3, 6));
    expect((await pageOf(form, `search=grusse&limit=1&before=${ids[5]}`)).next).toBeNull();
    expect(await idsOf(form, "search=gr%20&field=even=true&limit=2")).toEqual([ids[0]!, ids[2]!]);
    expect(await idsOf(form, "search=gr%20grau")).toEqual([]);
    await ask(path("submissions", ids[0]!), { method: "DELETE" });
    expect(await app.store.submissions.indexBacklog()).toEqual({ missing: 0, removals: false });
    expect(await idsOf(form, "search=grusse%206")).toEqual([]);
  });

  test("is short where much was looked at, and goes on from there", async () => {
    const { openForm, add, pageOf, idsOf } = await openForms();
    const form = await openForm();
    const oldest = await add(form, { name: "Ann" });
    const rest = Array.from({ length: MAX_SCANNED }, () => add(form, { name: "Bob" }));
    await Promise.all(rest);
    const page = await pageOf(form, "field=name=ann");
    expect(page.submissions).toEqual([]);
    expect(await idsOf(form, `field=name=ann&before=${page.next}`)).toEqual([oldest]);
  });

  test("says how many a search has left out, until the job has indexed them", async () => {
    const { app, openForm, add, pageOf } = await openForms();
    const form = await openForm();
    await Promise.all(Array.from({ length: 1500 }, () => add(form, { text: "word" })));
    const { indexing } = await pageOf(form, "search=nothing");
    expect(indexing).toBeGreaterThan(0);
    const job = searchJob(app);
    while ((await app.store.submissions.indexBacklog()).missing > 0) await job.run();
    const page = await pageOf(form, "search=word&limit=1000");
    expect([page.submissions.length, page.indexing]).toEqual([1000, undefined]);
  });

  test.each([
    ["search=*%22", "no word"],
    [`search=${"x".repeat(1001)}`, "1000 characters"],
    ["field=name", "a name and a text"],
    [Array.from({ length: 21 }, () => "field=a=b").join("&"), "20 times"],
    ["since=yesterday", "ISO 8601"],
    ["until=2026-01-01", "ISO 8601"],
    ["unread=yes", "true or false"],
    ["searc=x", "searc"],
  ])("refuses %s", async (query, words) => {
    const form = await openForm();
    await expectError(await listOf(form, query), 400, "invalid", words);
    await expectError(
      await ask(`${path("forms", form.slug, "submissions", "export")}?${query}`),
      400,
      "invalid",
      words,
    );
  });

  test.each(["NEAR(a b)", "a OR b", "a\0b", "-a", "a:b", "😀a", `"a"`, "'", "%", "a".repeat(998)])(
    "takes no query language: %j",
    async (text) => {
      const form = await openForm();
      const id = await add(form, { text: `${text} a b` });
      expect(await idsOf(form, `search=${encodeURIComponent(`a ${text}`)}`)).toEqual([id]);
    },
  );
});

test("an export is filtered as a list is, in every format, and searches all", async () => {
  const { ask, openForm, add } = await openForms();
  const form = await openForm();
  await Promise.all(Array.from({ length: 1100 }, (_, n) => add(form, { text: `word ${n}` })));
  const exported = async (query: string) => {
    const answer = await ask(`${path("forms", form.slug, "submissions", "export")}?${query}`);
    return { total: answer.headers.get("x-total-count"), lines: (await answer.text()).trim().split("\n") };
  };
  expect((await exported("search=word")).lines).toHaveLength(1100);
  const { total, lines } = await exported("search=1099&unread=true");
  expect([total, lines.length]).toEqual([null, 1]);
  expect((await exported("format=csv&field=text=WORD%207")).lines).toHaveLength(2);
  expect((await exported("")).total).toBe("1100");
});

describe("a mark", () => {
  test("moves submissions and says how many changed", async () => {
    const form = await openForm();
    const ids = [await add(form, { a: 1 }), await add(form, { a: 2 })];
    expect(await (await mark(ids, "spam")).json()).toEqual({ changed: 2 });
    expect((await pageOf(form, "state=spam")).submissions).toMatchObject([
      { spam: "manual", read: false },
      { spam: "manual", read: false },
    ]);
    expect(await (await mark([ids[0], ids[0]], "inbox")).json()).toEqual({ changed: 1 });
    await expectError(await mark([ids[1], "nobody"], "inbox"), 404, "not_found", "nobody");
    expect(await idsOf(form, "state=spam")).toEqual([ids[1]!]);
  });

  test.each([
    [[], "read", "at least one"],
    [Array.from({ length: 1001 }, () => "x"), "read", "at most 1000"],
    [["x"], "deleted", "inbox, spam, archived, read or unread"],
    ["x", "read", "ids"],
  ])("refuses other bodies", async (ids, as, words) => {
    await expectError(await mark(ids, as), 400, "invalid", words);
  });
});
