import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { heard } from "../../session/command-line.ts";
import { tmpdir } from "node:os";
import { readBackup } from "../../../src/maintenance/backup.ts";
import { restoreBackup } from "../../../src/maintenance/restore.ts";
import { openApp } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { prepareRestore } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import type { SharedStorage } from "../../../src/storage.ts";
import { createPrinter } from "../../output/printer.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { contents, readArchive, requireArchive } from "./archive.ts";

export function addBackupCommands(backup: Command, io: Io): void {
  heard(backup)`
[formflag] restore: backup restore
[formflag] verify: backup verify
check test validate: backup verify
[formflag] dump snapshot snapshots archive archives: type formflag backup create -o <file>, or formflag export for flags and forms
list ls: formflag status shows the last one; a backup is a file where -o, or --backup-dir of serve, put it
now: backup create
import: backup restore
schedule cron: formflag serve --backup-dir <dir> --backup-every 1d makes backups by itself
[create] -z --compress --gzip: a name that ends in .gz compresses: -o backup.tar.gz
[create] --output-dir --dir --to: -o <file> names the archive
[verify restore] -f --file: the file follows the command: formflag backup verify <file>
[restore] --force --overwrite: --replace renames what is there
[restore] --to --into --target: --data names the data directory to create
[create] /\.(tar|gz|tgz|zip|zst)$/: the archive is an option: -o $0
[create] *: -o <file> names the archive, --data the data directory to back up: --data $0
`;
  backup.after(`
Examples:
  formflag backup create
  formflag backup verify formflag-backup-20270131T120000Z.tar
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
`);
  addCreateCommand(backup, io);
  addVerifyCommand(backup, io);
  addRestoreCommand(backup, io);
}

export function addRestoreCommand(backup: Command, io: Io): void {
  backup
    .command("restore")
    .argument("<file>", "archive")
    .description("create a data directory, or fill a database, from a backup")
    .option("--replace", "rename existing data instead of refusing")
    .after(`
The data directory must be empty or missing, unless you give --replace, and no server may be running on it. Nothing is
changed until the whole backup has been read and verified. With --database, or with its variable and without --data, the
backup is restored into that database, which must be empty, and its files into the bucket.

Examples:
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
  formflag backup restore formflag-backup-20270131T120000Z.tar --replace
`)
    .action(localAction(io, parseRestore, restore));
}

type Values = { config: Config; file: string; replace: boolean; intoDirectory: boolean };

function parseRestore(command: Command, file: string): Values {
  const { replace = false } = command.opts<{ replace?: true }>();
  const config = readLocalConfig(command);
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  // A restore fills a data directory, whatever is in it.
  const intoDirectory = config.storage.database === null || (isGiven("data") && !isGiven("database"));
  if (replace && !intoDirectory)
    throw usage("--replace goes with a data directory only", "restore into an empty database");
  return { config, file, replace, intoDirectory };
}

async function restore(io: Io, { config, file, replace, intoDirectory }: Values): Promise<void> {
  await requireArchive(file);
  if (intoDirectory) return restoreDirectory(io, config, file, replace);
  const { shared } = await loadStorage(config.storage);
  await restoreShared(io, config, file, shared!);
}

async function restoreDirectory(io: Io, config: Config, file: string, replace: boolean): Promise<void> {
  const printer = createPrinter(io, config);
  const { data } = config;
  await using restore = await prepareRestore(data, replace);
  const manifest = await readArchive(printer, file, (entries, progress) =>
    readBackup(entries, restore.scratch, progress, restore.blobs),
  );
  const aside = await restore.finish();
  const kept = aside === null ? "" : `what was there before is kept in ${aside}\n`;
  await printer.report(
    { data, before: aside, ...manifest },
    `restored ${contents(manifest)} into ${data}\n${kept}`,
  );
}

async function restoreShared(io: Io, config: Config, file: string, shared: SharedStorage): Promise<void> {
  const printer = createPrinter(io, config);
  const { placeOf } = await import("../../data/open-shared.ts");
  await using app = await openApp({ data: config.data, shared, writing: "inline", opensTarget: true });
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const manifest = await readArchive(printer, file, (entries, progress) =>
    restoreBackup(entries, scratch, app, progress),
  );
  const database = placeOf(shared);
  await printer.report({ database, ...manifest }, `restored ${contents(manifest)} into ${database}\n`);
}

export function addVerifyCommand(backup: Command, io: Io): void {
  backup
    .command("verify")
    .argument("<file>", "archive")
    .description("read a backup and compare its contents with its checksums")
    .after(`
The database is unpacked into the folder for temporary files (TMPDIR), which needs room for twice the size of the
database.

Exit code: 0 if the backup is valid, 1 if it is not.

Example:
  formflag backup verify formflag-backup-20270131T120000Z.tar
`)
    .action(localAction(io, parseVerify, verify));
}

type Verified = { config: Config; file: string };

function parseVerify(command: Command, file: string): Verified {
  return { config: readLocalConfig(command), file };
}

async function verify(io: Io, { config, file }: Verified): Promise<void> {
  const printer = createPrinter(io, config);
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const manifest = await readArchive(printer, file, (entries, progress) =>
    readBackup(entries, scratch, progress),
  );
  await printer.report({ file, ...manifest }, `${file} is sound: ${contents(manifest)}\n`);
}
