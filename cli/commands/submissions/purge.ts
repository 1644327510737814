import { Option } from "commander";
import type { Purge, PurgeResult } from "../../../src/forms/keeping/purge.ts";
import { nameIn } from "../../../src/forms/form-name.ts";
import { inbox } from "../../../src/operations/inbox.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { counted, table } from "../../output/text.ts";
import { formFilter } from "../form-filter.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { requireAddress } from "./filter.ts";
import { verb } from "../../session/verb.ts";

export const addPurgeCommand = verb("purge", {
  description: "delete every submission that has an address or a value in a field, and overwrite its data",
  options: [
    ["--email <address>", "address in any field of any form"],
    ["--where <field=text>", "value of a field, at any depth"],
    earlierWhere(),
    ["--form <form>", "only this form, by slug or key"],
    "project of forms",
    ["--dry-run", "only count"],
  ],
  help: `
The whole text must be equal, regardless of case. All folders are searched. The purge also deletes the files,
deliveries, idempotency keys and metadata of the submissions. It then rewrites the database, so that nothing of them is
left; new submissions wait for this, about a second for each 100 MB. Older copies of the database and backups are not
changed.

Examples:
  formflag submissions purge --email ada@example.com --dry-run
  formflag submissions purge --email ada@example.com --yes
  formflag submissions purge --where customer=4711 --form orders
`,
  parse: async (input) => {
    const {
      email,
      where: match,
      dryRun,
    } = input.options as { email?: string; where?: string; dryRun?: true };
    if (email !== undefined && match !== undefined) throw usage("--email and --where exclude each other");
    if (email === undefined && match === undefined)
      throw usage("say what to search for", "write --email ADDRESS, or --where FIELD=TEXT");
    const equals = match?.indexOf("=") ?? 0;
    if (match !== undefined && (equals < 1 || match.length === equals + 1))
      throw usage(
        `--where ${match} has no text to compare with`,
        match.includes("@") && !match.includes("=")
          ? `write --email ${match}`
          : `write --where ${match.replace(/^([^:=]*)[:=]?(.*)$/s, (_, name, text) => `${name}=${text || "TEXT"}`)}`,
      );
    if (email !== undefined) requireAddress(email);
    return {
      ...(match === undefined
        ? { email: email! }
        : { field: match.slice(0, equals), value: match.slice(equals + 1) }),
      ...(await formFilter(input)),
      ...(dryRun && { dryRun }),
    };
  },
  run,
});

function earlierWhere(): Option {
  const earlier = new Option("--field <field=text>").hideHelp();
  earlier.attributeName = () => "where";
  return earlier;
}

async function run(session: Session, purge: Purge): Promise<void> {
  const { client, config, canPrompt, confirm, report, note, suggest, showsNotes } = session;
  const send = (dryRun: boolean) => client.call(inbox.purge, { body: { ...purge, dryRun } });
  const isPrompted = !purge.dryRun && !config.yes;
  if (isPrompted && !canPrompt())
    throw usage(
      "submissions would be deleted, and confirming needs a terminal",
      "add --yes, or --dry-run to count them",
    );
  if (isPrompted) {
    const planned = await send(true);
    session.io.note(describe(planned));
    const what = planned.submissions === 0 ? "Overwrite what deleted submissions have left?" : "Delete them?";
    await confirm(what);
  }
  const result = await send(purge.dryRun === true);
  await report(result, describe(result));
  if (result.mentions > 0)
    note(
      `${counted(result.mentions, "other submission")} with the address inside a longer text ${result.mentions === 1 ? "is" : "are"} kept\n`,
    );
  if (result.dryRun) {
    if (showsNotes) suggest("Without --dry-run these submissions are deleted.");
  } else note(await copiesOf(config), { withJson: true });
}

function describe({ dryRun, submissions, files, forms }: PurgeResult): string {
  const hasProjects = new Set(forms.map(({ project }) => project)).size > 1;
  const nameOf = (each: (typeof forms)[number]) =>
    hasProjects ? nameIn(each.project, each.form) : each.form;
  const rows = forms.map((each) => [nameOf(each), String(each.submissions), String(each.files)]);
  const counts = rows.length > 0 ? table(["FORM", "SUBMISSIONS", "FILES"], rows) : "";
  const what = `${counted(submissions, "submission")} and ${counted(files, "file")}`;
  return `${counts}${dryRun ? `would delete ${what}` : `deleted ${what}, and rewrote the database`}\n`;
}

/** Describes copies that a purge does not reach. */
async function copiesOf({ server, data, storage }: Session["config"]): Promise<string> {
  if (server !== null) return "older copies of the database and backups on the server are not touched\n";
  if (storage.database !== null) return "backups and older versions of files in the bucket are not touched\n";
  const { olderCopies } = await import("../../data/unfinished.ts");
  const copies = olderCopies(data).map(shellWord);
  return copies.length === 0
    ? "backups are not touched\n"
    : `not touched, and may hold what was deleted: ${copies.join(", ")}, and backups\n`;
}
