import type { Command } from "commander";
import { DEFAULT_PAGE, MAX_PAGE } from "../../src/base/pages.ts";
import type { viewChange } from "../../src/flags/history.ts";
import { diffLines, paintFor } from "../output/diff.ts";
import type { Io } from "../output/terminal.ts";
import { printable, shown } from "../output/text.ts";
import { path } from "../session/client.ts";
import { environmentOption, projectOption } from "../session/config.ts";
import { listAll } from "../session/pages.ts";
import { action } from "../session/session.ts";
import { countValue } from "../session/values.ts";

type Shown = ReturnType<typeof viewChange>;

/** `history` of flags, segments or environments. */
export function addHistoryCommand(parent: Command, io: Io, kind: "flag" | "segment" | "environment"): void {
  const history = parent
    .command("history")
    .argument(`[${kind}]`, `name of the ${kind}`)
    .description(
      `list the changes of ${kind === "environment" ? "an" : "a"} ${kind}, newest first: who made each, when, and what it changed`,
    )
    .addOption(projectOption())
    .option("--limit <n>", "how many at most (default: 50)")
    .option("--before <revision>", "only older ones than that")
    .addHelpText(
      "after",
      `
A change has a revision, a number that grows with every change, and lines \`- field: old\` and
\`+ field: new\`. With --json it is an object with revision, environment (null for all), kind, name, at, who,
before and after.

Examples:
  formflag ${parent.name()} history ${EXAMPLES[kind]} -p shop
  formflag ${parent.name()} history ${EXAMPLES[kind]} -p shop --limit 5 --json
`,
    )
    .action(
      action(io, async (session, given) => {
        const name = await session.need(given, kind);
        const project = await session.project();
        const { environment, limit, before } = session.options as Record<string, string | undefined>;
        const query: Record<string, string> = {
          ...(kind === "flag" ? {} : { kind, name }),
          ...(environment === undefined ? {} : { environment }),
          ...(before === undefined ? {} : { before: String(countValue(before, "--before")) }),
        };
        const url =
          kind === "flag"
            ? path`/projects/${project}/flags/${name}/history`
            : path`/projects/${project}/history`;
        const changes = await listAll<Shown>(session.client, url, "changes", {
          query,
          cursor: "before",
          limit: limit === undefined ? DEFAULT_PAGE : countValue(limit, "--limit", 1),
          maxPage: MAX_PAGE,
        });
        const paint = paintFor(session);
        const texts = changes.map((change) => {
          const head = [
            `revision ${change.revision}`,
            change.at,
            change.who,
            change.environment ?? "all environments",
            doneBy(change),
          ];
          const lines = diffLines(stateOf(change, change.before), stateOf(change, change.after), paint);
          return `${paint(printable(head.join("  ")), "head")}\n${lines}`;
        });
        await session.print(changes, texts.join("\n"));
        if (changes.length === 0) session.suggest(shown`No change of ${kind} ${name} is recorded.`);
      }),
    );
  if (kind !== "environment") history.addOption(environmentOption());
}

const EXAMPLES = { flag: "new-checkout", segment: "staff", environment: "production" };

function doneBy({ kind, before, after }: Shown): string {
  if (kind === "scheduled") return "dropped";
  return before === null ? "created" : after === null ? "deleted" : "updated";
}

/** A state as fields: the rule of a segment is one, and so is each environment of a flag that was deleted. */
function stateOf({ kind }: Shown, state: unknown): unknown {
  if (state === null) return null;
  if (kind === "segment") return { rule: state };
  return (state as { environments?: unknown }).environments ?? state;
}
