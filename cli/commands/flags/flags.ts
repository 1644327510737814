import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";
import { type Load, loadVerbs } from "../load-verbs.ts";

const VERBS: [names: string, load: Load][] = [
  ["create", async () => (await import("./create.ts")).addCreateCommand],
  ["set", async () => (await import("./set.ts")).addSetCommand],
  ["get", async () => (await import("./get.ts")).addGetCommand],
  ["list", async () => (await import("./list.ts")).addListCommand],
  ["enable disable toggle", async () => (await import("./switch.ts")).addSwitchCommands],
  ["archive restore", async () => (await import("./archive.ts")).addArchiveCommands],
  ["delete", async () => (await import("./delete.ts")).addDeleteCommand],
  ["stale", async () => (await import("./stale.ts")).addStaleCommand],
  ["refs", async () => (await import("./refs/refs.ts")).addRefsCommands],
  ["feedback", async () => (await import("./feedback/feedback.ts")).addFeedbackCommands],
  ["usage", async () => (await import("./usage.ts")).addUsageCommand],
  ["evaluate", async () => (await import("./evaluate.ts")).addEvaluateCommand],
  ["import", async () => (await import("./flagd.ts")).addImportCommand],
  ["export", async () => (await import("./flagd.ts")).addExportCommand],
  ["manifest", async () => (await import("./manifest.ts")).addManifestCommand],
  [
    "history",
    async () => {
      const { addHistoryCommand } = await import("../change-history.ts");
      return (flags, io) => addHistoryCommand(flags, io, "flag");
    },
  ],
  ["undo", async () => (await import("./undo.ts")).addUndoCommand],
  ["rollback", async () => (await import("./rollback.ts")).addRollbackCommand],
  ["promote", async () => (await import("./promote.ts")).addPromoteCommand],
  ["scheduled", async () => (await import("./scheduled.ts")).addScheduledCommand],
  ["ramp", async () => (await import("./ramp.ts")).addRampCommand],
  ["ramps", async () => (await import("./ramp.ts")).addRampsCommand],
  ["snippet", async () => (await import("./snippet.ts")).addSnippetCommand],
  ["unschedule", async () => (await import("./scheduled.ts")).addUnscheduleCommand],
];

export async function addFlagCommands(flags: Command, io: Io, args: readonly string[]): Promise<void> {
  flags.addHelpText(
    "after",
    `\nExamples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags get new-checkout -p shop -e production
  formflag flags list -p shop -e production
  formflag flags evaluate new-checkout -p shop -e production --context '{"targetingKey":"ann"}'
`,
  );
  await loadVerbs(flags, io, args, VERBS);
}
