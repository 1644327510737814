import { AppError } from "../../base/errors.ts";
import type { FlagPlace, FlagRecord } from "../flag.ts";
import { parseRules } from "../rules/rules.ts";
import type { FlagsStore } from "../store.ts";
import { namesOf, requireSoundNeeds } from "./graph.ts";
import { type Requirement, requirementsOf } from "./requirement.ts";

/** Throws as `requireSoundNeeds` for what a flag would need, and as `requireKnownVariants` for what a patch asks for. */
export async function requireNeedsOf(
  store: Pick<FlagsStore, "flags">,
  { project, environment, flag }: FlagPlace,
  requires: string,
  asked: readonly Requirement[] | null = null,
): Promise<void> {
  if (requires === "") return;
  const { needing, needed } = await store.flags.needs(project, environment);
  const own = await neededIn(store, { project, environment }, requirementsOf(requires));
  const known = new Map([...needed, ...own.map(({ slug, archived }) => [slug, archived] as const)]);
  requireSoundNeeds(
    {
      environment,
      needing: [...needing.filter(({ slug }) => slug !== flag), { slug: flag, requires }],
      needed: known.set(flag, known.get(flag) ?? false),
    },
    new Set(),
  );
  requireVariants(asked ?? [], rulesOf(own));
}

/** Throws `invalid` for a variant that a needed flag does not have in an environment; one that does not exist is not looked at. */
export async function requireKnownVariants(
  store: Pick<FlagsStore, "flags">,
  place: Omit<FlagPlace, "flag">,
  requirements: readonly Requirement[],
): Promise<void> {
  if (requirements.every(({ variants }) => variants === undefined)) return;
  requireVariants(requirements, rulesOf(await neededIn(store, place, requirements)));
}

function neededIn(
  { flags }: Pick<FlagsStore, "flags">,
  { project, environment }: Omit<FlagPlace, "flag">,
  requirements: readonly Requirement[],
) {
  return flags.among(
    project,
    environment,
    requirements.map(({ flag }) => flag),
  );
}

function rulesOf(records: readonly FlagRecord[]): Map<string, string | null> {
  return new Map(records.map(({ slug, rules }) => [slug, rules]));
}

/**
 * Throws `conflict` if a change of the rules of a flag takes variants away that other flags need; the message names these
 * flags.
 */
export async function requireNeededVariants(
  store: Pick<FlagsStore, "flags">,
  { project, environment, flag }: FlagPlace,
  before: string | null,
  after: string | null,
): Promise<void> {
  const [known, left] = [before, after].map((rules) => (rules === null ? PLAIN : parseRules(rules).variants));
  const lost = (variant: string) => !isUnknownTo(known!)(variant) && isUnknownTo(left!)(variant);
  const { needing } = await store.flags.needs(project, environment);
  const broken = needing.flatMap(({ slug, requires }) =>
    requirementsOf(requires).flatMap((each) =>
      each.flag === flag && each.variants?.some(lost)
        ? [`${slug} (${each.variants.filter(lost).join()})`]
        : [],
    ),
  );
  if (broken.length > 0)
    throw new AppError(
      "conflict",
      `variants of "${flag}" that would go are needed by ${namesOf(broken)} in ${environment}`,
      { reason: "flag-needed", hint: "change what these flags need first" },
    );
}

/** Whether variants do not have one: `off` is false by any name. */
function isUnknownTo(variants: Readonly<Record<string, unknown>>): (variant: string) => boolean {
  const isOff = Object.values(variants).includes(false);
  return (each) => !Object.hasOwn(variants, each) && !(each === "off" && isOff);
}

const PLAIN = { on: true, off: false };

/** The same, by the rules of the flags. */
export function requireVariants(
  requirements: readonly Requirement[],
  rulesByFlag: ReadonlyMap<string, string | null>,
): void {
  for (const { flag, variants = [] } of requirements) {
    const rules = rulesByFlag.get(flag);
    if (rules === undefined) continue;
    const known = rules === null ? PLAIN : parseRules(rules).variants;
    const unknown = variants.find(isUnknownTo(known));
    if (unknown !== undefined)
      throw new AppError(
        "invalid",
        `"${unknown}" is not one of the variants of ${flag}: ${Object.keys(known).join(", ")}`,
        { reason: "requires-refused" },
      );
  }
}
