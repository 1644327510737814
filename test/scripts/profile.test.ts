import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { PROFILE } from "../../scripts/executable.ts";
import { EXECUTABLE } from "../support/executable.ts";
import { tempDirectory } from "../support/temp.ts";

test("the profile by which byte code is ordered has nine of ten functions that a start uses", () => {
  const directory = tempDirectory();
  const used = (...args: string[]) => {
    const out = join(directory, "order");
    const command = [EXECUTABLE, ...args, "--data", join(directory, "data")];
    const child = Bun.spawnSync(command, { env: { ...process.env, BUN_BYTECODE_ORDER_OUT: out } });
    expect(child.stderr.toString()).toBe("");
    return functionsIn(out);
  };
  used("projects", "create", "shop", "--quiet");
  used("flags", "create", "banner", "-p", "shop", "--quiet");
  const profile = new Set(functionsIn(PROFILE));
  for (const args of [["--version"], ["flags", "get", "banner", "-p", "shop", "-e", "production"]]) {
    const functions = used(...args);
    const known = functions.filter((each) => profile.has(each));
    // `npm run profile` writes it anew.
    expect(known.length / functions.length).toBeGreaterThan(0.9);
  }
});

function functionsIn(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("F "));
}
