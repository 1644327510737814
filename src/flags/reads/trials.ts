import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { FlagRecord, FlagValues } from "../flag.ts";
import { type Context, type Evaluation, subjectOf } from "../flagd/evaluate.ts";
import type { Segments } from "../flagd/nested-segments.ts";
import { type Needing, neededBy } from "../requires/requirement.ts";
import { referencesOf } from "../segment.ts";
import type { FlagsApp } from "../store.ts";
import { evaluatesOf, filledSegments } from "./evaluations.ts";

/** Flags and segments of an environment as they would be after changes that are not stored; null for one that is deleted. */
type Unstored = {
  flags: ReadonlyMap<string, FlagRecord | null>;
  /** Rules as JSON text. */
  segments: ReadonlyMap<string, string | null>;
};

/** The result for a flag that there is not. */
export const MISSING = { errorCode: "FLAG_NOT_FOUND" } as const;

export type Outcome = Evaluation | typeof MISSING;

/** Results of a flag for each context, as it is and after the changes. */
export type FlagTrial = { flag: string; now: Outcome[]; after: Outcome[] };

/**
 * Evaluates what changes would do to flags of an environment, for each context: the flags that change, then those whose rules
 * use a segment that changes, then flags that need one of these; `most` of them. Throws `not_found`.
 */
export async function tryChanges(
  app: FlagsApp,
  place: { project: string; environment: string },
  { flags, segments }: Unstored,
  { contexts, most }: { contexts: readonly Context[]; most: number },
): Promise<FlagTrial[]> {
  const { store } = app;
  const { project, environment } = place;
  const own = await filledSegments(app, place);
  const rules = new Map([
    ...own,
    ...[...segments].map(([name, rule]) => [name, rule && JSON.parse(rule)] as const),
  ]);
  for (const [name, rule] of segments) if (rule === null) rules.delete(name);
  const { needing, needed } = await store.flags.needs(project, environment);
  const isAlone =
    segments.size === 0 &&
    [...flags].every(([slug, record]) => !needed.has(slug) && (record?.requires ?? "") === "") &&
    !needing.some(({ slug }) => flags.has(slug));
  const before: readonly FlagValues[] = isAlone
    ? await store.flags.among(project, environment, [...flags.keys()])
    : await (await store.flags.selectIn(project, environment)).flags();
  const known = new Set(before.map(({ slug }) => slug));
  const after = [
    ...before.flatMap((each) => flags.get(each.slug) ?? (flags.has(each.slug) ? [] : [each])),
    ...[...flags].flatMap(([slug, record]) => (record === null || known.has(slug) ? [] : [record])),
  ];
  const reached = reachedBy(flags, usedIn(segments, rules), after, needing).slice(0, most);
  const at = app.now();
  const [now, then] = [
    evaluationIn(before, own, at),
    evaluationIn(after, Object.assign(rules, { members: own.members ?? null }), at),
  ];
  const trials = reached.map((flag): FlagTrial => ({ flag, now: [], after: [] }));
  for (const context of contexts) {
    for (const trial of trials) {
      trial.now.push(now(trial.flag, context));
      trial.after.push(then(trial.flag, context));
    }
    await yieldToEventLoop();
  }
  return trials;
}

/** The names of segments that change, and of segments that use one of them. */
function usedIn(changed: Unstored["segments"], rules: ReadonlyMap<string, unknown>): Set<string> {
  const found = new Set(changed.keys());
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [name, rule] of rules)
      if ([...referencesOf(JSON.stringify(rule))].some((each) => found.has(each))) found.add(name);
  }
  return found;
}

/** The flags that change, then by their rules, then by what they need. */
function reachedBy(
  flags: Unstored["flags"],
  segments: ReadonlySet<string>,
  records: readonly FlagValues[],
  needing: readonly Needing[],
): string[] {
  const found = new Set(flags.keys());
  if (segments.size > 0)
    for (const { slug, rules } of records)
      if (rules !== null && [...referencesOf(rules)].some((each) => segments.has(each))) found.add(slug);
  const dependents = neededBy(needing);
  // A set goes on with what is added to it.
  for (const slug of found) for (const each of dependents.get(slug) ?? []) found.add(each);
  return [...found];
}

function evaluationIn(records: readonly FlagValues[], segments: Segments, at: number) {
  const bySlug = new Map(records.map((each) => [each.slug, each]));
  const evaluates = evaluatesOf(records, segments);
  const known = new Map<string, ReturnType<typeof evaluates>>();
  return (slug: string, context: Context): Outcome => {
    const record = bySlug.get(slug);
    if (!record) return MISSING;
    let evaluate = known.get(slug);
    if (!evaluate) known.set(slug, (evaluate = evaluates(record)));
    return evaluate(subjectOf(context), at);
  };
}
