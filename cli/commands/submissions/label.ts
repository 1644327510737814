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

export function addLabelCommand(submissions: Command, io: Io): void {
  submissions
    .command("label")
    .argument("[ids...]", "ids of submissions, followed by the label")
    .usage("[options] <id>... <label>")
    .description("put a label on submissions")
    .option("--remove", "remove the label")
    .addHelpText(
      "after",
      `
All of the ids are labeled, or none. To list submissions with a label, use formflag submissions list --label urgent, or
the search label:urgent.

Examples:
  formflag submissions label 01a1fc49-92a7-75da-ab11-1c9958800353 urgent
  formflag submissions label 01a1fc49-92a7-75da-ab11-1c9958800353 urgent --remove
`,
    )
    .action(action(io, parse, run));
}

type Values = { ids: string[]; label: string; remove: boolean };

async function parse({ options }: Input, given?: unknown): Promise<Values> {
  const all = Array.isArray(given) ? given.map(String) : [];
  const ids = all.slice(0, -1);
  if (ids.length === 0)
    throw usage(
      all.length === 0 ? "name submissions and a label" : "name submissions before the label",
      "the label is written last: formflag submissions label <id>... <label>",
    );
  if (ids.length > MAX_MARKED) throw usage(`at most ${MAX_MARKED} submissions at a time`);
  return { ids, label: all.at(-1)!, remove: (options as { remove?: true }).remove === true };
}

async function run({ client, report }: Session, { ids, label, remove }: Values): Promise<void> {
  const { changed } = await client.call(inbox.label, {
    body: { ids, [remove ? "remove" : "add"]: [label] },
  });
  const text = remove
    ? shown`took ${label} from ${counted(changed)}\n`
    : shown`put ${label} on ${counted(changed)}\n`;
  await report({ label, remove, changed }, text);
}
