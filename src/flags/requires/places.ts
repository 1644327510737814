import type { FlagValues } from "../flag.ts";
import { areBoolean, type FlagRules, parseRules } from "../rules/rules.ts";
import { type Requirement, requirementsOf } from "./requirement.ts";

/** Needs of the flags of an environment, which its services and their later snapshots share. */
export type SharedNeeds = { graph: Graph | undefined };

/** Flags by their places, with what each needs as of a stored text: the same as long as there are the same flags in the same order. */
type Graph = {
  slugs: readonly string[];
  places: ReadonlyMap<string, number>;
  texts: string[];
  needs: (readonly Need[])[];
};

/** A needed flag. A plain one fulfils the need on, off, or both; one with rules by some of its variants. */
export type Need = {
  flag: string;
  /** Undefined for a missing flag. */
  at: number | undefined;
  byOn: boolean;
  byOff: boolean;
  requirement: Requirement;
  /** The variants that fulfil it, as of the rules of the needed flag. */
  accepted: readonly string[];
  acceptedOf: string | null;
};

/** The places of flags, and what the flag at a place needs. */
export function placesOf(records: readonly FlagValues[], shared: SharedNeeds) {
  let own: Graph | undefined;
  const graph = (): Graph => (own ??= shared.graph = graphOf(records, shared.graph));
  /** Most flags are asked for in their order. */
  let next = 0;
  const placeOf = (record: FlagValues): number | undefined => {
    const at = records[next] === record ? next : graph().places.get(record.slug);
    if (at !== undefined) next = at + 1;
    return at;
  };
  const needsOf = (at: number): readonly Need[] => {
    const { needs, texts, places } = own ?? graph();
    const { requires } = records[at]!;
    if (texts[at] !== requires) {
      needs[at] = requirementsOf(requires).map((each) => needOf(each, places.get(each.flag)));
      texts[at] = requires;
    }
    return needs[at]!;
  };
  /** The flags that a flag needs, and that these need. */
  const below = function* (record: FlagValues): Iterable<FlagValues> {
    const first = record.requires === "" ? undefined : placeOf(record);
    const seen = new Set(first === undefined ? [] : [first]);
    for (const each of seen)
      for (const { at } of needsOf(each)) {
        if (at === undefined || seen.has(at)) continue;
        seen.add(at);
        yield records[at]!;
      }
  };
  return { placeOf, needsOf, below };
}

/** The variants with which a flag of these rules fulfils a need. */
export function acceptedBy(need: Need, rules: string): readonly string[] {
  if (need.acceptedOf === rules) return need.accepted;
  need.accepted = acceptedOf(parseRules(rules), need.requirement);
  need.acceptedOf = rules;
  return need.accepted;
}

/** The variants with which a needed flag fulfils a requirement. */
export function variantsFor(requirement: Requirement, { rules }: FlagValues): readonly string[] {
  if (rules === null) return requirement.variants ?? ["on"];
  return acceptedOf(parseRules(rules), requirement);
}

/** The variants of a flag that fulfil a requirement: the named ones, otherwise the ones with the value true, or any but its default. */
export function acceptedOf(
  { variants, defaultVariant }: FlagRules,
  { variants: wanted }: Requirement,
): string[] {
  const isBoolean = areBoolean(variants);
  const takes = ([name, value]: [string, unknown]) => {
    if (wanted) return wanted.includes(name) || (value === false && wanted.includes("off"));
    return isBoolean ? value === true : name !== defaultVariant;
  };
  return Object.entries(variants).flatMap((each) => (takes(each) ? [each[0]] : []));
}

/** The graph of some flags, which is the one before if it has the same. */
function graphOf(records: readonly FlagValues[], before: Graph | undefined): Graph {
  const isSame =
    before?.slugs.length === records.length && records.every(({ slug }, at) => slug === before.slugs[at]);
  if (isSame) return before;
  const slugs = records.map(({ slug }) => slug);
  const places = new Map(slugs.map((slug, at) => [slug, at]));
  return { slugs, places, texts: slugs.map(() => ""), needs: slugs.map(() => []) };
}

function needOf(requirement: Requirement, at: number | undefined): Need {
  const { flag, variants = ["on"] } = requirement;
  const [byOn, byOff] = [variants.includes("on"), variants.includes("off")];
  return { flag, at, byOn, byOff, requirement, accepted: [], acceptedOf: null };
}
