import { basename, join, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createSum } from "../../../src/base/sum.ts";
import { ignoreMissing, isOnReadOnlyDisk } from "../../../src/base/directory.ts";
import { removeGarbage } from "../../../src/forms/keeping/removal.ts";
import type { Scratch } from "../../../src/maintenance/archive.ts";
import type { BackupManifest } from "../../../src/maintenance/manifest.ts";
import { type BackupSource, createBackup, readBackup, snapshotOf } from "../../../src/maintenance/backup.ts";
import { packTar } from "../../../src/maintenance/tar.ts";
import { NAMES, type SharedStorage } from "../../../src/storage.ts";
import { RECORDED, UNVERIFIED, noteBackup } from "../../data/backups.ts";
import { lockBackup, needDatabase, openApp, openSource } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { lowerPriority } from "../../data/priority.ts";
import { fileTime, freePath } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import { createPrinter } from "../../output/printer.ts";
import { progressBar } from "../../output/progress.ts";
import { formatNamed, saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readConfig, readRemote } from "../../session/config.ts";
import { env } from "../../session/env.ts";
import { type Remote, remoteTransport } from "../../session/remote.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { VERSION } from "../../version.ts";
import { compressedFor, contents, readArchive } from "./archive.ts";
import { recordEvent } from "../../../src/access/audit/audit.ts";
import type { Store } from "../../../src/app.ts";
import { clock } from "../../../src/base/clock.ts";
import { NotCurrent } from "../../../src/store/sqlite/connection.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { userName } from "../../session/user.ts";
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
      "output file, or - for standard output (default: formflag-backup-<time>.tar)",
    )
    .after(`
The archive is a tar file with the layout of the data directory, and a manifest.json with the SHA-256 of each file. It
is compressed if its name ends in .gz. Submissions continue while it is made. A PostgreSQL database is first copied into
the folder for temporary files (TMPDIR). An existing file is replaced only with --yes. With --server, the server makes
the backup and sends it, which needs a token with the scope admin; the archive is verified before it gets its name. To
let a server make backups itself, use serve --backup-dir.

Examples:
  formflag backup create
  formflag backup create -o /mnt/backup/formflag.tar --yes
  formflag backup create -o formflag.tar.gz
  formflag backup create -o - | zstd > formflag.tar.zst
  formflag backup create --server https://forms.example.com --token-file admin.token
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; output: string; remote: () => Promise<Remote | null> };

/** The ends of names of files that are compressed by other programs. */
const COMPRESSORS = { zst: "zstd", xz: "xz", bz2: "bzip2", zip: "zip" } as const;
const COMPRESSED = Object.keys(COMPRESSORS) as (keyof typeof COMPRESSORS)[];

function parse(command: Command): Values {
  const config = readConfig(command);
  const { output = freePath(`formflag-backup-${fileTime()}`, ".tar") } = command.opts<{ output?: string }>();
  const compressed = formatNamed(output, COMPRESSED);
  if (compressed !== undefined) {
    const plain = output.replace(/(\.tar)?\.\w+$/, ".tar");
    throw usage(
      `the archive is a tar file, plain or in gzip, which ${output} would not look like`,
      `name it ${plain} or ${plain}.gz, or compress it on the way: formflag backup create -o - | ${COMPRESSORS[compressed]} > ${output}`,
    );
  }
  if (output === "-" && config.json)
    throw usage("--json and -o - would both write to standard output", "name a file with -o");
  return { config, output, remote: () => readRemote(command, config, env) };
}

async function run(io: Io, { config, output, remote }: Values): Promise<void> {
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
  if (storage === null) return saveRemote(io, config, output, server!);
  // A running server has priority.
  lowerPriority();
  await (storage.shared === null
    ? saveDirectory(io, config, output)
    : saveShared(io, config, output, storage.shared));
}

async function saveDirectory(io: Io, config: Config, output: string): Promise<void> {
  const unlock = lockBackup(config.data);
  try {
    using partial = isOnReadOnlyDisk(config.data) ? openPartial(tmpdir()) : null;
    using scratch = openScratch(partial?.path("unpacked") ?? join(config.data, NAMES.scratch));
    const source = openSource(config.data);
    await recordBackup(io, output, openUnmigrated(config.data));
    const result = await save(io, config, output, source, scratch);
    // A server verifies its own first.
    if (output.endsWith(UNVERIFIED)) return;
    const last = { at: result.at, bytes: result.bytes, file: output === "-" ? null : resolve(output) };
    noteBackup(config.data, { last });
  } finally {
    unlock();
  }
}

/** The database is unpacked into the folder for temporary files. */
async function saveShared(io: Io, config: Config, output: string, shared: SharedStorage): Promise<void> {
  const { data } = config;
  await using app = await openApp({ data, shared, keepsSchema: true, writing: "inline" });
  await recordBackup(io, output, { store: app.store, [Symbol.asyncDispose]: async () => {} });
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const { now, blobs, notes, store } = app;
  await save(io, config, output, { now, blobs, notes, snapshot: snapshotOf(store) }, scratch);
}

async function save(
  io: Io,
  config: Config,
  output: string,
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
  const archive = new Response(compressedFor(output, packTar(entries, source.now())));
  const sum = createSum();
  if (output === "-") await pipe(io, counted(archive, sum.add));
  else await saveTo(output, archive, sum.add);
  line.clear();
  // The archive is whole; the next server or deletion removes what cannot be removed now.
  await removeGarbage(source).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    io.note(`warning: files of deleted submissions are still there: ${error.message}\n`);
  });
  const { submissions, files, createdAt: at } = manifest!;
  const { size: bytes, sha256 } = sum.result();
  if (output === "-") return { at, bytes };
  const result = { file: output, bytes, submissions, files, sha256 };
  await printer.report(result, `saved ${contents(manifest!)} in ${output} (${formatBytes(bytes)})\n`);
  return { at, bytes };
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

type Recording = AsyncDisposable & { store: Pick<Store, "audit"> };

/** The store of a data directory, for one entry; null if its schema is an older one, which a backup leaves as it is. */
function openUnmigrated(data: string): Recording | null {
  if (env[RECORDED] !== undefined) return null;
  try {
    const store = openSqliteStore(join(data, NAMES.database), "inline");
    return { store, [Symbol.asyncDispose]: () => store.close() };
  } catch (error) {
    if (error instanceof NotCurrent || error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Records a backup in the audit log, unless the server that runs this command has. A reader of the data can copy it
 * anyway, so a disk that takes no entry is no reason to make no backup.
 */
async function recordBackup(io: Io, output: string, into: Recording | null): Promise<void> {
  if (env[RECORDED] !== undefined || into === null) return;
  await using recording = into;
  const { store } = recording;
  const operator = { name: userName(), type: "operator" } as const;
  const isPipe = output === "-";
  try {
    await recordEvent({ store, now: () => clock.now() }, operator, {
      action: "backup.create",
      project: null,
      object: isPipe ? null : basename(output),
      details: { to: isPipe ? "standard output" : "file" },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.note(`warning: this backup is not in the audit log: ${error.message}\n`);
  }
}

/** Saves a backup that a server makes, and verifies it before it gets its name. */
async function saveRemote(io: Io, config: Config, output: string, remote: Remote): Promise<void> {
  const printer = createPrinter(io, config);
  const { body } = await clientOn(remoteTransport(remote)).open(server.backup);
  if (output === "-") return pipe(io, { body });
  const sum = createSum();
  const line = printer.progress();
  let manifest: BackupManifest | undefined;
  const add = (chunk: Uint8Array) => {
    sum.add(chunk);
    line.draw(`${formatBytes(sum.size())} of the backup`);
  };
  await saveTo(output, { body: body && compressedFor(output, body) }, add, async (written) => {
    line.clear();
    using partial = openPartial(tmpdir());
    using scratch = openScratch(partial.path("unpacked"));
    manifest = await readArchive(printer, written, (entries, progress) =>
      readBackup(entries, scratch, progress),
    );
  });
  const { submissions, files } = manifest!;
  const { size: bytes, sha256 } = sum.result();
  await printer.report(
    { file: output, bytes, submissions, files, sha256 },
    `saved ${contents(manifest!)} in ${output} (${formatBytes(bytes)}), and verified it\n`,
  );
}

/** Throws `unsupported` if the reader of standard output goes away early. */
async function pipe(io: Io, archive: Pick<Response, "body">): Promise<void> {
  if (await writeOut(io, archive)) return;
  throw new AppError("unsupported", "the reader of standard output went away before the archive was whole", {
    hint: "what it was given is not a backup",
  });
}
