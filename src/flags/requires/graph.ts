import { AppError } from "../../base/errors.ts";
import { REQUIREMENT_LIMITS } from "../limits.ts";
import { type Needs, neededBy, requirementsOf } from "./requirement.ts";

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
        hint: "change what these flags need first",
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

/** The first flags, and how many more there are: `search, sale and 3 more`. */
export function namesOf(slugs: readonly string[]): string {
  const more = slugs.length - NAMED;
  return slugs.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
