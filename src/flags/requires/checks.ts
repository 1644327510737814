import { AppError } from "../../base/errors.ts";
import type { FlagPlace, FlagRecord } from "../flag.ts";
import { parseRules } from "../rules/rules.ts";
import type { FlagsStore } from "../store.ts";
import { requireSoundNeeds } from "./graph.ts";
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
    const isOff = Object.values(known).includes(false);
    const unknown = variants.find((each) => !Object.hasOwn(known, each) && !(each === "off" && isOff));
    if (unknown !== undefined)
      throw new AppError(
        "invalid",
        `"${unknown}" is not one of the variants of ${flag}: ${Object.keys(known).join(", ")}`,
        { reason: "requires-refused" },
      );
  }
}
