import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "../../src/base/days.ts";
import { firstIdOf } from "../../src/base/ids.ts";
import { statsOfForm } from "../../src/forms/form-stats.ts";
import { createForm } from "../../src/forms/forms.ts";
import type { Conditions } from "../../src/forms/intake/insertion.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";

const NONE: Conditions = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

async function open(schema: Record<string, unknown> | null = null) {
  const app = openTestApp();
  const { key } = await createForm(app, OPERATOR, { slug: "contact", schema });
  let count = 0;
  const send = async (createdAt: number, data: object, more: { spam?: string; referrer?: string } = {}) => {
    count += 1;
    const id = firstIdOf(createdAt).slice(0, -4) + String(count).padStart(4, "0");
    const { spam, referrer } = more;
    const meta =
      referrer === undefined
        ? null
        : JSON.stringify({ address: null, userAgent: null, referrer, language: null });
    const sent = submissionTo(key, { id, createdAt, data: JSON.stringify(data), meta });
    await app.store.submissions.insert({ ...sent, ...(spam && { conditions: { ...NONE, spam } }) });
    return id;
  };
  const stats = (days = 30) => statsOfForm(app, OPERATOR, "contact", { days });
  return { app, send, stats };
}

test("The numbers of a form compare days with as many before, and count what found spam", async () => {
  const { app, send, stats } = await open();
  const now = app.now();
  for (const ago of [0, 0, 1, 29, 31, 59, 61]) await send(now - ago * DAY_MS, { name: "Ann" });
  for (const spam of ["word:casino", "word:pills", "honeypot"]) await send(now - DAY_MS, {}, { spam });
  await send(now - 40 * DAY_MS, {}, { spam: "links" });
  const { days, submissions, spam } = await stats();
  expect([days.length, days.at(-1)]).toEqual([30, "2026-01-02"]);
  expect([submissions.total, submissions.before]).toEqual([4, 2]);
  expect([submissions.byDay.length, submissions.byDay.slice(-2), submissions.byDay[0]]).toEqual([
    30,
    [1, 2],
    1,
  ]);
  expect([spam.total, spam.before, spam.byDay.at(-2)]).toEqual([3, 1, 3]);
  expect(spam.reasons).toEqual([
    { reason: "word", count: 2 },
    { reason: "honeypot", count: 1 },
  ]);
  expect((await stats(1)).submissions).toEqual({ total: 2, before: 1, byDay: [2] });
});

test("A first answer is the first reply or the archive, and the median leaves out what has none", async () => {
  const { app, send, stats } = await open();
  const now = app.now();
  const start = now - 2 * DAY_MS;
  const [replied, archived, late] = [await send(start, {}), await send(start, {}), await send(start, {})];
  await send(now, {});
  const by = (at: number) => ({ who: "ann", at });
  const answer = { text: "yes", subject: "Re", delivery: { id: app.nextId(), target: "ann@example.com" } };
  await app.store.submissions.answer(replied, answer, by(start + HOUR_MS));
  await app.store.submissions.mark([replied], "archived", {}, by(start + 5 * HOUR_MS));
  await app.store.submissions.mark([archived], "archived", {}, by(start + 2 * HOUR_MS));
  await app.store.submissions.note(late, "called", by(start + 1));
  await app.store.submissions.mark([late], "read", {}, by(start + 2));
  const { answers } = await stats();
  expect([answers.answered, answers.of, answers.median]).toEqual([2, 4, 3600]);
  expect([answers.byDay.at(-3), answers.byDay.at(-1)]).toEqual([3600, null]);
});

test("Fields have how many submissions fill them in, those of the schema first, and pages how many came from them", async () => {
  const { send, stats, app } = await open({ properties: { name: {}, phone: {} } });
  const now = app.now();
  await send(
    now - 3,
    { phone: " ", name: "Ann", tags: ["", "a"] },
    { referrer: "https://larch.example/contact/" },
  );
  await send(now - 2, { name: "Ben", tags: [], age: 0 }, { referrer: "https://larch.example/contact" });
  await send(now - 1, { name: "" }, { referrer: "https://larch.example/" });
  await send(now, { name: "spam" }, { spam: "honeypot" });
  const { fields, pages, sample, last } = await stats();
  expect(sample).toBe(3);
  expect(fields).toEqual([
    { field: "name", filled: 2 },
    { field: "phone", filled: 0 },
    { field: "age", filled: 1 },
    { field: "tags", filled: 1 },
  ]);
  expect(pages).toEqual([
    { page: "larch.example/contact", count: 2 },
    { page: "larch.example", count: 1 },
  ]);
  expect(last).toMatchObject({ createdAt: new Date(now - 1).toISOString(), from: "larch.example" });
});

test("A form without submissions has numbers too, and no others see them", async () => {
  const { app, stats } = await open();
  expect(await stats()).toMatchObject({
    answers: { median: null, of: 0 },
    last: null,
    sample: 0,
    fields: [],
  });
  const stranger = { ...OPERATOR, grants: [] };
  expect(await codeOf(statsOfForm(app, stranger, "contact", { days: 30 }))).toBe("not_found");
});
