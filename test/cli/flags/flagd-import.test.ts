import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { startServer } from "../../support/executable.ts";
import { tempDirectory } from "../../support/temp.ts";

const HERE = ["--format", "flagd", "-p", "shop", "-e", "develop"];
const THERE = ["--format", "flagd", "-p", "shop", "-e", "staging"];
const GREETING = { state: "ENABLED", variants: { hi: "Hello", bye: "Bye" }, defaultVariant: "hi" };

/** A data directory with the project `shop`, and a folder with files. */
async function openShop(files: Record<string, string> = {}) {
  const [data, folder] = [tempDirectory(), tempDirectory()];
  for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
  await onData(data).run("projects", "create", "shop");
  return {
    data,
    folder,
    run: (args: string[], stdin?: string) =>
      formflag([...args, "--data", data], { cwd: folder, ...(stdin === undefined ? {} : { stdin }) }),
  };
}

describe("flags import", () => {
  test("says what it did with each flag and segment, and sums up", async () => {
    const { run } = await openShop({
      "flags.json": JSON.stringify({ flags: { greeting: GREETING }, $evaluators: { staff: {} } }),
    });
    const tried = await run(["flags", "import", "flags.json", ...HERE, "--dry-run"]);
    expect(tried.stdout).toEndWith(
      "shop/develop: would be imported, nothing was: 2 created, 0 updated, 0 unchanged\n",
    );
    const { code, stdout } = await run(["flags", "import", "flags.json", ...HERE]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        "created segment staff\ncreated flag greeting\n" +
        "shop/develop: imported: 2 created, 0 updated, 0 unchanged\n",
    });
    const asJson = await run(["flags", "import", "flags.json", ...HERE, "--json"]);
    expect(JSON.parse(asJson.stdout)).toEqual({
      flags: [{ key: "greeting", result: "unchanged" }],
      segments: [{ name: "staff", result: "unchanged" }],
      metadata: "unchanged",
      warnings: [],
      dryRun: false,
    });
  });

  test("takes the description of a flag, plain or with a rule, and keeps it in an export", async () => {
    const description = "What it says";
    const plain = { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "on", description };
    const both = { ...plain, metadata: { description: "Something else" } };
    const flags = { both, greeting: { ...GREETING, description }, plain };
    const { run } = await openShop({ "flags.json": JSON.stringify({ flags }) });
    expect(await run(["flags", "import", "flags.json", ...HERE])).toMatchObject({ code: 0 });
    for (const flag of Object.keys(flags)) {
      const shown = await run(["flags", "get", flag, "-p", "shop", "-e", "develop", "--json"]);
      expect(JSON.parse(shown.stdout)).toMatchObject({ description });
    }
    const again = await run(["flags", "import", "flags.json", ...HERE]);
    expect(again.stdout).toContain("0 created, 0 updated, 3 unchanged");
    const exported = JSON.parse((await run(["flags", "export", ...HERE])).stdout) as { flags: object };
    expect(exported.flags).toMatchObject({
      greeting: { metadata: { description } },
      plain: { metadata: { description } },
    });
  });

  test("refuses a description that is no text, or too long, with its place", async () => {
    for (const description of [5, "x".repeat(2001)]) {
      const flags = { greeting: { ...GREETING, description } };
      const { run } = await openShop({ "flags.json": JSON.stringify({ flags }) });
      const { code, stderr } = await run(["flags", "import", "flags.json", ...HERE]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("/flags/greeting/description: must be a string"),
      ]);
    }
  });

  test("names where the flags of a Kubernetes resource are", async () => {
    const spec = { flagSpec: { flags: { greeting: GREETING } } };
    const resource = {
      apiVersion: "core.openfeature.dev/v1beta1",
      kind: "FeatureFlag",
      metadata: { name: "a" },
      spec,
    };
    const { run } = await openShop({ "flags.json": JSON.stringify(resource) });
    const { code, stderr } = await run(["flags", "import", "flags.json", ...HERE]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("spec.flagSpec")]);
  });

  test("takes YAML, from a file and from standard input", async () => {
    const yaml = "flags:\n  greeting: # a comment\n    state: ENABLED\n    variants: { hi: Hello }\n";
    const { run } = await openShop({ "flags.yaml": yaml });
    expect((await run(["flags", "import", "flags.yaml", ...HERE])).stdout).toContain("created flag greeting");
    expect((await run(["flags", "import", "-", ...HERE], yaml)).stdout).toContain("unchanged flag greeting");
  });

  test("warns of rules that fail when evaluated, and takes them", async () => {
    const broken = { ...GREETING, targeting: { if: [{ $ref: "gone" }, "hello"] } };
    const { run } = await openShop({ "flags.json": JSON.stringify({ flags: { broken } }) });
    const { code, stdout, stderr } = await run(["flags", "import", "flags.json", ...HERE]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("created flag broken\n") });
    expect(stderr).toBe(
      'warning: /flags/broken/targeting: the segment "gone" does not exist\n' +
        'warning: /flags/broken/targeting/if/1: "hello" is not one of the variants: hi, bye\n',
    );
    const { stdout: evaluated } = await run(["flags", "evaluate", "broken", ...HERE.slice(2)]);
    expect(evaluated).toContain("PARSE_ERROR");
  });

  test("tells each fault with its place on a line of its own, and imports nothing", async () => {
    const flags = { good: GREETING, "a/b": GREETING, bad: { ...GREETING, state: "on" } };
    const { run } = await openShop({ "flags.json": JSON.stringify({ flags }) });
    const { code, stdout, stderr } = await run(["flags", "import", "flags.json", ...HERE]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("\n  /flags/a~1b: ");
    expect(stderr).toContain("\n  /flags/bad/state: ");
    expect((await run(["flags", "list", "-p", "shop", "-e", "develop", "--json"])).stdout).toBe("[]\n");
  });

  test.each<[why: string, args: string[], code: number, says: string]>([
    ["another format", ["flags.json", "-p", "shop", "-e", "develop", "--format", "other"], 2, "flagd"],
    ["a file that is not there", ["gone.json", ...HERE], 2, "gone.json"],
    ["a file that is no JSON", ["broken.json", ...HERE], 2, "broken.json is not valid JSON"],
    ["a file that is a list", ["list.json", ...HERE], 2, "list.json is not a flagd file"],
    ["an unknown environment", ["flags.json", ...HERE.slice(0, -1), "gone"], 3, "gone"],
  ])("refuses %s", async (_, args, code, says) => {
    const files = { "flags.json": '{"flags":{}}', "broken.json": "{a: 1}", "list.json": "[]" };
    const { run } = await openShop(files);
    const result = await run(["flags", "import", ...args]);
    expect({ code: result.code, stderr: result.stderr }).toEqual({
      code,
      stderr: expect.stringContaining(says),
    });
  });
});

describe("flags export", () => {
  test("and import need no --format", async () => {
    const { run } = await openShop({ "in.json": JSON.stringify({ flags: { good: GREETING } }) });
    const here = ["-p", "shop", "-e", "develop"];
    expect((await run(["flags", "import", "in.json", ...here])).stdout).toContain("created flag good");
    expect((await run(["flags", "export", ...here])).stdout).toContain('"good"');
    const { code, stderr } = await run(["flags", "export", ...here, "-o", "flags.xlsx"]);
    expect([code, stderr]).toEqual([
      2,
      "error: this export is not written as .xlsx\nhint: name the file flags.json, flags.yaml, flags.yml; -o - writes to standard output\n",
    ]);
  });

  test("writes what an import elsewhere takes, and there exports the same", async () => {
    const { run, folder } = await openShop();
    const set = (...args: string[]) => run(["flags", "set", ...args, "-p", "shop", "-e", "develop"]);
    await set("plain", "--on", "--payload", "[1,null]", "--description", "A text");
    await set("search", "--on", "--if", "email ends_with @example.com", "--then", "on", "--rollout", "12.5");
    const { stdout } = await run(["flags", "export", ...HERE]);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: "https://flagd.dev/schema/v0/flags.json",
      flags: {
        plain: { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "on" },
        "plain.payload": { variants: { wrapped: { value: [1, null] } } },
        search: { defaultVariant: "off" },
      },
    });
    expect((await run(["flags", "import", "-", ...THERE], stdout)).code).toBe(0);
    await run(["flags", "export", ...THERE, "-o", "there.json"]);
    expect(await Bun.file(join(folder, "there.json")).text()).toBe(stdout);
  });

  test("and import work on a server too, beyond the size of other requests", async () => {
    const server = await startServer();
    const { run } = onData(server.data);
    await run("projects", "create", "shop");
    const { stdout: token } = await run("tokens", "create", "ci", "--scope", "flags:write");
    const flags = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [
        `flag-${index}`,
        { ...GREETING, variants: { hi: "x".repeat(8000) } },
      ]),
    );
    const remote = (args: string[], stdin?: string) =>
      formflag([...args, "--server", server.url], {
        env: { FORMFLAG_TOKEN: token },
        ...(stdin === undefined ? {} : { stdin }),
      });
    const { code, stderr } = await remote(["flags", "import", "-", ...HERE], JSON.stringify({ flags }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { stdout } = await remote(["flags", "export", ...HERE]);
    expect(JSON.parse(stdout)).toMatchObject({ flags });
  });
});
