import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addShowCommand } from "./show.ts";

export function addConfigCommands(config: Command, io: Io): void {
  addShowCommand(config, io);
}
