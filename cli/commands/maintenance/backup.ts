import { stat } from "node:fs/promises";
import { constants, setPriority, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Blobs } from "../../../src/blobs/blobs.ts";
import { ignoreMissing } from "../../../src/blobs/hold.ts";
import { type About, type Scratch, createBackup, readBackup } from "../../../src/maintenance/backup.ts";
import { packTar, unpackTar } from "../../../src/maintenance/tar.ts";
import { lockBackup, needDatabase, openSource } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { fileTime, prepareRestore } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import { diskError, progressBar, saveTo, writeOut } from "../../output/save.ts";
import { Failed, type Io } from "../../output/terminal.ts";
import { printable, shellWord } from "../../output/text.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { usage } from "../../session/values.ts";
import { VERSION } from "../../version.ts";

export function addBackupCommands(backup: Command, io: Io): void {
  backup.addHelpText(
    "after",
    `
Examples:
  formflag backup create
  formflag backup verify formflag-backup-20270131T120000Z.tar
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
`,
  );

  backup
    .command("create")
    .description(
      "write one archive with the database and every uploaded file, beside a running server or without one",
    )
    .option("-o, --output <file>", "where to; - for standard output (default: formflag-backup-<time>.tar)")
    .addHelpText(
      "after",
      `
The archive is a plain tar file, laid out like the data directory, with the SHA-256 of each file in its manifest.json.
Submissions go on while it is made. A file that exists is replaced only with --yes.

Examples:
  formflag backup create
  formflag backup create -o /mnt/backup/formflag.tar --yes
  formflag backup create -o - | zstd > formflag.tar.zst
`,
    )
    .action(async function (this: Command) {
      await create(
        io,
        readLocalConfig(this),
        this.opts<{ output?: string }>().output ?? `formflag-backup-${fileTime()}.tar`,
      );
    });

  backup
    .command("verify")
    .argument("<file>", "archive")
    .description("read a backup and compare everything in it with its checksums")
    .addHelpText(
      "after",
      `
The database is unpacked into the folder for temporary files (TMPDIR), which needs room for twice its size.

Exit code: 0 when the backup is sound, 1 when it is not.

Example:
  formflag backup verify formflag-backup-20270131T120000Z.tar
`,
    )
    .action(async function (this: Command, file: string) {
      const config = readLocalConfig(this);
      using partial = openPartial(tmpdir());
      using scratch = openScratch(partial.path("unpacked"));
      const about = await read(io, config, file, scratch);
      await tell(io, config, { file, ...about }, `${file} is sound: ${contents(about)}\n`);
    });

  backup
    .command("restore")
    .argument("<file>", "archive")
    .description("create a data directory from a backup")
    .option("--replace", "keep data that exists under another name")
    .addHelpText(
      "after",
      `
The data directory has to be empty, or not to exist, unless --replace is given; no server may run on it. Nothing is
changed before the whole backup is read and found sound.

Examples:
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
  formflag backup restore formflag-backup-20270131T120000Z.tar --replace
`,
    )
    .action(async function (this: Command, file: string) {
      const config = readLocalConfig(this);
      await requireArchive(file);
      await using restore = await prepareRestore(
        config.data,
        this.opts<{ replace?: true }>().replace === true,
      );
      const about = await read(io, config, file, restore.scratch, restore.blobs);
      const aside = await restore.finish();
      const text = aside === null ? "" : `what was there before is kept in ${aside}\n`;
      await tell(
        io,
        config,
        { data: config.data, before: aside, ...about },
        `restored ${contents(about)} into ${config.data}\n${text}`,
      );
    });
}

async function create(io: Io, config: Config, output: string): Promise<void> {
  const { data, json, yes } = config;
  const isStdout = output === "-";
  if (isStdout && json)
    throw usage("--json and -o - would both write to standard output", "name a file with -o");
  if (isStdout && io.outIsTerminal)
    throw usage("the archive would go to the terminal", "name a file with -o, or write it into a pipe");
  needDatabase(data);
  // Into a pipe or a device it goes as it stands.
  const found = await stat(output).catch(ignoreMissing);
  if (!isStdout && !yes && found?.isFile()) {
    throw new AppError("conflict", `${output} exists already`, {
      hint: "add --yes to replace it, or give another name with -o",
    });
  }
  const unlock = lockBackup(data);
  // A server beside it comes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  try {
    await save(io, config, output);
  } finally {
    unlock();
  }
}

async function save(io: Io, config: Config, output: string): Promise<void> {
  const { data } = config;
  const isStdout = output === "-";
  using scratch = openScratch(join(data, "backup.tmp"));
  const source = openSource(data);
  let about: About | undefined;
  const bar = createBar(io, config);
  const entries = createBackup(source, scratch, `formflag ${VERSION}`, {
    progress: (...args) => bar.show(...args),
    started: (started) => (about = started),
  });
  const archive = new Response(packTar(entries, source.now()));
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  const count = (chunk: Uint8Array) => {
    hash.update(chunk);
    bytes += chunk.byteLength;
    return chunk.byteLength;
  };
  if (isStdout) {
    const isWhole = await writeOut(io, archive).catch((error: unknown) => {
      throw diskError(error, "standard output");
    });
    if (!isWhole) throw noReader();
  } else await saveTo(output, archive, { total: 0, count, show: false, io });
  bar.end();
  if (isStdout) return;
  const { submissions, files } = about!;
  const result = { file: output, bytes, submissions, files, sha256: hash.digest("hex") };
  await tell(io, config, result, `saved ${contents(about!)} in ${output} (${formatBytes(bytes)})\n`);
}

/** Reads an archive and returns what it says about itself; one that is not sound is told of, and `Failed` is thrown. */
async function read(io: Io, config: Config, file: string, scratch: Scratch, into?: Blobs): Promise<About> {
  await requireArchive(file);
  const archive = Bun.file(file);
  const bar = createBar(io, config);
  let done = 0;
  const entries = unpackTar(archive.stream());
  const progress = (bytes: number) => bar.show(basename(file), (done += bytes), archive.size);
  const { about, problems } = await readBackup(entries, scratch, progress, into);
  bar.end();
  if (problems.length === 0) return about;
  const text = `${problems.map(printable).join("\n")}\n${file} is not sound: do not rely on it\n`;
  await (config.json ? io.out(`${JSON.stringify({ file, ...about, problems }, null, 2)}\n`) : io.show(text));
  throw new Failed();
}

async function tell(io: Io, { json, quiet }: Config, value: unknown, text: string): Promise<void> {
  if (json) await io.out(`${JSON.stringify(value, null, 2)}\n`);
  else if (!quiet) await io.show(text);
}

function contents({ submissions, files, bytes, createdAt }: About): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  return `${count(submissions, "submission")} and ${count(files, "file")} (${formatBytes(bytes)}) as of ${createdAt}`;
}

/** Milliseconds between two drawings. */
const REDRAW_MS = 50;

/** A progress bar that is shown to a person at a terminal alone. */
function createBar(io: Io, { json, quiet }: Config) {
  const isShown = io.errIsTerminal && !json && !quiet;
  let drawn = -Infinity;
  return {
    show(what: string, done: number, total: number) {
      const now = performance.now();
      if (!isShown || now - drawn < REDRAW_MS) return;
      drawn = now;
      io.redraw(`${progressBar(done / Math.max(1, total))}  ${formatBytes(done)} of ${what}`);
    },
    end() {
      if (isShown && drawn > -Infinity) io.redraw("");
    },
  };
}

function noReader(): AppError {
  return new AppError("unsupported", "the reader of standard output went away before the archive was whole", {
    hint: "what it was given is not a backup",
  });
}

/** The first block of a tar archive has this word (POSIX ustar); what compresses one begins with these bytes. */
const TAR = { at: 257, word: "ustar" };
const COMPRESSED = { "1f8b": "gunzip", "28b52ffd": "unzstd", fd377a585a: "unxz", "425a68": "bunzip2" };

/** Throws `not_found` where there is no such file, `unsupported` where it begins like no tar archive. */
async function requireArchive(file: string): Promise<void> {
  const found = await stat(file).catch(ignoreMissing);
  const hint = "name a file that formflag backup create wrote";
  if (!found) throw new AppError("not_found", `there is no file ${file}`, { hint });
  if (found.isDirectory())
    throw new AppError("unsupported", `${file} is a directory, not a backup`, { hint });
  // What is read from a pipe cannot be read again.
  if (!found.isFile()) return;
  const start = Buffer.from(await Bun.file(file).slice(0, 512).arrayBuffer());
  if (start.toString("latin1", TAR.at, TAR.at + TAR.word.length) === TAR.word) return;
  const program = Object.entries(COMPRESSED).find(([bytes]) => start.toString("hex").startsWith(bytes))?.[1];
  if (program !== undefined)
    throw new AppError("unsupported", `${file} is compressed`, {
      hint: `unpack it first: ${program} ${shellWord(file)}`,
    });
  throw new AppError("unsupported", `${file} is not a formflag backup`, { hint });
}
