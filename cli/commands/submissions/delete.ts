import { MAX_PAGE } from "../../../src/base/pages.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { submissions as operations } from "../../../src/operations/submissions.ts";
import { shown } from "../../output/text.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { type Matching, matchingOptions, counted, matchingIn } from "./filter.ts";
import { verb } from "../../session/verb.ts";

export const addDeleteCommand = verb("delete", {
  argument: ["[ids...]", "ids of submissions"],
  usage: "[options] <id>...",
  description: "delete submissions and their files",
  options: [...matchingOptions("delete")],
  help: `
--matching needs at least one selecting option: a form, a filter or a folder. Submissions are deleted a few hundred at a
time, and submissions that arrive in the meantime are left out.

Examples:
  formflag submissions delete 01a1fc49-92a7-75da-ab11-1c9958800353
  formflag submissions delete --matching --spam --until 7d --yes
  formflag submissions delete --matching --all --dry-run
  formflag submissions delete --matching --form contact --search casino --dry-run
`,
  parse: async (input, given) => {
    const ids = Array.isArray(given) ? given.map(String) : [];
    const matching = await matchingIn(input);
    if (matching !== null && ids.length > 0) throw usage("--matching and ids exclude each other");
    if (matching !== null) {
      requireSelection(matching);
      return { matching };
    }
    if (ids.length > MAX_PAGE) throw usage(`at most ${MAX_PAGE} submissions at a time`);
    return { ids: ids.length > 0 ? [...new Set(ids)] : [await input.need(undefined, "id")] };
  },
  run,
});

type Values = { ids: string[] } | { matching: Matching };

/** Throws `invalid` if nothing selects what to delete. */
function requireSelection({ dryRun, ...filters }: Matching): void {
  if (dryRun || Object.values(filters).some((value) => value !== undefined)) return;
  throw usage(
    "nothing selects what to delete: it would be every submission in the inbox of every form",
    "name a form with --form, another filter or a folder; --all selects every folder, including spam",
  );
}

async function run(session: Session, values: Values): Promise<void> {
  if ("matching" in values) return deleteMatching(session, values.matching);
  const [id, ...others] = values.ids;
  if (others.length === 0) return deleteOne(session, id!);
  const { client, config, canPrompt, confirm, report } = session;
  if (!config.yes) {
    if (!canPrompt()) throw unconfirmed(`${counted(values.ids.length)} with their files`);
    await confirm(`Delete ${counted(values.ids.length)} and their files?`);
  }
  const { ids } = await client.call(inbox.deleteSome, { body: { ids: values.ids } });
  const missing = values.ids.length - ids.length;
  const rest = missing === 0 ? "" : `; ${missing} ${missing === 1 ? "does" : "do"} not exist`;
  await report({ ids, result: "deleted" }, `deleted ${counted(ids.length)}${rest}\n`);
}

async function deleteOne({ client, confirmDelete, report }: Session, id: string): Promise<void> {
  const names = { id };
  await client.call(operations.get, { names });
  await confirmDelete("submission", id, " and its files");
  await client.call(operations.delete, { names });
  await report({ id, result: "deleted" }, shown`deleted submission ${id}\n`);
}

async function deleteMatching(session: Session, matching: Matching): Promise<void> {
  const { client, config, canPrompt, confirm, report } = session;
  const send = (body: Matching) => client.call(inbox.deleteMatching, { body });
  let selected = matching;
  if (matching.dryRun === undefined && !config.yes) {
    if (!canPrompt()) throw unconfirmed("submissions");
    const { total, upTo } = await send({ ...matching, dryRun: true });
    await confirm(`Delete ${counted(total)} and their files?`);
    // Submissions that arrived since were not counted.
    selected = { ...matching, ...(upTo !== null && { upTo }) };
  }
  const result = await send(selected);
  await report(result, `${result.dryRun ? "would delete" : "deleted"} ${counted(result.total)}\n`);
}

function unconfirmed(what: string) {
  return usage(`${what} would be deleted, and confirming needs a terminal`, "add --yes to delete them");
}
