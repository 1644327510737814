import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addRestoreCommand } from "./restore.ts";
import { addVerifyCommand } from "./verify.ts";
import { heard } from "../../session/command-line.ts";

export function addBackupCommands(backup: Command, io: Io): void {
  heard(backup)`
[formflag] restore: backup restore
[formflag] verify: backup verify
[formflag] dump snapshot snapshots archive archives: type formflag backup create -o <file>, or formflag export for flags and forms
list ls: formflag status shows the last one; a backup is a file where -o, or --backup-dir of serve, put it
now: backup create
import: backup restore
schedule cron: formflag serve --backup-dir <dir> --backup-every 1d makes backups by itself
[create] -z --compress --gzip: a name that ends in .gz compresses: -o backup.tar.gz
[create] --output-dir --dir --to: -o <file> names the archive
[verify restore] -f --file: the file follows the command: formflag backup verify <file>
[restore] --force --overwrite: --replace renames what is there
[restore] --to --into --target: --data names the data directory to create
[create] /\.(tar|gz|tgz|zip|zst)$/: the archive is an option: -o $0
[create] *: -o <file> names the archive, --data the data directory to back up: --data $0
`;
  backup.addHelpText(
    "after",
    `
Examples:
  formflag backup create
  formflag backup verify formflag-backup-20270131T120000Z.tar
  formflag backup restore formflag-backup-20270131T120000Z.tar --data ./restored
`,
  );
  addCreateCommand(backup, io);
  addVerifyCommand(backup, io);
  addRestoreCommand(backup, io);
}
