import { appendFileSync, writeSync } from "node:fs";

const said = new Set<string>();

/** The file of `scripts/test.ts` for the reasons of skipped tests, which it prints at the end of a run. */
const SKIPS = process.env["FORMFLAG_TEST_SKIPS"];

/** Returns `isHere`. Where it is false, reports once which tests are skipped and why. */
export function need(isHere: boolean, why: string): boolean {
  if (!isHere && !said.has(why)) {
    said.add(why);
    if (SKIPS === undefined) writeSync(2, `skipped: ${why}\n`);
    else appendFileSync(SKIPS, `${why}\n`);
  }
  return isHere;
}

/** Where a program is installed that `tests` need; null if it is not. */
export function programAt(name: string, tests: string): string | null {
  const path = Bun.which(name, { PATH: `${process.env["PATH"]}:/usr/sbin:/usr/local/sbin` });
  need(path !== null, `${tests}: ${name} is not installed`);
  return path;
}

/** Whether tests run as root, to whom no file is closed. */
export function isRoot(): boolean {
  return !need(process.getuid?.() !== 0, "files that are closed to the user: the tests run as root");
}
