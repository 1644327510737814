import { type Zippable, gzipSync, zipSync } from "fflate";
import { packTar } from "modern-tar";

/** Reproducible archives: the same entries and date give the same bytes. */

/** A file of an archive; `executable` gives it mode 0755 instead of 0644. */
export type Entry = { name: string; bytes: Uint8Array; executable?: boolean };

/** A `.tar.gz` of the entries by name, owned by 0, with `date` as the time of each. */
export async function tarGz(entries: Entry[], date: Date): Promise<Uint8Array> {
  const tar = await packTar(
    sorted(entries).map(({ name, bytes, executable }) => ({
      header: { name, size: bytes.length, mode: modeOf(executable), mtime: date, uid: 0, gid: 0 },
      body: bytes,
    })),
  );
  return gzipSync(tar, { level: 9, mtime: 0 });
}

/** A `.zip` of the entries by name, with `date` as the time of each: the time of day in the process's zone. */
export function zip(entries: Entry[], date: Date): Uint8Array {
  const files: Zippable = {};
  for (const { name, bytes, executable } of sorted(entries)) {
    files[name] = [bytes, { level: 9, mtime: date, os: UNIX, attrs: (REGULAR | modeOf(executable)) << 16 }];
  }
  return zipSync(files);
}

/** The system of a zip entry whose attributes are Unix modes. */
const UNIX = 3;
const REGULAR = 0o100000;

function modeOf(executable = false): number {
  return executable ? 0o755 : 0o644;
}

function sorted(entries: Entry[]): Entry[] {
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
