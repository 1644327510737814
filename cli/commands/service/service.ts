import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addInstallCommand } from "./install.ts";

export function addServiceCommands(service: Command, io: Io): void {
  addInstallCommand(service, io);
}
