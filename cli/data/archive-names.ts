import { isoTime } from "../../src/base/clock.ts";

/** Ends of names of archives. */
export const ARCHIVE = /\.(?:tar|tgz|tar\.gz)(?:\.age)?$/;

/** Whether a text is the URL of a bucket, not a file. */
export function isBucketUrl(text: string): boolean {
  return /^s3:/i.test(text);
}

/** An archive in a place; `at` is in milliseconds since 1970. */
export type FoundArchive = { name: string; at: number; bytes: number; isAutomatic: boolean };

/** Names of archives that servers make, and commands without a name. */
const NAME =
  /^formflag-(auto|backup)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-\d+)?\.(?:tar(?:\.gz)?|tgz)(?:\.age)?$/;

/** The name of an archive that a server makes at a time in milliseconds: such names sort by time. */
export function automaticName(at: number, isEncrypted: boolean): string {
  const time = isoTime(at).slice(0, 19).replaceAll(/[-:]/g, "");
  return `formflag-auto-${time}Z.tar${isEncrypted ? ".age" : ""}`;
}

/** The time in the name of an archive in milliseconds, and whether a server made it; null for any other name. */
function readName(name: string): { at: number; isAutomatic: boolean } | null {
  const [, kind, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : { at, isAutomatic: kind === "auto" && /Z\.tar(?:\.age)?$/.test(name) };
}

/** Files that have names of archives, the newest first. */
export function sortArchives(files: readonly { name: string; at: number; bytes: number }[]): FoundArchive[] {
  return files
    .filter(({ name }) => ARCHIVE.test(name))
    .map(({ name, at, bytes }) => ({ name, bytes, isAutomatic: false, at, ...readName(name) }))
    .toSorted((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
}
