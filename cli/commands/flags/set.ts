import { Option } from "commander";
import type { NewOf } from "../../../src/base/kinds/kinds.ts";
import { type Field, FIELD_NAMES, FIELDS, SHARED, tagsOf } from "../../../src/flags/flag-fields.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { RAMPED } from "../../../src/flags/ramps/ramp-card.ts";
import { type Requirement, requirementIn } from "../../../src/flags/requires/requirement.ts";
import { SCHEDULE } from "../../../src/flags/schedule/scheduled-change.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { shown } from "../../output/text.ts";
import type { Input } from "../../session/input.ts";
import { appended } from "../../session/command-line.ts";
import { givenIn, optionsOf } from "../../session/card.ts";
import { optionFor } from "../../session/guesses/near-misses.ts";
import { changeAtRevision, ifRevision, revisionOption } from "../../session/change-options.ts";
import type { Session } from "../../session/session.ts";
import { eachOf, namesIn, requireOne } from "../../session/several.ts";
import { sourceOf } from "../../session/sources.ts";
import { usage } from "../../session/usage.ts";
import { spanValue, switchValue } from "../../session/values.ts";
import { type Taken, verb } from "../../session/verb.ts";
import { changeDetails } from "./archive.ts";
import { type Place } from "./place.ts";
import { type FlagsOfProject, inLockOrder, readPlaces } from "./places.ts";
import { reportFlag } from "./report.ts";
import type { NewRamp } from "./ramped.ts";
import type { NewSchedule } from "./scheduled.ts";
import { planChange, readValues, type ValuesChange, VALUE_OPTIONS } from "./values.ts";

/** The options of the fields of a flag that need nothing but their value. */
const OWN_OPTIONS = FIELD_NAMES.flatMap((name) => {
  const field: Field = FIELDS[name];
  return field.option ? [{ name, kind: field.kind, option: field.option }] : [];
});

/** The options of what a flag is in an environment, and of which environments. */
export const FLAG_OPTIONS: readonly Taken[] = [
  ...VALUE_OPTIONS,
  "project",
  "environments",
  ...OWN_OPTIONS.map(({ name, option }) => optionFor(name, `--${option[0]}`, option[1])),
];

export const tagOption = () =>
  optionFor(
    "tags",
    "--tag <tag...>",
    "its tags in every environment, replacing the present ones; none removes them",
  );

export const addSetCommand = verb("set", {
  argument: ["[flag]", "slug of the flag"],
  description: "create or change a flag in an environment; options that are not given change nothing",
  options: [
    ...FLAG_OPTIONS,
    tagOption(),
    optionFor(
      "colours",
      "--colour <variant=colour...>",
      "colours of its variants in the dashboard, such as on=#2b8a3e; none removes them",
    ),
    optionFor(
      "requires",
      "--requires <flag>",
      "a flag that has to be true for a user, or FLAG=VARIANT,… to have one of these; repeatable; none removes them",
    ).argParser(appended),
    ...optionsOf(SCHEDULE),
    new Option("--for <span>", "undo the change after this time: 30m, 2h, 7d; the flag must exist").conflicts(
      "at",
    ),
    ...optionsOf(RAMPED).map((option) => option.conflicts(["at", "for"])),
    revisionOption().conflicts("at"),
    "why",
  ],
  help: `
A new flag is off in this and all other environments, unless you give --on.

Options that all environments share, such as --owner and --tag, need no -e. They take several flags, separated by commas,
of which all change or none.

A flag with variants serves one of them according to its rule, written with --if, --then and --rollout, or in flagd's
language with --targeting (https://flagd.dev/reference/flag-definitions/). Without a rule, or if the rule selects no
variant, it serves its --default. On a flag without variants these options create the variants on and off; its payload
stays, for users who get on. --rollout none and --targeting none remove them again, and the flag is on or off for
everyone. Other variants replace the payload.

Rules need a context. Readers of GET /api/v1/flags send none, so a rollout never includes them: they get the --default,
or the result of the rule without any values.

A condition of --if compares an attribute of the context: ==, !=, <, <=, >, >=, in, not in, contains, starts_with,
ends_with, sem_ver, matches, in_cidr, before, after. Join conditions with and, or, not and brackets; segment NAME is a condition too. Separate the values of in and in_cidr with commas. Quote texts with spaces or commas; a number in quotes is a text: 'plan == "5"'. With several --if, the first that matches decides; otherwise --else or the --default applies. They replace the rule; --rollout alone keeps its conditions.

With --ramp, the flag changes and its ramp starts, or neither: with --propose, people approve both at once. It raises the
share of on, or of the variant that is not the default.

With --requires, a flag is on only for users for whom each flag that it needs has one of the named values. For all others
it is as if it were off.

Examples:
  formflag flags set new-checkout -p shop -e production --on
  formflag flags set banner -p shop -e develop --on --payload '{"text":"Hello"}'
  formflag flags set banner -p shop -e develop --payload @banner.json
  formflag flags set sale -p shop -e production --on --expires 2027-01-31T23:00:00Z
  formflag flags set sale -p shop -e production --on --at 2027-01-31T12:00:00Z
  formflag flags set sale -p shop -e production --on --for 2h
  formflag flags set search -p shop -e production --on --rollout 25
  formflag flags set search -p shop -e production --propose --ramp 1,10,50,100 --every 1d --guard 'event:error rises 0%'
  formflag flags set search -p shop -e production --if 'email ends_with @example.com' --then on --rollout 25
  formflag flags set search -p shop -e production --if 'age >= 18 and country in AT, DE' --then on
  formflag flags set search -p shop -e production --if 'segment staff or not (plan == free)' --then on --else off
  formflag flags set search -p shop -e production --if 'segment beta' --then '25 %'
  formflag flags set search -p shop -e production --rollout none
  formflag flags set search -p shop -e production --on --everyone
  formflag flags set color -p shop -e production --on --variants '{"red":"#f00","blue":"#00f"}' --default red
  formflag flags set color -p shop -e production --if 'version sem_ver >= 2.1.0' --then blue
  formflag flags set search -p shop -e production --if 'email matches "(?i)@example[.]com$"' --then on
  formflag flags set search -p shop -e production --if 'ip in_cidr 10.0.0.0/8' --then on
  formflag flags set color -p shop -e production --if 'segment staff' --then blue --else '90 % red, 10 % blue'
  formflag flags set color -p shop -e production --targeting @rule.json
  formflag flags set search -p shop -e production --owner checkout-team --tag beta --tag search
  formflag flags set checkout-v2 -p shop -e production --requires new-cart --requires currency=usd,eur
  formflag flags set search,checkout -p shop --tag beta
  formflag flags set search -p shop -e production --preview on --preview-name Search --preview-content @search.md
`,
  parse,
  run: setFlags,
});

type Options = { tag?: string[]; colour?: string[]; requires?: string[] };

type Values = {
  places: Place[];
  /** The flags whose shared fields alone are set, without an environment; null for a change in environments. */
  shared: FlagsOfProject | null;
  change: ValuesChange;
  /** When to make the change; null for now. */
  schedule: NewSchedule | null;
  /** Seconds after which it is undone; null for never. */
  lasts: number | null;
  /** The ramp by which the change goes out; null for none. */
  ramp: NewRamp | null;
  /** That of `--if-revision`. */
  named: number | undefined;
};

async function parse(input: Input, given?: string): Promise<Values> {
  const change = await readChange(input);
  const schedule: Partial<NewSchedule> = await givenIn(SCHEDULE, input);
  const { at } = schedule;
  const { for: span } = input.options as { for?: string };
  const lasts = span === undefined ? null : spanValue(span, "--for");
  const ramp = await rampIn(input);
  const named = ifRevision(input.options);
  if (at === undefined && lasts === null && ramp === null && isShared(input, given, change)) {
    const slugs = namesIn([given]);
    requireOne(slugs, named);
    const shared = { slugs, project: await input.project(), revision: named };
    return { places: [], shared, change, schedule: null, lasts, ramp, named };
  }
  const places = await readPlaces(input, given);
  requireOne(
    places.map(({ environment }) => environment),
    named,
  );
  const later = at === undefined ? null : { ...schedule, at };
  return { places, shared: null, change, schedule: later, lasts, ramp, named };
}

async function rampIn(input: Input): Promise<NewRamp | null> {
  const { ramp: to, ...course }: Partial<NewOf<typeof RAMPED>> = await givenIn(RAMPED, input);
  if (to != null) return { ...course, to, every: course.every ?? 86_400 };
  const [alone] = Object.keys(course) as (keyof typeof course)[];
  if (alone === undefined) return null;
  const [option] = RAMPED[alone].option[0].split(" ");
  throw usage(`--${option} is for --ramp`, "such as --ramp 1,10,50,100 --every 1d");
}

/** Whether a change of named flags sets nothing but fields that all environments share, and names no environment. */
function isShared(input: Input, given: unknown, { own, rules }: ValuesChange): boolean {
  const names = Object.keys(own);
  return (
    (input.options as { environment?: string[] }).environment === undefined &&
    namesIn(given).length > 0 &&
    rules === null &&
    names.length > 0 &&
    names.every((name) => Object.hasOwn(SHARED, name))
  );
}

/** Reads the options of {@link FLAG_OPTIONS}, but for the places. Throws `invalid`. */
export async function readChange(input: Input): Promise<ValuesChange> {
  const { own, rules } = await readValues(input);
  return { own: { ...own, ...(await fieldsPatch(input)) }, rules };
}

async function fieldsPatch(input: Input): Promise<FlagPatch> {
  const patch: Record<string, unknown> = {};
  const { tag, colour, requires } = input.options as Options;
  if (requires !== undefined) patch["requires"] = requirementsIn(requires);
  if (colour !== undefined) patch["colours"] = coloursIn(colour);
  if (tag !== undefined) patch["tags"] = tagsOf(tag.join()).filter((each) => each !== "none");
  for (const { name, kind, option } of OWN_OPTIONS) {
    const long = `--${option[0].replace(/ .*/, "")}`;
    const given = input.options[new Option(long).attributeName()];
    if (typeof given !== "string") continue;
    if (kind === "switch") patch[name] = switchValue(given, long);
    else patch[name] = kind === "markdown" ? await sourceOf(given, long, input) : given;
  }
  return patch;
}

/** Colours by variant, whose names may hold the sign too. */
function coloursIn(pairs: readonly string[]): Record<string, string> {
  const given = pairs.filter((each) => each !== "none");
  const colours = given.map((each) => [
    each.slice(0, each.lastIndexOf("=")),
    each.slice(each.lastIndexOf("=") + 1),
  ]);
  const wrong = given.find((each) => each.lastIndexOf("=") < 1);
  if (wrong !== undefined) throw usage(`--colour ${wrong} names no variant`, "write --colour on=#2b8a3e");
  return Object.fromEntries(colours) as Record<string, string>;
}

function requirementsIn(terms: readonly string[]): Requirement[] {
  if (terms.length > 1 && terms.includes("none"))
    throw usage("--requires none stands alone", "name the flags that it needs, or none");
  return terms.flatMap((term) => {
    if (term === "none") return [];
    const requirement = requirementIn(term);
    if (requirement === null)
      throw usage(`--requires ${term} names no flag, or no variant`, "write --requires new-cart=on,blue");
    return requirement;
  });
}

/** Changes a flag in each place. */
export async function setFlags(session: Session, values: Values): Promise<void> {
  const { shared, change } = values;
  if (shared) {
    const lineOf = ({ slug, result }: { slug: string; result: string }) =>
      shown`${result} flag ${slug} of project ${shared.project}\n`;
    return changeDetails(session, shared, change.own, lineOf);
  }
  const places = await inLockOrder(session, values.places);
  // Noted before any of several is changed.
  const { enabled, expiredAt, requires } = change.own;
  if (enabled === false || expiredAt || requires || change.rules || values.ramp)
    await (
      await import("./needs.ts")
    ).noteTurnedOff(session, places, (place) => planned(session, place, values));
  await eachOf(session, places, (each, place) => setOne(each, { ...values, place }));
}

/** The change of a flag in a place, by a ramp or at once. */
async function planned(session: Session, place: Place, { change, ramp }: Values) {
  const { patch } = await planChange(session, place, change);
  if (!ramp) return { operation: operations.set, body: patch };
  const { ramps } = await import("../../../src/operations/ramps.ts");
  return { operation: ramps.start, body: { ...ramp, patch } };
}

type One = Omit<Values, "places" | "shared"> & { place: Place };

async function setOne(session: Session, { place, change, schedule, lasts, ramp, named }: One): Promise<void> {
  await changeAtRevision(named !== undefined, async () => {
    const { patch, revision, lost, replaces } = await planChange(session, place, change);
    if (schedule) return (await import("./scheduled.ts")).scheduleChange(session, place, patch, schedule);
    // The rule fits only the variants that were read.
    const expected = named ?? revision ?? undefined;
    if (lasts !== null)
      return (await import("./lasting.ts")).setForAWhile(session, place, patch, {
        lasts,
        revision: expected,
      });
    if (ramp) {
      const input = { names: place, body: { ...ramp, patch }, revision: expected };
      return (await import("./ramped.ts")).changeByRamp(session, place, input);
    }
    const input = { names: place, body: patch, revision: expected };
    const answer = await session.client.callAt(operations.set, input);
    // A caller who named a revision needs the next one.
    const end = named !== undefined ? ` (revision ${answer.revision})` : "";
    await reportFlag(session, place, answer.value, { end });
    if (change.rules)
      (await import("./rule-notes.ts")).noteRules(session, place, {
        patch,
        flag: answer.value,
        lost,
        replaces,
        given: change.rules.given,
      });
  });
}
