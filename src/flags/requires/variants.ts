import { AppError } from "../../base/errors.ts";
import { parseRules } from "../rules/rules.ts";
import { namesOf } from "./graph.ts";
import { type Needing, type Needs, type Requirement, requirementsOf } from "./requirement.ts";
import { hasVariant, type NeedsCheck, variantsOf } from "./to-check.ts";

type NamedNeeds = { slug: string; flag: string; variants: string[] };

/** The variants that flags newly need. */
function newlyNamed({ needing }: Pick<Needs, "needing">, check: NeedsCheck): NamedNeeds[] {
  return namedBy(needing.filter(({ slug }) => check.needing.has(slug)));
}

function namedBy(needing: readonly Needing[]): NamedNeeds[] {
  const named = ({ flag, variants }: Requirement, slug: string) =>
    variants === undefined ? [] : [{ slug, flag, variants }];
  return needing.flatMap(({ slug, requires }) =>
    requirementsOf(requires).flatMap((each) => named(each, slug)),
  );
}

/** The flags whose rules `requireNeededVariants` has to know. */
export function flagsToRead(needs: Needs, check: NeedsCheck): string[] {
  return [...new Set(newlyNamed(needs, check).map(({ flag }) => flag))];
}

/**
 * Throws `conflict` for variants that flags lose in an environment, and that others need there, and `invalid` for a variant
 * that a flag newly needs of one that does not have it. `rulesOf` is the rules of flags as JSON text, null for plain ones.
 */
export function requireNeededVariants(
  needs: Needs,
  check: NeedsCheck,
  rulesOf: (flag: string) => string | null,
): void {
  const { environment, needing } = needs;
  for (const { slug, flag, variants } of newlyNamed(needs, check)) {
    const rules = rulesOf(flag);
    const known = variantsOf(rules === null ? null : parseRules(rules));
    const unknown = variants.find((each) => !hasVariant(known, each));
    if (unknown !== undefined)
      throw new AppError(
        "invalid",
        `"${unknown}", which ${slug} needs in ${environment}, is not one of the variants of ${flag}: ${Object.keys(known).join(", ")}`,
        { reason: "requires-refused", hint: "name one of these, or change both flags at once" },
      );
  }
  const lost = check.lost.get(environment) ?? new Map<string, readonly string[]>();
  const named = lost.size > 0 ? namedBy(needing) : [];
  const broken = Map.groupBy(
    named.flatMap(({ slug, flag, variants }) => {
      const gone = variants.filter((each) => lost.get(flag)?.includes(each));
      return gone.length > 0 ? [{ flag, user: `${slug} (${gone.join()})` }] : [];
    }),
    ({ flag }) => flag,
  );
  for (const [flag, users] of broken)
    throw new AppError(
      "conflict",
      `variants of "${flag}" that would go are needed by ${namesOf(users.map(({ user }) => user))} in ${environment}`,
      {
        reason: "variant-needed",
        hint: "keep these variants, or first change what these flags need",
      },
    );
}
