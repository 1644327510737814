import { AppError } from "../../base/errors.ts";
import type { FlagPlace } from "../flag.ts";
import { REQUIREMENT_LIMITS } from "../limits.ts";
import type { FlagsStore } from "../store.ts";
import { requirementsOf } from "./requirement.ts";

/** A flag of an environment that needs others; `requires` is the stored text. */
export type Needing = { slug: string; requires: string };

/** The flags of an environment that need others, without those that are archived, and the flags that there are. */
export type Needs = {
  environment: string;
  needing: readonly Needing[];
  /** Whether each needed flag that exists is archived. */
  needed: ReadonlyMap<string, boolean>;
};

/** The flags that need each flag, by its slug. */
export function neededBy(needing: readonly Needing[]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { slug, requires } of needing)
    for (const { flag } of requirementsOf(requires)) users.set(flag, [...(users.get(flag) ?? []), slug]);
  return users;
}

/**
 * Throws `conflict` for a flag of `removed`, which is deleted or archived, that others need, and `invalid` for a flag that
 * needs a missing or archived one, itself, or others more than `REQUIREMENT_LIMITS.depth` deep. The message names the path.
 */
export function requireSoundNeeds(
  { environment, needing, needed }: Needs,
  removed: ReadonlySet<string>,
): void {
  const users = removed.size > 0 ? neededBy(needing) : new Map<string, string[]>();
  for (const slug of removed) {
    const by = users.get(slug);
    if (by)
      throw new AppError("conflict", `"${slug}" is needed by ${namesOf(by)} in ${environment}`, {
        reason: "flag-needed",
        hint: "take it from what these flags need first: flags set FLAG --requires none",
      });
  }
  const requirements = new Map(needing.map(({ slug, requires }) => [slug, requirementsOf(requires)]));
  /** The longest path from each flag. */
  const paths = new Map<string, readonly string[]>();
  const follow = (slug: string, above: readonly string[]): readonly string[] => {
    const known = paths.get(slug);
    if (known) return known;
    const path = [...above, slug];
    if (above.includes(slug))
      throw refusal(`a flag cannot need itself: ${pathOf(path.slice(path.indexOf(slug)))}`);
    // One more than the limit: each flag below may be known already.
    if (above.length > REQUIREMENT_LIMITS.depth) throw tooDeep(path);
    let longest: readonly string[] = [];
    for (const { flag } of requirements.get(slug) ?? []) {
      const isArchived = needed.get(flag);
      if (isArchived !== false)
        throw refusal(
          `${pathOf([...path, flag])}: "${flag}" ${isArchived ? "is archived" : "does not exist"}`,
        );
      const below = follow(flag, path);
      if (below.length > longest.length) longest = below;
    }
    const own = [slug, ...longest];
    if (own.length > REQUIREMENT_LIMITS.depth + 1) throw tooDeep(own);
    paths.set(slug, own);
    return own;
  };
  for (const { slug } of needing) follow(slug, []);
}

/** Throws as {@link requireSoundNeeds} for what a flag would need. */
export async function requireNeedsOf(
  { flags }: Pick<FlagsStore, "flags">,
  { project, environment, flag }: FlagPlace,
  requires: string,
): Promise<void> {
  if (requires === "") return;
  const { needing, needed } = await flags.needs(project, environment);
  const own = await flags.among(
    project,
    environment,
    requirementsOf(requires).map((each) => each.flag),
  );
  const known = new Map([...needed, ...own.map(({ slug, archived }) => [slug, archived] as const)]);
  requireSoundNeeds(
    {
      environment,
      needing: [...needing.filter(({ slug }) => slug !== flag), { slug: flag, requires }],
      needed: known.set(flag, known.get(flag) ?? false),
    },
    new Set(),
  );
}

/** `new-cart > prices > currency`. */
function pathOf(path: readonly string[]): string {
  return path.join(" > ");
}

function tooDeep(path: readonly string[]): AppError {
  return refusal(`flags need one another at most ${REQUIREMENT_LIMITS.depth} deep: ${pathOf(path)}`);
}

function refusal(message: string): AppError {
  return new AppError("invalid", message, { reason: "requires-refused" });
}

/** Most flags that an error names. */
const NAMED = 20;

function namesOf(slugs: readonly string[]): string {
  const more = slugs.length - NAMED;
  return slugs.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
