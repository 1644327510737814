import type { Command } from "commander";
import { MAX_MARKED } from "../../../src/forms/limits.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { counted } from "./filter.ts";

export function addAssignCommand(submissions: Command, io: Io): void {
  submissions
    .command("assign")
    .argument("[ids...]", "ids of submissions, followed by the user")
    .usage("[options] <id>... <user>")
    .description("assign submissions to a user")
    .option("--none", "clear the assignee")
    .addHelpText(
      "after",
      `
All of the ids are assigned, or none. To list your own, use formflag submissions list --assignee me, or the search
is:mine.

Examples:
  formflag submissions assign 01a1fc49-92a7-75da-ab11-1c9958800353 ann
  formflag submissions assign 01a1fc49-92a7-75da-ab11-1c9958800353 --none
`,
    )
    .action(action(io, parse, run));
}

type Values = { ids: string[]; assignee: string | null };

async function parse({ options }: Input, given?: unknown): Promise<Values> {
  const all = Array.isArray(given) ? given.map(String) : [];
  const isNone = (options as { none?: true }).none === true;
  const ids = isNone ? all : all.slice(0, -1);
  if (ids.length === 0)
    throw usage(
      all.length === 0 ? "name submissions and a user" : "name submissions before the user",
      "formflag submissions assign <id>... <user>; with --none they have no assignee",
    );
  if (ids.length > MAX_MARKED) throw usage(`at most ${MAX_MARKED} submissions at a time`);
  return { ids, assignee: isNone ? null : all.at(-1)! };
}

async function run({ client, report }: Session, { ids, assignee }: Values): Promise<void> {
  const { changed } = await client.call(inbox.assign, { body: { ids, assignee } });
  const to = assignee === null ? "nobody" : assignee;
  await report({ assignee, changed }, shown`gave ${counted(changed)} to ${to}\n`);
}
