import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { abandonedFilesJob } from "../../src/blobs/abandoned.ts";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { stageText } from "../contracts/blobs.ts";
import { tempDirectory } from "../support/temp.ts";

const HOUR = 3_600_000;

test("staged files are removed once no process can still be writing them, and nothing else is", async () => {
  const root = tempDirectory();
  const staging = join(root, "staging");
  const note = "x-ab.2.0a3c0b54-94a4-4f0b-8ab3-0f2c4c1b1c55.note";
  const blobs = openDiskBlobs(root);
  const abandoned = await stageText(blobs, "left by a process that was killed");
  const [left] = readdirSync(staging);
  const fresh = await stageText(blobs, "under way");
  writeFileSync(join(staging, note), "");
  const kept = await stageText(blobs, "kept");
  await blobs.keep([{ key: "x-ab.1", staged: kept }]);
  const now = Date.now();
  for (const path of [join(staging, left!), join(staging, note), join(root, "ab", "x-ab.1")])
    utimesSync(path, new Date(now - 25 * HOUR), new Date(now - 25 * HOUR));

  await abandonedFilesJob(root, () => now).run();
  expect(readdirSync(staging)).toHaveLength(2);
  expect(readdirSync(staging)).not.toContain(left!);
  expect(existsSync(join(staging, note))).toBe(true);
  await blobs.keep([{ key: "y-ab.1", staged: fresh }]);
  expect(readdirSync(join(root, "ab")).toSorted()).toEqual(["x-ab.1", "y-ab.1"]);
  // Closes the file.
  await abandoned.discard();
});
