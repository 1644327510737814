import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { stageText } from "../contracts/blobs.ts";
import { DISK, tempDirectory } from "../support/temp.ts";
import { canInject } from "./inject.ts";

const blobs = join(import.meta.dir, "../../src/blobs/disk.ts");

/** Does a thing for each key at the same time; each look for a file that is not there marks in the trace that one is done. */
const scriptOf = (act: string) => `
  import { existsSync } from "node:fs";
  import { openDiskBlobs } from ${JSON.stringify(blobs)};
  const [root, ...keys] = process.argv.slice(1);
  const blobs = openDiskBlobs(root);
  await Promise.all(keys.map(async (key) => {
    ${act};
    existsSync(root + "/done");
  }));`;

const KEEP = "const staged = await blobs.stage(); await staged.finish(); await blobs.keep([{ key, staged }])";
const DELETE = "await blobs.delete([key])";

/** In which order a directory was synced and what is done with each key was done, on a disk where syncs of it are slow. */
function traceOf(root: string, act: string, keys: string[], directory = root): string[] {
  const log = join(tempDirectory(DISK), "trace");
  const paths = ["-P", directory, "-P", join(root, "done")];
  const filter = ["-e", "trace=fsync,/stat,/access", "-e", "inject=fsync:delay_enter=200000"];
  const script = [process.execPath, "-e", scriptOf(act), root, ...keys];
  const { exitCode } = Bun.spawnSync(["strace", "-f", "-o", log, ...filter, ...paths, ...script]);
  expect(exitCode).toBe(0);
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.flatMap((line) => {
    if (/fsync.* = 0/.test(line)) return ["synced"];
    return line.includes("done") ? ["done"] : [];
  });
}

const traces = await canInject();

describe.skipIf(!traces)("no file is kept before the name of its folder is durable", () => {
  test("where several requests need the same new folder at the same moment", () => {
    const root = join(tempDirectory(DISK), "uploads");
    mkdirSync(root);
    const trace = traceOf(root, KEEP, ["a-ab.1", "b-ab.1", "c-ab.1"]);
    expect(trace.filter((event) => event === "done")).toHaveLength(3);
    // The first is the sync of opening.
    expect(trace.slice(0, 2)).toEqual(["synced", "synced"]);
  });

  test("where a process that was killed before its sync had made the folder", () => {
    const root = join(tempDirectory(DISK), "uploads");
    for (const name of ["staging", "ab"]) mkdirSync(join(root, name), { recursive: true });
    expect(traceOf(root, KEEP, ["a-ab.1"])).toEqual(["synced", "done"]);
  });
});

test.skipIf(!traces)("no file that two delete is gone before its name is gone for good", () => {
  const root = join(tempDirectory(DISK), "uploads");
  const shard = join(root, "ab");
  mkdirSync(shard, { recursive: true });
  writeFileSync(join(shard, "a-ab.1"), "x");
  const trace = traceOf(root, DELETE, ["a-ab.1", "a-ab.1"], shard);
  expect(trace.toSorted()).toEqual(["done", "done", "synced", "synced"]);
  expect(trace[0]).toBe("synced");
});

test("a folder that somebody removed is made again", async () => {
  const root = join(tempDirectory(DISK), "uploads");
  const blobs = openDiskBlobs(root);
  const keep = async (key: string) => blobs.keep([{ key, staged: await stageText(blobs, "x") }]);
  await keep("a-ab.1");
  rmSync(join(root, "ab"), { recursive: true });
  await keep("b-ab.1");
  expect(await blobs.has("b-ab.1")).toBe(true);
});
