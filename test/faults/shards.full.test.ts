import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { stageText } from "../contracts/blobs.ts";
import { tempDirectory } from "../support/temp.ts";
import { canInject } from "./inject.ts";

const blobs = join(import.meta.dir, "../../src/blobs/disk.ts");

/** Keeps files at the same time; each look for a file that is not there marks in the trace that one is kept. */
const SCRIPT = `
  import { existsSync } from "node:fs";
  import { openDiskBlobs } from ${JSON.stringify(blobs)};
  const [root, ...keys] = process.argv.slice(1);
  const blobs = openDiskBlobs(root);
  await Promise.all(keys.map(async (key) => {
    const staged = await blobs.stage();
    await staged.finish();
    await blobs.keep([{ key, staged }]);
    existsSync(root + "/kept-" + key);
  }));`;

/** In which order the upload directory was synced and files in it were kept, on a disk where syncs of it are slow. */
function traceOf(root: string, keys: string[]): string[] {
  const log = join(tempDirectory(), "trace");
  const paths = [root, ...keys.map((key) => join(root, `kept-${key}`))].flatMap((path) => ["-P", path]);
  const filter = ["-e", "trace=fsync,/stat,/access", "-e", "inject=fsync:delay_enter=200000"];
  const script = [process.execPath, "-e", SCRIPT, root, ...keys];
  const { exitCode } = Bun.spawnSync(["strace", "-f", "-o", log, ...filter, ...paths, ...script]);
  expect(exitCode).toBe(0);
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.flatMap((line) => {
    if (/fsync.* = 0/.test(line)) return ["synced"];
    return line.includes("kept-") ? ["kept"] : [];
  });
}

describe.skipIf(!(await canInject()))("no file is kept before the name of its folder is durable", () => {
  test("where several requests need the same new folder at the same moment", () => {
    const root = join(tempDirectory(), "uploads");
    mkdirSync(root);
    const trace = traceOf(root, ["a-ab.1", "b-ab.1", "c-ab.1"]);
    expect(trace.filter((event) => event === "kept")).toHaveLength(3);
    // The first is the sync of opening.
    expect(trace.slice(0, 2)).toEqual(["synced", "synced"]);
  });

  test("where a process that was killed before its sync had made the folder", () => {
    const root = join(tempDirectory(), "uploads");
    for (const name of ["staging", "ab"]) mkdirSync(join(root, name), { recursive: true });
    expect(traceOf(root, ["a-ab.1"])).toEqual(["synced", "kept"]);
  });
});

test("a folder that somebody removed is made again", async () => {
  const root = join(tempDirectory(), "uploads");
  const blobs = openDiskBlobs(root);
  const keep = async (key: string) => blobs.keep([{ key, staged: await stageText(blobs, "x") }]);
  await keep("a-ab.1");
  rmSync(join(root, "ab"), { recursive: true });
  await keep("b-ab.1");
  expect(await blobs.has("b-ab.1")).toBe(true);
});
