import { clock } from "../../../src/base/clock.ts";
import { type Command, Option } from "commander";
import { type Field, FIELD_NAMES, FIELDS } from "../../../src/flags/flag-fields.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Io } from "../../output/terminal.ts";
import { action } from "../../session/action.ts";
import { environmentsOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/guesses/near-misses.ts";
import { changeAtRevision, ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { eachOf, requireOne } from "../../session/several.ts";
import { sourceOf } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { expiryValue, switchValue } from "../../session/values.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, inLockOrder, readPlaces } from "./place.ts";
import { noteRules, reportFlag } from "./report.ts";
import { planChange, readValues, type ValuesChange, withValues } from "./values.ts";

export function addSetCommand(flags: Command, io: Io): void {
  const set = flags
    .command("set")
    .argument("[flag]", "slug of the flag")
    .description("create or change a flag in an environment; options that are not given change nothing");
  withFlagOptions(set)
    .option(
      "--at <time>",
      "make the change at that time, on a flag that exists: ISO 8601, or a span such as 2h",
    )
    .addOption(revisionOption().conflicts("at"))
    .addOption(whyOption())
    .addHelpText("after", HELP)
    .action(action(io, parse, setFlags));
}

const HELP = `
A new flag is off, here and in the project's other environments, unless --on is given.

A flag with variants serves one of them by its rule, written in flagd's language (--targeting,
https://flagd.dev/reference/flag-definitions/) or with --if, --then and --rollout. Without a rule, or
where the rule selects none, it serves its --default. On a plain flag these options create the variants
on and off; its payload stays, for those who get on. --rollout none and --targeting none end that: the flag
is plain again, on or off for everybody. Other variants take the place of the payload.

Rules need a context: readers of GET /api/v1/flags send none, so that a rollout never includes them. They get
the --default, or what the rule yields without any values.

A condition of --if compares an attribute of the context: ==, !=, <, <=, >, >=, in, not in, contains, starts_with,
ends_with, sem_ver. and, or, not and brackets join conditions; segment NAME is one. Values of in are separated by
commas. Quotes are for texts with spaces or commas, and make a number a text: 'plan == "5"'. Of several --if the first
that holds decides, and --else or the --default follows. They replace the rule; --rollout alone keeps conditions.

Examples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags set banner -p shop -e develop --on --payload '{"text":"Hello"}'
  formflag flags set banner -p shop -e develop --payload @banner.json
  formflag flags set sale -p shop -e production --on --expires 2027-01-31T23:00:00Z
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags set search -p shop -e production --on --rollout 25
  formflag flags set search -p shop -e production --if 'email ends_with @example.com' --then on --rollout 25
  formflag flags set search -p shop -e production --if 'age >= 18 and country in AT, DE' --then on
  formflag flags set search -p shop -e production --if 'segment staff or not (plan == free)' --then on --else off
  formflag flags set search -p shop -e production --rollout none
  formflag flags set color -p shop -e production --on --variants '{"red":"#f00","blue":"#00f"}' --default red
  formflag flags set color -p shop -e production --if 'version sem_ver >= 2.1.0' --then blue
  formflag flags set color -p shop -e production --if 'segment staff' --then blue --else '90 % red, 10 % blue'
  formflag flags set color -p shop -e production --targeting @rule.json
  formflag flags set search -p shop -e production --preview on --preview-name Search --preview-content @search.md
`;

type Options = { at?: string };

type Values = {
  places: Place[];
  change: ValuesChange;
  /** When to make the change, in ISO 8601; null for now. */
  at: string | null;
  /** That of `--if-revision`. */
  named: number | undefined;
};

async function parse(input: Input, given?: string): Promise<Values> {
  const places = await readPlaces(input, given);
  const change = await readChange(input);
  const { at } = input.options as Options;
  const named = ifRevision(input.options);
  requireOne(
    places.map(({ environment }) => environment),
    named,
  );
  return { places, change, at: timeOf(at), named };
}

/** Adds the options of what a flag is in an environment, and of which environments. */
export function withFlagOptions(command: Command): Command {
  withValues(command).addOption(projectOption()).addOption(environmentsOption());
  return withFields(command);
}

/** Reads the options of `withFlagOptions`, but for the places. Throws `invalid`. */
export async function readChange(input: Input): Promise<ValuesChange> {
  const { own, rules } = await readValues(input);
  return { own: { ...own, ...(await fieldsPatch(input)) }, rules };
}

/** Adds the options of the fields that need nothing but their value. */
function withFields(command: Command): Command {
  for (const { name, option } of OWN_OPTIONS) command.addOption(optionFor(name, `--${option[0]}`, option[1]));
  return command;
}

const OWN_OPTIONS = FIELD_NAMES.flatMap((name) => {
  const field: Field = FIELDS[name];
  return field.option ? [{ name, kind: field.kind, option: field.option }] : [];
});

async function fieldsPatch(input: Input): Promise<FlagPatch> {
  const patch: Record<string, unknown> = {};
  for (const { name, kind, option } of OWN_OPTIONS) {
    const long = `--${option[0].replace(/ .*/, "")}`;
    const given = input.options[new Option(long).attributeName()];
    if (typeof given !== "string") continue;
    if (kind === "switch") patch[name] = switchValue(given, long);
    else patch[name] = kind === "markdown" ? await sourceOf(given, long, input) : given;
  }
  return patch;
}

function timeOf(at: string | undefined): string | null {
  const time = at === undefined ? null : expiryValue(at, "--at", clock.now());
  if (at !== undefined && time === null)
    throw usage("--at never is not a time", "write --at 2027-01-31T12:00:00Z, or --at 2h");
  return time;
}

/** Changes a flag in each place. */
export async function setFlags(session: Session, values: Values): Promise<void> {
  const places = await inLockOrder(session, values.places);
  await eachOf(session, places, (each, place) => setOne(each, { ...values, place }));
}

type One = Omit<Values, "places"> & { place: Place };

async function setOne(session: Session, { place, change, at, named }: One): Promise<void> {
  await changeAtRevision(named !== undefined, async () => {
    const { patch, revision, lost, replaces } = await planChange(session, place, change);
    if (at !== null) return (await import("./scheduled.ts")).scheduleChange(session, place, patch, at);
    // The rule fits only the variants that were read.
    const expected = named ?? revision ?? undefined;
    const input = { names: place, body: patch, revision: expected };
    const answer = await session.client.callAt(operations.set, input);
    // A caller who named a revision needs the next one.
    const end = named !== undefined ? ` (revision ${answer.revision})` : "";
    await reportFlag(session, place, answer.value, end);
    noteRules(session, place, { patch, flag: answer.value, lost, replaces });
  });
}
