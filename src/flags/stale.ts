import { DAY_MS } from "../base/days.ts";
import { noSuchEnvironment } from "../projects/environment.ts";
import type { FlagsApp } from "./store.ts";
import { isoTime } from "../base/clock.ts";
import { createTurns } from "../base/event-loop.ts";
import { keepLast } from "../base/keep.ts";
import { type FlagValues, hasExpired } from "./flag.ts";
import { resultsOf } from "./flagd/results.ts";
import { type KnownCode, readKnownCode } from "./code/code-references.ts";
import { type FlagOverview, everyFlag } from "./overviews.ts";
import { requirementsOf } from "./requires/requirement.ts";
import { MAX_RULE } from "./rules/rule-words.ts";
import { parseRules } from "./rules/rules.ts";
import type { StaleFlag, StaleReason } from "./stale-schema.ts";

/** Default number of days after which an unchanged or unread flag is stale. */
export const DEFAULT_STALE_DAYS = 30;

/** A flag in one environment; `readAt` is when it was last read there, null for never. */
type FlagUse = { record: StaleRecord; readAt: number | null };
type StaleRecord = Pick<
  FlagValues,
  "slug" | "enabled" | "expiresAt" | "rules" | "requires" | "createdAt" | "updatedAt"
>;

/**
 * The stale flags of a project by slug: in every environment, or in one. Throws `not_found` for the project or the
 * environment.
 */
export async function findStale(app: FlagsApp, selection: StaleSelection): Promise<StaleFlag[]> {
  const { environment } = selection;
  return (await assessFlags(app, selection)).map(({ slug, reasons, since }) => ({
    slug,
    environment,
    reasons,
    since: isoTime(since),
  }));
}

type StaleSelection = { project: string; environment: string | null; days: number };

/** The stale flags of a selection by slug, as {@link findStale}. */
export async function assessFlags(app: FlagsApp, selection: StaleSelection): Promise<StaleVerdict[]> {
  const { project, environment } = selection;
  const [flags, code, environments] = await Promise.all([
    everyFlag(app, project),
    readKnownCode(app, project),
    app.store.environments.list(project),
  ]);
  if (environment !== null && !environments.some(({ slug }) => slug === environment))
    throw noSuchEnvironment(project, environment);
  return assessOverviews(flags, app.now(), code, selection);
}

export type StaleVerdict = Verdict & { slug: string };

/** The same of flags that were read. */
export async function assessOverviews(
  flags: readonly FlagOverview[],
  now: number,
  code: KnownCode | null,
  { environment, days }: Omit<StaleSelection, "project">,
): Promise<StaleVerdict[]> {
  const stale: StaleVerdict[] = [];
  const isMeant = (each: { environment: string }) => environment === null || each.environment === environment;
  const needed = new Set(
    flags
      .flatMap(({ archived, environments }) => (archived ? [] : environments.filter(isMeant)))
      .flatMap(({ requires }) => requirementsOf(requires).map(({ flag }) => flag)),
  );
  const takeTurns = createTurns();
  for (const { slug, permanent, archived, createdAt, environments } of flags) {
    if (permanent || archived) continue;
    const uses = environments
      .filter(isMeant)
      .map((each) => ({ record: { ...each, createdAt }, readAt: each.readAt }));
    const verdict = uses.length === 0 ? undefined : assess(uses, now, days * DAY_MS, code, needed.has(slug));
    if (verdict) stale.push({ slug, ...verdict });
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  return stale;
}

/**
 * Why a flag is stale in all of these environments, and since when; undefined if it is not. `span` is in milliseconds,
 * `code` the source code that was uploaded.
 */
export function judge(
  uses: FlagUse[],
  now: number,
  span: number,
  code: KnownCode | null = null,
): { reasons: StaleReason[]; since: string } | undefined {
  const verdict = assess(uses, now, span, code);
  return verdict && { reasons: verdict.reasons, since: isoTime(verdict.since) };
}

/** Why a flag is stale, since when nothing happened to it, and from when on that made it stale. */
type Verdict = {
  reasons: StaleReason[];
  since: number;
  from: number;
  /** Since when each reason holds. */
  times: Partial<Record<StaleReason, number>>;
};

function assess(
  uses: FlagUse[],
  now: number,
  span: number,
  code: KnownCode | null,
  /** Whether another flag needs it, with which it is read. */
  isNeeded = false,
): Verdict | undefined {
  const records = uses.map(({ record }) => record);
  const reasons: [reason: StaleReason, since: number, from: number][] = [];
  if (records.every((record) => hasExpired(record, now)))
    reasons.push(atOnce("expired", latest(records.map(({ expiresAt }) => expiresAt ?? 0))));

  const outcomes = new Set(records.map((record) => outcomeOf(record, now)));
  const settledAt = latest(records.map((record) => lastChange(record, now)));
  if (outcomes.size === 1 && !outcomes.has(undefined) && now - settledAt >= span)
    reasons.push(["settled", settledAt, settledAt + span]);

  const readAt = latest(uses.map(({ record, readAt }) => readAt ?? record.createdAt));
  if (!isNeeded && now - readAt >= span) reasons.push(["unread", readAt, readAt + span]);

  const createdAt = Math.min(...records.map((record) => record.createdAt));
  // A flag that is newer than every upload may be in code that is still to be uploaded.
  if (code && !isNeeded && !records.some(({ slug }) => code.slugs.has(slug)) && code.uploadedAt >= createdAt)
    reasons.push(atOnce("unreferenced", code.uploadedAt));

  if (reasons.length === 0) return undefined;
  return {
    reasons: reasons.map(([reason]) => reason),
    since: Math.min(...reasons.map(([, since]) => since)),
    from: Math.min(...reasons.map(([, , from]) => from)),
    times: Object.fromEntries(reasons),
  };
}

function atOnce(reason: StaleReason, at: number): [StaleReason, number, number] {
  return [reason, at, at];
}

function latest(times: number[]): number {
  return Math.max(...times);
}

/** When a flag last changed, in milliseconds since 1970; an expiry is a change too. */
export function lastChange(
  { updatedAt, expiresAt }: Pick<StaleRecord, "updatedAt" | "expiresAt">,
  now: number,
): number {
  return expiresAt !== null && expiresAt <= now ? Math.max(updatedAt, expiresAt) : updatedAt;
}

/** The variant that every context gets, `on` or `off` for a plain flag; undefined if it depends on the context. */
function outcomeOf(record: StaleRecord, now: number): string | undefined {
  if (!record.enabled || hasExpired(record, now)) return "off";
  // A flag that needs others follows these.
  if (record.requires !== "") return undefined;
  if (record.rules === null) return "on";
  // An overview has long rules cut.
  if (record.rules.length > MAX_RULE) return undefined;
  return settledVariants(record.rules, () => settledVariant(record.rules!)) ?? undefined;
}

/** Of rules as JSON text: a list of flags needs hundreds. */
const settledVariants = keepLast<string | null>(2000);

/** The variant that rules give every context, empty for the default of the code; null if it depends on the context. */
export function settledVariant(rules: string): string | null {
  const { targeting, defaultVariant } = parseRules(rules);
  const isRule = targeting !== undefined && Object.keys(targeting).length > 0;
  const results = isRule ? resultsOf(targeting).map(({ variant }) => variant) : [null];
  const variants = new Set(results.map((name) => (name === null ? (defaultVariant ?? "") : name)));
  const [only] = variants;
  return variants.size === 1 ? (only ?? null) : null;
}
