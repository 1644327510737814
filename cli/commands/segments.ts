import { type Command, Option } from "commander";
import { ruleOfAny } from "../../src/flags/rules/conditions.ts";
import { OWN_RULE, segmentSentence } from "../../src/flags/rules/rule-words.ts";
import type { Segment } from "../../src/flags/segment.ts";
import { segments as operations } from "../../src/operations/segments.ts";
import type { Io } from "../output/terminal.ts";
import { details, indentedJson, shorten, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { conditionOf, conditionOption } from "../session/conditions.ts";
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
  formflag segments set staff -p shop -e production --if 'email ends_with @example.com'
  formflag flags set search -p shop -e production --on --if 'segment staff'
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
    row: ({ name, rule, updatedAt }) => [name, updatedAt, shorten(segmentSentence(rule), 100)],
    none: ({ project, environment }) =>
      shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --if 'email ends_with @example.com'`,
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

/** The segment that was given and the environment of `-p` and `-e`, prompted for if missing. */
async function readPlace(input: Input, given?: string): Promise<Place> {
  const segment = await input.need(given, "name");
  return { ...(await readEnvironment(input)), segment };
}

async function readEnvironment(input: Input): Promise<{ project: string; environment: string }> {
  const project = await input.project();
  return { project, environment: await input.environment(project) };
}

function describeSegment(segment: Segment, revision: number): string {
  const words = segmentSentence(segment.rule);
  const facts = details([
    ["segment", segment.name],
    ["rule", words],
    ["created", segment.createdAt],
    ["updated", segment.updatedAt],
    ["revision", String(revision)],
  ]);
  return words === OWN_RULE ? `${facts}\nrule\n${indentedJson(segment.rule)}` : facts;
}

function addSetCommand(segments: Command, io: Io): void {
  segments
    .command("set")
    .alias("create")
    .argument("[name]", "name of the segment")
    .description("create a segment or give it another rule")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(
      conditionOption(
        "who belongs to it, such as 'plan == pro and country in AT, DE'; repeatable, for any of several",
      ),
    )
    .addOption(
      new Option(
        "--rule <json>",
        "the same as a JSONLogic rule: JSON, @FILE, or - for standard input",
      ).conflicts("if"),
    )
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Flags of the environment use it as a condition, segment <name>, and as {"$ref":"<name>"} in rules in JSON.

Examples:
  formflag segments set staff -p shop -e production --if 'email ends_with @example.com or email ends_with @example.org'
  formflag segments set beta -p shop -e production --rule @beta.json
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; rule: unknown; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { rule, if: conditions } = input.options as { rule?: string; if?: string[] };
  const revision = ifRevision(input.options);
  if (conditions !== undefined) return { place, rule: ruleOfAny(conditions.map(conditionOf)), revision };
  if (rule === undefined)
    throw usage("the rule is missing", "give it with --if 'email ends_with @example.com', or --rule JSON");
  if (!/^\s*[[{"@\-\d]|^\s*(?:true|false|null)\s*$/.test(rule))
    throw usage(
      "--rule takes JSON, not words",
      `a condition in words is given with --if: --if '${shorten(rule, 40)}'`,
    );
  return { place, rule: await jsonValue(rule, "--rule", input), revision };
}

async function run({ client, report }: Session, { place, rule, revision }: Values): Promise<void> {
  const { project, environment, segment: name } = place;
  const segment = await client.call(operations.set, { names: place, body: { rule }, revision });
  await report(
    segment,
    shown`${segment.result} segment ${name} in ${project}/${environment}: ${segmentSentence(segment.rule)}\n`,
  );
}
