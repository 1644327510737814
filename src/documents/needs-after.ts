import { AppError } from "../base/errors.ts";
import { turnedOffBy, turnedOffInWords } from "../flags/requires/dependents.ts";
import { requireKnownVariants, requireVariants } from "../flags/requires/checks.ts";
import { requireSoundNeeds } from "../flags/requires/graph.ts";
import { neededBy, requirementsOf } from "../flags/requires/requirement.ts";
import type { FlagsApp } from "../flags/store.ts";
import { type SetupChange, changesNeeds, needsToCheck } from "./setup.ts";

/** Throws as `requireSoundNeeds` for what flags would need after changes that are not made yet. */
export async function requireNeedsAfter(
  { environments, flags }: Pick<FlagsApp["store"], "environments" | "flags">,
  changes: readonly SetupChange[],
): Promise<void> {
  for (const { project, environments: some, removed } of needsToCheck(changes)) {
    const own = changes.filter((each) => "project" in each && each.project === project);
    const gone = new Set(own.flatMap((each) => (each.change === "deleteFlag" ? [each.flag] : [])));
    const puts = own.filter((each) => each.change === "putFlag");
    const stored = (await environments.list(project).catch(unlessMissing)) ?? [];
    const slugs = new Set([...stored.map(({ slug }) => slug), ...puts.map(({ environment }) => environment)]);
    for (const environment of some ?? slugs) {
      const before = stored.some(({ slug }) => slug === environment)
        ? await flags.needs(project, environment)
        : { needing: [], needed: new Map<string, boolean>() };
      const needing = new Map(before.needing.map(({ slug, requires }) => [slug, requires]));
      for (const { flag, environment: at, record } of puts)
        if (at === environment) needing.set(flag, record.archived ? "" : record.requires);
      const after = [...needing].flatMap(([slug, requires]) =>
        requires === "" || gone.has(slug) ? [] : [{ slug, requires }],
      );
      const needed = new Map(before.needed);
      if (stored.length > 0)
        for (const each of await flags.among(project, stored[0]!.slug, [...neededBy(after).keys()]))
          needed.set(each.slug, each.archived);
      for (const { flag, record } of puts) needed.set(flag, record.archived);
      for (const slug of gone) needed.delete(slug);
      requireSoundNeeds({ environment, needing: after, needed }, removed);
    }
  }
}

/** Throws as `requireKnownVariants` for what flags would newly need after changes that are not made yet. */
export async function requireVariantsAfter(
  { flags }: Pick<FlagsApp["store"], "flags">,
  changes: readonly SetupChange[],
): Promise<void> {
  const puts = changes.filter((each) => each.change === "putFlag");
  for (const put of puts) {
    if (!changesNeeds(put)) continue;
    const { project, environment, record } = put;
    const here = puts.filter((each) => each.project === project && each.environment === environment);
    const rules = new Map(here.map(({ flag, record: { rules } }) => [flag, rules]));
    const requirements = requirementsOf(record.requires);
    requireVariants(requirements, rules);
    const others = requirements.filter(({ flag }) => !rules.has(flag));
    await requireKnownVariants({ flags }, { project, environment }, others).catch(unlessMissing);
  }
}

/** Nothing for a project that does not exist yet. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}

/** Flags that changes turn off besides what they change, by the environment. */
export type TurnedOff = { project: string; environment: string; flags: string[] };

/** The flags that changes turn off besides; nothing for environments in which they turn off no other. */
export async function turnedOffAfter(
  app: Pick<FlagsApp, "store" | "now">,
  changes: readonly SetupChange[],
): Promise<TurnedOff[]> {
  const places = Map.groupBy(
    changes.filter((each) => each.change === "putFlag"),
    ({ project, environment }) => `${project}/${environment}`,
  );
  const added = new Set(
    changes.flatMap((each) =>
      each.change === "insertEnvironment" ? [`${each.project}/${each.environment.slug}`] : [],
    ),
  );
  const found: TurnedOff[] = [];
  for (const [place, puts] of places) {
    const { project, environment } = puts[0]!;
    const stored = added.has(place) ? undefined : await app.store.projects.find(project);
    if (!stored?.environments.some(({ slug }) => slug === environment)) continue;
    const records = new Map(puts.map(({ flag, record }) => [flag, record]));
    const flags = await turnedOffBy(app, { project, environment }, records);
    if (flags.length > 0) found.push({ project, environment, flags });
  }
  return found;
}

/** A sentence for each environment; with its name, if `changes` are of several. */
export function turnedOffSentences(found: readonly TurnedOff[], changes: readonly SetupChange[]): string[] {
  const places = changes.flatMap((each) =>
    each.change === "putFlag" ? [`${each.project}/${each.environment}`] : [],
  );
  const areSeveral = new Set(places).size > 1;
  return found.map(({ environment, flags }) => {
    const words = turnedOffInWords(flags)!;
    return areSeveral ? `${environment}: ${words}` : words;
  });
}
