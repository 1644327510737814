import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { csvCell, readCell } from "../../../src/forms/transfer/csv.ts";
import { addFields, createColumns, csvLines } from "../../../src/forms/transfer/export-csv.ts";
import { csvRows } from "../../../src/forms/transfer/import-csv.ts";
import type { RawSubmission } from "../../../src/forms/submission.ts";

async function* of<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

const rowsOf = async (...chunks: string[]) =>
  (await Array.fromAsync(csvRows(of(...chunks)))).map(({ line, json }) => [line, JSON.parse(json)]);

const submission = (data: object, more: Partial<RawSubmission> = {}): RawSubmission => ({
  id: "01a200cc-d4d1-7000-bed0-0a8a1777d3fe",
  project: "default",
  form: "contact",
  data: JSON.stringify(data),
  files: [],
  createdAt: "2026-01-02T03:04:05.678Z",
  state: "inbox",
  spam: null,
  read: true,
  meta: null,
  flags: null,
  unchecked: null,
  assignee: null,
  labels: [],
  confirmedAt: null,
  unsubscribedAt: null,
  consent: null,
  ...more,
});

async function exported(...submissions: RawSubmission[]): Promise<string> {
  const columns = createColumns(["inbox", "spam"]);
  addFields(columns, submissions);
  return (await Array.fromAsync(csvLines(columns, of(submissions)))).join("");
}

describe("CSV of an export", () => {
  test("is read as the values that were written", async () => {
    const data = {
      name: "=1+1",
      tags: ["a", "=b"],
      n: -1.5,
      yes: true,
      nested: { "": null },
      text: 'say "hi";\r\n=x',
      empty: "",
    };
    const text = await exported(
      submission(data),
      submission({ id: "mine", state: "BW", files: "x" }, { state: "spam", spam: "links" }),
    );
    const { id, createdAt } = submission({});
    expect(await rowsOf(text)).toEqual([
      [2, { id, createdAt, state: "inbox", data }],
      [4, { id, createdAt, state: "spam", spam: "links", data: { id: "mine", state: "BW", files: "x" } }],
    ]);
  });

  test.each([",", ";", "\t"] as const)(
    "is read with the delimiter %j and a byte order mark",
    async (delimiter) => {
      const data = {
        name: "a;b\tc,d",
        formula: "=1;=2,=3",
        n: 1.5,
        list: ["x;=y,=z", "=z"],
        "a,=b": "1",
      };
      const columns = createColumns(["inbox"]);
      addFields(columns, [submission(data)]);
      const style = { bom: true, delimiter };
      const text = (await Array.fromAsync(csvLines(columns, of([submission(data)]), style))).join("");
      expect(text).toStartWith(`\uFEFFid${delimiter}createdAt${delimiter}"name"${delimiter}`);
      const [[, row]] = (await rowsOf(text)) as [[number, { data: object }]];
      expect(row.data).toEqual(data);
    },
  );

  test("has assignees and labels, once a submission has some", async () => {
    const { id, createdAt } = submission({});
    const row = { id, createdAt, state: "inbox", data: { name: "a", labels: "mine" } };
    const text = await exported(
      submission(row.data, { assignee: "ann", labels: ["=1", "to call"] }),
      submission(row.data),
    );
    expect(text.split("\r\n")[0]).toEndWith(",files,assignee,labels");
    expect(await rowsOf(text)).toEqual([
      [2, { ...row, assignee: "ann", labels: ["=1", "to call"] }],
      [3, { ...row, assignee: null, labels: [] }],
    ]);
  });

  test("has the fields without a column of their own", async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `f${index}`);
    const data = Object.fromEntries(names.map((name) => [name, `'${name}`]));
    expect(await rowsOf(await exported(submission(data)))).toMatchObject([[2, { data }]]);
  });

  test("is the same CSV again", async () => {
    const part = fc.constantFrom(
      ";",
      "\t",
      "\r\n",
      '"',
      " ",
      "=",
      "-",
      "＝",
      "'",
      ",",
      "a",
      "1",
      "[",
      "]",
      "{}",
      "\\",
      "true",
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
    const value = fc.oneof(
      text,
      fc.array(text),
      fc.dictionary(text, text),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(text, value, { minKeys: 1 }), { minLength: 1, maxLength: 3 }),
        async (all) => {
          const csv = await exported(...all.map((data) => submission(data)));
          const rows = (await rowsOf(csv)).map(([, row]) => (row as { data: object }).data);
          expect(await exported(...rows.map((data) => submission(data)))).toBe(csv);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a cell is read as what has that cell", () => {
  for (const value of ["=a", "x;=1", ["=1;=2"], { a: 1 }, 36, -0.5, true, "36", "[ 1 ]", "{", "+49 30"]) {
    const cell = csvCell(value);
    const isQuoted = cell.startsWith('"');
    expect(readCell(isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell, isQuoted)).toEqual(value);
  }
  for (const text of ["007", "Infinity", "+1", " 1", "1.", ".5"]) expect(readCell(text, false)).toBe(text);
  for (const number of ["1e5", "1.50", "12345678901234567890", "-0"])
    expect(JSON.stringify(readCell(number, false))).toBe(number);
});

describe("other CSV", () => {
  test("has texts, with a repeated column as a list and without empty cells", async () => {
    expect(await rowsOf('Name,Topic,Topic,Age\r\nAda,a,b,36\r\n,,,\r\n\'=x,,c,""\r\n')).toEqual([
      [2, { Name: "Ada", Topic: ["a", "b"], Age: "36" }],
      [4, { Name: "'=x", Topic: "c", Age: "" }],
    ]);
  });

  test.each([",", ";", "\t"])(
    "may be split at %j, begin with a byte order mark and come in small chunks",
    async (delimiter) => {
      const text = ['\uFEFF"a,b;c"', "x\r\n1", '"2;,\t"\r\n'].join(delimiter);
      expect(await rowsOf(...Array.from(text))).toEqual([[2, { "a,b;c": "1", x: "2;,\t" }]]);
    },
  );

  test("has lines that count those inside cells, and empty ones", async () => {
    const rows = await rowsOf('a\n\n"x\r\ny\n"\r\n\r\n\r\nz\n');
    expect(rows).toEqual([
      [3, { a: "x\r\ny\n" }],
      [8, { a: "z" }],
    ]);
  });

  test.each([";", "\t", "|", ","])(
    "may name its delimiter %j in a line before the first one",
    async (delimiter) => {
      const lines = [`sep=${delimiter}`, `a,1${delimiter}b;2`, `"x${delimiter}"${delimiter}y`, ""].join(
        "\r\n",
      );
      const text = delimiter === "," ? lines.replace("a,1", "a1") : lines.replace("b;2", "b2");
      const name = delimiter === "," ? "a1" : "a,1";
      const second = delimiter === "," ? "b;2" : "b2";
      expect(await rowsOf(...Array.from(text))).toEqual([[3, { [name]: `x${delimiter}`, [second]: "y" }]]);
    },
  );

  test("may have rows that end before their empty last cells", async () => {
    expect(await rowsOf("a,b,c\n1\n1,2\n1,,3\n")).toEqual([
      [2, { a: "1" }],
      [3, { a: "1", b: "2" }],
      [4, { a: "1", c: "3" }],
    ]);
  });

  test("with a column whose name no field can have says so at once, with what to do", async () => {
    const error = await rowsOf(`a,${"ü".repeat(101)}\n1,2\n`).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "too_large", hint: expect.stringContaining("200 bytes") });
    expect(String(error)).toContain("line 1: ");
    expect(await rowsOf(`${"ü".repeat(100)}\n1\n`)).toHaveLength(1);
  });

  test("without rows is nothing", async () => {
    expect(await rowsOf("")).toEqual([]);
    expect(await rowsOf("a,b\n")).toEqual([]);
  });

  test.each<[text: string, ...words: string[]]>([
    ["a,b\n1,2\n3,4,5\n", "line 3: ", "more or fewer cells"],
    ["id,createdAt,a,b\n,,1,2\n,,3\n", "line 3: ", "more or fewer cells"],
    ['a,b\n1,"2\n', "line 2: ", "not closed"],
    ['a,b\n1,x"y\n', "line 2: ", "quote"],
    ['a,b\n1,"x"y\n', "line 2: ", "quote"],
  ])("%j is refused with its line", async (text, ...words) => {
    const error = await rowsOf(text).catch((error: unknown) => error);
    expect(error).toMatchObject({ name: "AppError", code: "invalid" });
    for (const word of words) expect(String(error)).toContain(word);
  });

  test("with an endless cell is refused, not held in memory", async () => {
    const endless = async function* () {
      yield 'a\n"';
      for (;;) yield "x".repeat(1 << 20);
    };
    const reading = csvRows(endless()).next();
    const error = await reading.then(
      () => null,
      (error: Error) => error,
    );
    expect(error).toMatchObject({ code: "too_large" });
    expect(error?.message).toStartWith("line 2: ");
  });
});
