import type { Clockwork } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import { type FlagPatch, type FlagRecord, applyPatch } from "../flags/flag.ts";
import { parseRules } from "../flags/rules.ts";
import { type Document, type FlagEntry, flagEntries, flagEntry, pathOf } from "./document.ts";
import { type Plan, type Target, add, fault } from "./plan.ts";
import type { SetupProject } from "./setup.ts";

type DocumentFlags = NonNullable<NonNullable<Document["projects"]>[string]["flags"]>;

/** The flags of one project as they are and as they should be. */
type Flags = {
  project: string;
  current: SetupProject | undefined;
  targets: Map<string, Target>;
  flags: DocumentFlags;
  prune: boolean;
};

/** Adds to a plan what the flags of a project lack. Throws as `planOf` does. */
export function planFlags(
  clock: Clockwork,
  plan: Plan,
  { project, current, targets, flags, prune }: Flags,
): void {
  const existing = current?.environments[0]?.flags ?? [];
  const places = new Map(existing.map(({ slug }, index) => [slug, index]));
  for (const [slug, wanted] of Object.entries(flags))
    planFlag(clock, plan, { project, slug, index: places.get(slug), wanted, targets });
  if (!prune) return;
  for (const [index, { slug, description }] of existing.entries()) {
    if (Object.hasOwn(flags, slug)) continue;
    const before = { description, environments: flagEntries(current!.environments, index) };
    const path = pathOf("projects", project, "flags", slug);
    add(
      plan,
      { action: "delete", kind: "flag", path, before, after: null },
      { change: "deleteFlag", project, flag: slug },
    );
    for (const { flagRules } of targets.values()) flagRules.delete(slug);
  }
}

type OneFlag = {
  project: string;
  slug: string;
  /** Where it stands in the flags of every environment; undefined where it is new. */
  index: number | undefined;
  wanted: DocumentFlags[string];
  targets: Map<string, Target>;
};

function planFlag(clock: Clockwork, plan: Plan, flag: OneFlag): void {
  const { project, slug, index, wanted, targets } = flag;
  const path = pathOf("projects", project, "flags", slug);
  const placeIn = (environment: string) => ({ project, environment, flag: slug });
  const entries = Object.entries(wanted.environments ?? {}).map(([environment, entry]) =>
    compare(clock, flag, environment, entry),
  );
  for (const { path, rules, isNew, target, isSame } of entries)
    if (rules !== null && !isSame) plan.checks.push({ path, rules, isNew, segments: target.rules });

  const [first] = targets.keys();
  const { description } = wanted;
  if (index === undefined) {
    if (first === undefined) throw fault(path, "the project has no environment that it could stand in");
    const [one = { environment: first, patch: {} }, ...others] = entries;
    const after = {
      description: description ?? "",
      environments: Object.fromEntries(entries.map((each) => [each.environment, each.after])),
    };
    add(
      plan,
      { action: "create", kind: "flag", path, before: null, after },
      { change: "setFlag", place: placeIn(one.environment), patch: { ...one.patch, description } },
      ...others.map(({ environment, patch }) => ({
        change: "setFlag" as const,
        place: placeIn(environment),
        patch,
      })),
    );
    return;
  }
  const described = [...targets.values()].find(({ flags }) => flags[index])?.flags[index]?.description;
  if (first !== undefined && description !== undefined && description !== described) {
    add(
      plan,
      { action: "update", kind: "flag", path, before: { description: described }, after: { description } },
      { change: "setFlag", place: placeIn(first), patch: { description } },
    );
  }
  for (const { environment, path, patch, before, after, isSame } of entries) {
    if (isSame) continue;
    add(
      plan,
      { action: "update", kind: "flag", path, before, after },
      { change: "setFlag", place: placeIn(environment), patch },
    );
  }
}

/** What an entry makes of the flag in an environment. */
function compare(
  clock: Clockwork,
  { project, slug, index, targets }: OneFlag,
  environment: string,
  entry: FlagEntry,
) {
  const path = pathOf("projects", project, "flags", slug, "environments", environment);
  const target = targets.get(environment);
  if (!target)
    throw fault(
      path,
      "there is no such environment",
      `name it in ${pathOf("projects", project)}.environments`,
    );
  const now = clock.now();
  const current =
    (index === undefined ? undefined : target.flags[index]) ?? applyPatch(slug, undefined, {}, now).record;
  const patch = patchOf(entry, current);
  const { record } = within(path, () => applyPatch(slug, current, patch, now));
  target.flagRules.set(slug, record.rules);
  const before = flagEntry(current);
  const after = flagEntry(record);
  const isSame = Bun.deepEquals(before, after, true);
  const { rules } = record;
  return { environment, path, target, patch, rules, isNew: rules !== current.rules, before, after, isSame };
}

/**
 * The change that an entry asks for. With variants it is the whole definition: a default, a rule or metadata that it
 * leaves out goes. With a payload it is a plain flag.
 */
function patchOf(entry: FlagEntry, { rules }: FlagRecord): FlagPatch {
  const patch: FlagPatch = { ...entry };
  if (patch.variants && rules !== null) {
    const before = parseRules(rules);
    for (const part of ["defaultVariant", "targeting", "metadata"] as const)
      if (patch[part] === undefined && before[part] != null) patch[part] = null;
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
