import type { FlagsApp } from "./store.ts";
import { isoTime } from "../base/clock.ts";
import { type FlagRecord, hasExpired } from "./flag.ts";
import { resultsOf } from "./flagd/results.ts";
import { parseRules } from "./rules.ts";
import type { StaleFlag, StaleReason } from "./stale-schema.ts";

/** For so long a flag is unchanged or unread before it looks finished, unless told. */
export const DEFAULT_STALE_DAYS = 30;

const DAY = 86_400_000;

/** A flag in one environment, and when it was last read there; null where it never was. */
type Seen = { record: FlagRecord; readAt: number | null };

/**
 * The flags of a project that look finished, by slug: in every environment, or in the one that is named. Throws
 * `not_found` for either.
 */
export async function findStale(
  { store, now }: FlagsApp,
  { project, environment, days }: { project: string; environment: string | null; days: number },
): Promise<StaleFlag[]> {
  const environments =
    environment === null ? (await store.environments.list(project)).map(({ slug }) => slug) : [environment];
  const bySlug = new Map<string, Seen[]>();
  for (const each of environments) {
    const [records, reads] = [await store.flags.list(project, each), await store.flags.reads(project, each)];
    for (const record of records) {
      const seen = { record, readAt: reads.get(record.slug) ?? null };
      bySlug.set(record.slug, [...(bySlug.get(record.slug) ?? []), seen]);
    }
  }
  return [...bySlug].flatMap(([slug, seen]) => {
    const found = judge(seen, now(), days * DAY);
    return found ? [{ slug, environment, ...found }] : [];
  });
}

/** Why a flag looks finished in all of these environments, and since when; undefined where it does not. */
export function judge(
  seen: Seen[],
  now: number,
  span: number,
): { reasons: StaleReason[]; since: string } | undefined {
  const records = seen.map(({ record }) => record);
  const found: [StaleReason, number][] = [];
  if (records.every((record) => hasExpired(record, now)))
    found.push(["expired", latest(records.map(({ expiresAt }) => expiresAt ?? 0))]);

  const outcomes = new Set(records.map((record) => outcomeOf(record, now)));
  const settledAt = latest(records.map((record) => lastChange(record, now)));
  if (outcomes.size === 1 && !outcomes.has(undefined) && now - settledAt >= span)
    found.push(["settled", settledAt]);

  const readAt = latest(seen.map(({ record, readAt }) => readAt ?? record.createdAt));
  if (now - readAt >= span) found.push(["unread", readAt]);

  if (found.length === 0) return undefined;
  return { reasons: found.map(([reason]) => reason), since: isoTime(Math.min(...found.map(([, at]) => at))) };
}

function latest(times: number[]): number {
  return Math.max(...times);
}

/** An expiry is a change too. */
function lastChange({ updatedAt, expiresAt }: FlagRecord, now: number): number {
  return expiresAt !== null && expiresAt <= now ? Math.max(updatedAt, expiresAt) : updatedAt;
}

/** The variant that everybody gets, where a plain flag has `on` and `off`; undefined where it depends on whom. */
function outcomeOf(record: FlagRecord, now: number): string | undefined {
  if (!record.enabled || hasExpired(record, now)) return "off";
  if (record.rules === null) return "on";
  const { targeting, defaultVariant } = parseRules(record.rules);
  const isRule = targeting !== undefined && Object.keys(targeting).length > 0;
  const results = isRule ? resultsOf(targeting).map(({ variant }) => variant) : [null];
  const variants = new Set(results.map((name) => (name === null ? (defaultVariant ?? "") : name)));
  const [only] = variants;
  return variants.size === 1 ? only : undefined;
}
