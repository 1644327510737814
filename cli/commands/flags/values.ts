import { type Command, Option } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { jsonValue } from "../../session/sources.ts";
import { expiryValue } from "../../session/values.ts";
import { type Place, urlOf } from "./place.ts";
import { type FlagDetail, type RulesChange, readRules, withRules } from "./rules.ts";

/** The options that say what a flag is in an environment: state, payload, expiry, variants and rules. */
export function withValues(command: Command): Command {
  return withRules(command)
    .addOption(new Option("--on", "turn it on").conflicts("off"))
    .addOption(new Option("--off", "turn it off").conflicts("on"))
    .option("--payload <json>", "data for readers: JSON, @FILE, or - for standard input")
    .option("--expires <time>", "off from then on: ISO 8601, a span such as 30d, or never");
}

type Options = { on?: true; off?: true; payload?: string; expires?: string };

/** The change by the options of `withValues`, as far as it is known before the flag is read. */
export type ValuesChange = { own: FlagPatch; rules: RulesChange };

/** Reads the options of `withValues`. Throws `invalid`. */
export async function readValues(input: Input): Promise<ValuesChange> {
  const rules = await readRules(input);
  const { on, off, payload, expires } = input.options as Options;
  const own: FlagPatch = {
    ...(on || off ? { enabled: on === true } : {}),
    ...(payload === undefined ? {} : { payload: await jsonValue(payload, "--payload", input) }),
    ...(expires === undefined ? {} : { expiredAt: expiryValue(expires, "--expires", Date.now()) }),
  };
  return { own, rules };
}

/** The patch of a change, and the revision of the flag that it was made for; null where it fits any. Throws `invalid`. */
export async function patchOf(
  session: Session,
  place: Place,
  { own, rules }: ValuesChange,
): Promise<{ patch: FlagPatch; revision: number | null }> {
  const read = rules.needsVariants ? await readVariants(session, place) : null;
  return { patch: { ...rules.patchFor(read?.variants), ...own }, revision: read?.revision ?? null };
}

/** The variants and the revision of a flag; revision 0 for one that does not exist. */
async function readVariants(
  { client }: Session,
  place: Place,
): Promise<{ variants?: FlagDetail["variants"]; revision: number }> {
  try {
    const { value, revision } = await client.callAt<FlagDetail>("GET", urlOf(place));
    return { variants: value.variants, revision };
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return { revision: 0 };
    throw error;
  }
}
