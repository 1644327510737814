import { parseArgs } from "node:util";
import { createPostgres } from "../../test/support/postgres/postgres-server.ts";

/**
 * Whether Bun.SQL gives every query its own answer while connections are ended: 24 callers repeat echo queries for a time,
 * while the backends of PostgreSQL are terminated every 200 ms. Exits with 1 at the first wrong answer.
 */

const HOSTILE = [
  "",
  "'",
  '"',
  "\\",
  "\\\\",
  "{}",
  '{"a",b}',
  "NULL",
  "null",
  "a,b",
  "$1",
  "%s",
  "\n\r\t",
  "\u0001",
  "\u202e",
  "é",
  "e\u0301",
  "\u{1f600}",
  "\ufeff",
  "x".repeat(20_000),
  "'; DROP TABLE x; --",
  '"};{"',
  "\\x00",
  "{NULL}",
  " leading",
  "trailing ",
];

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" } } });
const seconds = Number(values.seconds);
const server = await createPostgres();

const pool = (max: number, prepare = true) =>
  new Bun.SQL({
    adapter: "postgres",
    hostname: "127.0.0.1",
    port: server.port,
    username: "postgres",
    database: "postgres",
    tls: "disable",
    max,
    prepare,
    connectionTimeout: 5,
  });
const plain = pool(4);
const unprepared = pool(2, false);
const transactions = pool(4);
const killer = pool(1);

const counts = { answers: 0, transactions: 0, arrays: 0, wrong: 0, kills: 0, longest: 0 };
const errors = new Map<string, number>();
const until = performance.now() + seconds * 1000;
const isOver = () => performance.now() > until;
let question = 0;

function wrong(asked: unknown, answered: unknown): void {
  counts.wrong += 1;
  console.error("WRONG", JSON.stringify(asked)?.slice(0, 300), JSON.stringify(answered)?.slice(0, 300));
}

function text(n: number): string {
  return `${n}:${HOSTILE[n % HOSTILE.length]}`;
}

/** One of five shapes of query, so that the statements of a connection change. */
async function echo(sql: Bun.SQL, n: number): Promise<void> {
  const asked = text(n);
  switch (n % 5) {
    case 0: {
      const rows = await sql.unsafe("SELECT $1::text AS a, $2::bigint AS b, $3::boolean AS c", [
        asked,
        String(n),
        n % 2 === 0,
      ]);
      if (rows.length !== 1 || rows[0].a !== asked || rows[0].b !== String(n) || rows[0].c !== (n % 2 === 0))
        wrong([n, asked], rows);
      break;
    }
    case 1: {
      const rows = await sql.unsafe("SELECT $1::text AS x", [asked]);
      if (rows.length !== 1 || rows[0].x !== asked) wrong(asked, rows);
      break;
    }
    case 2: {
      const bytes = Buffer.from(asked);
      const rows = await sql.unsafe("SELECT $1::bytea AS y, $2::int AS n", [bytes, String(n)]);
      if (rows.length !== 1 || !bytes.equals(rows[0].y) || rows[0].n !== n) wrong(asked, rows);
      break;
    }
    case 3: {
      const list = Array.from({ length: 1 + (n % 40) }, (_, i) => text(n + i));
      const rows = await sql.unsafe(
        "SELECT t.v, t.i FROM unnest($1::text[]) WITH ORDINALITY t(v, i) ORDER BY t.i",
        [sql.array(list, "TEXT")],
      );
      if (rows.length !== list.length || list.some((value, i) => rows[i].v !== value)) wrong(list, rows);
      counts.arrays += 1;
      break;
    }
    default: {
      const rows = await sql.unsafe("SELECT i, $1::text AS z FROM generate_series(1, $2::int) i", [
        asked,
        String(n % 50),
      ]);
      if (rows.length !== n % 50 || rows.some((row: { z: string }) => row.z !== asked))
        wrong([n % 50, asked], rows);
    }
  }
  counts.answers += 1;
}

async function transaction(sql: Bun.SQL, n: number): Promise<void> {
  await sql.begin(async (tx) => {
    const [one] = await tx.unsafe("SELECT pg_backend_pid() AS pid, txid_current() AS tx, $1::text AS q", [
      `a${n}`,
    ]);
    await echo(tx, n);
    const [two] = await tx.unsafe("SELECT pg_backend_pid() AS pid, txid_current() AS tx, $1::text AS q", [
      `b${n}`,
    ]);
    if (one.pid !== two.pid || one.tx !== two.tx || one.q !== `a${n}` || two.q !== `b${n}`)
      wrong([n, one], two);
  });
  counts.transactions += 1;
}

function count(error: unknown): void {
  const { errno, code, message } = error as { errno?: string; code?: string; message: string };
  const name = errno ?? code ?? message;
  errors.set(name, (errors.get(name) ?? 0) + 1);
}

async function caller(kind: number): Promise<void> {
  let failing = 0;
  while (!isOver() && counts.wrong === 0) {
    const n = (question += 1);
    const began = performance.now();
    try {
      if (kind % 3 === 0) await transaction(transactions, n);
      else await echo(kind % 8 === 1 ? unprepared : plain, n);
      if (failing > 0) counts.longest = Math.max(counts.longest, performance.now() - failing);
      failing = 0;
    } catch (error) {
      count(error);
      failing ||= began;
      await Bun.sleep(1);
    }
    counts.longest = Math.max(counts.longest, performance.now() - began);
  }
}

async function kill(): Promise<void> {
  while (!isOver() && counts.wrong === 0) {
    await Bun.sleep(200);
    const rows = await killer.unsafe(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND $1::text <> '' ORDER BY random() LIMIT 2`,
      ["x"],
    );
    counts.kills += rows.length;
  }
}

const progress = setInterval(() => console.error(new Date().toISOString(), JSON.stringify(counts)), 30_000);
await Promise.all([...Array.from({ length: 24 }, (_, kind) => caller(kind)), kill()]);
clearInterval(progress);

/** Whether each pool still answers at once, on all its connections. */
let recovered = true;
for (const sql of [plain, unprepared, transactions]) {
  // A connection that was ended while idle fails the next query once.
  await Promise.allSettled(
    Array.from({ length: 16 }, () => sql.unsafe("SELECT pg_sleep($1::float8)", ["0.01"])),
  );
  const rest = await Promise.allSettled(Array.from({ length: 16 }, (_, n) => echo(sql, n)));
  recovered &&= rest.every(({ status }) => status === "fulfilled");
}
console.log(
  JSON.stringify(
    {
      seconds,
      ...counts,
      longest: Math.round(counts.longest),
      recovered,
      errors: Object.fromEntries(errors),
    },
    null,
    2,
  ),
);
await Promise.all([plain, unprepared, transactions, killer].map((sql) => sql.close({ timeout: 0 })));
await server.stop();
process.exitCode = counts.wrong > 0 || !recovered ? 1 : 0;
