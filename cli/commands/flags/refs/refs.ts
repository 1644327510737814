import type { Command } from "commander";
import type { Io } from "../../../output/terminal.ts";
import { addDeleteCommand } from "./delete.ts";
import { addListCommand } from "./list.ts";
import { addScanCommand } from "./scan.ts";

export function addRefsCommands(flags: Command, io: Io): void {
  const refs = flags.command("refs").description("compare flags with the source code that reads them");
  addScanCommand(refs, io);
  addListCommand(refs, io);
  addDeleteCommand(refs, io);
}
