import type { ClockAndRandom } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { createTurns } from "../base/event-loop.ts";
import { pick, RULE_NAMES, SHARED_NAMES, type SharedName, shownOptional } from "../flags/flag-fields.ts";
import { dropFlag, putFlag } from "../flags/plan.ts";
import { type FlagPatch, type FlagRecord, applyPatch, storedValues } from "../flags/flag.ts";
import { areBoolean, parseRules } from "../flags/rules/rules.ts";
import { type Document, type FlagEntry, flagEntries, flagEntry, pathOf, sharedEntry } from "./document.ts";
import { type Author, planRamp } from "./plan-ramps.ts";
import { type DocumentPlan, type Target, add, fault } from "./plan.ts";
import type { SetupProject } from "./setup.ts";

type DocumentFlags = NonNullable<NonNullable<Document["projects"]>[string]["flags"]>;

/** The flags of one project as they are and as they should be. */
type Flags = {
  project: string;
  current: SetupProject | undefined;
  targets: Map<string, Target>;
  flags: DocumentFlags;
  prune: boolean;
  author: Author;
};

/** Adds the differences of a project's flags to a plan, in turns with other work. Throws as `planOf` does. */
export async function planFlags(
  clock: ClockAndRandom,
  plan: DocumentPlan,
  { project, current, targets, flags, prune, author }: Flags,
): Promise<void> {
  const existing = current?.environments[0]?.flags ?? [];
  const places = new Map(existing.map(({ slug }, index) => [slug, index]));
  const takeTurns = createTurns();
  for (const [slug, wanted] of Object.entries(flags)) {
    planFlag(clock, plan, { project, slug, index: places.get(slug), wanted, targets, author });
    const turn = takeTurns();
    if (turn !== undefined) await turn;
  }
  if (!prune) return;
  for (const [index, record] of existing.entries()) {
    const { slug } = record;
    if (Object.hasOwn(flags, slug)) continue;
    const before = { ...sharedEntry(record), environments: flagEntries(current!.environments, index) };
    const records = new Map(current!.environments.map((each) => [each.slug, each.flags[index]!]));
    const path = pathOf("projects", project, "flags", slug);
    add(
      plan,
      { action: "delete", kind: "flag", path, before, after: null },
      dropFlag(project, slug, records),
    );
    for (const { flagRules } of targets.values()) flagRules.delete(slug);
  }
}

type OneFlag = {
  project: string;
  slug: string;
  /** The position in the list of flags, the same in every environment; undefined for a new flag. */
  index: number | undefined;
  wanted: DocumentFlags[string];
  targets: Map<string, Target>;
  author: Author;
};

function planFlag(clock: ClockAndRandom, plan: DocumentPlan, flag: OneFlag): void {
  const { project, slug, index, wanted, targets } = flag;
  const path = pathOf("projects", project, "flags", slug);
  const placeIn = (environment: string) => ({ project, environment, flag: slug });
  const unset = applyPatch(slug, undefined, {}, clock.now()).record;
  const [known] = index === undefined ? [] : [...targets.values()].flatMap(({ flags }) => flags[index] ?? []);
  const blank = {
    ...unset,
    ...pick(known ?? unset, SHARED_NAMES),
    ...storedValues(pick(wanted, SHARED_NAMES)),
  };
  const entries = Object.entries(wanted.environments ?? {}).map(([environment, entry]) =>
    compare(clock, flag, environment, entry, blank),
  );
  for (const { path, current, record, target, hasSameValues } of entries) {
    if (record.rules !== null && !hasSameValues)
      plan.checks.push({ path, rules: record.rules, segments: target.rules });
    if (record.previewContent !== current.previewContent)
      plan.contents.push({ path: `${path}.previewContent`, markdown: record.previewContent });
  }

  const [first] = targets.keys();
  if (index === undefined) {
    if (first === undefined) throw fault(path, "the project has no environment for this flag");
    const [one = { environment: first, record: blank }, ...others] = entries;
    const after = {
      ...sharedEntry(blank),
      environments: Object.fromEntries(entries.map((each) => [each.environment, each.after])),
    };
    add(
      plan,
      { action: "create", kind: "flag", path, before: null, after },
      putFlag(placeIn(one.environment), undefined, one.record),
      ...others
        .filter(({ hasSameValues }) => !hasSameValues)
        .map(({ environment, current, record }) => putFlag(placeIn(environment), current, record)),
      ...entries.flatMap(({ ramping }) => ramping),
    );
    return;
  }
  const changed = known ? SHARED_NAMES.filter((name) => blank[name] !== known[name]) : [];
  if (known && first !== undefined && changed.length > 0) {
    const before = targets.get(first)!.flags[index] ?? { ...blank, ...pick(known, SHARED_NAMES) };
    const [was, is] = [shownShared(known, changed), shownShared(blank, changed)];
    add(
      plan,
      { action: "update", kind: "flag", path, before: was, after: is },
      putFlag(placeIn(first), before, applyPatch(slug, before, is, clock.now()).record),
    );
  }
  for (const { environment, path, current, record, before, after, ...entry } of entries) {
    if (entry.isSame) continue;
    add(
      plan,
      { action: "update", kind: "flag", path, before, after },
      ...(entry.hasSameValues ? [] : [putFlag(placeIn(environment), current, record)]),
      ...entry.ramping,
    );
  }
}

/** Shared fields as they are shown. */
function shownShared(record: FlagRecord, names: readonly SharedName[]): FlagPatch {
  return {
    ...pick(record, names),
    ...shownOptional(
      record,
      names.filter((name) => name !== "description"),
    ),
  };
}

/** Compares a flag in one environment with its entry; without values there, the flag starts as `blank`. */
function compare(
  clock: ClockAndRandom,
  { project, slug, index, targets, author }: OneFlag,
  environment: string,
  { ramp: wanted, ...entry }: FlagEntry,
  blank: FlagRecord,
) {
  const path = pathOf("projects", project, "flags", slug, "environments", environment);
  const target = targets.get(environment);
  if (!target)
    throw fault(
      path,
      "this environment does not exist",
      `add it to ${pathOf("projects", project)}.environments`,
    );
  const stored = index === undefined ? undefined : target.flags[index];
  const current = { ...(stored ?? blank), ...pick(blank, SHARED_NAMES) };
  const patch = patchOf(entry, current);
  const { record: patched } = within(path, () => applyPatch(slug, current, patch, clock.now()));
  const place = { project, environment, flag: slug };
  const { record, changes, ...ramps } = within(`${path}.ramp`, () =>
    planRamp(clock, { place, target, current, record: patched, wanted, author }),
  );
  target.flagRules.set(slug, record.rules);
  const before = { ...flagEntry(current), ...ramps.before };
  const after = { ...flagEntry(record), ...ramps.after };
  const hasSameValues = Bun.deepEquals(flagEntry(current), flagEntry(record), true);
  return {
    environment,
    path,
    target,
    current,
    record,
    before,
    after,
    ramping: changes,
    hasSameValues,
    isSame: hasSameValues && Bun.deepEquals(ramps.before, ramps.after),
  };
}

/**
 * The patch that an entry stands for. An entry with variants is a complete definition: an absent default, rule,
 * metadata or payload is removed. An entry with a payload and no variants is a plain flag.
 */
function patchOf(entry: Omit<FlagEntry, "ramp">, { rules, payload }: FlagRecord): FlagPatch {
  const patch: FlagPatch = { ...entry };
  if (patch.variants && payload !== null && areBoolean(patch.variants)) patch.payload ??= {};
  if (patch.variants && rules !== null) {
    const before = parseRules(rules);
    for (const part of RULE_NAMES) if (patch[part] === undefined && before[part] != null) patch[part] = null;
  }
  if (rules !== null && patch.payload !== undefined) patch.variants ??= null;
  return patch;
}

function within<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AppError) throw fault(path, error.message, error.hint ?? undefined);
    throw error;
  }
}
