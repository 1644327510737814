import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addRestoreCommand } from "./restore.ts";
import { addVerifyCommand } from "./verify.ts";

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
  addCreateCommand(backup, io);
  addVerifyCommand(backup, io);
  addRestoreCommand(backup, io);
}
