import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { exportSubmissions } from "../../../src/forms/transfer/export.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { tempDirectory } from "../../support/temp.ts";

const OFFICE = Bun.which("soffice") ?? Bun.which("localc");

/** The rows that LibreOffice reads in a file, as it shows them. */
async function rowsOf(file: string): Promise<Record<string, string>[]> {
  const folder = tempDirectory();
  // UTF-8 with commas, all texts quoted, as shown.
  const format = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false";
  const command = [
    OFFICE!,
    `-env:UserInstallation=file://${folder}/profile`,
    "--headless",
    "--convert-to",
    format,
  ];
  const { exited } = Bun.spawn([...command, "--outdir", folder, file], {
    stdout: "ignore",
    stderr: "ignore",
  });
  expect(await exited).toBe(0);
  const name = file
    .split("/")
    .at(-1)!
    .replace(/\.\w+$/, ".csv");
  return parse(await Bun.file(join(folder, name)).text(), { columns: true, bom: true });
}

test.skipIf(OFFICE === null)(
  "LibreOffice opens the workbook of a form, and shows what was sent",
  async () => {
    const app = openTestApp();
    const day = { type: "string", format: "date" };
    const schema = { type: "object", properties: { day, count: { type: "integer" } } };
    const form = await createForm(app, OPERATOR, { slug: "contact", name: "Grüße [2]: a/b", schema });
    const sent = [
      '{"text":"=1+1","zeros":"007","n":-1.5,"yes":true,"long":12345678901234567890,"day":"2026-02-28","count":"12"}',
      '{"text":"@SUM(A1)\\n+2; \\"quoted\\" é😀 _x0041_","zeros":"+49 30 1","n":1e5,"yes":false,"long":1,"day":"soon"}',
      `{"text":"${"ä".repeat(40_000)}"}`,
    ];
    for (const data of sent) await storeSubmission(app, form, { data, files: [] });
    const file = join(tempDirectory(), "contact.xlsx");
    const chunks = await Array.fromAsync(exportSubmissions(app, form, "xlsx", { states: ["inbox"] }));
    await Bun.write(file, Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))));
    const [long, second, first] = await rowsOf(file);
    expect(first).toMatchObject({
      createdAt: "2026-01-02 03:04:05",
      text: "=1+1",
      zeros: "007",
      n: "-1.5",
      yes: "TRUE",
      long: "12345678901234567890",
      day: "2026-02-28",
      count: "12",
    });
    expect(second).toMatchObject({
      text: '@SUM(A1)\n+2; "quoted" é😀 _x0041_',
      zeros: "+49 30 1",
      n: "100000",
      yes: "FALSE",
      day: "soon",
    });
    expect(long!["text"]).toBe(`${"ä".repeat(32_766)}…`);
  },
  120_000,
);
