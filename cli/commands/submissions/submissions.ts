import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";

const VERBS: [names: string, load: Load][] = [
  ["list", async () => (await import("./list.ts")).addListCommand],
  ["get", async () => (await import("./get.ts")).addGetCommand],
  ["timeline", async () => (await import("./timeline.ts")).addTimelineCommand],
  ["download", async () => (await import("./download.ts")).addDownloadCommand],
  ["mark", async () => (await import("./mark.ts")).addMarkCommand],
  ["assign", async () => (await import("./assign.ts")).addAssignCommand],
  ["label", async () => (await import("./label.ts")).addLabelCommand],
  ["note", async () => (await import("./note.ts")).addNoteCommand],
  ["reply", async () => (await import("./reply.ts")).addReplyCommand],
  ["delete", async () => (await import("./delete.ts")).addDeleteCommand],
  ["export", async () => (await import("./download.ts")).addExportCommand],
  ["import", async () => (await import("./import.ts")).addImportCommand],
  ["purge", async () => (await import("./purge.ts")).addPurgeCommand],
];

export async function addSubmissionCommands(
  submissions: Command,
  io: Io,
  args: readonly string[],
): Promise<void> {
  submissions.addHelpText(
    "after",
    `\nExamples:
  formflag submissions list contact
  formflag submissions list contact --search invoice --unread
  formflag submissions get 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions export contact --format csv -o contact.csv
`,
  );
  await loadVerbs(submissions, io, args, VERBS);
}
