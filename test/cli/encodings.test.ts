import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

const data = tempDirectory();
const { run } = onData(data);
const HERE = ["-p", "shop", "-e", "develop"];
await run("projects", "create", "shop");
await run("flags", "set", "before", ...HERE, "--payload", '{"t":"before"}');
await run("forms", "create", "contact");

const folder = tempDirectory();
let count = 0;
function fileWith(bytes: Uint8Array): string {
  const file = join(folder, `${(count += 1)}.json`);
  writeFileSync(file, bytes);
  return file;
}

/** Command lines that read FILE, and its text. */
const READERS: [text: string, ...args: string[]][] = [
  ['{"t":"Zoë"}', "flags", "set", "before", ...HERE, "--payload", "@FILE"],
  ['{"a":"Zoë"}', "flags", "set", "before", ...HERE, "--variants", "@FILE"],
  ["# Zoë", "flags", "set", "before", ...HERE, "--preview-content", "@FILE"],
  ['{"name":"Zoë"}', "flags", "evaluate", "before", ...HERE, "--context", "@FILE"],
  ['{"==":[{"var":"name"},"Zoë"]}', "segments", "set", "named", ...HERE, "--rule", "@FILE"],
  ['{"flags":{},"$evaluators":{"s":{"==":["Zoë",1]}}}', "flags", "import", "FILE", ...HERE],
  ["projects: { shop: { name: Zoë } }", "apply", "-f", "FILE"],
  ["projects: { shop: { name: Zoë } }", "diff", "-f", "FILE"],
  ['{"title":"Zoë"}', "forms", "set", "contact", "--schema", "@FILE"],
  ["Hello Zoë", "forms", "set", "contact", "--autoreply-text", "@FILE"],
  ["# Zoë\nHello", "forms", "set", "contact", "--reply-templates", "@FILE"],
  ['{"name":"Zoë"}\n', "submissions", "import", "contact", "FILE"],
];

const utf32 = (text: string) => Buffer.from(Uint32Array.from(text, (each) => each.codePointAt(0)!).buffer);

const stateOf = async () =>
  (await run("export")).stdout + (await run("submissions", "list", "contact")).stdout;

describe("a file that is not UTF-8 is exit 2 and named, and changes nothing", () => {
  test.each(READERS)("%j: %s %s %s %s %s %s %s %s", async (text, ...args) => {
    const before = await stateOf();
    for (const [bytes, words] of [
      [Buffer.from(text, "latin1"), "is not UTF-8"],
      [Buffer.from(`\uFEFF${text}`, "utf16le"), "is UTF-16, not UTF-8"],
      [Buffer.from(`\uFEFF${text}`, "utf16le").swap16(), "is UTF-16, not UTF-8"],
      [utf32(`\uFEFF${text}`), "is UTF-32, not UTF-8"],
      [utf32(`\uFEFF${text}`).swap32(), "is UTF-32, not UTF-8"],
    ] as const) {
      const file = fileWith(bytes);
      const { code, stderr } = await run(...args.map((each) => each.replace("FILE", file)));
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
      expect(stderr).toContain(file);
    }
    expect(await stateOf()).toBe(before);
  });

  test.each(READERS)("but in UTF-8 it is read, a byte order mark or not: %j", async (text, ...args) => {
    for (const mark of ["", "\uFEFF"]) {
      const file = fileWith(Buffer.from(mark + text));
      const { stderr } = await run(...args.map((each) => each.replace("FILE", file)));
      expect(stderr).not.toContain("UTF-");
      expect(stderr).not.toContain("not valid JSON");
    }
  });
});

test("standard input that is not UTF-8 is exit 2, and named", async () => {
  for (const args of [
    ["flags", "set", "before", ...HERE, "--payload", "-"],
    ["flags", "import", "-", ...HERE],
    ["apply", "-f", "-"],
    ["submissions", "import", "contact", "-"],
  ]) {
    const stdin = new Uint8Array(Buffer.from('{"t":"Zoë"}', "latin1"));
    const { code, stderr } = await formflag([...args, "--data", data], { stdin });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("standard input is not UTF-8"),
    });
  }
});

test("so does a file of a token", async () => {
  const file = fileWith(Buffer.from("ff_Zoë", "latin1"));
  const { code, stderr } = await formflag([
    "projects",
    "list",
    "--server",
    "http://127.0.0.1:9",
    "--token-file",
    file,
  ]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`the file ${file} is not UTF-8`),
  });
});
