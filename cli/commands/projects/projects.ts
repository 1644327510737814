import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addCreateCommand } from "./create.ts";
import { addDeleteCommand } from "./delete.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";

export function addProjectCommands(projects: Command, io: Io): void {
  projects.addHelpText(
    "after",
    `\nExamples:
  formflag projects create shop
  formflag projects get shop
  formflag projects get shop --field key
  formflag projects list --json
`,
  );
  addCreateCommand(projects, io);
  addListCommand(projects, io);
  addGetCommand(projects, io);
  addDeleteCommand(projects, io);
}
