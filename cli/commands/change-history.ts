import { recordedState } from "../../src/flags/segment.ts";
import { clock } from "../../src/base/clock.ts";
import type { Command } from "commander";
import { DEFAULT_PAGE, MAX_PAGE } from "../../src/base/pages.ts";
import { type Source, actorName } from "../../src/access/source.ts";
import { type viewRevision, actionOf, nounOf } from "../../src/projects/history.ts";
import type { Io } from "../output/terminal.ts";
import { printable, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { environmentOption, formProjectOption, projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import type { Session } from "../session/session.ts";
import { countValue, pastTimeValue } from "../session/values.ts";
import { heard } from "../session/command-line.ts";

type Kind = "flag" | "segment" | "experiment" | "environment" | "project" | "form";
/** A change; one of all projects and forms names its project. */
type Change = Omit<ReturnType<typeof viewRevision>, "source" | "via"> & {
  project?: string | null;
  source?: Source | null | undefined;
  via?: string | null | undefined;
};

/** The thing whose changes are listed: without a kind everything, without a name all of the kind in the project. */
type Subject = { kind?: Kind; name?: string | undefined; project?: string };

const ABOUT: Record<Kind, string> = {
  flag: "a flag, or of every flag of the project",
  segment: "a segment, or of every segment of the project",
  experiment: "an experiment, or of every experiment of the project",
  environment: "an environment, or of every environment of the project",
  project: "a project: its flags, segments and environments",
  form: "a form and its targets",
};

const EXAMPLES: Record<Kind, string> = {
  flag: "new-checkout -p shop",
  segment: "staff -p shop",
  experiment: "headline -p shop",
  environment: "production -p shop",
  project: "shop",
  form: "contact",
};

/** `history` of flags, segments, environments, projects or forms. */
export function addHistoryCommand(noun: Command, io: Io, kind: Kind): void {
  const history = noun
    .command("history")
    .argument(`[${kind}]`, `name of the ${kind}`)
    .description(`list the changes of ${ABOUT[kind]}, newest first: who made each, when, and what it changed`)
    .after(helpOf(`${noun.name()} history ${EXAMPLES[kind]}`));
  withFilters(history).action(action(io, (input, given?: string) => parse(input, kind, given), run));
  if (kind === "form") history.addOption(formProjectOption());
  else if (kind !== "project") history.addOption(projectOption());
  if (kind !== "environment" && kind !== "form") history.addOption(environmentOption());
}

/** `history` of every project and form. */
export function addWholeHistoryCommand(history: Command, io: Io): void {
  heard(history)`
[formflag] events event: formflag history shows who changed what, formflag flags history <flag> -p <project> the changes of a flag
-p --project -e --environment --form --flag *: formflag projects history <project>, forms history <form> and flags history <flag> list the changes of one
`;
  withFilters(history)
    .option(
      "--kind <kind>",
      "only changes of this kind: flag, segment, environment, scheduled change, ramp, experiment, project or form",
    )
    .after(helpOf("history", "--since 7d"))
    .action(action(io, (input) => ({ ...filterOf(input), subject: {} }), run));
}

function helpOf(example: string, filter = "--since 7d --who ann"): string {
  return `
Each change has a revision, a number that grows with every change. Lines \`- field: old\` and \`+ field: new\` show what
it changed, with rules in words. With --json it is an object with revision, environment (null for all), kind, name, at,
who, why (null without a reason), before and after.

Examples:
  formflag ${example}
  formflag ${example} ${filter}
`;
}

function withFilters(command: Command): Command {
  heard(command)`
--user --by --author: --who <name> names a user, a token or an operator
-n --last --max --count: --limit <n> says how many
--from --after: --since
`;
  return command
    .option("--since <time>", "only from this time on: ISO 8601, or a time before now such as 7d")
    .option("--who <name>", "only by this user, token or operator")
    .option("--limit <n>", "how many at most (default: 50)")
    .option("--before <revision>", "only changes older than this one");
}

type Values = ReturnType<typeof filterOf> & { subject: Subject };

function filterOf({ options }: Input) {
  const { environment, who, since, kind, limit, before } = options as Record<string, string | undefined>;
  return {
    query: {
      ...(kind !== undefined && { kind }),
      environment,
      who,
      since: since === undefined ? undefined : pastTimeValue(since, "--since", clock.now()),
      before: before === undefined ? undefined : countValue(before, "--before"),
    },
    limit: limit === undefined ? DEFAULT_PAGE : countValue(limit, "--limit", 1),
  };
}

async function parse(input: Input, kind: Kind, given: string | undefined): Promise<Values> {
  const filter = filterOf(input);
  if (kind === "form") return { ...filter, subject: { kind, name: await input.form(given) } };
  if (kind === "project") {
    const project = given ?? (await input.project());
    return { ...filter, subject: { kind, name: project, project } };
  }
  return { ...filter, subject: { kind, name: given, project: await input.project() } };
}

async function run(session: Session, { subject, query, limit }: Values): Promise<void> {
  const { JSON_NOTATION, printDiff } = await import("../output/diff.ts");
  const changes = await changesOf(session, subject, query, limit);
  const texts = changes.map((change) => {
    const states = {
      before: recordedState(change.kind, change.before),
      after: recordedState(change.kind, change.after),
    };
    const head = headOf(change, subject);
    return printDiff({ head, color: "bold", ...states }, JSON_NOTATION, session.paint);
  });
  await session.print(changes, texts.join("\n"));
  if (changes.length > 0) return;
  const { kind, name } = subject;
  session.note(
    kind !== undefined && name !== undefined
      ? shown`no change of ${kind} ${name} is recorded\n`
      : "no such change is recorded\n",
  );
}

async function changesOf(
  { client }: Session,
  { kind, name, project = "" }: Subject,
  query: Values["query"],
  limit: number,
): Promise<Change[]> {
  // Every noun has a history, which most of its commands do not need.
  const { history: operations } = await import("../../src/operations/history.ts");
  const page = { cursor: "before", limit, maxPage: MAX_PAGE } as const;
  if (kind === undefined) return listAll(client, operations.everywhere, { query, ...page });
  if (kind === "form")
    return listAll(client, operations.ofForm, { names: { form: name ?? "" }, query, ...page });
  if (kind === "flag" && name !== undefined)
    return listAll(client, operations.ofFlag, { names: { project, flag: name }, query, ...page });
  const filter = kind === "project" ? query : { ...query, kind, name };
  return listAll(client, operations.list, { names: { project }, query: filter, ...page });
}

/** The line above a change; it names what the command line does not. */
function headOf(change: Change, { kind: asked, name: named }: Subject): string {
  const { revision, at, environment, kind, name, project } = change;
  const isNamed = named !== undefined && asked !== "project";
  const own = kind === "ramp" && asked === "flag" ? ["ramp"] : [];
  const what = isNamed ? own : [`${nounOf(kind)} ${project == null ? "" : `${project}/`}${name}`];
  const isPlaced = kind !== "form" && kind !== "project" && (isNamed || kind !== "environment");
  const where = isPlaced ? [environment ?? "all environments"] : [];
  const parts = [
    `revision ${revision}`,
    at,
    actorName(change),
    ...what,
    ...where,
    actionOf(change),
    ...(change.source === "mcp" && change.via == null ? ["by an assistant"] : []),
  ];
  // A server of an earlier version sends none.
  const reason = change.why == null ? "" : `\nwhy: ${printable(change.why)}`;
  return printable(parts.join("  ")) + reason + reviewOf(change);
}

/** How a change was reviewed, below its line; a server of an earlier version sends nothing of it. */
function reviewOf({ review, bypass }: Partial<Change>): string {
  if (!review) return "";
  if (bypass) return shown`\nchange ${review.change}, without approvals`;
  const approvers = review.approvers.join(", ");
  return shown`\nchange ${review.change}, proposed by ${review.author}, approved by ${approvers}`;
}
