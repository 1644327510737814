import type { Command } from "commander";
import type { Io } from "../../output/terminal.ts";

type Add = (flags: Command, io: Io) => void;

/** The modules of the verbs: a command loads its own, which saves a tenth of `flags set` (`npm run bench -- start`). */
const VERBS: { names: string[]; load: () => Promise<Add> }[] = [
  { names: ["set"], load: async () => (await import("./set.ts")).addSetCommand },
  { names: ["get"], load: async () => (await import("./get.ts")).addGetCommand },
  { names: ["list"], load: async () => (await import("./list.ts")).addListCommand },
  {
    names: ["enable", "disable", "toggle"],
    load: async () => (await import("./switch.ts")).addSwitchCommands,
  },
  { names: ["delete"], load: async () => (await import("./delete.ts")).addDeleteCommand },
  { names: ["stale"], load: async () => (await import("./stale.ts")).addStaleCommand },
  { names: ["refs"], load: async () => (await import("./refs/refs.ts")).addRefsCommands },
  { names: ["feedback"], load: async () => (await import("./feedback/feedback.ts")).addFeedbackCommands },
  { names: ["evaluate"], load: async () => (await import("./evaluate.ts")).addEvaluateCommand },
  { names: ["import"], load: async () => (await import("./flagd.ts")).addImportCommand },
  { names: ["export"], load: async () => (await import("./flagd.ts")).addExportCommand },
  {
    names: ["history"],
    load: async () => {
      const { addHistoryCommand } = await import("../change-history.ts");
      return (flags, io) => addHistoryCommand(flags, io, "flag");
    },
  },
  { names: ["rollback"], load: async () => (await import("./rollback.ts")).addRollbackCommand },
  { names: ["promote"], load: async () => (await import("./promote.ts")).addPromoteCommand },
  { names: ["scheduled"], load: async () => (await import("./scheduled.ts")).addScheduledCommand },
  { names: ["unschedule"], load: async () => (await import("./scheduled.ts")).addUnscheduleCommand },
];

/** Adds the verbs that a command line names, or all where it names none: for help, and for hints on a mistyped verb. */
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
  const named = VERBS.filter(({ names }) => names.some((name) => args.includes(name)));
  for (const { load } of named.length > 0 ? named : VERBS) (await load())(flags, io);
}
