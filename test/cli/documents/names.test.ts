import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const folder = tempDirectory();
const commands = onData(join(folder, "data"));
const { run } = commands;
const HERE = ["-p", "shop", "-e", "develop"];
await run("projects", "create", "shop", "--environments", "develop");

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const slugsOf = async (project: string) =>
  (await commands.json<{ slug: string }[]>("flags", "list", "-p", project, "-e", "develop")).map(
    ({ slug }) => slug,
  );

/** Names that YAML reads as another value, with another text. */
const NAMES = ["1.20", "0x10", "1e3", "010", "12345678901234567890", "True", "NULL", "7.0"];

describe("a name of a document in YAML is the text that was written", () => {
  test("of flags, in a document and in a file of flagd", async () => {
    const flags = NAMES.map(
      (name) => `      ${name}: { environments: { develop: { enabled: true } } }\n`,
    ).join("");
    await run("projects", "create", "listed", "--environments", "develop");
    const document = fileOf("flags.yaml", `projects:\n  listed:\n    flags:\n${flags}`);
    expect(await run("apply", document)).toMatchObject({ code: 0 });
    expect((await slugsOf("listed")).toSorted()).toEqual(NAMES.toSorted());
    expect(await run("diff", document)).toMatchObject({ code: 0, stdout: "unchanged\n" });

    await run("projects", "create", "other", "--environments", "develop");
    const state = "{ state: ENABLED, variants: { on: true, off: false }, defaultVariant: on }";
    const file = fileOf("flagd.yaml", `flags:\n${NAMES.map((name) => `  ${name}: ${state}\n`).join("")}`);
    const { stdout } = await run("flags", "import", file, "-p", "other", "-e", "develop");
    for (const name of NAMES) expect(stdout).toContain(`created flag ${name}\n`);
  });

  test("of variants, segments and fields of payloads, and values stay what they are", async () => {
    const document = `
projects:
  shop:
    environments: { develop: { segments: { 1.50: { "==": [{ var: v }, 1.50] } } } }
    flags:
      named:
        environments:
          develop: { payload: { 1.10: 1.10, ~: ~, True: True, list: [0x10, 1.0] } }
      varied:
        environments:
          develop: { variants: { 1.0: a, 1.00: b }, defaultVariant: "1.00" }
`;
    expect(await run("apply", fileOf("more.yaml", document))).toMatchObject({ code: 0, stderr: "" });
    expect(await commands.json("flags", "get", "named", ...HERE)).toMatchObject({
      payload: { "1.10": 1.1, "~": null, True: true, list: [16, 1] },
    });
    expect(await commands.json("flags", "get", "varied", ...HERE)).toMatchObject({
      variants: { "1.0": "a", "1.00": "b" },
    });
    expect((await run("segments", "list", ...HERE)).stdout).toContain("1.50");
  });
});

describe("a name that is there twice is refused with its place", () => {
  const flag = '{"state":"ENABLED","variants":{"on":true},"defaultVariant":"on"}';
  test.each<[what: string, text: string, ...args: string[]]>([
    ["flags.a", `{"flags":{"a":${flag},"b":${flag},"a":${flag}}}`, "flags", "import", "FILE", ...HERE],
    [
      "$evaluators.s",
      '{"flags":{},"$evaluators":{"s":{"var":"a"},"s":{"var":"b"}}}',
      "flags",
      "import",
      "FILE",
      ...HERE,
    ],
    ["projects.shop", '{"projects":{"shop":{},"shop":{}}}', "apply", "FILE"],
    ["projects.shop.flags.a", '{"projects":{"shop":{"flags":{"a":{},"\\u0061":{}}}}}', "apply", "FILE"],
    ["list.a", '{"list":[{"a":1,"a":2}]}', "flags", "set", "twice", ...HERE, "--payload", "@FILE"],
    ["on", '{"on":1,"on":2}', "flags", "set", "twice", ...HERE, "--variants", "@FILE"],
  ])("%s", async (place, text, ...args) => {
    const before = (await run("export", "-p", "shop")).stdout;
    const file = fileOf("twice.json", text);
    const { code, stderr } = await run(...args.map((each) => each.replace("FILE", file)));
    expect(code).toBe(2);
    expect(stderr).toContain(place);
    expect(stderr).toContain("this name is there twice");
    expect((await run("export", "-p", "shop")).stdout).toBe(before);
  });

  test("and in YAML, as before", async () => {
    const { code, stderr } = await run("apply", fileOf("twice.yaml", "projects:\n  shop: {}\n  shop: {}\n"));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("line 3, column 3: duplicated"),
    });
  });

  test("a name that is twice in a text, or in two objects, is not", async () => {
    const text = '{"a":{"x":1},"b":{"x":2},"c":"\\"a\\":1, \\"a\\":2"}';
    const set = await run("flags", "set", "once", ...HERE, "--payload", text);
    expect(set).toMatchObject({ code: 0 });
  });
});
