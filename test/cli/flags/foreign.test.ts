import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { tempDirectory } from "../../support/temp.ts";

const data = tempDirectory();
await onData(data).run("projects", "create", "shop");

const run = (args: string[], stdin?: string) =>
  formflag([...args, "--data", data], { cwd: tempDirectory(), ...(stdin === undefined ? {} : { stdin }) });
const take = (format: string, text: string, ...more: string[]) =>
  run(["flags", "import", "-", "--format", format, "-p", "shop", "-e", "develop", ...more], text);
const FILE = {
  version: 2,
  features: [
    { name: "search", enabled: true, strategies: [] },
    {
      name: "half",
      enabled: true,
      strategies: [{ name: "flexibleRollout", parameters: { rollout: "50", stickiness: "userId" } }],
    },
    { name: "bad name\u001b[31m", enabled: true, strategies: [] },
  ],
};

describe("flags import of another service", () => {
  test("says what is skipped and what differs, and imports the rest", async () => {
    const tried = await take("unleash", JSON.stringify(FILE), "--dry-run");
    expect(tried.stdout).toEndWith("would be imported, nothing was: 2 created, 0 updated, 0 unchanged\n");
    const { code, stdout, stderr } = await take("unleash", JSON.stringify(FILE), "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      flags: [
        { key: "search", result: "created" },
        { key: "half", result: "created" },
      ],
      dryRun: false,
      notes: [
        {
          flag: "half",
          path: "/features/1/strategies/0/parameters",
          message: expect.stringContaining("50 %"),
        },
      ],
      skipped: [{ flag: "bad name\u001b[31m", message: expect.stringContaining("is named by") }],
    });
    const again = await take("unleash", JSON.stringify(FILE));
    expect(again.stdout).toStartWith("skipped flag bad name\\u001b[31m: ");
    expect(again.stdout).toContain("note on flag half: /features/1/strategies/0/parameters: 50 %");
    expect(again.stdout).toEndWith("shop/develop: imported: 0 created, 0 updated, 2 unchanged\n");
    const list = await run(["flags", "list", "-p", "shop", "-e", "develop", "--json"]);
    expect(JSON.parse(list.stdout)).toHaveLength(2);
  });

  test("takes a YAML stream of Flipt, with a document for each namespace", async () => {
    const document = (namespace: string, key: string) =>
      `---\nversion: "1.2"\nnamespace: ${namespace}\nflags:\n  - key: ${key}\n    type: BOOLEAN_FLAG_TYPE\n    enabled: true\n`;
    const stream = document("default", "from-default") + document("teams", "from-teams");
    const { code, stdout } = await take("flipt", stream, "--from-environment", "teams", "--dry-run");
    expect([code, stdout]).toEqual([0, expect.stringContaining("created flag from-teams")]);
    expect(stdout).not.toContain("from-default");
    expect((await take("flipt", document("teams", "one"), "--dry-run")).code).toBe(0);
    const none = await take("flipt", stream);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("default, teams")]);
    expect((await take("goff", stream)).stderr).toContain("document");
  });

  test("names the environments of the file to who asks for another", async () => {
    const strategy = { featureName: "search", environment: "live", name: "default" };
    const file = JSON.stringify({ features: [{ name: "search" }], featureStrategies: [strategy] });
    const { code, stderr } = await take("unleash", file, "--from-environment", "gone");
    expect(code).toBe(2);
    expect(stderr).toContain("the file has no environment gone: it has live");
    expect((await take("flagd", '{"flags":{}}', "--from-environment", "live")).code).toBe(2);
  });

  test.each([
    ["nothing", ""],
    ["a list", "[1]"],
    ["a file of flagd", '{"flags":{}}'],
    ["many levels", `{"features":${"[".repeat(100_000)}`],
    ["many levels of YAML", "[".repeat(100_000)],
    ["broken JSON", '{"features":['],
    ["a tag of YAML", "features: !!js/function 'x'"],
    ["an escape code", '"\u001b]0;x\u0007'],
    ["aliases that multiply", bomb()],
    ["a prototype", '{"__proto__":{"features":[]}}'],
  ])("refuses %s with words", async (_, text) => {
    const { code, stdout, stderr } = await take("unleash", text);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: standard input/);
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

/** YAML of a few hundred bytes that stands for a billion values. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`);
  return ["a0: &a0 [x]", ...levels, "features: *a9"].join("\n");
}
