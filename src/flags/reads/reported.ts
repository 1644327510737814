import { DAY_MS, hourOf } from "../../base/days.ts";
import type { FlagsApp } from "../store.ts";
import type { Tally } from "./tally.ts";

/** How often flags and payloads were evaluated to each variant, under an id by which they count once. */
export type ReadCounts = { id: string; reads: Record<string, Record<string, number>> };

/** The flag that a key of a file reads, and the variants of the key. */
export type ReadableFlags = ReadonlyMap<string, { slug: string; variants: ReadonlySet<string> }>;

/** The flags in a file for the providers of this product. */
export function flagsIn(text: string): ReadableFlags {
  type File = { flags: Record<string, { variants: object; formflag?: { payloadOf?: string } }> };
  const { flags } = JSON.parse(text) as File;
  return new Map(
    Object.entries(flags).map(([key, { variants, formflag }]) => [
      key,
      { slug: formflag?.payloadOf ?? key, variants: new Set(["", ...Object.keys(variants)]) },
    ]),
  );
}

/** Counts reads in the process of an application, each once; those of flags and variants that are not there are ignored. */
export async function countReads(
  { store, now }: FlagsApp,
  { id, reads }: ReadCounts,
  { environmentKey, client, flags }: { environmentKey: string; client: string; flags: ReadableFlags },
): Promise<void> {
  const [at, tallies] = [now(), [] as Tally[]];
  const marks = new Map<string, { environmentKey: string; slug: string; at: number }>();
  const add = (kind: Tally["kind"], what: string, variant: string, count: number) =>
    tallies.push({ kind, hour: hourOf(at), what, variant, count });
  let all = 0;
  for (const [key, variants] of Object.entries(reads)) {
    const flag = flags.get(key);
    if (!flag) continue;
    const counts = Object.entries(variants).filter(([variant]) => flag.variants.has(variant));
    const what = `${environmentKey}/${flag.slug}`;
    const sum = counts.reduce((sum, [, count]) => sum + count, 0);
    if (sum === 0) continue;
    all += sum;
    marks.set(flag.slug, { environmentKey, slug: flag.slug, at });
    add("flagReads", what, "", sum);
    add("clients", what, client, sum);
    // As over OFREP, payloads have no variants that are counted.
    if (key === flag.slug) for (const [variant, count] of counts) add("served", what, variant, count);
  }
  if (all === 0) return;
  add("reads", environmentKey, "one", all);
  await store.tallies.add(tallies, { id: `${environmentKey}/${id}`, at, expiresAt: at + DAY_MS });
  await store.flags.markRead([...marks.values()]);
}
