import { expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import readWorkbook, { readSheet } from "read-excel-file/node";
import { addFields, createColumns } from "../../../src/forms/transfer/export-csv.ts";
import { cellOf, sheetName, xlsxExport } from "../../../src/forms/transfer/export-xlsx.ts";
import { parseExactly } from "../../../src/base/json/exact-json.ts";
import { NO_COLUMNS } from "../../../src/forms/submission-columns.ts";
import type { RawSubmission } from "../../../src/forms/submission.ts";
import { nextId } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";

const submission = (data: string, more: Partial<RawSubmission> = {}): RawSubmission => ({
  id: nextId(),
  project: "default",
  form: "contact",
  data,
  files: [],
  createdAt: "2026-01-02T03:04:05.678Z",
  state: "inbox",
  spam: null,
  read: true,
  ...NO_COLUMNS,
  ...more,
});

/** The bytes of a workbook of submissions. */
async function workbook(
  submissions: RawSubmission[],
  schema: Record<string, unknown> | null = null,
  name = "Contact",
): Promise<Buffer> {
  const columns = createColumns(["inbox"]);
  addFields(columns, submissions);
  const pages = async function* () {
    yield submissions;
  };
  return Buffer.concat(await Array.fromAsync(xlsxExport({ name, schema }, columns, pages())));
}

test("A workbook is read by another program with the values of the submissions", async () => {
  const data = `{"text":"a\\r\\nb","formula":"=1+1","zeros":"007","n":-1.50,"yes":false,"none":null,"long":1234567890123456,
    "digits":12345678901234567890.1,"list":["x",1],"escape":"_x0041_ \\u0000<&>\\ud83d\\ude00","huge":1e400,"count":"12","day":"2026-02-28","at":"2026-02-28T10:00:00+01:00"}`;
  const schema = {
    properties: {
      count: { type: "integer" },
      zeros: { type: "number" },
      day: { format: "date" },
      at: { type: "string", format: "date-time" },
    },
  };
  const file = await workbook(
    [submission(data, { files: [{ field: "f", name: "cv.pdf", type: "a/b", size: 1, sha256: "" }] })],
    schema,
  );
  const [head, row] = (await readSheet(file)) as [string[], unknown[]];
  const got = Object.fromEntries(head.map((name, index) => [name, row[index]]));
  expect(got).toEqual({
    id: expect.any(String),
    createdAt: new Date("2026-01-02T03:04:05.678Z"),
    text: "a\nb",
    formula: "=1+1",
    zeros: "007",
    n: -1.5,
    yes: false,
    none: null,
    long: "1234567890123456",
    digits: "12345678901234567890.1",
    list: '["x",1]',
    escape: expect.stringContaining("<&>😀"),
    huge: "1e400",
    count: 12,
    day: new Date("2026-02-28T00:00:00Z"),
    at: new Date("2026-02-28T09:00:00Z"),
    files: "cv.pdf",
  });
  const parts = unzipSync(file);
  const sheet = strFromU8(parts["xl/worksheets/sheet1.xml"]!);
  expect(sheet).not.toContain("<f");
  expect(sheet).toContain("_x005F_x0041_ _x0000_&lt;&amp;&gt;");
});

test("A value keeps its type where Excel holds the same value, and else is the text that was sent", () => {
  const cells = (json: string, reading?: Parameters<typeof cellOf>[1]) => cellOf(parseExactly(json), reading);
  for (const [json, cell] of [
    ["123456789012345", 123_456_789_012_345],
    ["1234567890123450", "1234567890123450"],
    ["0.30000000000000004", "0.30000000000000004"],
    ["1.10", 1.1],
    ["1e5", 100_000],
    ["1e-400", "1e-400"],
    ["-0", -0],
    ["true", true],
    ["null", null],
    ['""', null],
    ['"1"', "1"],
    ['"a\\uD800b\\uFFFF"', "a\uFFFDb\uFFFD"],
  ] as const)
    expect([json, cells(json)]).toEqual([json, cell]);
  for (const text of ["007", "1 000", "+1", "1e3", "0x1", "1234567890123456", "-", "Infinity"])
    expect(cells(JSON.stringify(text), "number")).toBe(text);
  expect(cells('"-1.5"', "number")).toBe(-1.5);
  for (const text of ["2026-02-30", "1899-12-31", "26-01-01", "2026-1-1", "2026-01-01T00:00", "soon"])
    expect(cells(JSON.stringify(text), "date")).toBe(text);
  expect(cells('"2026-01-01T00:00"', "date-time")).toBe("2026-01-01T00:00");
});

test("A text is cut to 32,767 characters with a mark, and no character is split", () => {
  expect(cellOf("x".repeat(32_767))).toBe("x".repeat(32_767));
  expect(cellOf("x".repeat(32_768))).toBe(`${"x".repeat(32_766)}…`);
  expect(cellOf(`${"x".repeat(32_765)}😀x`)).toBe(`${"x".repeat(32_765)}…`);
});

test("A sheet has the name of its form, without what Excel forbids", async () => {
  for (const [name, sheet] of [
    ["Contact: [a]/b\\c*d?", "Contact   a  b c d"],
    ["'quoted'", "quoted"],
    ["History", "History submissions"],
    ["///", "submissions"],
    ["x".repeat(40), "x".repeat(28)],
    [`${"x".repeat(27)}😀`, "x".repeat(27)],
  ] as const)
    expect(sheetName(name)).toBe(sheet);
  const sheets = await readWorkbook(await workbook([submission("{}")], null, "Grüße: <a> & 'b'"));
  expect(sheets.map(({ sheet }) => sheet)).toEqual(["Grüße  <a> & 'b"]);
});

test("A form without submissions has a sheet with a head", async () => {
  expect(await readSheet(await workbook([]))).toEqual([["id", "createdAt", "files"]]);
});

test("More than a workbook holds is refused, and its submissions are closed", async () => {
  let isClosed = false;
  const pages = async function* () {
    try {
      yield [submission("{}"), { ...submission("{}"), data: { length: 2 ** 31 } as unknown as string }];
    } finally {
      isClosed = true;
    }
  };
  const chunks = xlsxExport({ name: "a", schema: null }, createColumns(["inbox"]), pages());
  expect(await codeOf(Array.fromAsync(chunks))).toBe("unsupported");
  expect(isClosed).toBe(true);
});
