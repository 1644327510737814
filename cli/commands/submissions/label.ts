import { MAX_MARKED } from "../../../src/forms/limits.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { counted } from "./filter.ts";
import { verb } from "../../session/verb.ts";

export const addLabelCommand = verb("label", {
  argument: ["[ids...]", "ids of submissions, followed by the label"],
  usage: "[options] <id>... <label>",
  description: "put a label on submissions",
  options: [["--remove", "remove the label"]],
  help: `
All of the ids are labeled, or none. To list submissions with a label, use formflag submissions list --label urgent, or
the search label:urgent.

Examples:
  formflag submissions label 01a1fc49-92a7-75da-ab11-1c9958800353 urgent
  formflag submissions label 01a1fc49-92a7-75da-ab11-1c9958800353 urgent --remove
`,
  parse: ({ options }, given) => {
    const hint = "the label is written last: formflag submissions label <id>... <label>";
    const { ids, last } = idsAndLast(given, "label", hint);
    return { ids, label: last, remove: (options as { remove?: true }).remove === true };
  },
  run: async ({ client, report }, { ids, label, remove }) => {
    const { changed } = await client.call(inbox.label, {
      body: { ids, [remove ? "remove" : "add"]: [label] },
    });
    const text = remove
      ? shown`took ${label} from ${counted(changed)}\n`
      : shown`put ${label} on ${counted(changed)}\n`;
    await report({ label, remove, changed }, text);
  },
});

/** The ids of submissions, and the word after them. Throws `invalid`. */
function idsAndLast(given: unknown, what: string, hint: string): { ids: string[]; last: string } {
  const all = Array.isArray(given) ? given.map(String) : [];
  const ids = all.slice(0, -1);
  if (ids.length === 0)
    throw usage(`name submissions ${all.length === 0 ? "and a" : "before the"} ${what}`, hint);
  if (ids.length > MAX_MARKED) throw usage(`at most ${MAX_MARKED} submissions at a time`);
  return { ids, last: all.at(-1)! };
}

export const addAssignCommand = verb("assign", {
  argument: ["[ids...]", "ids of submissions, followed by the user"],
  usage: "[options] <id>... <user>",
  description: "assign submissions to a user",
  options: [["--none", "clear the assignee"]],
  help: `
All of the ids are assigned, or none. To list your own, use formflag submissions list --assignee me, or the search
is:mine.

Examples:
  formflag submissions assign 01a1fc49-92a7-75da-ab11-1c9958800353 ann
  formflag submissions assign 01a1fc49-92a7-75da-ab11-1c9958800353 --none
`,
  parse: ({ options }, given) => {
    const hint = "formflag submissions assign <id>... <user>; with --none they have no assignee";
    const isNone = (options as { none?: true }).none === true;
    // Without an assignee all words are ids.
    const words = isNone && Array.isArray(given) && given.length > 0 ? [...given.map(String), ""] : given;
    const { ids, last } = idsAndLast(words, "user", hint);
    return { ids, assignee: isNone ? null : last };
  },
  run: assign,
});

type Assigned = { ids: string[]; assignee: string | null };

async function assign({ client, report }: Session, { ids, assignee }: Assigned): Promise<void> {
  const { changed } = await client.call(inbox.assign, { body: { ids, assignee } });
  const to = assignee === null ? "nobody" : assignee;
  await report({ assignee, changed }, shown`gave ${counted(changed)} to ${to}\n`);
}
