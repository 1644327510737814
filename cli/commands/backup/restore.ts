import { tmpdir } from "node:os";
import type { Command } from "commander";
import { readBackup } from "../../../src/maintenance/backup.ts";
import { restoreBackup } from "../../../src/maintenance/restore.ts";
import { openApp } from "../../data/open.ts";
import { openPartial } from "../../data/partial.ts";
import { prepareRestore } from "../../data/restore.ts";
import { openScratch } from "../../data/scratch.ts";
import type { SharedStorage } from "../../../src/storage.ts";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { loadStorage } from "../../session/storage.ts";
import { usage } from "../../session/usage.ts";
import { contents, readArchive, requireArchive } from "./archive.ts";

export function addRestoreCommand(backup: Command, io: Io): void {
  backup
    .command("restore")
    .argument("<file>", "archive")
    .description("create a data directory, or fill a database, from a backup")
    .option("--replace", "rename existing data instead of refusing")
    .addHelpText(
      "after",
      `
The data directory must be empty or missing, unless you give --replace, and no server may be running on it. Nothing is
changed until the whole backup has been read and verified. With --database, or with its variable and without --data, the
backup is restored into that database, which must be empty, and its files into the bucket.

Examples:
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
  formflag backup restore formflag-backup-20270131T120000Z.tar --replace
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; file: string; replace: boolean; intoDirectory: boolean };

function parse(command: Command, file: string): Values {
  const { replace = false } = command.opts<{ replace?: true }>();
  const config = readLocalConfig(command);
  const isGiven = (name: string) => command.getOptionValueSourceWithGlobals(name) === "cli";
  // A restore fills a data directory, whatever is in it.
  const intoDirectory = config.storage.database === null || (isGiven("data") && !isGiven("database"));
  if (replace && !intoDirectory)
    throw usage("--replace goes with a data directory only", "restore into an empty database");
  return { config, file, replace, intoDirectory };
}

async function run(io: Io, { config, file, replace, intoDirectory }: Values): Promise<void> {
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
