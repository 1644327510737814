import { expect, test } from "bun:test";
import { createIdSource, timedId } from "../../../src/base/ids.ts";
import { countMatching } from "../../../src/forms/inbox/bulk.ts";
import { exportSubmissions } from "../../../src/forms/transfer/export.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { idSpanOf } from "../../../src/forms/inbox/submission-list.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import { listSubmissions } from "../../../src/forms/inbox/submission-list.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const DAY = 86_400_000;
let forms = 0;

/** A form with a submission for each of some times, the ids made from them unless some are given. */
async function openForm(times: number[], id?: string) {
  const form = await createForm(app, OPERATOR, { slug: `form-${(forms += 1)}` });
  const rows = times.map((time) => ({ id, createdAt: new Date(time).toISOString(), data: { time } }));
  await importSubmissions(app, OPERATOR, form.slug, rows.map((row) => JSON.stringify(row)).join("\n"));
  const timesOf = async (since: number, until: number) => {
    const filter = { states: ["inbox"] as const, since, until };
    const { submissions, next } = await listSubmissions(app, form, { limit: 2, before: null, filter });
    return { times: submissions.map(({ data }) => data["time"]), isEnd: next === null };
  };
  return { form, timesOf };
}

test("a list of a day begins and ends there", async () => {
  const now = app.now();
  const { form, timesOf } = await openForm([0, 1, 2, 3, 4].map((days) => now - days * DAY));
  const [since, until] = [now - 3 * DAY, now - 2 * DAY];
  expect(await timesOf(since, until)).toEqual({ times: [since], isEnd: true });
  expect(await timesOf(since, until + 1)).toEqual({ times: [until, since], isEnd: true });
  const span = await idSpanOf(app, form.key, { states: ["inbox"], since, until });
  expect(span.first! > span.last!).toBe(true);
});

test("a form with ids of another make is searched whole", async () => {
  const now = app.now();
  const { form, timesOf } = await openForm([now - 3 * DAY], "f47ac10b-58cc-4372-a567-0e02b2c3d479");
  expect(await timesOf(now - 4 * DAY, now - 2 * DAY)).toEqual({ times: [now - 3 * DAY], isEnd: true });
  const filter = { states: ["inbox"] as const, since: now };
  expect(await idSpanOf(app, form.key, filter)).toEqual({ first: null, last: null });
});

test.each([
  ["of version 4 that begins with a time long ago", "00f47ac1-58cc-4372-a567-0e02b2c3d479"],
  ["of version 7 of the day it was imported", timedId(app.now(), 0, new Uint8Array(8))],
  ["of version 7 of an earlier year", timedId(app.now() - 400 * DAY, 0, new Uint8Array(8))],
])("an imported submission with an id %s is found by its time", async (_, id) => {
  const now = app.now();
  const at = now - 100 * DAY;
  const { form, timesOf } = await openForm([at], id);
  // More than a step of older ones, with ids of their time.
  const older = [200, 201, 202, 203].map((days) => new Date(now - days * DAY).toISOString());
  const rows = older.map((createdAt) => JSON.stringify({ createdAt, data: { n: 1 } }));
  await importSubmissions(app, OPERATOR, form.slug, rows.join("\n"));
  expect(await timesOf(at - DAY, at + DAY)).toEqual({ times: [at], isEnd: true });
  const filter = { states: ["inbox"] as const, since: at - DAY, until: at + DAY };
  const selection = { form: form.slug, filter, upTo: null };
  expect(await countMatching(app, OPERATOR, selection)).toMatchObject({ ids: [id] });
  const lines = (await Array.fromAsync(exportSubmissions(app, form, "jsonl", filter))).join("");
  expect(lines).toContain(id);
});

test("what arrived after a clock was set back by a day is found by its time", async () => {
  const { form, timesOf } = await openForm([]);
  const at = app.now();
  const clock = { now: at + 1.5 * DAY };
  const nextId = createIdSource(app.random, () => clock.now);
  nextId();
  clock.now = at;
  await app.store.submissions.insert({
    id: nextId(),
    formKey: form.key,
    data: `{"time":${at}}`,
    files: [],
    createdAt: at,
  });
  expect(await timesOf(at - DAY, at + 1)).toEqual({ times: [at], isEnd: true });
});
