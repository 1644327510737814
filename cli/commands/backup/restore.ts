import type { Command } from "commander";
import { prepareRestore } from "../../data/restore.ts";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { contents, readArchive, requireArchive } from "./archive.ts";

export function addRestoreCommand(backup: Command, io: Io): void {
  backup
    .command("restore")
    .argument("<file>", "archive")
    .description("create a data directory from a backup")
    .option("--replace", "keep data that exists under another name")
    .addHelpText(
      "after",
      `
The data directory has to be empty, or not to exist, unless --replace is given; no server may run on it. Nothing is
changed before the whole backup is read and verified.

Examples:
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
  formflag backup restore formflag-backup-20270131T120000Z.tar --replace
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; file: string; replace: boolean };

function parse(command: Command, file: string): Values {
  const { replace = false } = command.opts<{ replace?: true }>();
  return { config: readLocalConfig(command), file, replace };
}

async function run(io: Io, { config, file, replace }: Values): Promise<void> {
  const printer = createPrinter(io, config);
  const { data } = config;
  await requireArchive(file);
  await using restore = await prepareRestore(data, replace);
  const manifest = await readArchive(printer, file, restore.scratch, restore.blobs);
  const aside = await restore.finish();
  const kept = aside === null ? "" : `what was there before is kept in ${aside}\n`;
  await printer.report(
    { data, before: aside, ...manifest },
    `restored ${contents(manifest)} into ${data}\n${kept}`,
  );
}
