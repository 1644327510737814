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

function fileOf(name: string, value: object): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const VARIANTS = { on: true, off: false };
const BETA = { "==": [{ var: "beta" }, true] };
const STRAY = '"true" is not one of the variants: on, off; write "on", whose value is true';
const INTEGER = "must be integer";

/** Rules that flagd's files may have, and what is wrong with them. */
const ODD: [what: string, targeting: object, words: string][] = [
  ["a variant that is not there", { if: [BETA, "maybe"] }, '"maybe" is not one of the variants: on, off'],
  [
    "a share that is no whole number",
    {
      fractional: [
        ["on", 12.5],
        ["off", 87.5],
      ],
    },
    INTEGER,
  ],
  [
    "an operator that sem_ver lacks",
    { if: [{ sem_ver: [{ var: "v" }, "===", "1.0.0"] }, "on"] },
    "sem_ver/1",
  ],
  ["a segment that is not there", { if: [{ $ref: "gone" }, "on"] }, 'the segment "gone" does not exist'],
  ["true or false in place of a variant", BETA, STRAY],
  ["a condition in place of a variant", { if: [true, { and: [BETA, { "!": [BETA] }] }] }, STRAY],
];

/** The words with a path as a document writes it, `sem_ver[1]`, or as a pointer does. */
const inDocument = (words: string) => words.replace("sem_ver/1", "sem_ver[1]");

describe("a rule that flagd accepts and cannot evaluate is the same at every door", () => {
  test.each(ODD)(
    "%s: an import warns, what is exported can be applied with a warning, and a change is refused",
    async (what, targeting, words) => {
      const key = what.replaceAll(/\W/g, "-");
      const file = fileOf("import.json", {
        flags: { [key]: { state: "ENABLED", variants: VARIANTS, defaultVariant: "off", targeting } },
      });
      const imported = await run("flags", "import", file, ...HERE);
      expect(imported.code).toBe(0);
      expect(imported.stderr).toContain(`warning: /flags/${key}/targeting`);
      expect(imported.stderr).toContain(words);

      const document = await run("export", "-p", "shop");
      const exported = join(folder, "exported.yaml");
      writeFileSync(exported, document.stdout);
      const other = onData(tempDirectory());
      await other.run("projects", "create", "other");
      for (const args of [
        ["diff", exported],
        ["apply", exported, "--dry-run"],
        ["apply", exported],
      ]) {
        const { code, stderr } = await other.run(...args);
        expect(code).toBe(args[0] === "diff" ? 9 : 0);
        expect(stderr).toContain(`warning: projects.shop.flags.${key}.environments.develop.targeting`);
        expect(stderr).toContain(inDocument(words));
      }
      expect(await other.run("apply", exported)).toMatchObject({
        code: 0,
        stdout: "unchanged\n",
        stderr: "",
      });

      const rule = JSON.stringify(targeting);
      const set = await run(
        "flags",
        "set",
        "new",
        ...HERE,
        "--on",
        "--variants",
        '{"on":true,"off":false}',
        "--targeting",
        rule,
      );
      expect(set.code).toBe(2);
      expect(set.stderr).toContain(words);
      expect((await run("flags", "get", "new", ...HERE)).code).toBe(3);
      await run("flags", "delete", key, "-p", "shop", "--yes");
    },
  );

  test("a segment too", async () => {
    const rule = { sem_ver: [{ var: "v" }, "===", "1.0.0"] };
    const file = fileOf("segments.json", {
      flags: {},
      $evaluators: { odd: rule, lost: { "!": [{ $ref: "gone" }] } },
    });
    const { code, stderr } = await run("flags", "import", file, ...HERE);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("warning: /$evaluators/odd/sem_ver/1"),
    });
    expect(stderr).toContain('warning: /$evaluators/lost: the segment "gone" does not exist');
    const exported = join(folder, "exported.yaml");
    writeFileSync(exported, (await run("export", "-p", "shop")).stdout);
    const applied = await onData(tempDirectory()).run("apply", exported);
    expect(applied.code).toBe(0);
    expect(applied.stderr).toContain("segments.odd.sem_ver[1]");
    expect(applied.stderr).toContain('segments.lost: the segment "gone" does not exist');
    const set = await run("segments", "set", "odd2", ...HERE, "--rule", JSON.stringify(rule));
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining("/sem_ver/1") });
  });

  test("a rule that flagd refuses is refused by all", async () => {
    const targeting = { if: [{ unknown: [1] }, "on"] };
    const flag = { state: "ENABLED", variants: VARIANTS, defaultVariant: "off", targeting };
    const document = {
      projects: { shop: { flags: { a: { environments: { develop: { variants: VARIANTS, targeting } } } } } },
    };
    for (const args of [
      ["flags", "import", fileOf("a.json", { flags: { a: flag } }), ...HERE],
      ["apply", fileOf("b.json", document)],
      [
        "flags",
        "set",
        "a",
        ...HERE,
        "--variants",
        '{"on":true,"off":false}',
        "--targeting",
        JSON.stringify(targeting),
      ],
    ])
      expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown") });
  });
});
