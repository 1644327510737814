import { describe, expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { importSubmissions } from "../../../src/forms/transfer/import.ts";
import { readRow } from "../../../src/forms/transfer/import-row.ts";
import { readTime } from "../../../src/forms/transfer/import-time.ts";
import { exportSubmissions } from "../../../src/forms/transfer/export.ts";
import { SUBMISSION_STATES } from "../../../src/forms/submission-state.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { FAR_TOO_LONG_MS, turnsOf } from "../../support/records/turns.ts";

const app = openTestApp();
let forms = 0;

async function openForm() {
  const form = await createForm(app, OPERATOR, { slug: `form-${(forms += 1)}` });
  const load = (...rows: (object | string)[]) =>
    importSubmissions(
      app,
      OPERATOR,
      form.slug,
      rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"),
    );
  const text = async () =>
    (await Array.fromAsync(exportSubmissions(app, form, "jsonl", { states: SUBMISSION_STATES }))).join("");
  const all = async () =>
    (await text())
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { form, load, text, all };
}

const refusalOf = (importing: Promise<unknown>) =>
  importing.then(
    () => ({ code: "none", message: "" }),
    (error: { code: string; message: string }) => error,
  );

const ID = "01a200cc-d4d1-7000-bed0-0a8a1777d3fe";

describe("an import", () => {
  test("of an export gives the same export", async () => {
    const { form, text } = await openForm();
    for (const data of ['{"n":12345678901234567890,"p":1.50,"__proto__":{"a":1}}', '{"text":"a\\n=b"}']) {
      await storeSubmission(app, form, { data, files: [] });
    }
    const exported = await text();
    const copy = await openForm();
    const rows = exported.replaceAll(/"id":"(.{8})/g, '"id":"ffffffff').split("\n");
    expect(await copy.load(...rows)).toEqual({ imported: 2, skipped: 0, elsewhere: 0 });
    const slug = new RegExp(`"${form.slug}"`, "g");
    expect(await copy.text()).toBe(rows.join("\n").replaceAll(slug, `"${copy.form.slug}"`));
  });

  test("keeps id, time, folder and reason, and takes no notice of form and files", async () => {
    const { form, load, all } = await openForm();
    const row = {
      id: ID.toUpperCase(),
      form: "other",
      data: { a: 1 },
      createdAt: "2024-01-02T03:04:05.678Z",
    };
    await load({ ...row, state: "spam", spam: "word:x", files: [{ name: "gone.txt" }] });
    expect(await all()).toMatchObject([
      {
        id: ID,
        form: form.slug,
        data: { a: 1 },
        files: [],
        createdAt: row.createdAt,
        state: "spam",
        spam: "word:x",
      },
    ]);
  });

  test("files spam without a folder or a reason, and drops the reason of what is not spam", async () => {
    const { load, all } = await openForm();
    const row = { data: { a: 1 }, createdAt: "2024-01-02" };
    await load(
      { ...row, spam: "links" },
      { ...row, state: "spam" },
      { ...row, state: "archived", spam: "links" },
    );
    const folders = (await all()).map(({ state, spam }) => [state, spam]);
    expect(folders.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
      ["archived", null],
      ["spam", "links"],
      ["spam", "manual"],
    ]);
  });

  test("skips ids that are known, here and in other forms, and those that repeat", async () => {
    const [one, two] = [await openForm(), await openForm()];
    const [a, b] = [app.nextId(), app.nextId()];
    expect(await one.load({ id: a, data: { a: 1 } }, { id: a, data: { a: 2 } })).toEqual({
      imported: 1,
      skipped: 1,
      elsewhere: 0,
    });
    expect(await two.load({ id: a, data: {} }, { id: b, data: {} })).toEqual({
      imported: 1,
      skipped: 1,
      elsewhere: 1,
    });
    expect((await one.all()).map(({ data }) => data)).toEqual([{ a: 1 }]);
  });

  test("makes an id from the time of a row, the same each time, or from now", async () => {
    const { load, all } = await openForm();
    const rows = [
      { data: { a: 1 }, createdAt: "2024-01-02T03:04:05Z" },
      { name: "Ada", Date: "2024-01-02 03:04:05" },
    ];
    expect(await load(...rows)).toEqual({ imported: 2, skipped: 0, elsewhere: 0 });
    expect(await load(...rows)).toEqual({ imported: 0, skipped: 2, elsewhere: 0 });
    expect(await load({ data: { a: 1 } }, { data: { a: 1 } })).toEqual({
      imported: 2,
      skipped: 0,
      elsewhere: 0,
    });
    const times = (await all()).map(({ id, createdAt }) => [
      Number.parseInt(String(id).replaceAll("-", "").slice(0, 12), 16),
      Date.parse(String(createdAt)),
    ]);
    for (const [inId, time] of times) expect(inId).toBe(time);
    expect(times.map(([time]) => time)).toEqual([
      app.now(),
      app.now(),
      ...Array(2).fill(Date.UTC(2024, 0, 2, 3, 4, 5)),
    ]);
  });

  test.each([
    "Timestamp",
    "Submitted At",
    "created_at",
    "Submission Date",
    "Submit Date (UTC)",
    "Date Created",
    "received at",
  ])(
    "takes the time of another service from its column %s, so that a repeat stores nothing",
    async (column) => {
      const { load, all } = await openForm();
      const row = { [column]: "2024-05-06 07:08:09", name: "Ada" };
      expect(await load(row)).toMatchObject({ imported: 1 });
      expect(await all()).toMatchObject([{ createdAt: "2024-05-06T07:08:09.000Z", data: { name: "Ada" } }]);
      expect(await load(row)).toMatchObject({ imported: 0, skipped: 1 });
    },
  );

  test("leaves a text that is no time, and a field of a form that has another name, as fields", async () => {
    const { load, all } = await openForm();
    const rows = [{ Timestamp: "1/2/2024" }, { date: "2024-05-06" }, { "When?": "2024-05-06" }];
    await load(...rows);
    expect((await all()).map(({ data }) => data)).toEqual(expect.arrayContaining(rows));
  });

  test("keeps the last value of a name that repeats, with every digit", async () => {
    expect((await readRow('{"data":{"a":1},"data":{"b":1,"b":2.50}}')).data).toBe('{"b":2.50}');
    expect((await readRow('{"a":1,"b":3,"a":2.50}')).data).toBe('{"b":3,"a":2.50}');
  });

  test("takes an object without data for the fields, with every digit", async () => {
    const { load, text } = await openForm();
    await load(`{"id":"${app.nextId()}","createdAt":"2024-01-02","n":1.50,"form":"x","data":"text"}`);
    expect(await text()).toContain('"data":{"n":1.50,"form":"x","data":"text"}');
    await load('{"id":7,"name":"Ada"}');
    expect(await text()).toContain('"data":{"id":7,"name":"Ada"}');
  });

  test.each<[row: string, ...words: string[]]>([
    ["nonsense", "not valid JSON"],
    ["[1]", "JSON object"],
    ["{}", "empty"],
    ['{"id":"1","data":{}}', "UUID"],
    ['{"data":{},"createdAt":"1/2/2024"}', "time"],
    ['{"data":{},"createdAt":1704164645678}', "time"],
    ['{"name":"Ada","Date":"soon"}', "time"],
    ['{"data":{},"state":"trash"}', "inbox, spam, archived"],
    ['{"data":{},"spam":1}', "spam"],
    ['{"data":{},"read":"no"}', "read"],
    ['{"data":{},"meta":{"address":1}}', "meta"],
  ])("of the row %s is refused with its line, and stores nothing", async (row, ...words) => {
    const { load, all } = await openForm();
    const { code, message } = await refusalOf(load({ data: { a: 1 } }, "", row));
    expect(code).toBe("invalid");
    expect(message).toStartWith("line 3: ");
    for (const word of words) expect(message).toContain(word);
    expect(await all()).toEqual([]);
  });

  test.each<[what: string, row: object | string]>([
    ["201 fields", { data: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, 1])) }],
    ["a long name", { data: { ["x".repeat(201)]: 1 } }],
    ["a long text", { data: { a: "x".repeat(256 * 1024 + 1) } }],
    ["deep data", `{"data":{"a":${"[".repeat(16)}${"]".repeat(16)}}}`],
    ["deep fields", `{"a":${"[".repeat(16)}${"]".repeat(16)}}`],
    ["deep other members", `{"data":{},"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("of a row with %s is too large", async (_, row) => {
    const { load } = await openForm();
    const { code, message } = await refusalOf(load(row));
    expect(code).toBe("too_large");
    expect(message).toStartWith("line 1: ");
  });

  test("has at most 500 rows, and 1 MB unless it is one row", async () => {
    const { load } = await openForm();
    const rows = (count: number, text = "") => Array.from({ length: count }, () => ({ data: { text } }));
    expect(await load(...rows(500))).toMatchObject({ imported: 500 });
    expect((await refusalOf(load(...rows(501)))).code).toBe("too_large");
    const fields = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [index, "x".repeat(200_000)]));
    expect(await load({ data: fields })).toMatchObject({ imported: 1 });
    expect((await refusalOf(load({ data: fields }, { data: {} }))).code).toBe("too_large");
  });

  test("takes in a row of long texts in whatever way JSON writes them, and of other things as much as a submission has", async () => {
    const { form, load, all } = await openForm();
    const data = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`f${index}`, "\u0001".repeat(256 * 1024)]),
    );
    await storeSubmission(app, form, { data: JSON.stringify(data), files: [] });
    const [row] = await all();
    expect(await load({ ...row!, id: undefined })).toMatchObject({ imported: 1 });
    const lists = (count: number) => `{"data":{"l":[${"[],".repeat(count)}[]]}}`;
    expect(await load(lists(345_000))).toMatchObject({ imported: 1 });
    const { code, message } = await refusalOf(load(lists(2_000_000)));
    expect([code, message]).toEqual([
      "too_large",
      "line 1: what the row holds beside long texts is larger than the limit of 1 MB (1064960 bytes)",
    ]);
    const numbers = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name-${index}`, 1]));
    expect((await refusalOf(load({ data: { numbers } }))).code).toBe("too_large");
  });

  test("looks for rows in megabytes of empty lines in turns with other work", async () => {
    const { form } = await openForm();
    const text = "\n".repeat(15_000_000);
    const { result, turns, ms } = await turnsOf(() => importSubmissions(app, OPERATOR, form.slug, text));
    expect(result).toMatchObject({ imported: 0 });
    expect({ hasTurns: turns >= 10, isBounded: ms < FAR_TOO_LONG_MS }).toEqual({
      hasTurns: true,
      isBounded: true,
    });
  });

  test("takes a form that is full, closed or checks its submissions as any other", async () => {
    const settings = { maxSubmissions: 1, schema: { required: ["a"] }, honeypots: ["url"], challenge: true };
    const { slug, key } = await createForm(app, OPERATOR, { slug: "strict", ...settings });
    const rows = '{"url":"x"}\n{"b":1}\n{"_idempotency":"x"}\n';
    expect(await importSubmissions(app, OPERATOR, slug, rows)).toMatchObject({ imported: 3 });
    expect(await app.store.submissions.count(key, ["inbox"])).toBe(3);
  });
});

test.each([
  ["2024-01-02", "2024-01-02T00:00:00.000Z"],
  ["2024-01-02T03:04:05.678901Z", "2024-01-02T03:04:05.678Z"],
  ["2024-01-02T03:04+0100", "2024-01-02T02:04:00.000Z"],
  ["2024-01-02 03:04:05 UTC", "2024-01-02T03:04:05.000Z"],
  ["Tue, 02 Jan 2024 03:04:05 GMT", "2024-01-02T03:04:05.000Z"],
  ["Tue Jan 02 2024 03:04:05 GMT+0100 (CET)", "2024-01-02T02:04:05.000Z"],
  ["Jan 2, 2024 3:04 PM", "2024-01-02T15:04:00.000Z"],
  ["January 2, 2024, 12:05:01 a.m.", "2024-01-02T00:05:01.000Z"],
  ["2 January 2024", "2024-01-02T00:00:00.000Z"],
  ...[
    "1/2/2024",
    "2024",
    "",
    "tomorrow",
    "2024-02-31",
    "Feb 31, 2024",
    "1969-12-31",
    "2024-01-02T25:00:00Z",
  ].map((text) => [text, null] as [string, null]),
])("the time %j is read as %j", (text, expected) => {
  const time = readTime(text);
  expect(time === null ? null : new Date(time).toISOString()).toBe(expected);
});
