/**
 * As `durable.ts`, but on PostgreSQL: with `batches` what arrives together is one statement, of which two are under way, as in
 * formflag; with `each` every submission is one, on ten connections, as in most services.
 */
const [port, url, how] = process.argv.slice(2);

const sql = new Bun.SQL({ url: url!, tls: "disable", max: how === "batches" ? 2 : 10 });
await sql.unsafe("CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, data TEXT)", []);

type Row = { id: string; data: string; stored: () => void };
const queue: Row[] = [];
let underway = 0;
let isScheduled = false;

const commit = async () => {
  isScheduled = false;
  if (queue.length === 0 || underway === 2) return;
  const rows = queue.splice(0, 500);
  underway += 1;
  const columns = [rows.map(({ id }) => id), rows.map(({ data }) => data)];
  await sql.unsafe(
    "INSERT INTO rows SELECT * FROM unnest($1::text[], $2::text[])",
    columns.map((column) => sql.array(column, "TEXT")),
  );
  underway -= 1;
  void commit();
  for (const { stored } of rows) stored();
};

const store = (id: string, data: string): Promise<unknown> => {
  if (how === "each") return sql.unsafe("INSERT INTO rows VALUES ($1, $2)", [id, data]);
  return new Promise<void>((stored) => {
    queue.push({ id, data, stored });
    if (isScheduled || underway === 2) return;
    isScheduled = true;
    setImmediate(() => void commit());
  });
};

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response();
    const id = Bun.randomUUIDv7();
    await store(id, JSON.stringify(await request.json()));
    return Response.json({ success: true, id });
  },
});
process.once("SIGTERM", () => void server.stop(true).then(() => process.exit(0)));
