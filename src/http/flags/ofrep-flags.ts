import type { App } from "../../app.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { createTurns } from "../../base/event-loop.ts";
import { PAYLOAD_SUFFIX, TALLY_LIMITS } from "../../flags/limits.ts";
import type { FlagValues } from "../../flags/flag.ts";
import type { Evaluation, Subject } from "../../flags/flagd/evaluate.ts";
import { countedRule } from "../../experiments/split.ts";
import { type Compiled, compileOne, compileRules } from "../../flags/flagd/compiled.ts";
import { createPayload, type Decide } from "../../flags/flagd/evaluate-flag.ts";
import type { Serving } from "../../flags/reads/read-tally.ts";
import { type Readable, neverRead } from "../../flags/reads/reads.ts";
import { createPrerequisites } from "../../flags/requires/prerequisites.ts";
import { parseRules, rulesText } from "../../flags/rules/rules.ts";
import { sizeOf } from "./large-body.ts";
import { type FindSnapshot, type FlagSource, createFlagViews } from "../../flags/reads/snapshots.ts";

/** The result of evaluating a flag, as the body of an answer; `variant` is undefined without one, and for a payload. */
type Evaluated = Serving & { isError: boolean; json: string; variant?: string | undefined };

type Evaluate = (subject: Subject, now: number) => Evaluated;

/** Every flag, and every payload that is set, by key and in their order. */
type Evaluations = {
  byKey: ReadonlyMap<string, Evaluate>;
  inOrder: readonly (readonly [key: string, evaluate: Evaluate])[];
};

/** The flags of one environment, ready for evaluation. */
export type FlagSet = {
  all: Evaluations;
  /** The flags that browser keys evaluate. */
  forBrowsers: Evaluations;
  /** About how long the answer with all of them is, in characters. */
  size: number;
  /** Flags whose reads are recorded, by the same keys; `everyFlag` is a read of all. */
  readables: ReadonlyMap<string, Readable & { slug: string; servings: Serving[] }>;
  everyFlag: Readable;
  /** The metadata of the flag set, a term of flagd. */
  metadata: Record<string, unknown>;
  /** The slugs of the project and the environment: `shop/production`. */
  place: string;
  /** Differs after every change to the flags of the environment. */
  revision: number;
  /** When flags expire, in milliseconds since 1970. */
  expiries: number[];
  /** The compiled rules by flag. */
  compiled: ReadonlyMap<string, Compiled>;
  /** Whether no condition of a flag holds for a reader, who belongs to the split of an experiment then. */
  isInSplit: (flag: string, subject: Subject) => boolean;
  /** Compiles what an evaluation of all flags needs, in turns with other requests; undefined once that is done. */
  prepare: () => Promise<void> | undefined;
};

/** Finds the flags of the environment that two keys select. A rule is compiled again only after it changes. */
export function createFlagSets(app: App): FindSnapshot<FlagSet> {
  return createFlagViews<FlagSet>(app, render);
}

/** In turns with other requests: the rules of thousands of flags are parsed for their metadata. */
async function render(source: FlagSource, before: FlagSet | undefined): Promise<FlagSet> {
  const takeTurns = createTurns();
  const { records, segments } = source;
  const compiled = compileRules(records, segments, before?.compiled, source.members);
  const byKey = new Map<string, Evaluate>();
  const readables = new Map<string, Readable & { slug: string; servings: Serving[] }>();
  const isCounted = records.length <= TALLY_LIMITS.servedFlags;
  const set: Omit<FlagSet, "all" | "forBrowsers"> = {
    size: sizeOf(records, ({ payload, rules }) => (payload?.length ?? 0) + (rules?.length ?? 0)),
    readables,
    everyFlag: { ...neverRead(), served: () => readables.values().flatMap(({ servings }) => servings) },
    metadata: JSON.parse(source.metadata) as Record<string, unknown>,
    place: source.place,
    revision: source.revision,
    expiries: records.flatMap(({ expiresAt }) => expiresAt ?? []),
    compiled,
    isInSplit: splits(records, segments, source.members),
    prepare: preparation(records.flatMap(({ slug, enabled }) => (enabled ? (compiled.get(slug) ?? []) : []))),
  };
  const ofBrowsers = new Set(records.filter(({ browser }) => browser).map(({ slug }) => slug));
  const forBrowsers = new Map<string, Evaluate>();
  // Browser keys read no name of a flag that is not theirs.
  const add = ({ slug, browser, requires }: FlagValues & { slug: string }, result: Keyed) => {
    const servings = isCounted && result.key === slug ? readables.get(slug)!.servings : null;
    const own = resultsOf(slug, result, servings, () => true);
    byKey.set(result.key, own);
    if (!browser) return;
    const shown = requires === "" ? own : resultsOf(slug, result, servings, (flag) => ofBrowsers.has(flag));
    forBrowsers.set(result.key, shown);
  };
  const { evaluates } = createPrerequisites(records, (slug) => compiled.get(slug)?.decide, source.needs);
  for (const record of records) {
    const { slug } = record;
    const evaluate = evaluates(record);
    const metadata = metadataOf(record, set.metadata);
    const servings: Serving[] = [];
    const readable = { slug, ...neverRead(), servings, served: () => servings };
    readables.set(slug, readable);
    // Without a payload, its key does not exist: the application then uses its own default.
    if (record.payload !== null) {
      const key = `${slug}${PAYLOAD_SUFFIX}`;
      readables.set(key, readable);
      add(record, { key, metadata, evaluate: createPayload(record, evaluate) });
    }
    add(record, { key: slug, metadata, evaluate });
    await takeTurns();
  }
  return {
    ...set,
    all: { byKey, inOrder: [...byKey] },
    forBrowsers: { byKey: forBrowsers, inOrder: [...forBrowsers] },
  };
}

/** The evaluation of a key, and the metadata of its flag. */
type Keyed = {
  key: string;
  metadata: Record<string, unknown>;
  evaluate: (subject: Subject, now: number) => Evaluation;
};

/** The results of a flag for readers who may read the names of the flags for which `isNamed` holds; each is added to `servings`. */
function resultsOf(
  slug: string,
  { key, metadata, evaluate }: Keyed,
  servings: Serving[] | null,
  isNamed: (prerequisite: string) => boolean,
): Evaluate {
  // A flag has few results, which are the same objects each time: their JSON is created once.
  const known = new WeakMap<Evaluation, Evaluated>();
  const evaluatedOf = (result: Evaluation): Evaluated => {
    if ("errorCode" in result)
      return { isError: true, json: JSON.stringify({ key, ...result, metadata }), count: 0, of: [] };
    const variant = key === slug ? result.variant : undefined;
    // The providers for Python, Ruby and PHP read a variant of every flag, also of one without a value.
    const { prerequisite, ...rest } = result;
    const own =
      prerequisite !== undefined && isNamed(prerequisite) ? { ...metadata, prerequisite } : metadata;
    const json = JSON.stringify({ key, ...rest, variant: result.variant ?? "", metadata: own });
    const of = [[slug, result.variant ?? ""]] as const;
    const evaluated = { isError: false, json, variant, count: 0, of };
    known.set(result, evaluated);
    servings?.push(evaluated);
    return evaluated;
  };
  return (subject, now) => {
    const result = evaluate(subject, now);
    const evaluated = known.get(result) ?? evaluatedOf(result);
    evaluated.count += 1;
    return evaluated;
  };
}

/** Compiles what decides who belongs to a split with its first reader. */
function splits(
  records: FlagSource["records"],
  segments: FlagSource["segments"],
  members: FlagSource["members"],
): FlagSet["isInSplit"] {
  const compiled = new Map<string, Decide | null>();
  const decideSplit = (flag: string): Decide | null => {
    const text = records.find(({ slug }) => slug === flag)?.rules ?? null;
    try {
      const rules = countedRule(text);
      return rules && compileOne(flag, rulesText(rules), segments, members).decide;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A rule of another kind, which pauses the experiment in a moment.
      return () => ({ reason: "DEFAULT" });
    }
  };
  return (flag, subject) => {
    let decide = compiled.get(flag);
    if (decide === undefined) {
      decide = decideSplit(flag);
      compiled.set(flag, decide);
    }
    if (decide === null) return true;
    const result = decide(subject);
    return "value" in result && result.value === true;
  };
}

/** A large rule takes milliseconds: thousands would hold other requests up. */
function preparation(rules: Compiled[]): FlagSet["prepare"] {
  let work: Promise<void> | undefined;
  let isDone = rules.length === 0;
  const compileAll = async () => {
    const takeTurns = createTurns();
    for (const { compile } of rules) {
      compile();
      await takeTurns();
    }
    isDone = true;
  };
  return () => (isDone ? undefined : (work ??= compileAll()));
}

/**
 * The metadata of a flag in an answer. An imported flag, or one with variants, has the metadata of its definition and flag
 * set as in flagd, with its description and expiry.
 */
function metadataOf(record: FlagValues, ofSet: Record<string, unknown>): Record<string, unknown> {
  const { description, expiresAt, updatedAt, rules, imported } = record;
  const expiry = expiresAt === null ? {} : { expiredAt: isoTime(expiresAt) };
  if (rules === null && !imported) return { description, updatedAt: isoTime(updatedAt), ...expiry };
  const { metadata } = rules === null ? {} : parseRules(rules);
  return { ...ofSet, ...(description === "" ? {} : { description }), ...expiry, ...metadata };
}
