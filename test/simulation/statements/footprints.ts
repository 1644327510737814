import type { SQL } from "bun";

/** The tables that statements read, lock, share a lock of and write; what is written is read and locked too. */
export type Footprint = { reads: Set<string>; locks: Set<string>; shares: Set<string>; writes: Set<string> };

/** What a step of an order does: where it ends a transaction, what that has written becomes visible. */
export type Effect = Footprint & { commits: ReadonlySet<string> };

export type Footprints = {
  of: (sql: string) => Footprint;
  /** Of a statement that sees every table as of its own moment for what comes after it. */
  ofAll: () => Footprint;
};

export function noFootprint(): Footprint {
  return { reads: new Set(), locks: new Set(), shares: new Set(), writes: new Set() };
}

export function addFootprint(to: Footprint, { reads, locks, shares, writes }: Footprint): void {
  for (const each of reads) to.reads.add(each);
  for (const each of locks) to.locks.add(each);
  for (const each of shares) to.shares.add(each);
  for (const each of writes) to.writes.add(each);
}

/** Whether two steps may not change places: one waits for the other, or sees what it has written. */
export function areDependent(one: Effect, other: Effect): boolean {
  return (
    !one.commits.isDisjointFrom(other.reads) ||
    !other.commits.isDisjointFrom(one.reads) ||
    !one.locks.isDisjointFrom(other.locks) ||
    !one.locks.isDisjointFrom(other.shares) ||
    !one.shares.isDisjointFrom(other.locks)
  );
}

/** Whether operations touch nothing in common, so that no order of their statements matters. */
export function areApart(one: Footprint, other: Footprint): boolean {
  return !areDependent({ ...one, commits: one.writes }, { ...other, commits: other.writes });
}

type Reference = { child: string; parent: string; changes: boolean };

/**
 * Finds footprints by the names of tables in the text of a statement, which may be too many and is never too few. Foreign keys
 * share a lock of parents, and change or read children of what is deleted; triggers do what the text of their functions says.
 */
export async function readFootprints(sql: SQL): Promise<Footprints> {
  const tables: { name: string }[] = await sql.unsafe(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const references: Reference[] = await sql.unsafe(
    `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent, confdeltype IN ('c', 'n') AS changes
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  const triggers: { table: string; body: string }[] = await sql.unsafe(
    `SELECT tgrelid::regclass::text AS table, prosrc AS body FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
     WHERE NOT tgisinternal`,
  );
  const names = tables.map(({ name }) => name);
  const known = new Map<string, Footprint>();

  const write = (found: Footprint, table: string, isDeleted: boolean): void => {
    const isKnown = found.writes.has(table);
    for (const kind of [found.reads, found.locks, found.writes]) kind.add(table);
    for (const { child, parent, changes } of references) {
      if (child === table) for (const kind of [found.reads, found.shares]) kind.add(parent);
      if (parent !== table || !isDeleted) continue;
      found.reads.add(child);
      if (changes && !found.writes.has(child)) write(found, child, true);
    }
    if (!isKnown) for (const each of triggers) if (each.table === table) addFootprint(found, find(each.body));
  };
  const find = (text: string): Footprint => {
    const before = known.get(text);
    if (before) return before;
    const found = noFootprint();
    known.set(text, found);
    const words = new Set(text.match(/\w+/g));
    for (const name of names) if (words.has(name)) found.reads.add(name);
    for (const [, verb, table] of text.matchAll(/\b(INSERT INTO|UPDATE|DELETE FROM)\s+(?:public\.)?(\w+)/g))
      if (names.includes(table!)) write(found, table!, verb === "DELETE FROM");
    const kind = /\bFOR (?:NO KEY )?UPDATE\b/.test(text) ? found.locks : found.shares;
    if (/\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)\b/.test(text))
      for (const name of names) if (words.has(name)) kind.add(name);
    return found;
  };
  return { of: find, ofAll: () => ({ ...noFootprint(), reads: new Set(names) }) };
}
