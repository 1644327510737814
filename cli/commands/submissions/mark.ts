import type { Command } from "commander";
import { MAX_PAGE } from "../../../src/base/pages.ts";
import { SUBMISSION_MARKS, type SubmissionMark } from "../../../src/forms/submission-state.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";

export function addMarkCommand(submissions: Command, io: Io): void {
  submissions
    .command("mark")
    .argument("[ids...]", "ids of submissions, and last what to mark them as")
    .usage("[options] <id>... inbox|spam|archived|read|unread")
    .description("move submissions to a folder, or mark them as read or unread")
    .addHelpText(
      "after",
      `
All of them are marked, or none. What leaves the spam folder is delivered, once.

Examples:
  formflag submissions mark 01a1fc49-92a7-75da-ab11-1c9958800353 spam
  formflag submissions list contact --spam --field id | xargs sh -c 'formflag submissions mark "$@" inbox' mark
`,
    )
    .action(action(io, parse, run));
}

type Values = { ids: string[]; mark: SubmissionMark };

/** Commander passes the arguments of a command that takes any number as a list. */
function parse(_input: Input, given?: unknown): Values {
  const all = Array.isArray(given) ? given.map(String) : [];
  const last = all.at(-1);
  const mark = SUBMISSION_MARKS.find((each) => each === last);
  const form = "formflag submissions mark <id>... inbox|spam|archived|read|unread";
  if (mark === undefined) {
    const problem = last === undefined ? "name submissions and a mark" : `${last} is not a mark`;
    throw usage(problem, `the mark is written last: ${form}`);
  }
  if (all.length === 1) throw usage("name at least one submission", form);
  if (all.length - 1 > MAX_PAGE) throw usage(`at most ${MAX_PAGE} submissions at a time`);
  return { ids: all.slice(0, -1), mark };
}

async function run({ client, report }: Session, { ids, mark }: Values): Promise<void> {
  const { changed } = await client.call<{ changed: number }>("POST", "/submissions/mark", { ids, mark });
  const noun = changed === 1 ? "submission" : "submissions";
  const rest = new Set(ids).size - changed;
  const already = rest === 0 ? "" : shown`; ${rest} already ${rest === 1 ? "was" : "were"}`;
  await report({ mark, changed }, shown`marked ${changed} ${noun} as ${mark}` + `${already}\n`);
}
