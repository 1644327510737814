import { MAX_PAGE } from "../../../src/base/pages.ts";
import { SUBMISSION_MARKS, type SubmissionMark } from "../../../src/forms/submission-state.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { type Matching, matchingOptions, counted, matchingIn } from "./filter.ts";
import { verb } from "../../session/verb.ts";

export const addMarkCommand = verb("mark", {
  argument: ["[ids...]", "ids of submissions, followed by the mark"],
  usage: "[options] <id>... inbox|spam|archived|read|unread",
  description: "move submissions to a folder, or mark them as read or unread",
  options: [...matchingOptions("mark")],
  help: `
All of the ids are marked, or none. A submission that leaves the spam folder is delivered, but only once. With
--matching, submissions are marked a few hundred at a time, and submissions that arrive in the meantime are left out.

Examples:
  formflag submissions mark 01a1fc49-92a7-75da-ab11-1c9958800353 spam
  formflag submissions mark --matching --form contact --until 30d archived
  formflag submissions mark --matching --search casino --dry-run spam
`,
  parse: async (input, given) => {
    const all = Array.isArray(given) ? given.map(String) : [];
    const last = all.at(-1);
    const mark = SUBMISSION_MARKS.find((each) => each === last);
    const matching = await matchingIn(input);
    const form = `formflag submissions mark ${matching ? "--matching" : "<id>..."} inbox|spam|archived|read|unread`;
    if (mark === undefined) {
      const problem = last === undefined ? "name submissions and a mark" : `${last} is not a mark`;
      throw usage(problem, `the mark is written last: ${form}`);
    }
    const ids = all.slice(0, -1);
    if (matching !== null && ids.length > 0) throw usage("--matching and ids exclude each other");
    if (matching === null && ids.length === 0)
      throw usage("name at least one submission, or add --matching", form);
    if (ids.length > MAX_PAGE) throw usage(`at most ${MAX_PAGE} submissions at a time`);
    return { ids, matching, mark };
  },
  run,
});

type Values = { ids: string[]; matching: Matching | null; mark: SubmissionMark };

async function run({ client, report }: Session, { ids, matching, mark }: Values): Promise<void> {
  if (matching !== null) {
    const result = await client.call(inbox.markMatching, { body: { ...matching, mark } });
    const { dryRun, total } = result;
    const text = dryRun ? `${counted(total)} selected` : shown`marked ${counted(total)} as ${mark}`;
    await report({ mark, ...result }, `${text}\n`);
    return;
  }
  const { changed } = await client.call(inbox.mark, { body: { ids, mark } });
  const rest = new Set(ids).size - changed;
  const already = rest === 0 ? "" : shown`; ${rest} already ${rest === 1 ? "was" : "were"}`;
  await report({ mark, changed }, shown`marked ${counted(changed)} as ${mark}` + `${already}\n`);
}
