import { type Command, Option } from "commander";
import { SOURCE } from "../../src/flags/source-card.ts";
import { ruleOfAny } from "../../src/flags/rules/conditions.ts";
import { OWN_RULE, segmentInWords } from "../../src/flags/rules/rule-words.ts";
import type { Segment } from "../../src/flags/segment.ts";
import { segments as operations } from "../../src/operations/segments.ts";
import type { Io } from "../output/terminal.ts";
import { type Detail, details, indentedJson, shorten, shown, table } from "../output/text.ts";
import { givenIn, optionsOf } from "../session/card.ts";
import { conditionOption, heard } from "../session/command-line.ts";
import { conditionOf } from "../session/conditions.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import { ifRevision } from "../session/change-options.ts";
import { noteWarnings } from "../session/hints.ts";
import { jsonValue } from "../session/sources.ts";
import { usage } from "../session/usage.ts";
import { addHistoryCommand } from "./change-history.ts";
import { inEnvironment, verb } from "../session/verb.ts";
import { addDelete, addGet, addList } from "./verbs.ts";

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
  addSet(segments, io);
  addGet(segments, io, {
    ...SEGMENT,
    description: "show a segment",
    operation: operations.get,
    describe: describeSegment,
  });
  addList(segments, io, {
    description: "list the segments of an environment by name",
    options: SEGMENT.options,
    parse: (input) => input.place(),
    operation: operations.list,
    names: (place) => place,
    head: ["SEGMENT", "UPDATED", "RULE"],
    row: (segment) => [segment.name, segment.updatedAt, shorten(segmentInWords(segment), 100)],
    none: ({ project, environment }) =>
      shown`No segments yet. Next: formflag segments set <name> -p ${project} -e ${environment} --if 'email ends_with @example.com'`,
  });
  addDelete(segments, io, {
    ...SEGMENT,
    description: "delete a segment to which no rule refers",
    options: [...SEGMENT.options, "revision", "why"],
    operations,
    kind: "segment",
    id: ({ segment: name }) => ({ name }),
    of: ({ project, environment }) => ` of ${project}/${environment}`,
  });
  addMembers(segments, io);
  addApprove(segments, io).argument("[value...]", "values that are pending, such as addresses");
  addHistoryCommand(segments, io, "segment");
}

/** A segment of an environment, by its name. */
const SEGMENT = {
  argument: ["[name]", "name of the segment"],
  options: ["project", "environment"],
  parse: inEnvironment("segment"),
} as const;

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
    ["welcome", source.welcome?.trimStart().split(/\r?\n/)[0]?.replace(/^# */, "") ?? null],
  ];
}

const [FROM_FORM, ...OF_SOURCE] = optionsOf(SOURCE);

const addSet = verb("set create", {
  argument: SEGMENT.argument,
  description: "create a segment or change its rule",
  options: [
    ...SEGMENT.options,
    conditionOption(
      "condition for members, such as 'plan == pro and country in AT, DE'; if repeated, any of them",
    ),
    new Option(
      "--rule <json>",
      "condition as a JSONLogic rule: JSON, @FILE, or - for standard input",
    ).conflicts("if"),
    FROM_FORM!.conflicts(["if", "rule"]),
    ...OF_SOURCE,
    "revision",
    "why",
  ],
  help: `
Flags of the environment use a segment in the condition segment <name>, and in JSON rules as {"$ref":"<name>"}.

Examples:
  formflag segments set staff -p shop -e production --if 'email ends_with @example.com or email ends_with @example.org'
  formflag segments set beta -p shop -e production --rule @beta.json
  formflag segments set beta -p shop -e production --from-form beta-signup --field email --approve on
`,
  ownField: true,
  parse: async (input, given) => {
    const names = await SEGMENT.parse(input, given);
    return { names, body: await definitionOf(input), revision: ifRevision(input.options) };
  },
  run: async ({ client, report, note }, { names, ...sent }) => {
    const segment = await client.call(operations.set, { names, ...sent });
    const counts = segment.source ? `, ${countsInWords(segment)}` : "";
    const { project, environment } = names;
    await report(
      segment,
      shown`${segment.result} segment ${names.segment} in ${project}/${environment}: ${segmentInWords(segment)}${counts}\n`,
    );
    noteWarnings(note, segment);
  },
});

async function definitionOf(input: Input) {
  const { rule, if: conditions } = input.options as { rule?: string; if?: string[] };
  const source = await givenIn(SOURCE, input);
  const [other] = Object.keys(source);
  if (source.form !== undefined) {
    if (source.field !== undefined) return { source };
    throw usage("the field is missing", "name the one with the value: --field email");
  }
  if (other !== undefined)
    throw usage(`--${other} goes with --from-form`, "name the form: --from-form <form>");
  if (conditions !== undefined) return { rule: ruleOfAny(conditions.map((each) => conditionOf(each))) };
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

/** The members of a segment and the values that wait, for a person. */
function countsInWords({ members = 0, pending = 0 }: Pick<Segment, "members" | "pending">): string {
  const counted = `${members.toLocaleString("en")} ${members === 1 ? "member" : "members"}`;
  return pending === 0 ? counted : `${counted}, ${pending.toLocaleString("en")} pending`;
}

const addMembers = verb("members", {
  argument: SEGMENT.argument,
  description: "list the members of a segment that a form fills",
  options: [...SEGMENT.options, ["--pending", "list the values that are not approved"], "field"],
  parse: async (input, given) => ({
    names: await SEGMENT.parse(input, given),
    pending: input.options["pending"] === true,
  }),
  run: async ({ client, print, suggest }, { names, pending }) => {
    const all = await listAll(client, operations.members, { names, query: { pending: String(pending) } });
    const rows = all.map(({ value, submissions }) => [value, String(submissions)]);
    await print(all, table(["VALUE", "SUBMISSIONS"], rows));
    if (all.length === 0) suggest(pending ? "Nothing is pending." : "No members yet.");
  },
});

const addApprove = verb("approve", {
  argument: SEGMENT.argument,
  description: "approve values of a segment that a form fills",
  options: [
    ...SEGMENT.options,
    ["--all", "approve everything that is pending"],
    ["--undo", "take the approval back; a mail that waits is not sent"],
    "why",
  ],
  help: `
Examples:
  formflag segments members beta -p shop -e production --pending
  formflag segments approve beta ann@example.com -p shop -e production
  formflag segments approve beta --all -p shop -e production
  formflag segments approve beta ann@example.com --undo -p shop -e production
`,
  parse: async (input, given, named?: string | string[]) => {
    const values = [named ?? []].flat();
    const names = await SEGMENT.parse(input, given);
    const isAll = input.options["all"] === true;
    if (isAll && values.length > 0) throw usage("--all approves every value", "name values, or give --all");
    if (!isAll && values.length === 0)
      throw usage("the values are missing", "name them behind the segment, or give --all");
    if (input.options["undo"] !== true) return { names, body: isAll ? { all: true as const } : { values } };
    if (isAll)
      throw usage("--undo takes values, and no --all", "name the values whose approval is taken back");
    return { names, body: { values, undo: true as const } };
  },
  run: async ({ client, report }, { names, body }) => {
    const segment = await client.call(operations.approve, { names, body });
    const { project, environment } = names;
    await report(
      segment,
      shown`segment ${segment.name} in ${project}/${environment}: ${countsInWords(segment)}\n`,
    );
  },
});
