import { join, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createSum } from "../../../src/base/sum.ts";
import { ignoreMissing, isOnReadOnlyDisk } from "../../../src/base/directory.ts";
import { removeGarbage } from "../../../src/forms/keeping/removal.ts";
import type { Scratch } from "../../../src/maintenance/archive.ts";
import { type BackupManifest, DATABASE } from "../../../src/maintenance/manifest.ts";
import { type BackupSource, createBackup, readBackup, snapshotOf } from "../../../src/maintenance/backup.ts";
import { packTar } from "../../../src/maintenance/tar.ts";
import { NAMES, type SharedStorage } from "../../../src/storage.ts";
import { RECORDED, noteBackup } from "../../data/backups.ts";
import { lockBackup, needDatabase, openApp, openSource } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { lowerPriority } from "../../data/priority.ts";
import { fileTime, freePath } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import { createPrinter } from "../../output/printer.ts";
import { progressBar } from "../../output/progress.ts";
import { saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readConfig, readRemote } from "../../session/config.ts";
import { env } from "../../session/env.ts";
import { type Remote, remoteTransport } from "../../session/remote.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { VERSION } from "../../version.ts";
import { isBucketUrl } from "../../data/archive-names.ts";
import { recipientOption } from "../../serve/backups/schedule-options.ts";
import { compressedFor, contents, openArchive, readArchive } from "./archive.ts";
import { openUnmigrated, recordBackup } from "./recording.ts";
import { type Target, encryptedFor, endOf, refuseName } from "./target.ts";
import { server } from "../../../src/operations/server.ts";
import { clientOn } from "../../session/client.ts";

export function addCreateCommand(backup: Command, io: Io): void {
  backup
    .command("create")
    .description(
      "write an archive with the database and every uploaded file, whether or not a server is running",
    )
    .option(
      "-o, --output <file>",
      "output file, s3:// URL, or - for standard output (default: formflag-backup-<time>.tar)",
    )
    .withOptions(recipientOption())
    .after(`
The archive is a tar file with the layout of the data directory, and a manifest.json with the SHA-256 of each file. It
is compressed if its name ends in .gz. Submissions continue while it is made, and the data directory holds a second copy
of the database; on a read-only disk the folder for temporary files does, and the audit log gets no entry. A PostgreSQL database is first copied into
the folder for temporary files (TMPDIR). An existing file is replaced only with --yes. With --server, the server makes
the backup and sends it, which needs a token with the scope admin; the archive is verified before it gets its name. To
let a server make backups itself, use serve --backup-dir and --backup-to.

An s3:// URL names a prefix of a bucket, or an archive there by a name that ends in .tar, .tar.gz or .age. The archive is
written into the folder for temporary files, verified, uploaded and read back, and only then gets its name. Credentials
are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. They need the rights s3:ListBucket, s3:ListBucketMultipartUploads,
s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload.

With --backup-recipient the archive is encrypted in the format of age, and verified before it gets its name, which ends in
.age. The private key is not needed here, and belongs on another machine.

Examples:
  formflag backup create
  formflag backup create -o /mnt/backup/formflag.tar --yes
  formflag backup create -o formflag.tar.gz
  formflag backup create -o - | zstd > formflag.tar.zst
  formflag backup create -o 's3://backups/formflag?region=eu-west-1' --backup-recipient "$(cat backup-key.pub)"
  formflag backup create --server https://forms.example.com --token-file admin.token
`)
    .action(localAction(io, parse, run));
}

type Values = {
  config: Config;
  output: string;
  recipients: string[];
  remote: () => Promise<Remote | null>;
};

function parse(command: Command): Values {
  const config = readConfig(command);
  const { output: given, backupRecipient: recipients = [] } = command.opts<{
    output?: string;
    backupRecipient?: string[];
  }>();
  const output = given ?? freePath(`formflag-backup-${fileTime()}`, endOf(recipients));
  if (isBucketUrl(output))
    return { config, output, recipients, remote: () => readRemote(command, config, env) };
  refuseName(output, recipients);
  if (output === "-" && config.json)
    throw usage("--json and -o - would both write to standard output", "name a file with -o");
  return { config, output, recipients, remote: () => readRemote(command, config, env) };
}

async function run(io: Io, values: Values): Promise<void> {
  const { config, output, recipients, remote } = values;
  if (recipients.length > 0) {
    const { readRecipients } = await import("../../../src/maintenance/encryption/age.ts");
    readRecipients(recipients);
  }
  const isVerified = recipients.length > 0;
  if (!isBucketUrl(output)) {
    const target = { file: output, shown: output, recipients, isVerified, publish: async () => {} };
    return create(io, config, target, remote);
  }
  const { openPlace, storeArchive } = await import("../../data/archive-place.ts");
  const place = openPlace(output);
  const name = place.name ?? `formflag-backup-${fileTime()}${endOf(recipients)}`;
  refuseName(name, recipients);
  if (!config.yes && (await place.bucket.has(name)))
    throw new AppError("conflict", `${place.urlOf(name)} exists already`, {
      hint: "add --yes to replace it, or give another name with -o",
    });
  using partial = openPartial(tmpdir());
  const file = partial.path(name);
  const publish = () => storeArchive(place, name, file);
  await create(io, config, { file, shown: place.urlOf(name), recipients, isVerified: true, publish }, remote);
}

async function create(io: Io, config: Config, target: Target, remote: Values["remote"]): Promise<void> {
  const output = target.file;
  const isStdout = output === "-";
  if (isStdout && io.outIsTerminal)
    throw usage("the archive would go to the terminal", "name a file with -o, or write it into a pipe");
  const server = await remote();
  const storage = server === null ? await loadStorage(config.storage) : null;
  if (storage?.shared === null) needDatabase(storage.data);
  // A pipe or a device is written to, not replaced.
  const existing = await stat(output).catch(ignoreMissing);
  if (!isStdout && !config.yes && existing?.isFile()) {
    throw new AppError("conflict", `${output} exists already`, {
      hint: "add --yes to replace it, or give another name with -o",
    });
  }
  if (storage === null) return saveRemote(io, config, target, server!);
  // A running server has priority.
  lowerPriority();
  await (storage.shared === null
    ? saveDirectory(io, config, target)
    : saveShared(io, config, target, storage.shared));
}

async function saveDirectory(io: Io, config: Config, target: Target): Promise<void> {
  const unlock = lockBackup(config.data);
  try {
    using partial = isOnReadOnlyDisk(config.data) ? openPartial(tmpdir()) : null;
    using scratch = openScratch(partial?.path("unpacked") ?? join(config.data, NAMES.scratch));
    const source = openSource(config.data);
    await recordBackup(io, target.shown, openUnmigrated(config.data));
    const { at, bytes } = await save(io, config, target, source, scratch);
    // A server records its own, once they are where they belong.
    if (env[RECORDED] !== undefined) return;
    const { shown } = target;
    const file = shown === "-" ? null : isBucketUrl(shown) ? shown : resolve(shown);
    noteBackup(config.data, { last: { at, bytes, file } });
  } finally {
    unlock();
  }
}

/** The database is unpacked into the folder for temporary files. */
async function saveShared(io: Io, config: Config, target: Target, shared: SharedStorage): Promise<void> {
  const { data } = config;
  await using app = await openApp({ data, shared, keepsSchema: true, writing: "inline" });
  await recordBackup(io, target.shown, { store: app.store, [Symbol.asyncDispose]: async () => {} });
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const { now, blobs, notes, store } = app;
  await save(io, config, target, { now, blobs, notes, snapshot: snapshotOf(store) }, scratch);
}

async function save(
  io: Io,
  config: Config,
  { file, shown, recipients, isVerified, publish }: Target,
  source: BackupSource,
  scratch: Scratch,
): Promise<{ at: string; bytes: number }> {
  const printer = createPrinter(io, config);
  let manifest: BackupManifest | undefined;
  const line = printer.progress();
  const entries = createBackup(source, scratch, `formflag ${VERSION}`, {
    progress: (what, done, total) => line.draw(progressBar(done, total, `${formatBytes(done)} of ${what}`)),
    started: (started) => (manifest = started),
  });
  const { bytes, open } = await encryptedFor(recipients, compressedFor(file, packTar(entries, source.now())));
  const archive = new Response(bytes);
  const sum = createSum();
  const verify = async (written: string) => {
    line.clear();
    scratch.remove(DATABASE);
    await readArchive(printer, await openArchive(written, open), (entries, progress) =>
      readBackup(entries, scratch, progress),
    );
  };
  if (file === "-") await pipe(io, counted(archive, sum.add));
  else await saveTo(file, archive, sum.add, isVerified ? verify : undefined);
  line.clear();
  await publish();
  // The archive is whole; the next server or deletion removes what cannot be removed now.
  await removeGarbage(source).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    io.note(`warning: files of deleted submissions are still there: ${error.message}\n`);
  });
  const { submissions, files, createdAt: at } = manifest!;
  const { size, sha256 } = sum.result();
  if (file === "-") return { at, bytes: size };
  const result = { file: shown, bytes: size, submissions, files, sha256 };
  await printer.report(result, `saved ${contents(manifest!)} in ${shown} (${formatBytes(size)})\n`);
  return { at, bytes: size };
}

/** The same body, of which `add` gets each chunk. */
function counted({ body }: Response, add: (chunk: Uint8Array) => void): Response {
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      add(chunk);
      controller.enqueue(chunk);
    },
  });
  return new Response(body!.pipeThrough(count));
}

/** Saves a backup that a server makes, and verifies it before it gets its name. */
async function saveRemote(
  io: Io,
  config: Config,
  { file, shown, recipients, publish }: Target,
  remote: Remote,
): Promise<void> {
  const printer = createPrinter(io, config);
  const { body } = await clientOn(remoteTransport(remote)).open(server.backup);
  const { bytes: archive, open } = await encryptedFor(recipients, compressedFor(file, body!));
  if (file === "-") return pipe(io, { body: archive });
  const sum = createSum();
  const line = printer.progress();
  let manifest: BackupManifest | undefined;
  const add = (chunk: Uint8Array) => {
    sum.add(chunk);
    line.draw(`${formatBytes(sum.size())} of the backup`);
  };
  await saveTo(file, { body: archive }, add, async (written) => {
    line.clear();
    using partial = openPartial(tmpdir());
    using scratch = openScratch(partial.path("unpacked"));
    manifest = await readArchive(printer, await openArchive(written, open), (entries, progress) =>
      readBackup(entries, scratch, progress),
    );
  });
  await publish();
  const { submissions, files } = manifest!;
  const { size: bytes, sha256 } = sum.result();
  await printer.report(
    { file: shown, bytes, submissions, files, sha256 },
    `saved ${contents(manifest!)} in ${shown} (${formatBytes(bytes)}), and verified it\n`,
  );
}

/** Throws `unsupported` if the reader of standard output goes away early. */
async function pipe(io: Io, archive: Pick<Response, "body">): Promise<void> {
  if (await writeOut(io, archive)) return;
  throw new AppError("unsupported", "the reader of standard output went away before the archive was whole", {
    hint: "what it was given is not a backup",
  });
}
