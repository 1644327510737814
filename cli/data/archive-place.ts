import { hostname } from "node:os";
import { AppError } from "../../src/base/errors.ts";
import { type ArchiveBucket, openArchives } from "../../src/blobs/s3/archives.ts";
import { openFile } from "../../src/blobs/s3/staging.ts";
import { parseS3Url } from "../../src/blobs/s3/url.ts";
import { readS3Credentials } from "../session/storage.ts";
import { ARCHIVE, type FoundArchive, sortArchives } from "./archive-names.ts";

/** A prefix of a bucket with archives, and the archive that its URL names. */
export type ArchivePlace = {
  bucket: ArchiveBucket;
  /** Null for a URL that names a prefix. */
  name: string | null;
  /** The URL of an archive there, or of the prefix, without what says how the bucket is reached. */
  urlOf: (name?: string) => string;
};

/**
 * Opens the place that `s3://bucket/prefix?…` names, or `s3://bucket/prefix/name.tar?…`. Throws `invalid`, and `unauthenticated`
 * without credentials.
 */
export function openPlace(url: string): ArchivePlace {
  const { location, name } = parsePlace(url);
  const bucket = openArchives({ location, credentials: readS3Credentials() }, hostname());
  return {
    bucket,
    name,
    urlOf: (file) => [bareUrl(location), ...(file === undefined ? [] : [file])].join("/"),
  };
}

/** Parses the URL of a place without opening it. Throws `invalid`. */
export function parsePlace(url: string) {
  const location = parseS3Url(url);
  const parts = location.prefix.split("/");
  const name = ARCHIVE.test(parts.at(-1)!) ? parts.pop()! : null;
  return { location: { ...location, prefix: parts.join("/") }, name };
}

function bareUrl({ bucket, prefix }: { bucket: string; prefix: string }): string {
  return prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}

/**
 * Stores a file under a name in a place, after removing what a killed process left of such a name there. Throws as
 * {@link ArchiveBucket} describes.
 */
export async function storeArchive({ bucket }: ArchivePlace, name: string, file: string): Promise<void> {
  const family = /^formflag-(?:auto|backup)-/.exec(name)?.[0];
  await bucket.clear((each) => each === name || (family !== undefined && each.startsWith(family)));
  await using opened = await openFile(file);
  await bucket.store(name, opened);
}

/** The archives in a place, the newest first by their names, or by when they were stored. */
export async function archivesIn({ bucket }: Pick<ArchivePlace, "bucket">): Promise<FoundArchive[]> {
  return sortArchives(await bucket.list());
}

/** The name of the archive that a place names, or of the newest one there. Throws `not_found` without one. */
export async function newestName(place: ArchivePlace): Promise<string> {
  if (place.name !== null) return place.name;
  const [newest] = await archivesIn(place);
  if (newest) return newest.name;
  throw new AppError("not_found", `no backup found in ${place.urlOf()}`, {
    hint: "name the prefix to which serve --backup-to stores them, or the archive itself",
  });
}
