import { clock } from "../../../src/base/clock.ts";
import { Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import { appended, conditionOption } from "../../session/command-line.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/guesses/near-misses.ts";
import type { Session } from "../../session/session.ts";
import { jsonValue } from "../../session/sources.ts";
import { expiryValue } from "../../session/values.ts";
import type { Taken } from "../../session/verb.ts";
import type { Place } from "./place.ts";
import type { FlagDetail, readRules, RuleOptions } from "./rules.ts";

/** The options of `flags set` that give a flag variants and rules. */
const RULE_OPTIONS: readonly Taken[] = [
  ["--variants <json>", 'its values by name: JSON such as {"on":true,"off":false}, @FILE, or none'],
  optionFor(
    "defaultVariant",
    "--default <variant>",
    "the variant that is served if no rule selects one, or none",
  ),
  new Option("--targeting <json>", "the rule, in flagd's language: JSON, @FILE, or none").conflicts([
    "rollout",
    "if",
    "else",
  ]),
  [
    "--rollout <percent>",
    "percentage of users who get on; the same user is always in or out; none ends the rollout",
  ],
  conditionOption(
    "condition for the --then after it, such as 'plan == pro and country in AT, DE' or 'segment staff'; repeatable",
  ),
  new Option(
    "--then <variant>",
    "variant for users who match, or shares such as '25 %' or '10 % red, 90 % blue'; repeatable (default for a flag that is on or off: on)",
  ).argParser(appended),
  new Option(
    "--else <variant>",
    "variant or shares for everyone else (default: the default variant)",
  ).conflicts("targeting"),
  new Option("--everyone", "remove the rule: everyone gets the same").conflicts([
    "targeting",
    "rollout",
    "if",
    "else",
  ]),
];

/** The options that say what a flag is in an environment: state, payload, expiry, variants and rules. */
export const VALUE_OPTIONS: readonly Taken[] = [
  ...RULE_OPTIONS,
  new Option("--on", "turn it on").conflicts("off"),
  new Option("--off", "turn it off").conflicts("on"),
  ["--payload <json>", "data for readers: JSON, @FILE, - for standard input, or none"],
  optionFor(
    "expiredAt",
    "--expires <time>",
    "when readers begin to see it as off: ISO 8601, a duration such as 30d, or never",
  ),
];

const RULED: readonly (keyof RuleOptions)[] = [
  "variants",
  "default",
  "targeting",
  "rollout",
  "if",
  "then",
  "else",
  "everyone",
];

type Options = { on?: true; off?: true; payload?: string; expires?: string };

/** The change by the options of {@link VALUE_OPTIONS}, as far as it is known before the flag is read. */
export type ValuesChange = { own: FlagPatch; rules: Awaited<ReturnType<typeof readRules>> | null };

/** Reads the options of {@link VALUE_OPTIONS}. Throws `invalid`. */
export async function readValues(input: Input): Promise<ValuesChange> {
  const isRuled = RULED.some((name) => input.options[name] !== undefined);
  // The language of rules is loaded for a change that has one.
  const rules = isRuled ? await (await import("./rules.ts")).readRules(input) : null;
  const { on, off, payload, expires } = input.options as Options;
  const own: FlagPatch = {
    ...(on || off ? { enabled: on === true } : {}),
    ...(payload === undefined
      ? {}
      : { payload: payload === "none" ? {} : await jsonValue(payload, "--payload", input) }),
    ...(expires === undefined ? {} : { expiredAt: expiryValue(expires, "--expires", clock.now()) }),
  };
  return { own, rules };
}

/** A change of a flag that was read for it. */
export type Planned = {
  patch: FlagPatch;
  /** The revision of the flag that the patch was made for; null if it fits any. */
  revision: number | null;
  /** The payload that variants other than true and false take the place of; undefined if none is set. */
  lost: unknown;
  /** Whether a rule that has no words is replaced. */
  replaces: boolean;
};

/** Throws `invalid`. */
export async function planChange(
  session: Session,
  place: Place,
  { own, rules }: ValuesChange,
): Promise<Planned> {
  if (rules === null) return { patch: own, revision: null, lost: undefined, replaces: false };
  const read = rules.needsFlag ? await readFlag(session, place) : null;
  const patch = { ...rules.patchFor(read?.flag), ...own };
  return {
    patch,
    revision: read?.revision ?? null,
    lost: read?.flag && rules.lostBy(patch, read.flag),
    replaces: rules.replaces(read?.flag),
  };
}

/** A flag with its revision, which is 0 for one that does not exist. */
async function readFlag({ client }: Session, place: Place): Promise<{ flag?: FlagDetail; revision: number }> {
  try {
    const { value, revision } = await client.callAt(operations.get, { names: place });
    return { flag: value, revision };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { revision: 0 };
    throw error;
  }
}
