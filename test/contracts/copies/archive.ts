import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { openScratch } from "../../../cli/data/scratch.ts";
import type { ArchiveEntry } from "../../../src/maintenance/archive.ts";
import { createBackup, snapshotOf } from "../../../src/maintenance/backup.ts";
import { differingTables, digestOf } from "../../../src/maintenance/digest.ts";
import { restoreBackup } from "../../../src/maintenance/restore.ts";
import { type ClockedApp, openTestApp } from "../../support/app.ts";
import { addForm } from "../../support/records/apply.ts";
import { bringEveryTable } from "../../support/records/every-table.ts";
import { reasonOf } from "../../support/refusals.ts";
import { tempDirectory } from "../../support/temp.ts";
import { uploadsOf } from "../../support/uploads.ts";
import { type Driver, type OpenStore, opener } from "../driver.ts";

type Packed = { path: string; bytes: Uint8Array };

const appOn = (store: OpenStore) => ({ ...openTestApp(), store, notes: store.notes });

/** The entries of a backup of an app. */
async function pack({ now, blobs, notes, store }: ClockedApp): Promise<Packed[]> {
  using scratch = openScratch(join(tempDirectory(), "scratch"));
  const source = { now, blobs, notes, snapshot: snapshotOf(store) };
  const entries: Packed[] = [];
  const options = { progress: () => {}, started: () => {} };
  for await (const { path, bytes } of createBackup(source, scratch, "formflag test", options)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
    entries.push({ path, bytes: Buffer.concat(chunks) });
  }
  return entries;
}

async function unpack(entries: Packed[], target: ClockedApp): Promise<string[]> {
  using scratch = openScratch(join(tempDirectory(), "scratch"));
  const archive = async function* (): AsyncGenerator<ArchiveEntry> {
    for (const { path, bytes } of entries) yield { path, size: bytes.byteLength, bytes: oneChunk(bytes) };
  };
  return (await restoreBackup(archive(), scratch, target, () => {})).problems;
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What the product relies on where a backup of a store of one driver is restored into one of another. */
export function archiveContract(from: Driver, to: Driver): void {
  describe(`a backup of ${from.name}, restored into ${to.name},`, () => {
    const [openSource, openTarget] = [opener(from), opener(to)];

    test("is what was backed up, with every file", async () => {
      const [source, target] = [appOn(await openSource()), appOn(await openTarget())];
      await bringEveryTable(source);
      const digests = await digestOf(source.store.dump());
      expect(await unpack(await pack(source), target)).toEqual([]);
      expect(differingTables(digests, await digestOf(target.store.dump()))).toEqual([]);
      expect(uploadsOf(target).kept()).toEqual(uploadsOf(source).kept());
      expect(await target.store.submissions.wrongCounts()).toEqual([]);
    });

    test("changes no store that has anything, and nothing where it is not sound", async () => {
      const [source, target] = [appOn(await openSource()), appOn(await openTarget())];
      await bringEveryTable(source);
      const entries = await pack(source);
      const used = appOn(await openTarget());
      await addForm(used.store, "theirs");
      expect(await reasonOf(unpack(entries, used))).toBe("conflict database-not-empty");
      expect(uploadsOf(used).kept()).toEqual([]);
      const last = entries.at(-1)!;
      const changed = [...entries.slice(0, -1), { ...last, bytes: Buffer.from(last.bytes).fill(0) }];
      expect(await unpack(changed, target)).toEqual([`${last.path} has other bytes than were stored`]);
      expect(await target.store.readVersion()).toMatchObject({ version: 0 });
      // Once the archive is whole, it goes on.
      expect(await unpack(entries, target)).toEqual([]);
    });

    test("leaves no file of an archive that breaks off", async () => {
      const [source, target] = [appOn(await openSource()), appOn(await openTarget())];
      await bringEveryTable(source);
      const cutOff = async function* (bytes: Uint8Array) {
        yield bytes.subarray(0, 1);
        throw new Error("cut off");
      };
      const [last, ...rest] = (await pack(source)).toReversed();
      const archive = async function* (): AsyncGenerator<ArchiveEntry> {
        for (const { path, bytes } of rest.toReversed())
          yield { path, size: bytes.byteLength, bytes: oneChunk(bytes) };
        yield { path: last!.path, size: last!.bytes.byteLength, bytes: cutOff(last!.bytes) };
      };
      using scratch = openScratch(join(tempDirectory(), "scratch"));
      const restored = restoreBackup(archive(), scratch, target, () => {});
      expect(await restored.catch(({ message }: Error) => message)).toBe("cut off");
      expect([uploadsOf(target).staged(), uploadsOf(target).kept()]).toEqual([[], []]);
    });
  });
}
