import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addHistoryCommand } from "../change-history.ts";
import { addDeleteCommand } from "./delete.ts";
import { addEvaluateCommand } from "./evaluate.ts";
import { addExportCommand } from "./export.ts";
import { addGetCommand } from "./get.ts";
import { addImportCommand } from "./import.ts";
import { addListCommand } from "./list.ts";
import { addPromoteCommand } from "./promote.ts";
import { addRefsCommands } from "./refs.ts";
import { addRollbackCommand } from "./rollback.ts";
import { addScheduledCommand } from "./scheduled.ts";
import { addSetCommand } from "./set.ts";
import { addStaleCommand } from "./stale.ts";
import { addSwitchCommands } from "./switch.ts";
import { addUnscheduleCommand } from "./unschedule.ts";

export function addFlagCommands(flags: Command, io: Io): void {
  flags.addHelpText(
    "after",
    `\nExamples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags get new-checkout -p shop -e production
  formflag flags list -p shop -e production
  formflag flags evaluate new-checkout -p shop -e production --context '{"targetingKey":"ann"}'
`,
  );
  addSetCommand(flags, io);
  addGetCommand(flags, io);
  addListCommand(flags, io);
  addSwitchCommands(flags, io);
  addDeleteCommand(flags, io);
  addStaleCommand(flags, io);
  addRefsCommands(flags, io);
  addEvaluateCommand(flags, io);
  addImportCommand(flags, io);
  addExportCommand(flags, io);
  addHistoryCommand(flags, io, "flag");
  addRollbackCommand(flags, io);
  addPromoteCommand(flags, io);
  addScheduledCommand(flags, io);
  addUnscheduleCommand(flags, io);
}
