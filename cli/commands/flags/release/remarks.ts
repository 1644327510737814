import { isFound } from "../../../../src/base/errors.ts";
import type { Release } from "../../../../src/flags/release/release.ts";
import { type Saying, whenInWords, whoGets } from "../../../../src/flags/release/release-words.ts";
import { type Requirement, requirementsInWords } from "../../../../src/flags/requires/requirement.ts";
import { rulesText } from "../../../../src/flags/rules/rules.ts";
import { flags } from "../../../../src/operations/flags.ts";
import type { Client } from "../../../session/client.ts";
import type { Place } from "../place.ts";
import type { FlagDetail } from "../rules.ts";

type Known = { chosen: Release; flag: FlagDetail; saying: Saying };

/** Sentences about what keeps users from a release: other flags that the flag needs, and its expiry; empty for nothing. */
export async function remarksOn(
  client: Client,
  place: Place,
  { chosen, flag, saying }: Known,
): Promise<string> {
  const met = await Promise.all((flag.requires ?? []).map((each) => isMet(client, place, each, saying.now)));
  const unmet = (flag.requires ?? []).filter((_, at) => !met[at]);
  const needs =
    unmet.length === 0
      ? ""
      : ` It still ${requirementsInWords(unmet)}, and changes nothing where that is not so.`;
  return `${needs}${expiryOf(chosen, flag, saying)}`;
}

function expiryOf({ how, at }: Release, { expiredAt }: FlagDetail, { now, timeZone }: Saying): string {
  if (expiredAt === null) return "";
  const end = Date.parse(expiredAt);
  if (end <= now) return " But it has expired, and stays off: flags set --expires changes that.";
  const when = whenInWords(end, now, timeZone);
  if (how === "at" && at !== null && end <= at) return ` But it expires before that, ${when}, and stays off.`;
  return ` It expires ${when}, and is off from then on.`;
}

/** Whether everyone gets a variant of another flag that a requirement asks for. */
async function isMet(
  client: Client,
  { project, environment }: Place,
  { flag, variants: wanted = ["on"] }: Requirement,
  now: number,
): Promise<boolean> {
  const needed = client.call(flags.get, { names: { project, environment, flag } });
  if (!(await isFound(needed))) return false;
  const { enabled, variants, expiredAt, requires, ...rest } = await needed;
  const rules = variants === undefined ? null : rulesText({ ...rest, variants });
  const expiresAt = expiredAt === null ? null : Date.parse(expiredAt);
  const [first, ...others] = whoGets({ enabled, rules, expiresAt }, now) ?? [];
  return others.length === 0 && !requires?.length && first !== undefined && wanted.includes(first.what);
}

/** A sentence with the zone of its times, if it has any. */
export function withZone(sentence: string, timeZone: string): string {
  return /\d\d:\d\d/.test(sentence) ? `${sentence} Times are in ${timeZone}.` : sentence;
}
