import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./load.ts";
import type { Operation, Recording } from "./record.ts";

const SECTOR = 512;

type Write = Extract<Operation, { kind: "write" }>;
type Naming = Extract<Operation, { kind: "names" }>;

/** What of an operation that was not synced is on the disk; `torn` is some of its sectors. */
type Fate = "kept" | "lost" | "torn";

/** The fates of the operations on one inode that were not synced, in order. */
export type Fates = (count: number) => Fate[];

export const lost: Fates = (count) => Array.from({ length: count }, () => "lost");
export const kept: Fates = (count) => Array.from({ length: count }, () => "kept");

/** For each inode something else: nothing, everything, what came first, or any of it. */
export function mixed(random: Random): Fates {
  return (count) => {
    const way = random.below(5);
    if (way === 0) return lost(count);
    if (way === 1) return kept(count);
    const first = random.below(count + 1);
    return Array.from({ length: count }, (_, index) => {
      if (way === 2) return index < first ? "kept" : index === first ? "torn" : "lost";
      if (way === 3) return index === first ? "lost" : "kept";
      return (["kept", "lost", "torn"] as const)[random.below(3)]!;
    });
  };
}

/**
 * `any` keeps names only where their own directory was synced, and of the others any; `journal` keeps them in the
 * order in which they were given, up to the last sync of a directory at least, as ext4 and XFS do.
 */
export type Names = "any" | "journal";

/**
 * Writes into `target` what a file system may hold of the recorded directory after a power cut at the position `cut`.
 * What a file or directory held when it was last synced is there; what was done to it since has one of the `fates`,
 * each inode's apart from the others'. Bytes and sizes are kept by the sync of their file alone.
 */
export function rebuild(
  { inodes, operations }: Recording,
  { cut, names, fates, random }: { cut: number; names: Names; fates: Fates; random: Random },
  target: string,
): void {
  const begun = operations.filter((operation) => operation.start <= cut);
  const syncs = begun.filter(({ kind, end }) => kind === "sync" && end <= cut);
  const lastSync = (of: Operation[]) => of.reduce((last, { start }) => Math.max(last, start), -1);
  const syncedBefore = new Map(
    [...Map.groupBy(syncs, ({ inode }) => inode)].map(([inode, of]) => [inode, lastSync(of)]),
  );
  const byInode = Map.groupBy(begun, ({ inode }) => inode);
  const withFates = (all: Operation[], before: number): [Operation, Fate][] => {
    const open = fates(all.filter(({ end }) => end > before).length);
    return all.map((operation) => [operation, operation.end <= before ? "kept" : open.shift()!]);
  };
  const journal = () => {
    const all = begun.filter(({ kind }) => kind === "names").toSorted((a, b) => a.end - b.end);
    const withFate = withFates(all, lastSync(syncs.filter(({ inode }) => inodes[inode]!.isDirectory)));
    return withFate.find(([, fate]) => fate === "lost")?.[0].end ?? Infinity;
  };
  const journalEnd = names === "journal" ? journal() : undefined;
  const survivors = (inode: number): [Operation, Fate][] => {
    const all = (byInode.get(inode) ?? []).filter(({ kind }) => kind !== "sync");
    if (journalEnd === undefined || !inodes[inode]!.isDirectory)
      return withFates(all, syncedBefore.get(inode) ?? -1);
    return all.map((operation) => [operation, operation.end < journalEnd ? "kept" : "lost"]);
  };

  const writeDirectory = (inode: number, path: string) => {
    const names = new Map<string, number>();
    for (const [operation, fate] of survivors(inode)) {
      if (fate === "lost") continue;
      for (const [name, to] of (operation as Naming).changes)
        if (to === null) names.delete(name);
        else names.set(name, to);
    }
    for (const [name, each] of names) {
      const below = join(path, name);
      if (inodes[each]!.isDirectory) {
        mkdirSync(below, { mode: 0o700 });
        writeDirectory(each, below);
        // SQLite makes it anew from the log.
      } else if (!name.endsWith("-shm")) {
        writeFileSync(below, contentOf(survivors(each), random), { mode: 0o600 });
      }
    }
  };
  writeDirectory(0, target);
}

function contentOf(operations: [Operation, Fate][], random: Random): Uint8Array {
  let bytes = new Uint8Array(1 << 16);
  let size = 0;
  const reach = (length: number) => {
    if (length > bytes.byteLength) {
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
    size = Math.max(size, length);
  };
  for (const [operation, fate] of operations) {
    if (operation.kind === "truncate" && fate !== "lost") {
      bytes.fill(0, operation.size);
      reach(operation.size);
      size = operation.size;
    }
    if (operation.kind === "write" && fate !== "lost") {
      reach(operation.offset + operation.bytes.byteLength);
      for (const [start, part] of fate === "kept" ? [[0, operation.bytes] as const] : sectors(operation))
        if (fate === "kept" || random.below(2) === 0) bytes.set(part, operation.offset + start);
    }
  }
  return bytes.subarray(0, size);
}

function sectors({ offset, bytes }: Write): (readonly [start: number, part: Uint8Array])[] {
  const parts: (readonly [number, Uint8Array])[] = [];
  for (let start = 0; start < bytes.byteLength;) {
    const end = Math.min(bytes.byteLength, start + SECTOR - ((offset + start) % SECTOR));
    parts.push([start, bytes.subarray(start, end)]);
    start = end;
  }
  return parts;
}
