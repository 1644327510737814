import type { Command } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import { sweep } from "../../src/forms/keeping/removal.ts";
import { type CheckResult, checkData, correctCounts, removeOrphans } from "../../src/maintenance/check.ts";
import { describeDatabase } from "../../src/store/postgres/database-url.ts";
import { NAMES } from "../../src/storage.ts";
import { lockData, needDatabase, openApp } from "../data/open.ts";
import { Failed } from "../exit.ts";
import { createPrinter } from "../output/printer.ts";
import { progressBar } from "../output/progress.ts";
import type { Io } from "../output/terminal.ts";
import { counted, printable, table } from "../output/text.ts";
import { localAction } from "../session/action.ts";
import { type Config, asksToMigrate, readLocalConfig } from "../session/config.ts";
import { loadStorage } from "../session/storage.ts";
import { heard } from "../session/command-line.ts";

export function addCheckCommand(check: Command, io: Io): void {
  heard(check)`
[formflag] analyze repair fix heal recover diagnose troubleshoot: formflag doctor and formflag check find what is wrong, formflag backup restore brings back what was lost
--fix: --repair
`;
  check
    .option(
      "--repair",
      "remove uploaded files that no submission refers to, and correct counts of submissions",
    )
    .option("--deep", "also read every file in a bucket, instead of comparing only its size")
    .after(`
Reads the whole database and every uploaded file. Compares the size and SHA-256 of each file with the recorded ones, and
the counts of submissions with the submissions. For files in a bucket, only the sizes are compared unless you give
--deep. A server may be running; for --repair, every server must be stopped. --repair removes only files without a
submission, and corrects only counts.

Exit code: 0 if there are no problems, 1 if there are.

Examples:
  formflag check
  formflag check --repair
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; repair: boolean; deep: boolean; keepsSchema: boolean };

function parse(command: Command): Values {
  const { repair = false, deep = false } = command.opts<{ repair?: true; deep?: true }>();
  const keepsSchema = !repair && !asksToMigrate(command);
  return { config: readLocalConfig(command), repair, deep, keepsSchema };
}

async function run(io: Io, { config, repair, deep, keepsSchema }: Values): Promise<void> {
  const printer = createPrinter(io, config);
  const { data, shared } = await loadStorage(config.storage);
  if (shared === null) needDatabase(data);
  // Opened before locking: opening takes the same lock to migrate an older schema.
  await using app = await openApp({
    data,
    shared,
    keepsSchema,
    writing: "inline",
    note: (text) => io.note(`${printable(text)}\n`),
  });
  const unlock = repair && shared === null ? lockData(data) : undefined;
  // No server is storing files now, so that every upload note is about files that a server has left.
  if (repair && shared !== null) await sweep({ ...app, now: () => app.now() + A_DAY });
  const reads = deep || shared?.files.kind !== "bucket";
  const line = printer.progress();
  const result = await checkData(
    app,
    (done, total) => line.draw(progressBar(done, total, `${formatBytes(done)} of files`)),
    { database: shared === null ? NAMES.database : "database", reads },
  );
  line.keep();
  const removed = repair ? await removeOrphans(app, result.problems) : 0;
  const corrected = repair ? await correctCounts(app, result.problems) : 0;
  unlock?.();
  // Named, since the directory may have been meant if a variable names another database.
  const place = shared === null ? "the database" : describeDatabase(shared.database);
  await printer.print({ ...result, removed, corrected }, describe(place, result, reads, removed, corrected));
  if (result.problems.length > removed + corrected) throw new Failed();
}

/** Longer than any upload note is kept for, in milliseconds. */
const A_DAY = 86_400_000;

function describe(
  place: string,
  { files, bytes, problems }: CheckResult,
  reads: boolean,
  removed: number,
  corrected: number,
): string {
  const how = reads ? formatBytes(bytes) : "by size";
  const checked = `checked ${place} and ${counted(files, "file")} (${how})`;
  if (problems.length === 0) return `${checked}: all is well\n`;
  const rows = problems.map(({ kind, what, message }) => [kind, what, message]);
  const orphans = problems.filter(({ kind }) => kind === "orphan").length;
  const wrong = problems.filter(({ kind }) => kind === "counts").length;
  const next = [
    removed > 0 ? `removed ${counted(removed, "orphan")}\n` : "",
    orphans > removed ? "remove orphans with: formflag check --repair\n" : "",
    corrected > 0 ? "corrected the counts of submissions\n" : "",
    wrong > corrected ? "correct the counts of submissions with: formflag check --repair\n" : "",
  ];
  return `${table(["PROBLEM", "WHAT", "DETAIL"], rows)}\n${checked}: ${counted(problems.length, "problem")}\n${next.join("")}`;
}
