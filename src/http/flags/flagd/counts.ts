import type { App } from "../../../app.ts";
import { DAY_MS, hourOf } from "../../../base/days.ts";
import { KiB, formatBytes } from "../../../base/bytes.ts";
import { AppError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { Tally } from "../../../flags/reads/tally.ts";
import { readJson, refuseAbandoned } from "../../body.ts";
import { idempotencyKeyOf } from "../../idempotency-key.ts";

/** Bytes, and flags, of a request, which is one transaction. */
const MAX_BODY = 256 * KiB;
const MAX_FLAGS = 1000;
/** How often a value was read at most: the sum of all is still a number. */
const MOST_READS = 1e9;

/** How often flags and payloads were evaluated to each variant, under an id by which they count once. */
export type ReadCounts = { id: string; reads: Record<string, Record<string, number>> };

/** The flag that a key of a file reads, and the variants of the key. */
export type ReadableFlags = ReadonlyMap<string, { slug: string; variants: ReadonlySet<string> }>;

/** Reads what a provider has counted: `{"reads":{"<flag>":{"<variant>":<count>}}}`. Throws `invalid`, `too_large`. */
export async function readCounts(request: Request): Promise<ReadCounts> {
  const id = idempotencyKeyOf(request);
  if (id === null) throw new AppError("invalid", "the header Idempotency-Key is missing");
  const tooLarge = () => new AppError("too_large", `a request has at most ${formatBytes(MAX_BODY)}`);
  const broken = (message: string) => new AppError("invalid", message);
  const reads = await readJson(request, MAX_BODY, { tooLarge, broken }, (body) => {
    const given = isObject(body) && isObject(body["reads"]) ? body["reads"] : null;
    if (given && Object.keys(given).length > MAX_FLAGS)
      throw new AppError("too_large", `a request counts reads of at most ${MAX_FLAGS} flags`);
    if (given && areCounts(given)) return given;
    throw broken('the body is {"reads":{"<flag>":{"<variant>":<count>}}}');
  });
  await refuseAbandoned(request);
  return { id, reads };
}

function areCounts(reads: Record<string, unknown>): reads is ReadCounts["reads"] {
  const isCount = (count: unknown) =>
    Number.isInteger(count) && Number(count) > 0 && Number(count) <= MOST_READS;
  return Object.values(reads).every((counts) => isObject(counts) && Object.values(counts).every(isCount));
}

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
  { store, now }: App,
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
