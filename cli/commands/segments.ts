import { type Command, Option } from "commander";
import { ruleOfAny } from "../../src/flags/rules/conditions.ts";
import { OWN_RULE, segmentInWords } from "../../src/flags/rules/rule-words.ts";
import type { Segment } from "../../src/flags/segment.ts";
import { segments as operations } from "../../src/operations/segments.ts";
import type { Io } from "../output/terminal.ts";
import { type Detail, details, indentedJson, shorten, shown } from "../output/text.ts";
import { action } from "../session/action.ts";
import { conditionOf, conditionOption } from "../session/conditions.ts";
import { environmentOption, projectOption } from "../session/config.ts";
import type { Input } from "../session/input.ts";
import { ifRevision, revisionOption } from "../session/revision.ts";
import type { Session } from "../session/session.ts";
import { switchValue } from "../session/values.ts";
import { jsonValue } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { whyOption } from "../session/why.ts";
import { addHistoryCommand } from "./change-history.ts";
import { addApproveCommand, addMembersCommand, countsInWords } from "./segment-members.ts";
import { addDelete, addGet, addList } from "./verbs.ts";
import { heard } from "../session/command-line.ts";

export function addSegmentCommands(segments: Command, io: Io): void {
  heard(segments)`
[formflag] cohort cohorts audience audiences identify: formflag segments set <segment> -p <project> -e <environment> --if 'plan == pro' names a group of users
update edit: type formflag segments set, which also creates a segment
rename: a slug cannot be changed, since addresses and programs have it: set another segment, and delete this one
evaluate eval test check: a flag is evaluated, with the segments of its rule: formflag flags evaluate <flag> --context JSON
add-user users add-member add-members member: type formflag segments set <name> --if 'targetingKey in ann, bob'
[set] --user --users --member --members: a segment is a condition: --if 'targetingKey in ann, bob'
[set] --targeting --condition: --rule takes the rule as JSON, --if in words
[set] /^(==?|!=|<=?|>=?|is|in|not|and|or|contains|(starts|ends)_with|sem_ver|matches|in_cidr|before|after)$/: a condition is put into quotes: --if 'plan == pro'
[set] *: who belongs to it is a condition: --if 'targetingKey in ann, bob'; -p <project> and -e <environment> are options
`;
  segments.after(`\nExamples:
  formflag segments set staff -p shop -e production --if 'email ends_with @example.com'
  formflag flags set search -p shop -e production --on --if 'segment staff'
  formflag segments list -p shop -e production
`);
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
    parse: (input) => input.place(),
    operation: operations.list,
    names: (place) => place,
    head: ["SEGMENT", "UPDATED", "RULE"],
    row: (segment) => [segment.name, segment.updatedAt, shorten(segmentInWords(segment), 100)],
    none: ({ project, environment }) =>
      shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --if 'email ends_with @example.com'`,
  });
  addDelete(segments, io, {
    argument: SEGMENT,
    description: "delete a segment to which no rule refers",
    options: [projectOption(), environmentOption(), revisionOption(), whyOption()],
    parse: readPlace,
    operations,
    names: (place) => place,
    kind: "segment",
    id: ({ segment: name }) => ({ name }),
    of: ({ project, environment }) => ` of ${project}/${environment}`,
  });
  addMembersCommand(segments, io, readPlace);
  addApproveCommand(segments, io, readPlace);
  addHistoryCommand(segments, io, "segment");
}

const SEGMENT: [string, string] = ["[name]", "name of the segment"];

/** A segment of an environment, by its name. */
type Place = { project: string; environment: string; segment: string };

/** The segment that was given and the environment of `-p` and `-e`, prompted for if missing. */
async function readPlace(input: Input, given?: string): Promise<Place> {
  const segment = await input.need(given, "name");
  return { ...(await input.place()), segment };
}

function describeSegment(segment: Segment, revision: number): string {
  const words = segmentInWords(segment);
  const facts = details([
    ["segment", segment.name],
    [segment.source ? "who" : "rule", words],
    ...memberFacts(segment),
    ["created", segment.createdAt],
    ["updated", segment.updatedAt],
    ["revision", String(revision)],
  ]);
  return words === OWN_RULE ? `${facts}\nrule\n${indentedJson(segment.rule)}` : facts;
}

/** How many members a segment has that a form fills. */
function memberFacts({ source, members = 0, pending = 0, full }: Segment): Detail[] {
  if (!source) return [];
  const count = (values: number) => values.toLocaleString("en");
  return [
    ["members", `${count(members)}${full ? ", and takes no more" : ""}`],
    ["pending", source.approve || pending > 0 ? count(pending) : null],
  ];
}

function addSetCommand(segments: Command, io: Io): void {
  segments
    .command("set")
    .alias("create")
    .argument("[name]", "name of the segment")
    .description("create a segment or change its rule")
    .withOptions(projectOption(), environmentOption())
    .addOption(
      conditionOption(
        "condition for members, such as 'plan == pro and country in AT, DE'; if repeated, any of them",
      ),
    )
    .addOption(
      new Option(
        "--rule <json>",
        "condition as a JSONLogic rule: JSON, @FILE, or - for standard input",
      ).conflicts("if"),
    )
    .addOption(
      new Option(
        "--from-form <form>",
        "take the members from submissions to this form; with --field",
      ).conflicts(["if", "rule"]),
    )
    .addOption(new Option("--field <name>", "field of the form that names a member, such as email"))
    .addOption(
      new Option(
        "--attribute <name>",
        "attribute of the context to compare with the field (default: the name of the field)",
      ),
    )
    .addOption(
      new Option("--approve <on|off>", "whether a value counts only after it is approved (default: off)"),
    )
    .withOptions(revisionOption(), whyOption())
    .after(`
Flags of the environment use a segment in the condition segment <name>, and in JSON rules as {"$ref":"<name>"}.

Examples:
  formflag segments set staff -p shop -e production --if 'email ends_with @example.com or email ends_with @example.org'
  formflag segments set beta -p shop -e production --rule @beta.json
  formflag segments set beta -p shop -e production --from-form beta-signup --field email --approve on
`)
    .action(action(io, parse, run, { ownField: true }));
}

type Definition = { rule: unknown } | { source: ReturnType<typeof sourceOf> };

type Values = { place: Place; body: Definition; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  return { place, body: await definitionOf(input), revision: ifRevision(input.options) };
}

async function definitionOf(input: Input): Promise<Definition> {
  const { rule, if: conditions, fromForm: form, ...rest } = input.options as Given;
  if (form !== undefined) return { source: sourceOf(form, rest) };
  for (const name of ["field", "attribute", "approve"] as const)
    if (rest[name] !== undefined)
      throw usage(`--${name} goes with --from-form`, "name the form: --from-form <form>");
  if (conditions !== undefined) return { rule: ruleOfAny(conditions.map(conditionOf)) };
  if (rule === undefined)
    throw usage(
      "the rule is missing",
      "give it with --if 'email ends_with @example.com', or --rule JSON, or let a form fill it: --from-form <form> --field email",
    );
  if (!/^\s*[[{"@\-\d]|^\s*(?:true|false|null)\s*$/.test(rule))
    throw usage(
      "--rule takes JSON, not words",
      `a condition in words is given with --if: --if '${shorten(rule, 40)}'`,
    );
  return { rule: await jsonValue(rule, "--rule", input) };
}

type Given = { rule?: string; if?: string[]; fromForm?: string } & SourceOptions;

type SourceOptions = { field?: string; attribute?: string; approve?: string };

function sourceOf(form: string, { field, attribute, approve }: SourceOptions) {
  if (field === undefined) throw usage("the field is missing", "name the one with the value: --field email");
  return {
    form,
    field,
    ...(attribute !== undefined && { attribute }),
    ...(approve !== undefined && { approve: switchValue(approve, "--approve") }),
  };
}

async function run({ client, report }: Session, { place, body, revision }: Values): Promise<void> {
  const { project, environment, segment: name } = place;
  const segment = await client.call(operations.set, { names: place, body, revision });
  const counts = segment.source ? shown`, ${countsInWords(segment)}` : "";
  await report(
    segment,
    shown`${segment.result} segment ${name} in ${project}/${environment}: ${segmentInWords(segment)}${counts}\n`,
  );
}
