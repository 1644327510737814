import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { addDeleteCommand } from "./delete.ts";
import { addDownloadCommand } from "./download.ts";
import { addExportCommand } from "./export.ts";
import { addImportCommand } from "./import.ts";
import { addGetCommand } from "./get.ts";
import { addListCommand } from "./list.ts";
import { addPurgeCommand } from "./purge.ts";
import { addMarkCommand } from "./mark.ts";
import { addTimelineCommand } from "./timeline.ts";

export function addSubmissionCommands(submissions: Command, io: Io): void {
  submissions.addHelpText(
    "after",
    `\nExamples:
  formflag submissions list contact
  formflag submissions list contact --search invoice --unread
  formflag submissions get 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions export contact --format csv -o contact.csv
`,
  );
  addListCommand(submissions, io);
  addGetCommand(submissions, io);
  addTimelineCommand(submissions, io);
  addDownloadCommand(submissions, io);
  addMarkCommand(submissions, io);
  addDeleteCommand(submissions, io);
  addExportCommand(submissions, io);
  addImportCommand(submissions, io);
  addPurgeCommand(submissions, io);
}
