import { join } from "node:path";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { type RunningServer, runExecutable, startServer } from "../support/executable.ts";
import { openMailSink } from "../support/peers/mail-sink.ts";
import { IS_POSTGRES_HERE, databaseOf, execute, freshDatabase } from "../support/postgres/postgres.ts";
import { tempDirectory } from "../support/temp.ts";

const WELCOMES = 2000;

/** A mail server that accepts a recipient once it is let go, in the order in which they came. */
async function openHeldSink() {
  const held: { to: string; go: () => void }[] = [];
  const sink = await openMailSink({
    onRcptTo: ({ address }, _, done) => void held.push({ to: address, go: () => done(null) }),
  });
  return { held, port: sink.port };
}

type Storing = {
  env: Record<string, string>;
  data: string | null;
  change: (sql: string) => Promise<unknown>;
};

async function onPostgres(): Promise<Storing> {
  const url = await freshDatabase();
  const change = (sql: string) => execute(sql, { database: databaseOf(url) });
  return { env: { FORMFLAG_DATABASE_URL: url }, data: null, change };
}

async function onSqlite(): Promise<Storing> {
  const data = tempDirectory();
  const change = async (sql: string) => {
    using db = new Database(join(data, "formflag.db"));
    db.run("PRAGMA busy_timeout = 5000");
    db.run(sql);
  };
  return { env: { FORMFLAG_DATA: data }, data, change };
}

describe.each([
  ["a server on SQLite", 1, onSqlite],
  ...(IS_POSTGRES_HERE ? [["two servers on PostgreSQL", 2, onPostgres] as const] : []),
] as const)("of %s", (_, count, storing) => {
  test("mail that a person waits for goes before thousands of welcomes, also after a kill", async () => {
    const { env, data, change } = await storing();
    const { held, port } = await openHeldSink();
    const args = ["--smtp-url", `smtp://127.0.0.1:${port}?starttls=off`, "--mail-from", "f@example.com"];
    const start = () => startServer(args, { env, data });
    const servers: RunningServer[] = [];
    while (servers.length < count) servers.push(await start());
    const run = async (args: string[], stdin?: string) => {
      const { code, stdout, stderr } = await runExecutable(args, {
        env,
        ...(stdin !== undefined && { stdin }),
      });
      if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${stderr}`);
      return stdout;
    };
    await run(["projects", "create", "shop"]);
    const created = await run([
      "forms",
      "create",
      "beta",
      "-p",
      "shop",
      "--notify",
      "ops@example.com",
      "--json",
    ]);
    const { key } = JSON.parse(created) as { key: string };
    const rows = Array.from({ length: WELCOMES }, (_, n) => JSON.stringify({ email: `p${n}@example.com` }));
    await run(["submissions", "import", "beta", "-"], rows.join("\n"));
    const place = ["-p", "shop", "-e", "production", "--yes"];
    const source = [
      "--from-form",
      "beta",
      "--field",
      "email",
      "--approve",
      "on",
      "--welcome",
      "# Hi\n\nYou are in.",
    ];
    await run(["segments", "set", "readers", ...place, ...source]);
    await run(["segments", "approve", "readers", "--all", ...place]);
    // Instead of the minute in which an approval can be taken back.
    await change("UPDATE deliveries SET due_at = due_at - 60000 WHERE kind = 'welcome'");
    /** Lets mails go until one goes to an address; returns how many went before it. */
    const mailsBefore = async (address: string) => {
      for (let before = 0; ; before += 1) {
        await eventually("the next mail", () => held.length > 0);
        const { to, go } = held.shift()!;
        go();
        if (to === address) return before;
      }
    };
    const submit = async (server: RunningServer) => {
      const body = new URLSearchParams({ text: "hello" });
      expect((await fetch(`${server.url}/v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
    };
    await eventually("the first welcomes", () => held.length === 2 * count);
    await submit(servers.at(-1)!);
    expect(await mailsBefore("ops@example.com")).toBeLessThan(10);
    await eventually("welcomes again", () => held.length === 2 * count);
    await submit(servers.at(-1)!);
    await servers[0]!.stop("SIGKILL");
    servers[0] = await start();
    expect(await mailsBefore("ops@example.com")).toBeLessThan(10);
    for (const server of servers) await server.stop();
  }, 120_000);
});
