import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { isoTime } from "../../../src/base/clock.ts";
import { ignoreMissing } from "../../../src/base/directory.ts";
import { AppError } from "../../../src/base/errors.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { createSum } from "../../../src/base/sum.ts";
import { ARCHIVE, type FoundArchive, isBucketUrl, sortArchives } from "../../data/archive-names.ts";
import { createPrinter } from "../../output/printer.ts";
import { saveTo } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { alignedRight, table } from "../../output/text.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readFileConfig } from "../../session/config.ts";
import { usage } from "../../session/usage.ts";

export function addListCommand(backup: Command, io: Io): void {
  backup
    .command("list")
    .argument("[place]", "folder, or s3:// URL (default: the current folder)")
    .description("list the backups in a folder or directly below a prefix of a bucket, newest first")
    .after(`
Examples:
  formflag backup list /mnt/backup
  formflag backup list 's3://backups/formflag?region=eu-west-1'
`)
    .action(localAction(io, parseList, list));
}

type Listing = { config: Config; place: string };

function parseList(command: Command, place = "."): Listing {
  return { config: readFileConfig(command), place };
}

async function list(io: Io, { config, place }: Listing): Promise<void> {
  const { found, fileOf } = isBucketUrl(place) ? await inBucket(place) : await inFolder(place);
  const shown = found.map(({ name, at, bytes }) => ({
    name,
    file: fileOf(name),
    at: isoTime(at),
    bytes,
    encrypted: name.endsWith(".age"),
  }));
  const rows = shown.map(({ name, at, bytes, encrypted }) => [
    name,
    at,
    encrypted ? "yes" : "no",
    formatBytes(bytes),
  ]);
  const text =
    rows.length === 0
      ? "no backups\n"
      : table(...alignedRight(["NAME", "TIME", "ENCRYPTED", "SIZE"], rows, 3));
  await createPrinter(io, config).print(shown, text);
}

type Found = { found: FoundArchive[]; fileOf: (name: string) => string };

async function inBucket(url: string): Promise<Found> {
  const { archivesIn, openPlace } = await import("../../data/archive-place.ts");
  const place = openPlace(url);
  const all = await archivesIn(place);
  return { found: all.filter(({ name }) => place.name === null || name === place.name), fileOf: place.urlOf };
}

async function inFolder(folder: string): Promise<Found> {
  const status = await stat(folder).catch(ignoreMissing);
  if (!status?.isDirectory())
    throw new AppError("not_found", `the folder ${folder} does not exist`, {
      hint: "name a folder of backups",
    });
  const names = (await readdir(folder)).filter((name) => ARCHIVE.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const { size: bytes, mtimeMs: at } = await stat(join(folder, name));
      return { name, at, bytes };
    }),
  );
  return { found: sortArchives(files), fileOf: (name) => join(folder, name) };
}

export function addCopyCommand(backup: Command, io: Io): void {
  backup
    .command("copy")
    .argument("<from>", "archive, or the s3:// URL of one, or of a prefix for the newest one there")
    .argument("<to>", "s3:// URL of a prefix or of an archive, or a file or folder")
    .description("copy a backup into a bucket or out of one, as it is, and compare what has arrived")
    .after(`
An encrypted archive stays encrypted. An existing archive is replaced only with --yes.

Examples:
  formflag backup copy formflag-backup-20270131T120000Z.tar.age 's3://backups/formflag?region=eu-west-1'
  formflag backup copy 's3://backups/formflag?region=eu-west-1' .
`)
    .action(localAction(io, parseCopy, copy));
}

type Copy = { config: Config; from: string; to: string };

function parseCopy(command: Command, from: string, to: string): Copy {
  if (isBucketUrl(from) === isBucketUrl(to))
    throw usage(
      "backup copy copies a file into a bucket, or out of one",
      "one of the two is an s3:// URL, and the other a file or a folder",
    );
  return { config: readFileConfig(command), from, to };
}

async function copy(io: Io, { config, from, to }: Copy): Promise<void> {
  const { file, bytes } = await (isBucketUrl(to) ? upload : download)(config, from, to);
  await createPrinter(io, config).report(
    { file, bytes },
    `copied ${from} to ${file} (${formatBytes(bytes)})\n`,
  );
}

async function upload({ yes }: Config, from: string, to: string): Promise<{ file: string; bytes: number }> {
  const { openPlace, storeArchive } = await import("../../data/archive-place.ts");
  const status = await stat(from).catch(ignoreMissing);
  if (status?.isDirectory())
    throw usage(
      `${from} is a folder, and backup copy copies one file`,
      `name an archive in it: formflag backup list ${shellWord(from)} lists them`,
    );
  if (!status?.isFile()) throw new AppError("not_found", `the file ${from} does not exist`);
  if (!ARCHIVE.test(from))
    throw usage(`${from} has no name of a backup`, "such names end in .tar, .tar.gz or .tar.age");
  const place = openPlace(to);
  const name = place.name ?? basename(from);
  if (name.endsWith(".age") !== from.endsWith(".age"))
    throw usage(
      `backup copy neither encrypts nor decrypts, and one of ${from} and ${name} ends in .age`,
      "give both the same end",
    );
  const file = place.urlOf(name);
  if (!yes && (await place.bucket.has(name))) throw exists(file);
  await storeArchive(place, name, from);
  return { file, bytes: status.size };
}

async function download({ yes }: Config, from: string, to: string): Promise<{ file: string; bytes: number }> {
  const { newestName, openPlace } = await import("../../data/archive-place.ts");
  const place = openPlace(from);
  const name = await newestName(place);
  const isFolder = (await stat(to).catch(ignoreMissing))?.isDirectory() ?? false;
  const file = isFolder ? join(to, name) : to;
  if (!yes && (await stat(file).catch(ignoreMissing))?.isFile()) throw exists(file);
  const { size, sha256, bytes } = await place.bucket.read(name);
  const sum = createSum();
  await saveTo(file, { body: bytes as ReadableStream<Uint8Array<ArrayBuffer>> }, sum.add, async () => {
    const received = sum.result();
    if (received.size !== size)
      throw new AppError(
        "unavailable",
        `the bucket returned ${received.size} of the ${size} bytes of ${name}`,
      );
    if (sha256 !== null && received.sha256 !== sha256)
      throw new AppError("unavailable", `the bucket returned other bytes of ${name} than were stored`, {
        hint: "nothing of it was kept: try again, and if that happens again, copy another backup",
      });
  });
  return { file, bytes: size };
}

function exists(file: string): AppError {
  return new AppError("conflict", `${file} exists already`, {
    hint: "add --yes to replace it, or give another name",
  });
}
