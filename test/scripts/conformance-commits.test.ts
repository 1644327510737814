import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { originOf } from "../../scripts/conformance/commits.ts";
import { tempDirectory } from "../support/temp.ts";

describe.skipIf(!Bun.which("git"))("the commits of a suite (needs git)", () => {
  /** A clone with a commit for each file. */
  function clone() {
    const directory = tempDirectory();
    const git = (...args: string[]) => {
      const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
      const { success, stdout, stderr } = Bun.spawnSync(["git", ...who, ...args], { cwd: directory });
      if (!success) throw new Error(stderr.toString());
      return stdout.toString().trim();
    };
    git("init", "--quiet");
    mkdirSync(join(directory, "flags"));
    mkdirSync(join(directory, "gherkin"));
    const commits = ["flags/canonical-flags.json", "gherkin/errors.feature", "gherkin/reason.feature"].map(
      (file): [string, string] => {
        writeFileSync(join(directory, file), "{}");
        git("add", file);
        git("commit", "--quiet", "--message", file);
        return [file, git("rev-parse", "HEAD")];
      },
    );
    return { directory, commits };
  }

  test("are those in which its files were last changed", () => {
    const { directory, commits } = clone();
    const { revision, files } = originOf(directory);
    expect([...files]).toEqual(commits);
    expect(revision).toBe(commits.at(-1)![1]);
  });

  test("are those of commits.json, where files were fetched one by one", () => {
    const directory = tempDirectory();
    const files = { "gherkin/a.feature": "a".repeat(40), "gherkin/b.feature": "b".repeat(40) };
    writeFileSync(join(directory, "commits.json"), JSON.stringify(files));
    expect(originOf(directory)).toEqual({
      revision: `gherkin/a.feature@${"a".repeat(40)} gherkin/b.feature@${"b".repeat(40)}`,
      files: new Map(Object.entries(files)),
    });
  });

  test("are none of a file that was changed or added", () => {
    const { directory } = clone();
    writeFileSync(join(directory, "gherkin/own.feature"), "Feature: own");
    expect(() => originOf(directory)).toThrow("has changes:\n?? gherkin/own.feature");
  });

  test("are none outside a clone", () => {
    expect(() => originOf(tempDirectory())).toThrow("is no clone: without one, leave out --save");
  });
});
