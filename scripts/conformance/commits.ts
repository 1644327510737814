import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Commits that the files of a suite come from: `revision` is that of all, or names that of each. */
export type Origin = { revision: string; files: ReadonlyMap<string, string> };

/**
 * The commit that each file of a suite was last changed in, by its path in `directory`: so that the page names what was
 * run. Throws outside a clone, unless `commits.json` has them, and for a file that differs from its commit.
 */
export function originOf(directory: string): Origin {
  const list = join(directory, "commits.json");
  if (existsSync(list)) {
    const files = Object.entries(JSON.parse(readFileSync(list, "utf8")) as Record<string, string>);
    return { revision: files.map(([path, commit]) => `${path}@${commit}`).join(" "), files: new Map(files) };
  }
  const git = (...args: string[]) => {
    const { success, stdout } = Bun.spawnSync(["git", ...args], { cwd: directory, stderr: "ignore" });
    if (!success) throw new Error(`${directory} is no clone: without one, leave out --save`);
    return stdout.toString().trim();
  };
  const changed = git("status", "--porcelain", "--ignored", "--", ".");
  if (changed !== "") throw new Error(`${directory} has changes:\n${changed}`);
  const files = globSync(["flags/canonical-flags.json", "gherkin/*.feature"], { cwd: directory }).toSorted();
  return {
    revision: git("rev-parse", "HEAD"),
    files: new Map(files.map((file) => [file, git("log", "-1", "--format=%H", "--", file)])),
  };
}
