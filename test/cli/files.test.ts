import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag, onData } from "../support/commands.ts";
import { tempDirectory } from "../support/temp.ts";

const HERE = ["-p", "shop", "-e", "develop"];
const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const LARGE = "9007199254740993";

const folder = tempDirectory();
const data = tempDirectory();
const { run } = onData(data);
await run("projects", "create", "shop");

const FILES = {
  "deep.json": `{"flags":${DEEP}}`,
  "deep.yaml": `flags: ${DEEP}`,
  "circle.yaml": "flags: &flags\n  a: *flags\n",
  "bomb.yaml": `a: &a "${"x".repeat(100_000)}"\nb: [${"*a, ".repeat(10_000)}]\n`,
  "large.json": `{"flags":{"a":{"state":"ENABLED","variants":{"x":{"y":${LARGE}}}}}}`,
  "large.yaml": `flags:\n  a:\n    state: ENABLED\n    variants:\n      x: {y: ${LARGE}}\n`,
  "infinite.yaml": "flags:\n  a: 1e400\n",
  "broken.yaml": "flags:\n  a: [1\n  b: 2\n",
  "merged.yaml": "flags:\n  a: &a {state: ENABLED, variants: {x: 1}}\n  b: {<<: *a, state: DISABLED}\n",
};
for (const [name, text] of Object.entries(FILES)) await Bun.write(join(folder, name), text);
const fileOf = (name: string) => join(folder, name);

/** Each ends with the code for usage, the place, and no word of a bug. */
async function expectRefusal(args: string[], ...says: string[]) {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  for (const part of says) expect(stderr).toContain(part);
  expect(stderr).not.toContain("bug");
}

describe.each([
  ["flags import", ["flags", "import", ...HERE, "--format", "flagd"]],
  ["apply", ["apply", "-f"]],
  ["diff", ["diff", "-f"]],
])("formflag %s", (_, command) => {
  test.each<[name: string, ...says: string[]]>([
    ["deep.json", "has more than 200 levels", "flags[0][0]"],
    ["deep.yaml", "line 1, column"],
    ["circle.yaml", "refers to itself: flags.a.a"],
    ["bomb.yaml", "holds more than 64 MB"],
    ["large.json", `flags.a.variants.x.y: ${LARGE} cannot be kept exactly: it would become 9007199254740992`],
    ["large.yaml", `flags.a.variants.x.y: ${LARGE} cannot be kept exactly: it would become 9007199254740992`],
    ["infinite.yaml", "flags.a: 1e400 is larger than any number"],
    ["broken.yaml", "line 3, column"],
  ])("refuses %s and names the place", async (name, ...says) => {
    await expectRefusal([...command, fileOf(name)], fileOf(name), ...says);
  });
});

describe.each([
  ["flags import", ["flags", "import", ...HERE, "--format", "flagd"]],
  ["apply", ["apply", "-f"]],
  ["diff", ["diff", "-f"]],
])("formflag %s reads no more than 16 MB", (_, command) => {
  test("of a file, of a device, of a pipe and of standard input", async () => {
    const file = join(folder, "seventeen-megabytes.yaml");
    await Bun.write(file, new Uint8Array(17 * 1024 * 1024));
    const pipe = join(tempDirectory(), "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    const writer = Bun.spawn(["sh", "-c", 'exec cat /dev/zero > "$0"', pipe], { stderr: "ignore" });
    for (const name of [file, "/dev/zero", pipe])
      await expectRefusal([...command, name], `the file ${name} holds more than 16 MB`);
    writer.kill();
    const stdin = "\0".repeat(17 * 1024 * 1024);
    const { code, stderr } = await formflag([...command, "-", "--data", data], { stdin });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "error: standard input holds more than 16 MB\n" });
    await expectRefusal([...command, "/dev/null"], "/dev/null");
  }, 60_000);
});

test.each([
  ["a payload", ["flags", "set", "a", ...HERE, "--payload", "@/dev/zero"], 2],
  ["certificates", ["projects", "list", "--ca-file", "/dev/zero", "--server", "https://127.0.0.1:1"], 2],
  ["a token", ["projects", "list", "--token-file", "/dev/zero", "--server", "https://127.0.0.1:1"], 4],
  ["a certificate", ["serve", "--tls-cert", "/dev/zero", "--tls-key", "/dev/zero"], 4],
])(
  "%s that has no end is refused",
  async (_, args, exit) => {
    const place = args.includes("--server") ? [] : ["--data", data];
    const { code, stderr } = await formflag([...args, ...place], { env: { FORMFLAG_TOKEN: "x" } });
    expect(stderr).toContain("/dev/zero");
    expect([code, stderr.includes("bug")]).toEqual([exit, false]);
  },
  60_000,
);

test("flags export writes YAML into a file that is named so", async () => {
  const file = join(folder, "exported.yaml");
  const args = ["flags", "export", "--format", "flagd", ...HERE, "-o", file];
  expect((await run(...args)).code).toBe(0);
  expect(await Bun.file(file).text()).toMatch(/^flags:/m);
  expect((await run("flags", "import", file, "--format", "flagd", ...HERE)).code).toBe(0);
});

test("flags import takes YAML with merge keys", async () => {
  const { code, stdout } = await run("flags", "import", fileOf("merged.yaml"), "--format", "flagd", ...HERE);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("2 created") });
});

describe("JSON in an option", () => {
  const set = ["flags", "set", "a", ...HERE];
  const rule = `{"==":[{"var":"id"},${LARGE}]}`;
  test.each<[args: string[], says: string]>([
    [[...set, "--payload", `{"id":[${LARGE}]}`], "--payload: id[0]: "],
    [[...set, "--payload", LARGE], `--payload: ${LARGE} cannot be kept exactly`],
    [[...set, "--payload", "1e400"], "--payload: 1e400 is larger than"],
    [[...set, "--variants", `{"x":${LARGE}}`], "--variants: x: "],
    [[...set, "--targeting", `{"if":[${rule},"x"]}`], '--targeting: if[0]["=="][1]: '],
    [["segments", "set", "s", ...HERE, "--rule", rule], '--rule: ["=="][1]: '],
  ])("is refused where a number would become another one: %j", async (args, says) => {
    await expectRefusal(args, says);
  });

  test.each<[args: string[]]>([
    [[...set, "--payload"]],
    [[...set, "--variants"]],
    [[...set, "--targeting"]],
    [["segments", "set", "s", ...HERE, "--rule"]],
    [["flags", "evaluate", "a", ...HERE, "--context"]],
  ])("of 100,000 levels is refused: %j", async (args) => {
    await expectRefusal([...args, `@${fileOf("deep.json")}`], "has more than 200 levels", "flags[0][0]");
  });
});
