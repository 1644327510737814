import { describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { beginExport, exportSubmissions } from "../../../src/forms/transfer/export.ts";
import type { ExportFormat } from "../../../src/forms/transfer/export-format.ts";
import { safeName } from "../../../src/forms/transfer/export-zip.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { SUBMISSION_STATES } from "../../../src/forms/submission-state.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { deleteSubmission } from "../../../src/forms/keeping/submission-deletion.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { codeOf } from "../../support/refusals.ts";
import { uploadsOf } from "../../support/uploads.ts";

const app = openTestApp();
const { draftFiles } = uploadsOf(app);
let forms = 0;

async function openForm() {
  const form = await createForm(app, OPERATOR, { slug: `form-${(forms += 1)}`, uploads: true });
  const submit = async (data: string, ...names: string[]) =>
    (await storeSubmission(app, form, { data, files: await draftFiles(...names) })).id;
  const chunks = (format: ExportFormat) =>
    exportSubmissions(app, form, format, { states: SUBMISSION_STATES });
  const bytesOf = async (format: ExportFormat) =>
    Buffer.concat((await Array.fromAsync(chunks(format))).map((chunk) => Buffer.from(chunk)));
  const unzipped = async () => {
    const entries = Object.entries(unzipSync(await bytesOf("zip")));
    return Object.fromEntries(entries.map(([name, bytes]) => [name, strFromU8(bytes)]));
  };
  return {
    form,
    submit,
    chunks,
    bytesOf,
    textOf: async (format: ExportFormat) => (await bytesOf(format)).toString(),
    unzipped,
  };
}

describe("an export as JSON lines", () => {
  test("has the data as it was sent, with every digit, in one line", async () => {
    const { form, submit, textOf } = await openForm();
    const id = await submit('{\r\n "n": 12345678901234567890,\n "p": 1.50,\n "text": "a\\nb"\n}');
    const text = await textOf("jsonl");
    expect(text).toStartWith(
      `{"id":"${id}","project":"default","form":"${form.slug}","data":{ "n": 12345678901234567890, "p": 1.50, "text": "a\\nb"},`,
    );
    expect(text.split("\n")).toHaveLength(2);
  });

  test("has one value for a name that repeats in what an older version stored", async () => {
    const { submit, textOf } = await openForm();
    await submit('{"a":"first","b":[{"n":1,"n":2.50}],"a":"last"}');
    expect(await textOf("jsonl")).toContain('"data":{"b":[{"n":2.50}],"a":"last"},');
    expect(await textOf("json")).toContain('"data":{"b":[{"n":2.50}],"a":"last"},');
  });

  test("leaves out what arrives after it began, and what is deleted before its turn", async () => {
    const { form, submit, chunks } = await openForm();
    const rows = Array.from({ length: 1200 }, (_, index) =>
      storeSubmission(app, form, { data: `{"index":${index}}`, files: [] }),
    );
    const ids = (await Promise.all(rows)).map(({ id }) => id);
    const lines: string[] = [];
    for await (const chunk of chunks("jsonl")) {
      if (lines.length === 0) {
        await submit('{"late":1}');
        await deleteSubmission(app, OPERATOR, ids[0]!);
      }
      lines.push(...String(chunk).trimEnd().split("\n"));
    }
    const exported = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(exported).toEqual(ids.slice(1).toReversed());
  });
});

test("An export as CSV has the delimiter and the mark that are asked for, also in a zip", async () => {
  const { form, submit } = await openForm();
  await submit('{"a":"é"}');
  const styled = async (format: ExportFormat) => {
    const style = { bom: true, delimiter: ";" as const };
    const chunks = await beginExport(app, OPERATOR, form, format, { states: SUBMISSION_STATES }, style);
    return Buffer.concat((await Array.fromAsync(chunks)).map((chunk) => Buffer.from(chunk)));
  };
  const csv = (await styled("csv")).toString();
  expect(csv).toStartWith('\uFEFFid;createdAt;state;spam;"a";files\r\n');
  expect(Buffer.from(unzipSync(await styled("zip"))["submissions.csv"]!).toString()).toBe(csv);
  for (const format of ["jsonl", "json"] as const) expect(await codeOf(styled(format))).toBe("invalid");
});

describe("an export as JSON", () => {
  test("is one array of what the lines hold", async () => {
    const { submit, textOf } = await openForm();
    expect(await textOf("json")).toBe("[]\n");
    await submit('{"a":1}');
    await submit('{"b":2}', "x.txt");
    const lines = (await textOf("jsonl")).trimEnd().split("\n");
    expect(await textOf("json")).toBe(`[\n${lines.join(",\n")}\n]\n`);
  });
});

describe("an export as a zip", () => {
  test("has the submissions as CSV and JSON lines, and their files", async () => {
    const { submit, textOf, unzipped } = await openForm();
    const first = await submit('{"name":"Ada"}', "../../x", "a.txt", "a.txt", "");
    await submit('{"name":"Ben","=1":"=1"}');
    expect(await unzipped()).toEqual({
      "submissions.jsonl": await textOf("jsonl"),
      "submissions.csv": await textOf("csv"),
      [`files/${first}/1-....x`]: "../../x",
      [`files/${first}/2-a.txt`]: "a.txt",
      [`files/${first}/3-a.txt`]: "a.txt",
      [`files/${first}/4-file`]: "",
    });
  });

  test("is the same at any time, as long as the submissions are", async () => {
    const { submit, bytesOf } = await openForm();
    for (let count = 0; count < 3; count += 1) {
      const before = await bytesOf("zip");
      app.clock.now += 60_000;
      expect((await bytesOf("zip")).equals(before)).toBe(true);
      await submit('{"a":1}', "a.txt");
      expect((await bytesOf("zip")).equals(before)).toBe(false);
    }
  });

  test("of an empty form has both lists", async () => {
    const { unzipped } = await openForm();
    expect(await unzipped()).toEqual({
      "submissions.jsonl": "",
      "submissions.csv": "id,createdAt,state,spam,files\r\n",
    });
  });

  test("leaves out the files of a submission that is deleted meanwhile", async () => {
    const { submit, chunks } = await openForm();
    const kept = await submit('{"a":1}', "kept.txt");
    const gone = await submit('{"b":1}', "gone.txt");
    const parts: Buffer[] = [];
    for await (const chunk of chunks("zip")) {
      if (parts.length === 0) await deleteSubmission(app, OPERATOR, gone);
      parts.push(Buffer.from(chunk));
    }
    const names = Object.keys(unzipSync(Buffer.concat(parts))).filter((name) => name.startsWith("files/"));
    expect(names).toEqual([`files/${kept}/1-kept.txt`]);
  });

  test("breaks off at a file that is missing or was cut short", async () => {
    const { submit, textOf } = await openForm();
    const id = await submit('{"a":1}', "a.txt");
    const path = uploadsOf(app).pathOf(`${id}.1`);
    await Bun.write(path, "cut");
    expect(await codeOf(textOf("zip"))).toBe("unsupported");
    await app.blobs.delete([`${id}.1`]);
    expect(await codeOf(textOf("zip"))).toBe("unsupported");
    expect(await textOf("zip").catch(String)).toContain(`${id}.1 is missing`);
  });

  test("that nobody reads to its end closes the file it is at", async () => {
    const { submit, chunks } = await openForm();
    await submit('{"a":1}', "a.txt", "b.txt");
    const reading = chunks("zip");
    for await (const chunk of reading) if (Buffer.from(chunk).includes("files/")) break;
    expect((await reading.next()).done).toBe(true);
  });
});

describe("the name of a file in a zip", () => {
  test.each([
    ["photo.jpg", "photo.jpg"],
    ["../../etc/passwd", "....etcpasswd"],
    ["C:\\a|b?.txt", "Cab.txt"],
    ["a\u0000b\r\n\u007f\u0085c", "abc"],
    ["gpj.\u202Eexe", "gpj.exe"],
    ["name. . ", "name"],
    ["../..", "file"],
    ["\u0000/", "file"],
    ["", "file"],
    ["CON", "CON"],
    ["日本 🎉.txt", "日本 🎉.txt"],
    ["a\uD800b", "a\uFFFDb"],
  ])("%j becomes %j", (name, expected) => {
    expect(safeName(name)).toBe(expected);
  });

  test("keeps its extension if it is cut", () => {
    expect(safeName(`${"a".repeat(300)}.pdf`)).toBe(`${"a".repeat(196)}.pdf`);
    expect(safeName(`${"ü".repeat(300)}.jpeg`)).toBe(`${"ü".repeat(97)}.jpeg`);
    expect(safeName(`${"a".repeat(300)}.${"b".repeat(17)}`)).toBe("a".repeat(200));
    expect(safeName(`a.${"b".repeat(300)}. `)).toBe(`a.${"b".repeat(198)}`);
  });

  test("has at most 200 bytes, and is cut at a character", () => {
    expect(safeName("ü".repeat(300))).toBe("ü".repeat(100));
    expect(safeName(`a${"🎉".repeat(100)}`)).toBe(`a${"🎉".repeat(49)}`);
    expect(safeName(`${"a".repeat(199)} b`)).toBe("a".repeat(199));
  });
});

describe("an export that reads the submissions several times", () => {
  test.each(["csv", "zip"] as const)(
    "leaves out, as %s, what arrives in the places of the last ones that are deleted meanwhile",
    async (format) => {
      const { submit, chunks } = await openForm();
      const kept = await submit(`{"n":1,"text":"${"x".repeat(100_000)}"}`);
      const last = [await submit('{"n":2}'), await submit('{"n":3}')];
      const parts = chunks(format);
      const read = [(await parts.next()).value];
      for (const id of last) await deleteSubmission(app, OPERATOR, id);
      const late = [await submit('{"n":4}'), await submit('{"n":5}'), await submit('{"n":6}')];
      for await (const part of parts) read.push(part);
      const text = Buffer.concat(read.map((part) => Buffer.from(part))).toString();
      expect(text).toContain(kept);
      for (const id of late) expect(text).not.toContain(id);
    },
  );
});
