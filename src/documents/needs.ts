import { AppError } from "../base/errors.ts";
import { neededBy, requireSoundNeeds } from "../flags/requires/graph.ts";
import { turnedOffBy, turnedOffInWords } from "../flags/requires/dependents.ts";
import type { FlagsApp } from "../flags/store.ts";
import type { FlagState } from "../flags/history.ts";
import { requirementsText } from "../flags/requires/requirement.ts";
import { type SetupChange, archives } from "./setup.ts";

/** Where changes may break what flags need: in some environments of a project, or with null in all. */
export type NeedsCheck = {
  project: string;
  environments: Set<string> | null;
  /** Flags that the changes delete or archive. */
  removed: Set<string>;
};

/** What is to be checked after changes: nothing where no flag needs others that did not before, is archived or deleted. */
export function needsToCheck(changes: readonly SetupChange[]): NeedsCheck[] {
  const checks = new Map<string, NeedsCheck>();
  for (const each of changes) {
    if (each.change !== "putFlag" && each.change !== "deleteFlag") continue;
    const { project, flag } = each;
    const archived = each.change === "deleteFlag" || archives(each);
    if (archived === null && !(each.change === "putFlag" && changesNeeds(each))) continue;
    const known = checks.get(project);
    const check = known ?? { project, environments: new Set<string>(), removed: new Set<string>() };
    checks.set(project, check);
    if (archived === true) check.removed.add(flag);
    if (archived !== null || each.change === "deleteFlag") check.environments = null;
    else check.environments?.add(each.environment);
  }
  return [...checks.values()];
}

function changesNeeds({ record, history }: SetupChange & { change: "putFlag" }): boolean {
  const before = (history?.before as Partial<FlagState> | null | undefined)?.requires ?? null;
  return record.requires !== "" && record.requires !== requirementsText(before);
}

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

/** Nothing for a project that does not exist yet. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}

/** What changes turn off besides what they change, a sentence for each environment, which it names if there are several. */
export async function turnedOffAfter(
  app: Pick<FlagsApp, "store" | "now">,
  changes: readonly SetupChange[],
): Promise<string[]> {
  const places = Map.groupBy(
    changes.filter((each) => each.change === "putFlag"),
    ({ project, environment }) => `${project}/${environment}`,
  );
  const added = new Set(
    changes.flatMap((each) =>
      each.change === "insertEnvironment" ? [`${each.project}/${each.environment.slug}`] : [],
    ),
  );
  const sentences: string[] = [];
  for (const [place, puts] of places) {
    const { project, environment } = puts[0]!;
    const stored = added.has(place) ? undefined : await app.store.projects.find(project);
    if (!stored?.environments.some(({ slug }) => slug === environment)) continue;
    const records = new Map(puts.map(({ flag, record }) => [flag, record]));
    const words = turnedOffInWords(await turnedOffBy(app, { project, environment }, records));
    if (words !== null) sentences.push(places.size > 1 ? `${environment}: ${words}` : words);
  }
  return sentences;
}
