import { constants, setPriority } from "node:os";
import { type Command, Option } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import type { MoveProgress, Moved } from "../../src/maintenance/move.ts";
import { needDatabase } from "../data/open.ts";
import { createPrinter } from "../output/printer.ts";
import { progressBar } from "../output/progress.ts";
import type { Io } from "../output/terminal.ts";
import { shellWord } from "../../src/base/shell.ts";
import { localAction } from "../session/action.ts";
import { type Config, readLocalConfig } from "../session/config.ts";
import {
  type StorageSettings,
  TARGET,
  loadStorage,
  mayHoldPassword,
  readTargetSettings,
} from "../session/storage.ts";
import { usage } from "../session/usage.ts";

export function addMigrateCommand(migrate: Command, io: Io): void {
  migrate
    .addOption(
      new Option("--to <url>", "PostgreSQL database to move to; only the variable may hold a password").env(
        TARGET.variable,
      ),
    )
    .option("--to-blobs <url>", "bucket of S3 for uploaded files, which otherwise stay in the data directory")
    .option(
      "--final",
      "end the move: with the server stopped, compare both, and let servers use the database",
    )
    .addHelpText(
      "after",
      `
Moves what --data names into a database that is empty, in two steps. The first runs beside the server, takes as long as it
takes, and may be repeated: what is there is not copied again. For the second, --final, stop the server: it copies what
changed since, compares every row by its SHA-256, and leaves a note, moved.json, in the data directory, which from then on
is refused by every command but backup create. Either may be interrupted and is repeated by the same command.
What was copied from another data directory before is removed only with --yes.

Replicas on several machines need --to-blobs, with its credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Without
it only the database moves, and one server alone serves it with the same --data. FORMFLAG_DATABASE_URL and FORMFLAG_BLOBS,
which name the data of other commands, do not count here. The way back is backup create there, and backup restore --data here.

Examples:
  export ${TARGET.variable}=postgres://formflag:password@db/formflag
  formflag migrate --data ./formflag-data --to-blobs 's3://bucket?region=eu-west-1'
  formflag migrate --data ./formflag-data --to-blobs 's3://bucket?region=eu-west-1' --final
  ${TARGET.file}=/run/secrets/database formflag migrate --data ./formflag-data
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; target: StorageSettings; isFinal: boolean };

function parse(command: Command): Values {
  const config = readLocalConfig(command);
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  for (const [name, instead] of [
    ["database", "to"],
    ["blobs", "to-blobs"],
  ] as const)
    if (isGiven(name))
      throw usage(`--${name} does not go with migrate, which moves the data of --data`, `use --${instead}`);
  const { final = false } = command.opts<{ final?: true }>();
  return { config, target: readTargetSettings(command), isFinal: final };
}

async function run(io: Io, { config, target, isFinal }: Values): Promise<void> {
  const { data } = config;
  const { shared } = await loadStorage(target);
  needDatabase(data);
  // A running server has priority; in the final step, it waits.
  if (!isFinal) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const printer = createPrinter(io, config);
  const line = printer.progress();
  const progress: MoveProgress = (what, done, total) =>
    line.draw(progressBar(done, total, `${formatBytes(done)} ${LABELS[what]}`));
  const { copyData, finishMove } = await import("../data/move.ts");
  const { moved, ...place } = await (isFinal ? finishMove : copyData)(
    { data, shared: shared!, replaces: config.yes },
    progress,
  );
  line.clear();
  const { digests, ...done } = moved ?? NOTHING;
  const rows = digests && Object.values(digests).reduce((sum, table) => sum + table.rows, 0);
  const where =
    place.blobs === null ? place.database : `${place.database} and ${place.blobs.replace(/\?.*/, "")}`;
  const text = isFinal
    ? `${finished(done, rows, data, where)}${nextServe(config, target)}`
    : `copied ${counts(done)} to ${where}\n${nextFinal(config, target)}`;
  await printer.report({ data, ...place, final: isFinal, ...done, rows }, text);
}

const LABELS = { files: "of files", database: "of the database", comparison: "compared" } as const;

const NOTHING: Moved = { submissions: 0, removed: 0, files: 0, bytes: 0, digests: null };

type Done = Omit<Moved, "digests">;

function counts({ submissions, removed, files, bytes }: Done): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  const gone = removed === 0 ? "" : `, removed ${removed},`;
  return `${count(submissions, "submission")}${gone} and ${count(files, "file")} (${formatBytes(bytes)})`;
}

function finished(done: Done, rows: number | null, data: string, where: string): string {
  if (rows === null) return `the data in ${data} had been moved to ${where} before\n`;
  return `copied ${counts(done)}\nmoved ${data} to ${where}: all ${rows} rows are equal\n`;
}

function nextFinal({ data }: Config, { database, blobs }: StorageSettings): string {
  const to = database !== null && "url" in database && !mayHoldPassword(database.url) ? database.url : null;
  const options = [
    ...(to === null ? [] : ["--to", shellWord(to)]),
    ...(blobs === null ? [] : ["--to-blobs", shellWord(blobs)]),
  ].map((word) => ` ${word}`);
  const stay = `uploaded files stay in ${data}: to move them too, add --to-blobs\n`;
  return `${blobs === null ? stay : ""}next: stop the server, then run
  formflag migrate --data ${shellWord(data)}${options.join("")} --final
`;
}

function nextServe({ data }: Config, { blobs }: StorageSettings): string {
  const files = blobs === null ? `--data ${shellWord(data)}` : `--blobs ${shellWord(blobs)}`;
  return `next: set FORMFLAG_DATABASE_URL to the URL of the database, and start ${blobs === null ? "the server" : "each server"}
  formflag serve ${files}
`;
}
