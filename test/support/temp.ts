import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "bun:test";

/** A new empty directory that is removed after the test file. */
export function tempDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "formflag-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
