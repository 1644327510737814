import { clock } from "../../../src/base/clock.ts";
import { Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { ruleClauses } from "../../../src/flags/rules/rule-words.ts";
import { rowsBeforeShare } from "../../../src/flags/rules/shares.ts";
import { areBoolean } from "../../../src/flags/rules/rules.ts";
import { flags as operations } from "../../../src/operations/flags.ts";
import type { Input } from "../../session/input.ts";
import { optionFor } from "../../session/guesses/near-misses.ts";
import type { Session } from "../../session/session.ts";
import { jsonValue } from "../../session/sources.ts";
import { expiryValue } from "../../session/values.ts";
import type { Taken } from "../../session/verb.ts";
import type { Place } from "./place.ts";
import { type FlagDetail, type RulesChange, readRules, RULE_OPTIONS } from "./rules.ts";

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

type Options = { on?: true; off?: true; payload?: string; expires?: string };

/** The change by the options of {@link VALUE_OPTIONS}, as far as it is known before the flag is read. */
export type ValuesChange = { own: FlagPatch; rules: RulesChange };

/** Reads the options of {@link VALUE_OPTIONS}. Throws `invalid`. */
export async function readValues(input: Input): Promise<ValuesChange> {
  const rules = await readRules(input);
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
  const read = rules.needsFlag ? await readFlag(session, place) : null;
  const patch = { ...rules.patchFor(read?.flag), ...own };
  return {
    patch,
    revision: read?.revision ?? null,
    lost: read?.flag && lostBy(patch, read.flag),
    replaces: rules.replacesRule && isOfAnotherKind(read?.flag),
  };
}

function isOfAnotherKind(flag: FlagDetail | undefined): boolean {
  return flag !== undefined && ruleClauses(flag) === null && rowsBeforeShare(flag.targeting).length === 0;
}

function lostBy({ variants, payload }: FlagPatch, flag: FlagDetail): unknown {
  if (variants == null || areBoolean(variants) || payload !== undefined) return undefined;
  const hadPayload = flag.variants === undefined || areBoolean(flag.variants);
  return hadPayload && !Bun.deepEquals(flag.payload, {}) ? flag.payload : undefined;
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
