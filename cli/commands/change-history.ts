import type { Command } from "commander";
import { DEFAULT_PAGE, MAX_PAGE } from "../../src/base/pages.ts";
import { history as operations } from "../../src/operations/history.ts";
import type { viewChange } from "../../src/projects/history.ts";
import { JSON_NOTATION, printDiff } from "../output/diff.ts";
import type { Io } from "../output/terminal.ts";
import { printable, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { environmentOption, projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { countValue } from "../session/values.ts";

type Kind = "flag" | "segment" | "environment";
type Change = ReturnType<typeof viewChange>;

/** `history` of flags, segments or environments. */
export function addHistoryCommand(noun: Command, io: Io, kind: Kind): void {
  const history = noun
    .command("history")
    .argument(`[${kind}]`, `name of the ${kind}`)
    .description(
      `list the changes of ${kind === "environment" ? "an" : "a"} ${kind}, newest first: who made each, when, and what it changed`,
    )
    .addOption(projectOption())
    .option("--who <name>", "only by that user, token or operator")
    .option("--limit <n>", "how many at most (default: 50)")
    .option("--before <revision>", "only older ones than that")
    .addHelpText(
      "after",
      `
A change has a revision, a number that grows with every change, and lines \`- field: old\` and
\`+ field: new\`. With --json it is an object with revision, environment (null for all), kind, name, at, who,
why (null without a reason), before and after.

Examples:
  formflag ${noun.name()} history ${EXAMPLES[kind]} -p shop
  formflag ${noun.name()} history ${EXAMPLES[kind]} -p shop --limit 5 --json
`,
    )
    .action(action(io, (input, given) => parse(input, kind, given), run));
  if (kind !== "environment") history.addOption(environmentOption());
}

const EXAMPLES = { flag: "new-checkout", segment: "staff", environment: "production" };

type Values = {
  kind: Kind;
  name: string;
  project: string;
  environment: string | undefined;
  who: string | undefined;
  limit: number;
  before: number | undefined;
};

async function parse(input: Input, kind: Kind, given: string | undefined): Promise<Values> {
  const name = await input.need(given, kind);
  const project = await input.project();
  const { environment, who, limit, before } = input.options as Record<string, string | undefined>;
  return {
    kind,
    name,
    project,
    environment,
    who,
    before: before === undefined ? undefined : countValue(before, "--before"),
    limit: limit === undefined ? DEFAULT_PAGE : countValue(limit, "--limit", 1),
  };
}

async function run({ client, print, suggest, paint }: Session, values: Values): Promise<void> {
  const { kind, name, project, environment, who, limit, before } = values;
  const query = { ...(kind !== "flag" && { kind, name }), environment, who, before };
  const page = { query, cursor: "before", limit, maxPage: MAX_PAGE } as const;
  const changes = await (kind === "flag"
    ? listAll(client, operations.ofFlag, { names: { project, flag: name }, ...page })
    : listAll(client, operations.list, { names: { project }, ...page }));
  const texts = changes.map((change) => {
    const states = { before: stateOf(change, change.before), after: stateOf(change, change.after) };
    return printDiff({ head: headOf(change), color: "bold", ...states }, JSON_NOTATION, paint);
  });
  await print(changes, texts.join("\n"));
  if (changes.length === 0) suggest(shown`No change of ${kind} ${name} is recorded.`);
}

function headOf(change: Change): string {
  const { revision, at, who, environment } = change;
  const parts = [`revision ${revision}`, at, who, environment ?? "all environments", actionOf(change)];
  // A server of an earlier version sends none.
  const reason = change.why == null ? "" : `\nwhy: ${printable(change.why)}`;
  return printable(parts.join("  ")) + reason;
}

function actionOf({ kind, before, after }: Change): string {
  if (kind === "scheduled") return "dropped";
  return before === null ? "created" : after === null ? "deleted" : "updated";
}

/** A state as fields: the rule of a segment is one, and so is each environment of a flag that was deleted. */
function stateOf({ kind }: Change, state: unknown): unknown {
  if (state === null) return {};
  if (kind === "segment") return { rule: state };
  return (state as { environments?: unknown }).environments ?? state;
}
