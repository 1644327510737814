import { stat } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { createSum } from "../../../src/base/sum.ts";
import { ignoreMissing } from "../../../src/base/directory.ts";
import { removeGarbage } from "../../../src/forms/keeping/removal.ts";
import type { Scratch } from "../../../src/maintenance/archive.ts";
import type { BackupManifest } from "../../../src/maintenance/manifest.ts";
import { type BackupSource, createBackup, snapshotOf } from "../../../src/maintenance/backup.ts";
import { packTar } from "../../../src/maintenance/tar.ts";
import { NAMES } from "../../../src/storage.ts";
import { lockBackup, needDatabase, openApp, openSource } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { fileTime } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import type { SharedStorage } from "../../../src/storage.ts";
import { diskError } from "../../data/write.ts";
import { createPrinter } from "../../output/printer.ts";
import { progressBar } from "../../output/progress.ts";
import { formatNamed, saveTo, writeOut } from "../../output/save.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { VERSION } from "../../version.ts";
import { contents } from "./archive.ts";

export function addCreateCommand(backup: Command, io: Io): void {
  backup
    .command("create")
    .description(
      "write one archive with the database and every uploaded file, beside a running server or without one",
    )
    .option(
      "-o, --output <file>",
      "output file, or - for standard output (default: formflag-backup-<time>.tar)",
    )
    .addHelpText(
      "after",
      `
The archive is a plain tar file, laid out like the data directory, with the SHA-256 of each file in its manifest.json.
Submissions go on while it is made. A PostgreSQL database is copied into the folder for temporary files (TMPDIR) first.
A file that exists is replaced only with --yes.

Examples:
  formflag backup create
  formflag backup create -o /mnt/backup/formflag.tar --yes
  formflag backup create -o - | zstd > formflag.tar.zst
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; output: string };

/** The ends of names of compressed files, and what makes such files. */
const COMPRESSORS = { gz: "gzip", tgz: "gzip", zst: "zstd", xz: "xz", bz2: "bzip2", zip: "zip" } as const;
const COMPRESSED = Object.keys(COMPRESSORS) as (keyof typeof COMPRESSORS)[];

function parse(command: Command): Values {
  const config = readLocalConfig(command);
  const { output = `formflag-backup-${fileTime()}.tar` } = command.opts<{ output?: string }>();
  const compressed = formatNamed(output, COMPRESSED);
  if (compressed !== undefined) {
    const plain = output.replace(/(\.tar)?\.\w+$/, ".tar");
    throw usage(
      `the archive is a plain tar file, which ${output} would not look like`,
      `name it ${plain}, or compress it on the way: formflag backup create -o - | ${COMPRESSORS[compressed]} > ${output}`,
    );
  }
  if (output === "-" && config.json)
    throw usage("--json and -o - would both write to standard output", "name a file with -o");
  return { config, output };
}

async function run(io: Io, { config, output }: Values): Promise<void> {
  const isStdout = output === "-";
  if (isStdout && io.outIsTerminal)
    throw usage("the archive would go to the terminal", "name a file with -o, or write it into a pipe");
  const storage = await loadStorage(config.storage);
  if (storage.shared === null) needDatabase(storage.data);
  // A pipe or a device is written to, not replaced.
  const existing = await stat(output).catch(ignoreMissing);
  if (!isStdout && !config.yes && existing?.isFile()) {
    throw new AppError("conflict", `${output} exists already`, {
      hint: "add --yes to replace it, or give another name with -o",
    });
  }
  // A running server has priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  await (storage.shared === null
    ? saveDirectory(io, config, output)
    : saveShared(io, config, output, storage.shared));
}

async function saveDirectory(io: Io, config: Config, output: string): Promise<void> {
  const unlock = lockBackup(config.data);
  try {
    using scratch = openScratch(join(config.data, NAMES.scratch));
    await save(io, config, output, openSource(config.data), scratch);
  } finally {
    unlock();
  }
}

/** The database is unpacked into the folder for temporary files. */
async function saveShared(io: Io, config: Config, output: string, shared: SharedStorage): Promise<void> {
  const { data } = config;
  // A backup must not migrate the data that it reads.
  await using app = await openApp({ data, shared: { ...shared, migrate: "off" }, writing: "inline" });
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
): Promise<void> {
  const printer = createPrinter(io, config);
  let manifest: BackupManifest | undefined;
  const line = printer.progress();
  const entries = createBackup(source, scratch, `formflag ${VERSION}`, {
    progress: (what, done, total) => line.draw(progressBar(done, total, `${formatBytes(done)} of ${what}`)),
    started: (started) => (manifest = started),
  });
  const archive = new Response(packTar(entries, source.now()));
  const sum = createSum();
  if (output === "-") await pipe(io, archive);
  else await saveTo(output, archive, sum.add);
  line.clear();
  // The archive is whole; the next server or deletion removes what cannot be removed now.
  await removeGarbage(source).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    io.note(`warning: files of deleted submissions are still there: ${error.message}\n`);
  });
  if (output === "-") return;
  const { submissions, files } = manifest!;
  const { size: bytes, sha256 } = sum.result();
  const result = { file: output, bytes, submissions, files, sha256 };
  await printer.report(result, `saved ${contents(manifest!)} in ${output} (${formatBytes(bytes)})\n`);
}

/** Throws `unsupported` if the reader of standard output goes away early. */
async function pipe(io: Io, archive: Response): Promise<void> {
  const isWhole = await writeOut(io, archive).catch((error: unknown) => {
    throw diskError(error, "standard output");
  });
  if (isWhole) return;
  throw new AppError("unsupported", "the reader of standard output went away before the archive was whole", {
    hint: "what it was given is not a backup",
  });
}
