import type { Outcome } from "../outcome.ts";

/** A write in the form that is sent to the writer thread, by its name here or in `writesOf`. */
export type Write = { name: string; args: unknown[] };

/** Whether a write cannot be part of a transaction: it has to be the only one of its batch. */
export function standsAlone({ name }: Write): boolean {
  return name === "rewriteFile";
}

export const [COUNT, TAKE] = ["measurements.count", "measurements.take"];

/** Whether a write does nothing but measure visitors. */
export function measures({ name }: Write): boolean {
  return name === COUNT || name === TAKE;
}

/**
 * A batch for the writer thread. Submissions without files and visitors of experiments, by far the most frequent writes,
 * travel as one text, which takes half the time of objects (`npm run bench -- submissions`). The texts of a large change
 * travel as a list, which the runtime passes on without copying; it would copy texts inside other values all at once. Any
 * other batch travels unchanged.
 */
export type PackedBatch = string | string[] | Write[];

/** Never part of an argument: JSON escapes it, and ids and keys have no control characters. */
const SEPARATOR = "\0";

const INSERT = "insertSubmission";
const TEXTS = "applyTexts";
const NO_DELIVERIES: readonly unknown[] = [];

/** Whether a write has to be the only one of its batch on the way. */
export function travelsAlone(write: Write): boolean {
  return write.name === TEXTS || standsAlone(write);
}

export function packBatch(writes: Write[]): PackedBatch {
  if (writes[0]?.name === TEXTS) {
    const [texts, ...rest] = writes[0].args;
    return [JSON.stringify(rest), ...(texts as string[])];
  }
  const fields: unknown[] = [];
  for (const write of writes) {
    if (measures(write)) {
      // In place of an id, which is never empty. The arguments are JSON.
      fields.push("", write.name, JSON.stringify(write.args));
      continue;
    }
    if (write.name !== INSERT) return writes;
    const [id, formKey, data, createdAt, files, conditions, deliveries, meta, flags, measured] = write.args;
    if ((files as unknown[]).length > 0) return writes;
    fields.push(id, formKey, data, createdAt);
    fields.push(conditions === null ? "" : JSON.stringify(conditions));
    fields.push(
      (deliveries as unknown[]).length === 0 ? "" : JSON.stringify(deliveries),
      meta ?? "",
      flags ?? "",
      measured === null ? "" : JSON.stringify(measured),
    );
  }
  return fields.join(SEPARATOR);
}

export function unpackBatch(batch: PackedBatch): Write[] {
  if (typeof batch !== "string") return isTexts(batch) ? [unpackTexts(batch)] : batch;
  const fields = batch.split(SEPARATOR);
  const writes: Write[] = [];
  for (let at = 0; at < fields.length;) {
    if (fields[at] === "") {
      writes.push({ name: fields[at + 1]!, args: JSON.parse(fields[at + 2]!) as unknown[] });
      at += 3;
      continue;
    }
    const own = fields.slice(at, at + 9);
    const [id, formKey, data, createdAt, conditions, deliveries, meta, flags, measured] = own;
    at += own.length;
    const parsedConditions: unknown = conditions === "" ? null : JSON.parse(conditions!);
    const parsedDeliveries: unknown = deliveries === "" ? NO_DELIVERIES : JSON.parse(deliveries!);
    const args = [id, formKey, data, Number(createdAt), [], parsedConditions, parsedDeliveries];
    args.push(meta || null, flags || null, (measured === "" ? null : JSON.parse(measured!)) as never);
    writes.push({ name: INSERT, args });
  }
  return writes;
}

function isTexts(batch: string[] | Write[]): batch is string[] {
  return typeof batch[0] === "string";
}

function unpackTexts([rest, ...texts]: string[]): Write {
  return { name: TEXTS, args: [texts, ...(JSON.parse(rest!) as unknown[])] };
}

/** The outcomes of a batch as JSON, which takes a third of the time of objects; empty if every write returned nothing. */
export function packOutcomes(outcomes: Outcome[]): string {
  return outcomes.every((each) => each.ok && each.value === undefined) ? "" : JSON.stringify(outcomes);
}

export function unpackOutcomes(packed: string, count: number): Outcome[] {
  if (packed !== "") return JSON.parse(packed) as Outcome[];
  return Array.from({ length: count }, () => DONE);
}

const DONE: Outcome = { ok: true, value: undefined };
