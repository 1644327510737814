import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { printDocument, readDocument } from "../../../cli/commands/documents/document-file.ts";
import type { Io } from "../../../cli/output/terminal.ts";
import { emptyData, formflag, onData } from "../../support/commands.ts";
import { EXECUTABLE, startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A data directory with a project, and its export as a file. */
async function openShop() {
  const directory = tempDirectory();
  const data = join(directory, "data");
  const file = join(directory, "shop.yaml");
  const { run } = onData(data);
  await run("projects", "create", "shop");
  await run("flags", "set", "sale", "-p", "shop", "-e", "develop", "--on", "--payload", '{"text":"yes"}');
  await run("forms", "create", "contact");
  await run("export", "-o", file);
  return {
    data,
    file,
    run,
    write: (text: string) => Bun.write(file, text),
    read: () => Bun.file(file).text(),
  };
}

const ioOf = (text: string) => ({ readStdin: async () => text }) as Io;

/** Texts that YAML could take for something else. */
const TRICKY = [
  ..."yes no on Null ~ 1e3 017 0x1f .inf 2027-01-01 2027-01-01T00:00:00Z 1:30 << = - ? : # & *".split(" "),
  ..."! | > % @ --- ... {a} [a] a.b __proto__ constructor true ü☃😀 '\" \r\n \t \u0085\u2028\ufeff".split(
    " ",
  ),
  ..."| |a: b|a #b|a\nb\n|\n\n a|  b\n    c|\u0000\u001b".split("|"),
];

describe("a file", () => {
  test("of any values reads back as it was printed, as YAML and as JSON", async () => {
    const tricky = fc.constantFrom(...TRICKY);
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        tricky,
        fc.string({ unit: "binary" }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true, 1, -5, 1e21, 5e-324),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(fc.oneof(tricky, fc.string()), tie("any"), { maxKeys: 3 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(value, async (value) => {
        const document = JSON.parse(JSON.stringify({ value })) as unknown;
        for (const format of ["yaml", "json"] as const)
          expect((await readDocument("-", ioOf(printDocument(document, format)))).document).toStrictEqual(
            document as object,
          );
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["standard input line 2, column 1: duplicated mapping key", "forms: {}\nforms: {}"],
    ["standard input line 2, column 1: tab characters", "forms:\n\ta: {}"],
    ["standard input line 1, column 8: unknown", "forms: !foo {}"],
    ["standard input: forms.a: Infinity is not a number", "forms: {a: .inf}"],
    ["standard input has more than 200 levels, or refers to itself", "forms: &a [*a]"],
    ["standard input holds no document", "- a"],
    ["standard input", ""],
    [
      "standard input holds more than 5000000 values",
      Array.from(
        { length: 9 },
        (_, n) => `a${n}: &a${n} [${`${n === 0 ? "x" : `*a${n - 1}`}, `.repeat(9)}]`,
      ).join("\n"),
    ],
  ])("is refused where it is none: %s", async (message, text) => {
    const error = await readDocument("-", ioOf(text)).catch((error: unknown) => error);
    expect(String(error)).toStartWith(`AppError: ${message}`);
  });
});

describe("the commands", () => {
  test("an export applied is unchanged, and applied elsewhere exports the same", async () => {
    const { file, run, read } = await openShop();
    expect(await run("diff", "-f", file)).toEqual({ code: 0, stdout: "unchanged\n", stderr: "" });
    expect(await run("apply", "-f", file)).toMatchObject({ code: 0, stdout: "unchanged\n" });
    const other = onData(tempDirectory());
    expect(await other.run("apply", "-f", file)).toMatchObject({ code: 0, stderr: "" });
    expect((await other.run("export")).stdout).toBe(await read());
    expect(await other.json<object>("export")).toEqual(Bun.YAML.parse(await read()) as object);
  });

  test("diff says what compares environments where it is given the name of one", async () => {
    const { run } = onData(emptyData());
    const { code, stderr } = await run("diff", "staging");
    expect(code).toBe(2);
    expect(stderr).toContain("the file staging does not exist");
    expect(stderr).toContain("formflag flags promote --all --from staging --to <environment> --dry-run");
    for (const file of ["staging.yaml", "./staging"])
      expect((await run("diff", file)).stderr).not.toContain("promote");
  });

  test("diff exits 9 and tells what a dry run tells, which exits 0 and changes nothing", async () => {
    const { file, run, write, read } = await openShop();
    await write((await read()).replace('"yes"', '"no"').replace("uploads: false", "uploads: true"));
    const diff = await run("diff", "-f", file);
    expect(diff).toEqual({
      code: 9,
      stderr: "",
      stdout: `~ projects.shop.flags.sale.environments.develop
    - payload:
    -   text: "yes"
    + payload:
    +   text: "no"
~ projects.shop.forms.contact
    - uploads: false
    + uploads: true
2 to update
`,
    });
    expect(await run("apply", "-f", file, "--dry-run")).toEqual({ ...diff, code: 0 });
    const asJson = await run("diff", "-f", file, "--json");
    expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([
      9,
      [
        {
          action: "update",
          kind: "flag",
          before: { payload: { text: "yes" } },
          after: { payload: { text: "no" } },
        },
        { action: "update", kind: "form", path: "projects.shop.forms.contact" },
      ],
    ]);
    expect((await run("apply", "-f", file)).stdout).toEndWith("2 updated\n");
    expect((await run("diff", "-f", file)).code).toBe(0);
  });

  test("a file may keep what it repeats under a key that begins with x-", async () => {
    const { file, run, write } = await openShop();
    await write(`
x-everywhere: &everywhere { payload: { text: shared } }
projects:
  shop:
    x-owner: web
    flags:
      sale:
        environments: { staging: *everywhere, production: *everywhere }
`);
    const { code, stdout, stderr } = await run("apply", file);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("production");
    expect(stdout).not.toContain("x-");
  });

  test("apply --prune asks for --yes before it deletes an environment", async () => {
    const { file, run, write } = await openShop();
    await write("projects: {shop: {environments: {develop: {}}, flags: {}}}");
    const refused = await run("apply", "-f", file, "--prune");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain(
      "this deletes projects.shop.environments.production with its flag values",
    );
    expect(refused.stderr).toContain("add --yes");
    expect((await run("apply", "-f", file, "--prune", "--yes")).stdout)
      .toBe(`- projects.shop.environments.staging
- projects.shop.environments.production
- projects.shop.flags.sale
3 deleted
`);
    expect((await run("forms", "list", "--json")).stdout).toContain('"contact"');
  });

  test("apply --prune with no flags deletes none without --yes, and opens no lock with it", async () => {
    const { file, run, write } = await openShop();
    await run("environments", "lock", "production", "-p", "shop");
    await write("projects: {shop: {flags: {}}}");
    const refused = await run("apply", "-f", file, "--prune");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toBe(
      "error: this deletes every flag of projects.shop; the environment production of project shop is locked\n" +
        "hint: add --yes to apply it anyway, and --confirm <environment> for each environment that is locked\n",
    );
    expect((await run("apply", "-f", file, "--prune", "--yes")).code).toBe(2);
    expect((await run("apply", "-f", file, "--prune", "--confirm", "production")).code).toBe(2);
    const listed = () => run("flags", "list", "-p", "shop", "-e", "production", "--field", "slug");
    expect((await listed()).stdout).toBe("sale\n");
    expect((await run("apply", "-f", file, "--prune", "--yes", "--confirm", "production")).code).toBe(0);
    expect((await listed()).stdout).toBe("");
  });

  test("what is wrong is told with its place, exit 2", async () => {
    const { file, run, write } = await openShop();
    await write("projects: {shop: {flags: {sale: {environments: {develop: {enabled: on}}}}}}");
    const { code, stderr } = await run("apply", "-f", file);
    expect([code, stderr]).toEqual([
      2,
      `error: ${file} line 1, column 59: projects.shop.flags.sale.environments.develop.enabled: enabled is true or false\n`,
    ]);
    const faults: [text: string, message: string, hint: string][] = [
      [
        "forms:\n  contact:\n    notfy: []\n",
        'line 3, column 5: forms.contact: unknown key "notfy"',
        "did you mean notify?",
      ],
      [
        "projects:\n  shop:\n    flags:\n      sale:\n        enabled: true\n",
        'line 5, column 9: projects.shop.flags.sale: unknown key "enabled"',
        "enabled belongs under projects.<name>.flags.<name>.environments.<name>",
      ],
      [
        '{"projects": {"shop": {"flags": {"a.b": {"environments": {"prod": {}}}}}}}',
        'line 1, column 60: projects.shop.flags["a.b"].environments.prod: this environment does not exist',
        "did you mean production? Or add it to projects.shop.environments",
      ],
      [
        '{"projects": {"shop": {"flags": {"a": {"environments": {"develop": {"requires": ["b"]}}}}}}}',
        "line 1, column 83: projects.shop.flags.a.environments.develop.requires[0]: it has to be an object, not a text",
        "a needed flag is an object: requires: [{ flag: new-cart }]",
      ],
      ["form: {}\n", 'line 1, column 1: unknown key "form"', "did you mean forms?"],
    ];
    for (const [text, message, hint] of faults) {
      await write(text);
      expect((await run("apply", file)).stderr).toBe(`error: ${file} ${message}\nhint: ${hint}\n`);
    }
    expect((await run("apply")).stderr).toContain("-f FILE");
    expect((await run("diff", "-f", "/nonexistent.yaml")).stderr).toContain("cannot be read (ENOENT)");
  });

  test("do the same on a server, with a token from the environment", async () => {
    const { data, file, run, write, read } = await openShop();
    const server = await startServer([], { data });
    const token = async (scope: string) =>
      (await run("tokens", "create", scope.replace(":", "-"), "--scope", scope)).stdout.trim();
    const [reader, admin] = [await token("read"), await token("admin")];
    const there = (token: string, ...args: string[]) =>
      formflag([...args, "--server", server.url], { env: { FORMFLAG_TOKEN: token } });
    expect((await there(reader, "export")).stdout).toBe(await read());
    await write((await read()).replace("enabled: true", "enabled: false"));
    expect(await there(reader, "diff", "-f", file)).toEqual(await run("diff", "-f", file));
    expect(await there(reader, "apply", "-f", file)).toMatchObject({ code: 4, stdout: "" });
    expect(await there(admin, "apply", "-f", file)).toMatchObject({ code: 0, stderr: "" });
    expect(await there(admin, "apply", "-f", file)).toMatchObject({ code: 0, stdout: "unchanged\n" });
    // The trial alone needs less: one refusal names what applying needs.
    const { stderr } = await there(await token("flags:write"), "apply", "-f", file);
    expect(stderr).toContain('the token "flags-write" lacks the scope admin\nhint: it holds flags:write;');
    expect(stderr).toContain("formflag tokens create <name> --scope admin");
    await server.stop();
  }, 60_000);
});

describe("the documentation", () => {
  const root = join(import.meta.dir, "../../..");

  test("has the schema as the executable prints it: npm run schema", async () => {
    const { stdout } = await formflag(["apply", "--schema"]);
    expect(await Bun.file(join(root, "docs/reference/formflag.schema.json")).text()).toBe(stdout);
  });

  test("has examples that parse, and a file that applies", async () => {
    const text = await Bun.file(join(root, "docs/guides/gitops.md")).text();
    const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map((match) => match[1]!);
    expect(examples.length).toBe(4);
    for (const example of examples) expect(await readDocument("-", ioOf(example))).toBeObject();
    const child = Bun.spawn([EXECUTABLE, "apply", "-f", "-", "--data", tempDirectory()], {
      stdin: new Blob([examples[0]!]),
      stderr: "inherit",
    });
    expect(await child.exited).toBe(0);
  });
});
