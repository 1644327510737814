import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { onData } from "../../support/commands.ts";
import { programAt } from "../../support/needs.ts";
import { tempDirectory } from "../../support/temp.ts";

const IN = ["-p", "shop"];

test("flags cleanup exits 9 until a flag is finished, and lists the branch, the references with their commit and the rest", async () => {
  const commands = onData(tempDirectory());
  const { run } = commands;
  await run("projects", "create", "shop", "--environments", "develop,live");
  await run("flags", "set", "sale-banner", ...IN, "-e", "develop", "--on");
  const before = await run("flags", "cleanup", "sale-banner", ...IN);
  expect([before.code, before.stdout]).toEqual([
    9,
    expect.stringContaining("the true branch in develop, the false branch in live"),
  ]);
  await run("flags", "set", "sale-banner", ...IN, "-e", "live", "--on");
  const code = tempDirectory();
  writeFileSync(join(code, "a.ts"), 'if (useFlag("sale-banner", false)) show();\n');
  const scan = ["flags", "refs", "scan", code, ...IN, "--upload", "--branch", "main", "--name", "web"];
  expect((await run(...scan, "--commit", "0123456789abcdef")).code).toBe(0);
  const after = await run("flags", "cleanup", "sale-banner", ...IN);
  expect(after.code).toBe(0);
  for (const part of [
    "keep the true branch",
    "a.ts:1  web   main    0123456789ab  if (useFlag",
    "3. Archive it",
  ])
    expect(after.stdout).toContain(part);
  expect(await commands.json<object>("flags", "cleanup", "sale-banner", ...IN)).toMatchObject({
    finished: true,
    keep: { value: true },
    references: [{ filePath: "a.ts", lineNumber: 1, commit: "0123456789abcdef" }],
    left: { length: 3 },
  });
  expect(await commands.json<object>("flags", "refs", "list", ...IN)).toMatchObject([
    { commit: "0123456789abcdef" },
  ]);
  writeFileSync(join(code, "a.ts"), "show();\n");
  await run(...scan);
  expect((await run("flags", "cleanup", "sale-banner", ...IN)).stdout).toContain(
    "1. Archive it: no uploaded code names it.",
  );
  expect((await run("flags", "archive", "sale-banner", ...IN)).code).toBe(0);
  expect(await commands.json<object>("flags", "cleanup", "sale-banner", ...IN)).toMatchObject({ left: [] });
  expect((await run("flags", "cleanup", "nope", ...IN)).code).toBe(3);
  expect((await run("flags", "cleanup", ...IN)).code).toBe(2);
});

const git = programAt("git", "the commit of code references");
test.if(git !== null)("a scan in a git work tree sends the commit that is checked out", async () => {
  const commands = onData(tempDirectory());
  await commands.run("projects", "create", "shop", "--environments", "live");
  await commands.run("flags", "set", "sale-banner", ...IN, "-e", "live", "--on");
  const code = tempDirectory();
  writeFileSync(join(code, "a.ts"), "sale-banner\n");
  const inCode = (...args: string[]) => Bun.spawnSync([git!, ...args], { cwd: code });
  inCode("init", "-q", "-b", "main");
  inCode("add", ".");
  inCode("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "a");
  const commit = inCode("rev-parse", "HEAD").stdout.toString().trim();
  await commands.run("flags", "refs", "scan", code, ...IN, "--upload", "--name", "web");
  expect(await commands.json<object>("flags", "cleanup", "sale-banner", ...IN)).toMatchObject({
    references: [{ commit }],
  });
});

test("flags stale --strict exits 9 if it lists a flag that can be removed, and says which can be removed", async () => {
  const { run, ...commands } = onData(tempDirectory());
  await run("projects", "create", "shop", "--environments", "develop,live");
  const stale = ["flags", "stale", ...IN, "--days", "0"];
  expect((await run(...stale, "--strict")).code).toBe(0);
  await run("flags", "set", "differs", ...IN, "-e", "live", "--on");
  const held = await run(...stale, "--strict");
  expect([held.code, held.stdout]).toEqual([0, expect.stringMatching(/^differs +\S+ +no +/m)]);
  for (const at of ["develop", "live"]) await run("flags", "set", "done", ...IN, "-e", at, "--on");
  expect((await run(...stale)).code).toBe(0);
  const { code, stdout } = await run(...stale, "--strict");
  expect([code, stdout]).toEqual([9, expect.stringMatching(/^differs +\S+ +no +.*\ndone +\S+ +yes +/m)]);
  const { stdout: json } = await run(...stale, "--strict", "--json");
  expect(JSON.parse(json)).toMatchObject([
    { slug: "differs", removable: false },
    { slug: "done", removable: true },
  ]);
  const [plain] = await commands.json<object[]>(...stale);
  expect(plain).not.toHaveProperty("removable");
});
