import type { Command } from "commander";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import type { Io } from "../../output/terminal.ts";
import { addGet, named } from "../verbs.ts";
import { addDeleteCommand } from "./delete.ts";
import { describeSubmission } from "./describe.ts";
import { addDownloadCommand, addExportCommand } from "./download.ts";
import { addImportCommand } from "./import.ts";
import { addListCommand } from "./list.ts";
import { addMarkCommand } from "./mark.ts";
import { addPurgeCommand } from "./purge.ts";
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
  addGet(submissions, io, {
    argument: ["[id]", "id of the submission"],
    description: "show a submission",
    parse: named("id"),
    operation: operations.get,
    names: (id) => ({ id }),
    describe: describeSubmission,
  });
  addTimelineCommand(submissions, io);
  addDownloadCommand(submissions, io);
  addMarkCommand(submissions, io);
  addDeleteCommand(submissions, io);
  addExportCommand(submissions, io);
  addImportCommand(submissions, io);
  addPurgeCommand(submissions, io);
}
