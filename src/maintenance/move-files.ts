import { AppError } from "../base/errors.ts";
import type { Blobs, StagedBlob } from "../blobs/blobs.ts";
import type { StoredFile } from "../forms/submission.ts";
import { notAsStored } from "./backup.ts";
import { storedFiles } from "./check.ts";
import type { MaintenanceApp } from "./store.ts";

/** Files that are copied at the same time. */
const AT_ONCE = 16;

/**
 * Copies uploaded files that rows of the target refer to and the target lacks, and compares each with its checksum.
 * Unless `isFinal`, a file whose submission has been deleted is skipped. `progress` receives bytes. Returns the
 * number of files and bytes. Throws `unsupported` if a file is missing or damaged.
 */
export async function copyFiles(
  from: MaintenanceApp,
  to: MaintenanceApp,
  isFinal: boolean,
  progress: (done: number, total: number) => void,
): Promise<{ files: number; bytes: number }> {
  const present = await sizesIn(to.blobs);
  const total = await to.store.submissions.fileBytes();
  const copied = { files: 0, bytes: 0 };
  let done = 0;
  let lacking: StoredFile[] = [];
  const copyLacking = async () => {
    const sent = await sendFiles(from, to.blobs, lacking, isFinal);
    copied.files += sent.length;
    copied.bytes += sent.reduce((sum, { size }) => sum + size, 0);
    lacking = [];
  };
  for await (const file of storedFiles((after, limit) => to.store.submissions.files(after, limit))) {
    if (present.get(file.key) !== file.size) lacking.push(file);
    if (lacking.length >= AT_ONCE) await copyLacking();
    progress((done += file.size), total);
  }
  await copyLacking();
  return copied;
}

/** The sizes of kept files by their keys: some hundred bytes of memory each. */
async function sizesIn(blobs: Blobs): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const files of blobs.list()) for (const { key, size } of files) sizes.set(key, size);
  return sizes;
}

/** Copies files, and returns all but the files that have been deleted. */
async function sendFiles(
  from: MaintenanceApp,
  to: Blobs,
  files: StoredFile[],
  isFinal: boolean,
): Promise<StoredFile[]> {
  const results = await Promise.allSettled(files.map((file) => stageOne(from, to, file, isFinal)));
  const staged = results.flatMap((result) => (result.status === "fulfilled" ? (result.value ?? []) : []));
  const failed = results.find((result) => result.status === "rejected");
  try {
    if (failed) throw failed.reason;
    await to.keep(staged);
  } catch (error) {
    await Promise.all(staged.map(({ staged }) => staged.discard()));
    throw error;
  }
  return staged.map(({ file }) => file);
}

type Staged = { key: string; file: StoredFile; staged: StagedBlob };

/** Copies the bytes of a file; returns undefined if it is gone with its submission. */
async function stageOne(
  from: MaintenanceApp,
  to: Blobs,
  file: StoredFile,
  isFinal: boolean,
): Promise<Staged | undefined> {
  const staged = await to.stage();
  try {
    await copyBytes(from.blobs, file, staged);
    return { key: file.key, file, staged };
  } catch (error) {
    await staged.discard();
    const isGone = !isFinal && (await (await from.store.moving()).unknown([file.submission])).length > 0;
    if (!isGone) throw error;
    return undefined;
  }
}

async function copyBytes(from: Blobs, file: StoredFile, into: StagedBlob): Promise<void> {
  for await (const chunk of await openStored(from, file)) await into.write(chunk);
  const { size, sha256 } = await into.finish();
  if (size !== file.size || sha256 !== file.sha256)
    throw notAsStored(file, "has other bytes than were stored");
}

async function openStored(from: Blobs, file: StoredFile): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await from.open(file.key);
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") throw notAsStored(file, "is missing");
    throw error;
  }
}
