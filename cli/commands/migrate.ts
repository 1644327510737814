import { type Command, Option } from "commander";
import { formatBytes } from "../../src/base/bytes.ts";
import type { MoveProgress, Moved } from "../../src/maintenance/move.ts";
import { needDatabase } from "../data/open.ts";
import { lowerPriority } from "../data/priority.ts";
import { createPrinter } from "../output/printer.ts";
import { progressBar } from "../output/progress.ts";
import type { Io } from "../output/terminal.ts";
import { shellWord } from "../../src/base/shell.ts";
import { localAction } from "../session/action.ts";
import { type Config, readLocalConfig } from "../session/config.ts";
import {
  type StorageSettings,
  TARGET,
  isOfService,
  loadStorage,
  mayHoldPassword,
  readTargetSettings,
} from "../session/storage.ts";
import { VARIABLES } from "../session/kept/unit.ts";
import { usage } from "../session/usage.ts";
import { heard } from "../session/command-line.ts";
import { counted, printable } from "../output/text.ts";

export function addMigrateCommand(migrate: Command, io: Io): void {
  heard(migrate)`
--from --source: --data names what is moved, --to the database
--dry-run: the first run changes nothing where the data is, and may be repeated; only --final ends the move
/^(up|down|latest)$/: a server migrates its schema at its start; migrate moves everything to PostgreSQL: --to
/^postgres/: the database is an option: --to $0
`;
  migrate
    .addOption(
      new Option(
        "--to <url>",
        "PostgreSQL database to move to; only the variable may contain a password",
      ).env(TARGET.variable),
    )
    .option("--to-blobs <url>", "S3 bucket for uploaded files, which otherwise stay in the data directory")
    .option(
      "--final",
      "finish the move, with the server stopped: compare both sides, and let servers use the database",
    )
    .after(`
Moves the data of --data into an empty database, in two steps. The first step runs while the server is in use. You can
repeat it: it copies only what is new. For the second step, --final, stop the server. It copies what changed since,
compares every row by its SHA-256, and leaves a note, moved.json, in the data directory; from then on, every command
except backup create refuses the directory. You can interrupt either step and repeat it with the same command. Data that
was copied from another data directory before is removed only with --yes.

Replicas on several machines need --to-blobs, with its credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
Without it, only the database moves, and a single server can serve it with the same --data. FORMFLAG_DATABASE_URL and
FORMFLAG_BLOBS have no effect here, except in ${VARIABLES}: the data of the service is moved to what they name
there. To move back, use backup create there, and backup restore --data here.

Examples:
  export ${TARGET.variable}=postgres://formflag:password@db/formflag
  formflag migrate --data ./formflag-data --to-blobs 's3://bucket?region=eu-west-1'
  formflag migrate --data ./formflag-data --to-blobs 's3://bucket?region=eu-west-1' --final
  ${TARGET.file}=/run/secrets/database formflag migrate --data ./formflag-data
`)
    .action(localAction(io, parse, run));
}

type Values = { config: Config; target: StorageSettings; isFinal: boolean; isService: boolean };

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
  return {
    config,
    target: readTargetSettings(command),
    isFinal: final,
    isService: isOfService(command),
  };
}

async function run(io: Io, { config, target, isFinal, isService }: Values): Promise<void> {
  const { data } = config;
  const { shared } = await loadStorage(target);
  needDatabase(data);
  // A running server has priority; in the final step, it waits.
  if (!isFinal) lowerPriority();
  const printer = createPrinter(io, config);
  const line = printer.progress();
  const progress: MoveProgress = (what, done, total) =>
    line.draw(progressBar(done, total, `${formatBytes(done)} ${LABELS[what]}`));
  const { copyData, finishMove } = await import("../data/move.ts");
  const { moved, ...place } = await (isFinal ? finishMove : copyData)(
    { data, shared: shared!, replaces: config.yes, note: (text) => io.note(`${printable(text)}\n`) },
    progress,
  );
  line.clear();
  const { digests, ...done } = moved ?? NOTHING;
  const rows = digests && Object.values(digests).reduce((sum, table) => sum + table.rows, 0);
  const where =
    place.blobs === null ? place.database : `${place.database} and ${place.blobs.replace(/\?.*/, "")}`;
  const [final, serve] = isService ? OF_SERVICE : [nextFinal(config, target), nextServe(config, target)];
  const text = isFinal
    ? `${finished(done, rows, data, where)}${serve}`
    : `copied ${counts(done)} to ${where}\n${final}`;
  await printer.report({ data, ...place, final: isFinal, ...done, rows }, text);
}

const LABELS = { files: "of files", database: "of the database", comparison: "compared" } as const;

const NOTHING: Moved = { submissions: 0, removed: 0, files: 0, bytes: 0, digests: null };

type Done = Omit<Moved, "digests">;

function counts({ submissions, removed, files, bytes }: Done): string {
  const gone = removed === 0 ? "" : `, removed ${removed},`;
  return `${counted(submissions, "submission")}${gone} and ${counted(files, "file")} (${formatBytes(bytes)})`;
}

function finished(done: Done, rows: number | null, data: string, where: string): string {
  if (rows === null) return `the data in ${data} had been moved to ${where} before\n`;
  return `copied ${counts(done)}\nmoved ${data} to ${where}: all ${rows} rows are equal\n`;
}

/** The next commands where the data is that of the service. */
const OF_SERVICE = [
  `next: sudo systemctl stop formflag, and then
  sudo formflag migrate --final
`,
  "next: sudo systemctl start formflag\n",
] as const;

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
