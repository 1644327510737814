import { globSync } from "node:fs";

/**
 * The commit that each file of a suite was last changed in, by its path in `directory`: so that the page names what was
 * run. Throws outside a clone, and for a file that differs from its commit.
 */
export function commitsOf(directory: string): ReadonlyMap<string, string> {
  const git = (...args: string[]) => {
    const { success, stdout } = Bun.spawnSync(["git", ...args], { cwd: directory, stderr: "ignore" });
    if (!success) throw new Error(`${directory} is no clone: without one, leave out --save`);
    return stdout.toString().trim();
  };
  const changed = git("status", "--porcelain", "--ignored", "--", ".");
  if (changed !== "") throw new Error(`${directory} has changes:\n${changed}`);
  const files = globSync(["flags/canonical-flags.json", "gherkin/*.feature"], { cwd: directory }).toSorted();
  return new Map(files.map((file) => [file, git("log", "-1", "--format=%H", "--", file)]));
}
