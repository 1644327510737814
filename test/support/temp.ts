import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";

/** A new empty directory that is removed after the test file. */
export function tempDirectory(parent = tmpdir()): string {
  const path = mkdtempSync(join(parent, "formflag-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
