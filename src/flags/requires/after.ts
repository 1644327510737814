import { AppError } from "../../base/errors.ts";
import type { ProjectChange } from "../../projects/change.ts";
import type { FlagsApp } from "../store.ts";
import type { Ramp } from "../ramps/ramp.ts";
import { requireSoundNeeds } from "./graph.ts";
import { neededBy } from "./requirement.ts";
import { archives, isPutOrDrop, isPutRamp, needsToCheck } from "./to-check.ts";
import { flagsToRead, rampsToRead, requireNeededVariants, requireOtherDefaults } from "./variants.ts";

/**
 * Throws as `requireSoundNeeds`, `requireNeededVariants` and `requireOtherDefaults` for flags after changes that are not made
 * yet, as the store throws for those it makes.
 */
export async function requireNeedsAfter(
  { environments, flags, ramps }: Pick<FlagsApp["store"], "environments" | "flags" | "ramps">,
  changes: readonly { change: string }[],
): Promise<void> {
  for (const check of needsToCheck(changes)) {
    const { project, environments: some, removed } = check;
    const own = changes.filter((each) => isPutOrDrop(each)).filter((each) => each.project === project);
    const gone = new Set(own.flatMap((each) => (each.change === "deleteFlag" ? [each.flag] : [])));
    const puts = own.filter((each) => each.change === "putFlag");
    // The details of a flag, which all environments share, are put in one of them.
    const archived = new Map(puts.map(({ flag, record }) => [flag, record.archived]));
    const ramped = new Map(
      changes.flatMap((each) =>
        isPutRamp(each) && each.project === project
          ? [[`${each.ramp.environment}/${each.ramp.flag}`, each.ramp]]
          : [],
      ),
    );
    const restored = puts.flatMap((each) => (archives(each) === false ? [each.flag] : []));
    const stored = (await environments.list(project).catch(unlessMissing)) ?? [];
    const slugs = new Set([...stored.map(({ slug }) => slug), ...puts.map(({ environment }) => environment)]);
    for (const each of changes.filter(isEnvironmentDrop))
      if (each.project === project) slugs.delete(each.environment);
    for (const environment of some ?? slugs) {
      const isStored = stored.some(({ slug }) => slug === environment);
      const before = isStored
        ? await flags.needs(project, environment)
        : { needing: [], needed: new Map<string, boolean>() };
      const needing = new Map(before.needing.map(({ slug, requires }) => [slug, requires]));
      if (isStored && restored.length > 0)
        for (const { slug, requires } of await flags.among(project, environment, restored))
          needing.set(slug, requires);
      const rules = new Map<string, string | null>();
      for (const { flag, environment: at, record } of puts) {
        if (at !== environment) continue;
        needing.set(flag, record.requires);
        rules.set(flag, record.rules);
      }
      const after = [...needing].flatMap(([slug, requires]) =>
        requires === "" || gone.has(slug) || archived.get(slug) ? [] : [{ slug, requires }],
      );
      const needed = new Map(before.needed);
      if (stored.length > 0)
        for (const each of await flags.among(project, stored[0]!.slug, [...neededBy(after).keys()]))
          needed.set(each.slug, each.archived);
      for (const [flag, isArchived] of archived) needed.set(flag, isArchived);
      for (const slug of gone) needed.delete(slug);
      const needs = { environment, needing: after, needed };
      requireSoundNeeds(needs, removed);
      const others = flagsToRead(needs, check).filter((flag) => !rules.has(flag));
      if (isStored && others.length > 0)
        for (const { slug, rules: own } of await flags.among(project, environment, others))
          rules.set(slug, own);
      const rulesOf = (flag: string) => rules.get(flag) ?? null;
      requireNeededVariants(needs, check, rulesOf);
      const found = new Map<string, Ramp | undefined>();
      for (const flag of rampsToRead(needs, check, rulesOf)) {
        const own = ramped.get(`${environment}/${flag}`);
        const stored = isStored && !own ? await ramps.find({ project, environment, flag }) : undefined;
        found.set(flag, own ?? stored?.ramp);
      }
      requireOtherDefaults(needs, check, found);
    }
  }
}

function isEnvironmentDrop(each: {
  change: string;
}): each is ProjectChange & { change: "deleteEnvironment" } {
  return each.change === "deleteEnvironment";
}

/** Nothing for a project that does not exist yet. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}
