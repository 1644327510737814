import { AppError } from "../../base/errors.ts";
import { isHeld, newDefaultOf, type Ramp } from "../ramps/ramp.ts";
import { areBoolean, parseRules } from "../rules/rules.ts";
import { namesOf } from "./graph.ts";
import {
  type Needing,
  type Needs,
  type Requirement,
  requirementsOf,
  requirementTerms,
} from "./requirement.ts";
import { hasVariant, type NeedsCheck, variantsOf } from "./to-check.ts";

type RulesOf = (flag: string) => string | null;

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
  const { flags } = newlyOpen(needs, check);
  return [...new Set([...newlyNamed(needs, check).map(({ flag }) => flag), ...flags])];
}

/** The flags that others need without variants where their default is another one now, or where the need is new. */
function newlyOpen({ environment, needing }: Needs, { needing: newly, defaults }: NeedsCheck) {
  const here = defaults.get(environment);
  const open = needing.flatMap(({ slug, requires }) =>
    requirementsOf(requires)
      .filter(({ flag, variants }) => variants === undefined && (newly.has(slug) || here?.has(flag)))
      .map(({ flag }) => ({ slug, flag, requires })),
  );
  return { open, flags: [...new Set(open.map(({ flag }) => flag))] };
}

/** The flags whose ramps `requireOtherDefaults` has to know: their variants are not true and false. */
export function rampsToRead(needs: Needs, check: NeedsCheck, rulesOf: RulesOf): string[] {
  return newlyOpen(needs, check).flags.filter((flag) => {
    const rules = rulesOf(flag);
    return rules !== null && !areBoolean(parseRules(rules).variants);
  });
}

/**
 * Throws `conflict` for a variant that a ramp or a shipped experiment makes the default of a flag, in an environment, while
 * others need any but the default of it. `ramps` are those of the flags of `rampsToRead`.
 */
export function requireOtherDefaults(
  needs: Needs,
  check: NeedsCheck,
  ramps: ReadonlyMap<string, Ramp | undefined>,
): void {
  const { open } = newlyOpen(needs, check);
  for (const [flag, ramp] of ramps) {
    const coming = ramp && isHeld(ramp) ? newDefaultOf(ramp) : undefined;
    const variant = check.defaults.get(needs.environment)?.get(flag) ?? coming;
    const users = variant === undefined ? [] : open.filter((each) => each.flag === flag);
    const [first] = users;
    if (variant === undefined || first === undefined) continue;
    const terms = requirementTerms(
      requirementsOf(first.requires).map((each) =>
        each.flag === flag ? { flag, variants: [variant] } : each,
      ),
    );
    throw new AppError(
      "conflict",
      `"${variant}" becomes the default of "${flag}" in ${needs.environment}, and any variant but the default is needed by ${namesOf(users.map(({ slug }) => slug))}`,
      { reason: "variant-needed", hint: `let ${first.slug} need ${terms.join(" and ")} first` },
    );
  }
}

/**
 * Throws `conflict` for variants that flags lose in an environment, and that others need there, and `invalid` for a variant
 * that a flag newly needs of one that does not have it. `rulesOf` is the rules of flags as JSON text, null for plain ones.
 */
export function requireNeededVariants(needs: Needs, check: NeedsCheck, rulesOf: RulesOf): void {
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
