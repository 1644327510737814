import type { Command } from "commander";
import type { Io } from "../../../output/terminal.ts";
import { addDeleteCommand } from "./delete.ts";
import { addExportCommand } from "./export.ts";
import { addShowCommand } from "./show.ts";

export function addFeedbackCommands(flags: Command, io: Io): void {
  const feedback = flags
    .command("feedback")
    .description("show, export and delete what people said about previews")
    .usage("[show] <flag> | export <flag> | delete <id>")
    .addHelpText(
      "after",
      `
flags feedback <flag> is short for flags feedback show <flag>; write show where a flag has the name of a command.

Examples:
  formflag flags feedback search -p shop
  formflag flags feedback export search -p shop --format csv -o search.csv
  formflag flags feedback delete --flag search -p shop
`,
    );
  addShowCommand(feedback, io);
  addExportCommand(feedback, io);
  addDeleteCommand(feedback, io);
}
