import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addTestCommand } from "./test.ts";

export function addMailCommands(mail: Command, io: Io): void {
  addTestCommand(mail, io);
}
