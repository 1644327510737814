import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addHistoryCommand } from "../change-history.ts";
import { addCreateCommand } from "./create.ts";
import { addDeleteCommand } from "./delete.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addLockCommand, addUnlockCommand } from "./lock.ts";
import { addSetCommand } from "./set.ts";

export function addEnvironmentCommands(environments: Command, io: Io): void {
  environments.addHelpText(
    "after",
    `\nExamples:
  formflag environments list -p shop
  formflag environments create preview -p shop --from staging
`,
  );
  addCreateCommand(environments, io);
  addListCommand(environments, io);
  addGetCommand(environments, io);
  addSetCommand(environments, io);
  addDeleteCommand(environments, io);
  addLockCommand(environments, io);
  addUnlockCommand(environments, io);
  addHistoryCommand(environments, io, "environment");
}
