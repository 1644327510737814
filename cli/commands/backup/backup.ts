import { type Command, Option } from "commander";
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
import { type Config, readFileConfig, readLocalConfig } from "../../session/config.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { type Archive, type Open, contents, openArchive, readArchive } from "./archive.ts";
import { addCopyCommand, addListCommand } from "./stored.ts";

export function addBackupCommands(backup: Command, io: Io): void {
  heard(backup)`
[formflag] restore: backup restore
[formflag] verify: backup verify
check test validate: backup verify
[formflag] dump snapshot snapshots archive archives: type formflag backup create -o <file>, or formflag export for flags and forms
ls: backup list
upload push: backup copy
download pull get: backup copy
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
  formflag backup list 's3://backups/formflag?region=eu-west-1'
`);
  addCreateCommand(backup, io);
  addVerifyCommand(backup, io);
  addRestoreCommand(backup, io);
  addListCommand(backup, io);
  addCopyCommand(backup, io);
}

export function addRestoreCommand(backup: Command, io: Io): void {
  backup
    .command("restore")
    .argument("<file>", ARCHIVE)
    .description("create a data directory, or fill a database, from a backup")
    .option("--replace", "rename existing data instead of refusing")
    .withOptions(identityOption())
    .after(`
The data directory must be empty or missing, unless you give --replace, and no server may be running on it. Nothing is
changed until the whole backup has been read and verified. With --database, or with its variable and without --data, the
backup is restored into that database, which must be empty, and its files into the bucket. An s3:// URL that names a
prefix stands for the newest archive there. An encrypted archive needs --identity-file.

Examples:
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
  formflag backup restore formflag-backup-20270131T120000Z.tar --replace
  formflag backup restore 's3://backups/formflag?region=eu-west-1' --identity-file key.txt --data ./restored
`)
    .action(localAction(io, parseRestore, restore));
}

const ARCHIVE = "archive, or the s3:// URL of one, or of a prefix for the newest one there";

/** The option of private keys: the name of a file, since other users of the machine can see options. */
function identityOption(): Option {
  return new Option(
    "--identity-file <file>",
    "private key that decrypts the archive: written by age-keygen, or by ssh-keygen -t ed25519 without a passphrase",
  ).env("FORMFLAG_IDENTITY_FILE");
}

/** Decryption with the identities of a file; null without one. Throws `invalid`. */
async function openerOf(identityFile: string | undefined): Promise<Open | null> {
  if (identityFile === undefined) return null;
  const [{ decrypt, readIdentities }, { readText }] = await Promise.all([
    import("../../../src/maintenance/encryption/age.ts"),
    import("../../session/sources.ts"),
  ]);
  const identities = readIdentities(await readText(identityFile, "--identity-file"), identityFile);
  return (bytes) => decrypt(identities, identityFile, bytes);
}

type Values = {
  config: Config;
  file: string;
  identityFile: string | undefined;
  replace: boolean;
  intoDirectory: boolean;
};

function parseRestore(command: Command, file: string): Values {
  const { replace = false, identityFile } = command.opts<{ replace?: true; identityFile?: string }>();
  const config = readLocalConfig(command);
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  // A restore fills a data directory, whatever is in it.
  const intoDirectory = config.storage.database === null || (isGiven("data") && !isGiven("database"));
  if (replace && !intoDirectory)
    throw usage("--replace goes with a data directory only", "restore into an empty database");
  return { config, file, identityFile, replace, intoDirectory };
}

async function restore(io: Io, values: Values): Promise<void> {
  const { config, file, identityFile, replace, intoDirectory } = values;
  const archive = await openArchive(file, await openerOf(identityFile));
  if (intoDirectory) return restoreDirectory(io, config, archive, replace);
  const { shared } = await loadStorage(config.storage);
  await restoreShared(io, config, archive, shared!);
}

async function restoreDirectory(io: Io, config: Config, archive: Archive, replace: boolean): Promise<void> {
  const printer = createPrinter(io, config);
  const { data } = config;
  await using restore = await prepareRestore(data, replace);
  const manifest = await readArchive(printer, archive, (entries, progress) =>
    readBackup(entries, restore.scratch, progress, restore.blobs),
  );
  const aside = await restore.finish();
  const kept = aside === null ? "" : `what was there before is kept in ${aside}\n`;
  await printer.report(
    { data, before: aside, ...manifest },
    `restored ${contents(manifest)} into ${data}\n${kept}`,
  );
}

async function restoreShared(io: Io, config: Config, archive: Archive, shared: SharedStorage): Promise<void> {
  const printer = createPrinter(io, config);
  const { placeOf } = await import("../../data/open-shared.ts");
  await using app = await openApp({ data: config.data, shared, writing: "inline", opensTarget: true });
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const manifest = await readArchive(printer, archive, (entries, progress) =>
    restoreBackup(entries, scratch, app, progress),
  );
  const database = placeOf(shared);
  await printer.report({ database, ...manifest }, `restored ${contents(manifest)} into ${database}\n`);
}

export function addVerifyCommand(backup: Command, io: Io): void {
  backup
    .command("verify")
    .argument("<file>", ARCHIVE)
    .description("read a backup and compare its contents with its checksums")
    .withOptions(identityOption())
    .after(`
The database is unpacked into the folder for temporary files (TMPDIR), which needs room for twice the size of the
database. An encrypted archive needs --identity-file.

Exit code: 0 if the backup is valid, 1 if it is not.

Examples:
  formflag backup verify formflag-backup-20270131T120000Z.tar
  formflag backup verify 's3://backups/formflag?region=eu-west-1' --identity-file key.txt
`)
    .action(localAction(io, parseVerify, verify));
}

type Verified = Pick<Values, "config" | "file" | "identityFile">;

function parseVerify(command: Command, file: string): Verified {
  const { identityFile } = command.opts<{ identityFile?: string }>();
  return { config: readFileConfig(command), file, identityFile };
}

async function verify(io: Io, { config, file, identityFile }: Verified): Promise<void> {
  const printer = createPrinter(io, config);
  const archive = await openArchive(file, await openerOf(identityFile));
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const manifest = await readArchive(printer, archive, (entries, progress) =>
    readBackup(entries, scratch, progress),
  );
  const { name } = archive;
  await printer.report({ file: name, ...manifest }, `${name} is sound: ${contents(manifest)}\n`);
}
