import type { Command } from "commander";
import type { Segment } from "../../src/flags/segment.ts";
import { segments as operations } from "../../src/operations/segments.ts";
import type { Io } from "../output/terminal.ts";
import { details, indentedJson, shorten, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { environmentOption, projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { ifRevision, revisionOption } from "../session/revision.ts";
import type { Session } from "../session/session.ts";
import { jsonValue } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { whyOption } from "../session/why.ts";
import { addHistoryCommand } from "./change-history.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

export function addSegmentCommands(segments: Command, io: Io): void {
  segments.addHelpText(
    "after",
    `\nExamples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag flags set search -p shop -e production --on --targeting '{"if":[{"$ref":"staff"},"on"]}'
  formflag segments list -p shop -e production
`,
  );
  addSetCommand(segments, io);
  addGet(segments, io, {
    argument: SEGMENT,
    description: "show a segment",
    options: [projectOption(), environmentOption()],
    parse: readPlace,
    operation: operations.get,
    names: (place) => place,
    describe: describeSegment,
  });
  addList(segments, io, {
    description: "list the segments of an environment by name",
    options: [projectOption(), environmentOption()],
    parse: readEnvironment,
    operation: operations.list,
    names: (place) => place,
    head: ["SEGMENT", "UPDATED", "RULE"],
    row: ({ name, rule, updatedAt }) => [name, updatedAt, shorten(JSON.stringify(rule), 60)],
    none: ({ project, environment }) =>
      shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --rule JSON`,
  });
  addDelete(segments, io, {
    argument: SEGMENT,
    description: "delete a segment that no rule refers to any more",
    options: [projectOption(), environmentOption(), revisionOption(), whyOption()],
    parse: readPlace,
    operations,
    names: (place) => place,
    kind: "segment",
    id: ({ segment: name }) => ({ name }),
    of: ({ project, environment }) => ` of ${project}/${environment}`,
  });
  addHistoryCommand(segments, io, "segment");
}

const SEGMENT: [string, string] = ["[name]", "name of the segment"];

/** A segment of an environment, by its name. */
type Place = { project: string; environment: string; segment: string };

/** The segment that was given and the environment of `-p` and `-e`, prompted for where missing. */
async function readPlace(input: Input, given?: string): Promise<Place> {
  const segment = await input.need(given, "name");
  return { ...(await readEnvironment(input)), segment };
}

async function readEnvironment(input: Input): Promise<{ project: string; environment: string }> {
  const project = await input.project();
  return { project, environment: await input.environment(project) };
}

function describeSegment(segment: Segment, revision: number): string {
  const facts = details([
    ["segment", segment.name],
    ["created", segment.createdAt],
    ["updated", segment.updatedAt],
    ["revision", String(revision)],
  ]);
  return `${facts}\nrule\n${indentedJson(segment.rule)}`;
}

function addSetCommand(segments: Command, io: Io): void {
  segments
    .command("set")
    .argument("[name]", "name of the segment")
    .description("create a segment or give it another rule")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--rule <json>", "JSONLogic rule: JSON, @FILE, or - for standard input")
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Flags of the environment use it as {"$ref":"<name>"} in their rules.

Examples:
  formflag segments set staff -p shop -e production --rule '{"ends_with":[{"var":"email"},"@example.com"]}'
  formflag segments set beta -p shop -e production --rule @beta.json
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; rule: unknown; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { rule } = input.options as { rule?: string };
  if (rule === undefined) throw usage("the rule is missing", "give it with --rule JSON or --rule @FILE");
  return { place, rule: await jsonValue(rule, "--rule", input), revision: ifRevision(input.options) };
}

async function run({ client, report }: Session, { place, rule, revision }: Values): Promise<void> {
  const { project, environment, segment: name } = place;
  const segment = await client.call(operations.set, { names: place, body: { rule }, revision });
  await report(segment, shown`${segment.result} segment ${name} in ${project}/${environment}\n`);
}
