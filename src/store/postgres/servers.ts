import type { Servers } from "../../maintenance/store.ts";
import { type Work, all, run } from "../sql/work.ts";
import type { Connections, Query } from "./connection.ts";
import type { Units } from "./run.ts";

/** Milliseconds after which a server counts as gone that has not renewed its row. */
const GONE_MS = 150_000;

/** Milliseconds since 1970 by the clock of the database: those of the servers may differ. */
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const LIST = `SELECT facts FROM servers WHERE seen_at > ${NOW} - ${GONE_MS} ORDER BY seen_at DESC, id`;

/** The channel on which commands wake servers. */
const CHANNEL = "formflag";

export function createServers(
  { single, read }: Pick<Units, "single" | "read">,
  { listen }: Pick<Connections, "listen">,
): Servers {
  return {
    note: (id, facts) => single(() => note(Buffer.from(id, "hex"), facts)),
    forget: (id) =>
      single(function* () {
        yield* run("DELETE FROM servers WHERE id = $id", { id: Buffer.from(id, "hex") });
      }),
    list: () =>
      read(function* () {
        return (yield* all<{ facts: string }>(LIST)).map(({ facts }) => facts);
      }),
    wake: () =>
      single(function* () {
        yield* run("SELECT pg_notify($channel, '')", { channel: CHANNEL });
      }),
    listen: (woken) => listen(CHANNEL, woken),
  };
}

function* note(id: Buffer, facts: string): Work<void> {
  yield* run(
    `WITH gone AS (DELETE FROM servers WHERE seen_at <= ${NOW} - ${GONE_MS} AND id <> $id)
     INSERT INTO servers (id, facts, seen_at) VALUES ($id, $facts, ${NOW})
     ON CONFLICT (id) DO UPDATE SET facts = excluded.facts, seen_at = excluded.seen_at`,
    { id, facts },
  );
}

/** As `list` of {@link Servers}, for an inspection; none in a schema of before. */
export async function listServers(query: Query): Promise<string[]> {
  const { rows } = await query("SELECT to_regclass('servers') IS NOT NULL AS known");
  if (rows[0]?.["known"] !== true) return [];
  return (await query(LIST)).rows.map(({ facts }) => String(facts));
}
