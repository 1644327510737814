import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addListCommand } from "./list.ts";
import { addRevokeCommand } from "./revoke.ts";

export function addSessionCommands(sessions: Command, io: Io): void {
  sessions.addHelpText(
    "after",
    `\nExamples:
  formflag sessions list --user ann
  formflag sessions revoke 8k2d-0xqa-w51m
`,
  );
  addListCommand(sessions, io);
  addRevokeCommand(sessions, io);
}
