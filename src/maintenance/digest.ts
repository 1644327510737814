import { AppError } from "../base/errors.ts";
import type { Batch, Dump, PortableValue } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** How many rows a table has, and 64 hex characters that any other rows would change. */
type TableDigest = { rows: number; sha256: string };

/** The digest of every table of a dump. */
export type Digests = Record<TableName, TableDigest>;

/** Sums are kept below this: they have as many bits as a SHA-256. */
const MODULUS = 1n << 256n;

/** Reads a dump to its end and returns the digest of every table. */
export async function digestOf(dump: Dump): Promise<Digests> {
  const digest = createDigest();
  for await (const batch of dump) digest.add(batch);
  return digest.result();
}

/**
 * Adds batches up to the digest of every table. It is the sum of the SHA-256 of each row, so that databases which order rows
 * in other ways have the same.
 */
export function createDigest(): { add: (batch: Batch) => void; result: () => Digests } {
  const sums = new Map(TABLE_NAMES.map((table) => [table, { rows: 0, sum: 0n }]));
  return {
    add({ table, rows }) {
      const entry = sums.get(table)!;
      entry.rows += rows.length;
      let sum = entry.sum;
      for (const row of rows) sum += BigInt(`0x${hashOf(row)}`);
      entry.sum = sum % MODULUS;
    },
    result() {
      const digests = [...sums].map(([table, { rows, sum }]) => [
        table,
        { rows, sha256: sum.toString(16).padStart(64, "0") },
      ]);
      return Object.fromEntries(digests) as Digests;
    },
  };
}

function hashOf(row: readonly PortableValue[]): string {
  const values = row.map((value) => (value instanceof Uint8Array ? { hex: value.toHex() } : value));
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest("hex");
}

/** The tables in which two digests differ. */
export function differingTables(left: Digests, right: Digests): TableName[] {
  return TABLE_NAMES.filter((table) => !Bun.deepEquals(left[table], right[table]));
}

/** Reads two dumps and returns their digests. Throws `conflict` if they differ. */
export async function requireEqual(original: Dump, copy: Dump): Promise<Digests> {
  return requireSame(await digestOf(original), await digestOf(copy));
}

/** Returns the first of two digests. Throws `conflict` if they differ. */
export function requireSame(original: Digests, copy: Digests): Digests {
  const tables = differingTables(original, copy);
  if (tables.length === 0) return original;
  throw new AppError("conflict", `the copy differs from the original in: ${tables.join(", ")}`, {
    reason: "copy-differs",
  });
}
