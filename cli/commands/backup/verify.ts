import { tmpdir } from "node:os";
import type { Command } from "commander";
import { readBackup } from "../../../src/maintenance/backup.ts";
import { openPartial } from "../../data/partial.ts";
import { openScratch } from "../../data/scratch.ts";
import { createPrinter } from "../../output/printer.ts";
import type { Io } from "../../output/terminal.ts";
import { localAction } from "../../session/action.ts";
import { type Config, readLocalConfig } from "../../session/config.ts";
import { contents, readArchive } from "./archive.ts";

export function addVerifyCommand(backup: Command, io: Io): void {
  backup
    .command("verify")
    .argument("<file>", "archive")
    .description("read a backup and compare its contents with its checksums")
    .addHelpText(
      "after",
      `
The database is unpacked into the folder for temporary files (TMPDIR), which needs room for twice the size of the
database.

Exit code: 0 if the backup is valid, 1 if it is not.

Example:
  formflag backup verify formflag-backup-20270131T120000Z.tar
`,
    )
    .action(localAction(io, parse, run));
}

type Values = { config: Config; file: string };

function parse(command: Command, file: string): Values {
  return { config: readLocalConfig(command), file };
}

async function run(io: Io, { config, file }: Values): Promise<void> {
  const printer = createPrinter(io, config);
  using partial = openPartial(tmpdir());
  using scratch = openScratch(partial.path("unpacked"));
  const manifest = await readArchive(printer, file, (entries, progress) =>
    readBackup(entries, scratch, progress),
  );
  await printer.report({ file, ...manifest }, `${file} is sound: ${contents(manifest)}\n`);
}
