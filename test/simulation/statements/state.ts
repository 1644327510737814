import type { SQL } from "bun";

type Column = { name: string; isIdentity: boolean; parent: string | null };
type Table = { name: string; columns: Column[] };

/** What a database held once, and what it holds now. */
export type State = {
  /** Puts everything back to when this was made. */
  reset: () => Promise<void>;
  /** Every row of every table, with names in place of numbers that the database gives, which depend on what was taken back. */
  read: () => Promise<string>;
  vacuum: () => Promise<void>;
};

/** The name and the key of a deleted form, and the id of an event, which are random; so are the stamps of changes. */
const RANDOM = /\b(?:[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

export async function keepState(sql: SQL): Promise<State> {
  const tables = await tablesOf(sql);
  await sql.unsafe("CREATE SCHEMA kept");
  for (const { name } of tables)
    await sql.unsafe(`CREATE TABLE kept.${name} AS SELECT * FROM public.${name}`);
  await sql.unsafe("SET session_replication_role = replica");
  const all = tables.map(
    ({ name }) => `SELECT '${name}' AS name, row_to_json(t)::text AS row FROM public.${name} t`,
  );
  // Planned once.
  await sql.unsafe(`PREPARE state AS ${all.join(" UNION ALL ")}`);
  const rowsOf = async () => {
    const rows: { name: string; row: string }[] = await sql.unsafe("EXECUTE state");
    return Map.groupBy(rows, ({ name }) => name);
  };
  const textOf = (rows: { row: string }[] = []) =>
    rows
      .map(({ row }) => row)
      .toSorted()
      .join("\n");
  const kept = await rowsOf();
  /** What was read last, until it is put back. */
  let present: typeof kept | undefined;
  return {
    async reset() {
      const now = present ?? (await rowsOf());
      present = undefined;
      const changed = tables.filter(({ name }) => textOf(now.get(name)) !== textOf(kept.get(name)));
      if (changed.length === 0) return;
      const back = changed.map(
        ({ name }) => `DELETE FROM public.${name}; INSERT INTO public.${name} SELECT * FROM kept.${name}`,
      );
      await sql.unsafe(back.join(";\n")).simple();
    },
    async read() {
      present = await rowsOf();
      return named(tables, present);
    },
    async vacuum() {
      await sql.unsafe(`VACUUM ${tables.map(({ name }) => name).join()}`);
    },
  };
}

function named(tables: Table[], rows: Map<string, { row: string }[]>): string {
  const names = new Map<string, string>();
  const lines: string[] = [];
  const notices = noticesIn(rows);
  for (const { name, columns } of tables) {
    const own = (rows.get(name) ?? []).map(({ row }) => {
      const values = JSON.parse(row) as Record<string, unknown>;
      const id = columns.find(({ isIdentity }) => isIdentity)?.name;
      const shown = columns.flatMap(({ name, parent }) => {
        if (name === id || name === "stamps") return [];
        const value = notices.get(values[name]) ?? values[name];
        return [[name, parent === null ? value : (names.get(`${parent} ${String(value)}`) ?? value)]];
      });
      const text = `${name} ${JSON.stringify(Object.fromEntries(shown))}`.replaceAll(RANDOM, "random");
      if (id !== undefined) names.set(`${name} ${String(values[id])}`, Bun.hash(text).toString(36));
      return text;
    });
    lines.push(...own.toSorted());
  }
  return lines.join("\n");
}

/** Names of deliveries of notices, whose ids are random, by what they say to whom. */
function noticesIn(rows: Map<string, { row: string }[]>): Map<unknown, string> {
  const of = (table: string) =>
    (rows.get(table) ?? []).map(({ row }) => JSON.parse(row) as Record<string, unknown>);
  const bodies = Map.groupBy(of("notice_bodies"), ({ delivery }) => delivery);
  const own = of("deliveries").filter(({ submission_seq: seq }) => seq === null);
  return new Map(
    own.map(({ id, target }) => {
      const said = (bodies.get(id) ?? []).map(({ number, body }) => `${String(number)} ${String(body)}`);
      return [id, Bun.hash(JSON.stringify([target, said.toSorted()])).toString(36)];
    }),
  );
}

/** The tables, parents first. */
async function tablesOf(sql: SQL): Promise<Table[]> {
  const rows: { table: string; column: string; identity: boolean; parent: string | null }[] =
    await sql.unsafe(
      `SELECT c.relname AS table, a.attname AS column, a.attidentity <> '' AS identity,
            (SELECT confrelid::regclass::text FROM pg_constraint k
             WHERE k.contype = 'f' AND k.conrelid = c.oid AND k.conkey = ARRAY[a.attnum]) AS parent
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'formflag_migrations'
     ORDER BY c.relname, a.attnum`,
    );
  const left = [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column, identity, parent }) => ({ name: column, isIdentity: identity, parent })),
  }));
  const sorted: Table[] = [];
  while (left.length > 0) {
    const index = left.findIndex(({ name, columns }) =>
      columns.every(
        ({ parent }) => parent === null || parent === name || sorted.some((each) => each.name === parent),
      ),
    );
    sorted.push(...left.splice(Math.max(index, 0), 1));
  }
  return sorted;
}
