import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { openNotes } from "../support/notes.ts";
import { tempDirectory } from "../support/temp.ts";
import { blobsContract, stageText } from "./blobs.ts";

const directory = tempDirectory();
let count = 0;
const freshRoot = () => join(directory, `uploads-${(count += 1)}`);

/** The names of all kept files, sorted. */
const keysIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(root, "staging")))
    .map((entry) => entry.name)
    .toSorted();

blobsContract("the upload directory", () => {
  const root = freshRoot();
  return { blobs: openDiskBlobs(root), keys: () => keysIn(root) };
});

const garbage = { list: async () => [], forget: async () => {} };

describe("the upload directory", () => {
  const openFresh = () => {
    const root = freshRoot();
    return { root, blobs: openDiskBlobs(root) };
  };
  const staged = (root: string) => readdirSync(join(root, "staging"));

  test("lets nobody but its owner read a file or look into a folder", async () => {
    const { root, blobs } = openFresh();
    const kept = await stageText(blobs, "secret");
    const mode = (...path: string[]) => (statSync(join(root, ...path)).mode & 0o777).toString(8);
    expect(mode("staging", staged(root)[0]!)).toBe("600");
    await blobs.keep([{ key: "x-ab.1", staged: kept }]);
    expect(mode("ab", "x-ab.1")).toBe("600");
    for (const folder of ["", "staging", "ab"]) expect([folder, mode(folder)]).toEqual([folder, "700"]);
  });

  test("holds no staged file after it was kept or discarded", async () => {
    const { root, blobs } = openFresh();
    const [kept, discarded] = [await stageText(blobs, "kept"), await stageText(blobs, "discarded")];
    expect(staged(root)).toHaveLength(2);
    await blobs.keep([{ key: "x-ab.1", staged: kept }]);
    await discarded.discard();
    expect(staged(root)).toEqual([]);
  });

  test("is not ready once it is gone", async () => {
    const { root, blobs } = openFresh();
    rmSync(root, { recursive: true });
    expect(await blobs.ready().catch((error: unknown) => error)).toMatchObject({ code: "unavailable" });
  });

  test("is emptied of what an earlier process staged, except notes, by the only process that stages files", async () => {
    const { root, blobs } = openFresh();
    await blobs.keep([{ key: "x-ab.1", staged: await stageText(blobs, "kept") }]);
    const left = [await stageText(blobs, "1"), await stageText(blobs, "2")];
    mkdirSync(join(root, "staging", "folder", "inside"), { recursive: true });
    writeFileSync(join(root, "staging", "other.note"), "");
    await openNotes({ garbage }, root).add("y-ab", 2, 0);
    expect(staged(root)).toHaveLength(5);

    // A command beside the server.
    expect(await openNotes({ garbage }, root).claim(Infinity, 10)).toEqual({ uploads: [], garbage: [] });
    expect(staged(root)).toHaveLength(5);

    const notes = openNotes({ garbage }, root, true);
    expect((await notes.claim(0, 10)).uploads).toEqual([{ id: "y-ab", files: 2 }]);
    expect(staged(root)).toEqual([expect.stringMatching(/^y-ab\.2\..+\.note$/)]);
    await notes.clear(["y-ab"]);
    expect(staged(root)).toEqual([]);
    expect(keysIn(root)).toEqual(["x-ab.1"]);
    const kept = blobs.keep([{ key: "x-ab.2", staged: left[0]! }]);
    expect(await kept.catch(() => "refused")).toBe("refused");
    for (const each of left) await each.discard();
  });

  test("keeps none of several files when a folder stands in the way of one", async () => {
    const { root, blobs } = openFresh();
    mkdirSync(join(root, "ab", "x-ab.2", "inside"), { recursive: true });
    const files = [];
    for (let position = 1; position <= 20; position += 1) {
      files.push({ key: `x-ab.${position}`, staged: await stageText(blobs, `${position}`) });
    }
    expect(await blobs.keep(files).catch(() => "refused")).toBe("refused");
    expect(keysIn(root)).toEqual([]);
    for (const { staged } of files) await staged.discard();
    expect(staged(root)).toEqual([]);
    expect(readdirSync(join(root, "ab"))).toEqual(["x-ab.2"]);
  });

  test("is unavailable, and still lets the file be discarded, when a file stands where its folder should", async () => {
    const { root, blobs } = openFresh();
    writeFileSync(join(root, "ab"), "");
    const file = { key: "x-ab.1", staged: await stageText(blobs, "a") };
    const other = { key: "x-cd.1", staged: await stageText(blobs, "b") };
    const error = await blobs.keep([other, file]).catch((error: unknown) => error);
    await file.staged.discard();
    await other.staged.discard();
    expect(error).toMatchObject({ name: "AppError", code: "unavailable" });
    expect(keysIn(root)).toEqual(["ab"]);
    expect(staged(root)).toEqual([]);
  });

  test("is held by a process until that is killed", async () => {
    const { root } = openFresh();
    const notes = openNotes({ garbage: { ...garbage, list: async () => ["x-ab.1"] } }, root);
    const script = `
      import { holdsOf } from ${JSON.stringify(join(import.meta.dir, "../../src/store/sqlite/lock.ts"))};
      await holdsOf(process.argv[1]).hold();
      console.log("held");
      setInterval(() => {}, 1000);`;
    const child = Bun.spawn([process.execPath, "-e", script, `${root}.hold`], { stdout: "pipe" });
    try {
      expect((await child.stdout.getReader().read()).done).toBe(false);
      expect((await notes.claim(0, 10)).garbage).toEqual([]);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    expect((await notes.claim(0, 10)).garbage).toEqual(["x-ab.1"]);
  });

  test("is forbidden where it cannot be made", () => {
    const root = freshRoot();
    writeFileSync(root, "");
    expect(() => openDiskBlobs(root)).toThrow(
      expect.objectContaining({ name: "AppError", code: "forbidden" }),
    );
  });
});
