import { type FlagRecord, type FlagValues, isOn } from "../flag.ts";
import type { FlagsApp } from "../store.ts";
import { createInlining } from "./inlined.ts";

type Place = { project: string; environment: string };

/**
 * The flags that are off for everyone once some are changed, and were not, in the order of their slugs, because they need what
 * is turned off or a variant that is not served any more, also through others. Not among them is what is off already, or is changed itself. Throws `not_found`.
 */
export async function turnedOffBy(
  { store, now }: Pick<FlagsApp, "store" | "now">,
  { project, environment }: Place,
  changed: ReadonlyMap<string, Pick<FlagRecord, keyof FlagValues>>,
): Promise<string[]> {
  const { needed } = await store.flags.needs(project, environment);
  if (![...changed.keys()].some((slug) => needed.has(slug))) return [];
  const records = await (await store.flags.selectIn(project, environment)).flags();
  const at = now();
  const [before, after] = [records, records.map((record) => changed.get(record.slug) ?? record)].map((all) =>
    offIn(all.map((record) => ({ ...record, enabled: isOn(record, at) }))),
  ) as [Set<string>, Set<string>];
  return [...after].filter((slug) => !before.has(slug) && !changed.has(slug)).toSorted();
}

/** The flags that are off for everyone. */
function offIn(records: readonly FlagValues[]): Set<string> {
  const { conditionOf } = createInlining(records, null);
  const isOff = (record: FlagValues) =>
    !record.enabled || (record.requires !== "" && conditionOf(record) === false);
  return new Set(records.filter(isOff).map(({ slug }) => slug));
}

/** Most flags that a sentence names. */
const NAMED = 10;

/** `turns off 3 more: search, sale, banner`; null for none. */
export function turnedOffInWords(slugs: readonly string[]): string | null {
  if (slugs.length === 0) return null;
  const more = slugs.length > NAMED ? " …" : "";
  return `turns off ${slugs.length} more: ${slugs.slice(0, NAMED).join(", ")}${more}`;
}
