import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { strFromU8, unzipSync } from "fflate";
import { formflag, onData } from "../../support/commands.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";
import { atTerminal } from "../../support/terminal.ts";

const server = await startServer();
const local = onData(server.data);
const folder = tempDirectory();

const { key } = await local.json<{ key: string }>("forms", "create", "contact", "--uploads", "on");
const token = (await local.run("tokens", "create", "forms", "--scope", "forms:write")).stdout.trim();
const remote = (...args: string[]) =>
  formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: token } });

const hostile = new FormData();
hostile.append("name", "=1+1; -x");
hostile.append("tag", "a");
hostile.append("tag", "b");
hostile.append("file", new File(["up"], "../../x\u202E.txt"));
hostile.append("file", new File(["umlauts"], "ü".repeat(300)));
for (const body of [hostile, JSON.stringify({ age: 36, yes: true, name: "two\nlines" })]) {
  const headers: Record<string, string> =
    typeof body === "string" ? { "Content-Type": "application/json" } : {};
  const answer = await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", headers, body });
  expect(answer.status).toBe(200);
}

let forms = 0;
async function emptyForm(): Promise<string> {
  const slug = `form-${(forms += 1)}`;
  await local.json("forms", "create", slug);
  return slug;
}

const fileWith = (name: string, text: string | Uint8Array) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

test("an export has the format that the name of its file stands for, and is refused where --format names another", async () => {
  const folder = tempDirectory();
  const local = onData(tempDirectory());
  await local.run("forms", "create", "contact");
  await local.run("forms", "test", "contact");
  const written = async (name: string, ...more: string[]) => {
    const file = join(folder, name);
    expect((await local.run("submissions", "export", "contact", "-o", file, ...more)).code).toBe(0);
    return Buffer.from(await Bun.file(file).bytes()).toString("latin1");
  };
  expect(await written("contact.csv")).toMatch(/^id,/);
  expect(await written("contact.CSV")).toMatch(/^id,/);
  expect(await written("contact.json")).toMatch(/^\[/);
  for (const name of ["contact.zip", "contact.xlsx"]) expect(await written(name)).toMatch(/^PK/);
  expect(await written("contact.jsonl")).toMatch(/^\{/);
  expect(await written("contact")).toMatch(/^\{/);
  expect(await written("contact.ndjson", "--format", "jsonl")).toMatch(/^\{/);
  expect(await written("contact.txt", "--format", "csv")).toMatch(/^id,/);
  const other = await local.run("submissions", "export", "contact", "-o", "x.csv", "--format", "jsonl");
  expect(other).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "error: x.csv is a name for .csv, and --format is jsonl\nhint: name the file x.jsonl, or leave out --format\n",
  });
  for (const name of ["contact.xls", "contact.ODS", "contact.jsonl.gz"]) {
    const file = join(folder, name);
    const { code, stderr } = await local.run("submissions", "export", "contact", "-o", file);
    expect([code, stderr]).toEqual([2, expect.stringContaining("this export is not written as .")]);
    expect(await Bun.file(file).exists()).toBe(false);
  }
});

describe("submissions export --format zip", () => {
  test("is the same archive from this machine and from elsewhere, with names that are safe", async () => {
    const [here, there] = [join(folder, "here.zip"), join(folder, "there.zip")];
    const args = ["submissions", "export", "contact", "--format", "zip", "-o"];
    expect(await local.run(...args, here)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await remote(...args, there)).toEqual({ code: 0, stdout: "", stderr: "" });
    const [zip, other] = [here, there].map((file) => unzipSync(readFileSync(file)));
    expect(other).toEqual(zip);
    const files = Object.entries(zip!).filter(([name]) => name.startsWith("files/"));
    expect(files.map(([name, bytes]) => [name.slice("files/".length + 37), strFromU8(bytes)])).toEqual([
      ["1-....x.txt", "up"],
      [`2-${"ü".repeat(100)}`, "umlauts"],
    ]);
    const { stdout } = await local.run("submissions", "export", "contact");
    expect(strFromU8(zip!["submissions.jsonl"]!)).toBe(stdout);
  });

  test("is unpacked by unzip, and goes into a pipe but not to a terminal", async () => {
    const args = ["submissions", "export", "contact", "--format", "zip", "--data", server.data];
    const child = Bun.spawn([EXECUTABLE, ...args], { stdout: "pipe" });
    const file = fileWith("piped.zip", await new Response(child.stdout).bytes());
    expect(await child.exited).toBe(0);
    const unzip = Bun.which("unzip");
    if (unzip !== null)
      expect(await Bun.spawn([unzip, "-qq", file, "-d", join(folder, "out")]).exited).toBe(0);
    if (unzip !== null) expect(existsSync(join(folder, "out", "submissions.csv"))).toBe(true);
    const { code, screen } = await atTerminal(args).ends();
    expect(code).toBe(2);
    expect(screen).toContain("save it with -o FILE");
  });
});

describe("submissions import", () => {
  test.each(["jsonl", "csv"])(
    "of an export as %s gives the same export, here and from elsewhere",
    async (format) => {
      const args = ["submissions", "export", "contact", "--all", "--format", format];
      const { stdout } = await local.run(...args);
      // Other ids, because these are known.
      const other = stdout.replaceAll(/\b01(?=[0-9a-f]{6}-)/g, format === "csv" ? "02" : "03");
      const file = fileWith(`contact.${format}`, other);
      const form = await emptyForm();
      expect(await remote("submissions", "import", form, file)).toEqual({
        code: 0,
        stdout: "imported 2, skipped 0\n",
        stderr: "",
      });
      const known = await local.json("submissions", "import", form, file);
      expect(known).toEqual({ imported: 0, skipped: 2, elsewhere: 0 });
      const again = await local.run("submissions", "export", form, "--all", "--format", format);
      const withoutFiles = other
        .replaceAll(/"files":\[\{.*?\}\],"cr/g, '"files":[],"cr')
        .replaceAll(/,"[^"]*x\u202E.*(?=\r\n)/g, ",");
      expect(again.stdout).toBe(withoutFiles.replaceAll('"form":"contact"', `"form":"${form}"`));
    },
  );

  test("takes standard input of either kind, and says how many other forms have", async () => {
    const form = await emptyForm();
    const load = (stdin: string, ...more: string[]) =>
      formflag(["submissions", "import", form, "-", "--data", server.data, ...more], { stdin });
    expect((await load("Name;Date\nAda;2024-01-02\n")).stdout).toBe("imported 1, skipped 0\n");
    expect((await load('\n{"name":"Ben","n":12345678901234567890}')).stdout).toBe("imported 1, skipped 0\n");
    expect((await load("name\n{a}\n", "--format", "csv")).stdout).toBe("imported 1, skipped 0\n");
    const { stdout } = await local.run("submissions", "export", form);
    expect(stdout).toContain('"n":12345678901234567890');
    const result = await formflag(["submissions", "import", "contact", "-", "--data", server.data], {
      stdin: stdout,
    });
    expect(result).toMatchObject({ code: 0, stdout: "imported 0, skipped 3\n" });
    expect(result.stderr).toContain("3 of those skipped are submissions of other forms");
  });

  test("ends at a wrong line with what is stored, and goes on from there once it is right", async () => {
    const form = await emptyForm();
    const row = (index: number, time: string) => `{"a":${index},"Date":"${time}"}`;
    const rows = Array.from({ length: 1200 }, (_, index) => row(index, "2024-01-02"));
    const wrong = fileWith(
      "wrong.jsonl",
      [...rows.slice(0, 1100), row(0, "soon"), ...rows.slice(1101)].join("\n"),
    );
    const { code, stdout, stderr } = await remote("submissions", "import", form, wrong);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("line 1101: the time cannot be read (imported 1000, skipped 0 before)");
    expect(stderr).toContain("the same import again skips what is stored");
    const right = fileWith("right.jsonl", rows.join("\n"));
    expect((await remote("submissions", "import", form, right)).stdout).toBe("imported 200, skipped 1000\n");
  });

  test.each<[what: string, name: string, content: string | Uint8Array, ...words: string[]]>([
    ["no JSON", "a.jsonl", '{"a":1}\nnonsense\n', "line 2: ", "not valid JSON", "nothing was imported"],
    ["a JSON array", "a.json", '[{"a":1}]', "is a JSON array", "one object a line"],
    ["other bytes than UTF-8", "a.csv", Uint8Array.of(0x61, 0x0a, 0xff), "is not UTF-8"],
    ["a row of another length", "b.csv", "a,b\n1,2\n1,2,3\n", "line 3: ", "cells"],
    [
      "a text that is too long",
      "b.jsonl",
      JSON.stringify({ a: "x".repeat(300_000) }),
      "line 1: ",
      "larger than the limit",
    ],
  ])("of a file with %s is exit 2 and says why", async (_, name, content, ...words) => {
    const { code, stderr } = await local.run("submissions", "import", "contact", fileWith(name, content));
    expect(code).toBe(2);
    for (const word of words) expect(stderr).toContain(word);
  });

  test("of what is not there, or without the scope, stores nothing", async () => {
    const file = fileWith("one.jsonl", '{"a":1}');
    const codeOf = async (...args: string[]) => (await local.run("submissions", "import", ...args)).code;
    expect(await codeOf("contact", join(folder, "nowhere.csv"))).toBe(2);
    expect(await codeOf("contact", folder)).toBe(2);
    expect(await codeOf("contact")).toBe(2);
    expect(await codeOf("nobody", file)).toBe(3);
    const reader = (await local.run("tokens", "create", "reader", "--scope", "forms:read")).stdout.trim();
    const args = ["submissions", "import", "contact", file, "--server", server.url];
    expect((await formflag(args, { env: { FORMFLAG_TOKEN: reader } })).code).toBe(4);
  });
});

test("an import says which rows have a time that cannot be read, and which are alike", async () => {
  const form = await emptyForm();
  const file = fileWith("times.csv", "Timestamp,name\n1/2/2024 10:00,Ada\n1/2/2024 10:00,Ada\n");
  const { stdout, stderr } = await local.run("submissions", "import", form, file);
  expect(stdout).toBe("imported 2, skipped 0\n");
  expect(stderr).toContain('"1/2/2024 10:00" in "Timestamp" cannot be read as a time');
  expect(stderr).toContain("the same import again stores them once more");
  expect(stderr).toContain("1 row says the same as an earlier one");
  const timed = fileWith("timed.csv", "sep=;\nSubmitted at;name\n2024-05-06 07:08;Ada\n");
  for (const done of ["imported 1, skipped 0\n", "imported 0, skipped 1\n"])
    expect(await local.run("submissions", "import", form, timed)).toMatchObject({ stdout: done, stderr: "" });
});
