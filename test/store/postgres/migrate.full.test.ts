import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "bun:test";
import { DASHED_KEY, timedId } from "../../../src/base/ids.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { describeDatabase, parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { type Migrate, migrate, MIGRATIONS } from "../../../src/store/postgres/migrate.ts";
import {
  databaseOf,
  emptyDatabase,
  execute,
  foreignDatabase,
  freshDatabase,
  IS_POSTGRES_HERE,
  newerDatabase,
} from "../../support/postgres/postgres.ts";
import { formflag } from "../../support/commands.ts";
import { NOW, random } from "../../support/records/records.ts";

const FOREIGN_ID = "00f47ac1-58cc-4372-a567-0e02b2c3d479";

/** As another process would. */
async function start(url: string, when?: Migrate, migrations?: readonly string[]): Promise<void> {
  const address = parseDatabaseUrl(url);
  const connections = createConnections(address);
  try {
    await migrate(connections, describeDatabase(address), when, migrations);
  } finally {
    await connections.close();
  }
}

describe.skipIf(!IS_POSTGRES_HERE)("the schema of PostgreSQL", () => {
  test("is made once by three processes that start at once", async () => {
    const url = await emptyDatabase();
    await Promise.all([start(url), start(url), start(url)]);
    const database = databaseOf(url);
    expect(await execute("SELECT id, schema, live FROM formflag_meta", { database })).toEqual([
      { id: 1, schema: MIGRATIONS.length, live: 1 },
    ]);
    expect(await execute("SELECT version FROM setup_version", { database })).toEqual([{ version: "0" }]);
  });

  test("of an older release is migrated once, with its rows", async () => {
    const url = await emptyDatabase();
    await start(url, "auto", ["CREATE TABLE one (id INTEGER)"]);
    const next = [
      "CREATE TABLE one (id INTEGER)",
      "INSERT INTO one (id) VALUES (1); ALTER TABLE one ADD COLUMN two INTEGER",
    ];
    await Promise.all([start(url, "auto", next), start(url, "auto", next), start(url, "auto", next)]);
    expect(await execute("SELECT * FROM one", { database: databaseOf(url) })).toEqual([{ id: 1, two: null }]);
  });

  test("of the release before foreign ids has some where a submission has the id of another time", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    await start(url, "auto", MIGRATIONS.slice(0, 1));
    const ids = [timedId(NOW - 3_600_000, 0, random(8)), timedId(NOW - 3_600_001, 0, random(8)), FOREIGN_ID];
    for (const [at, id] of ids.entries()) {
      const columns = "id, slug, name, key, enabled, uploads, allowed_origins, blocked_senders";
      await execute(
        `INSERT INTO forms (${columns}, created_at, updated_at)
         VALUES (${at}, 'f${at}', 'F', 'k${at}', 1, 0, '[]', '[]', 1, 1)`,
        { database },
      );
      const bytes = `decode('${id.replaceAll("-", "")}', 'hex')`;
      await execute(
        `INSERT INTO submissions (id, form_id, data, created_at) VALUES (${bytes}, ${at}, '{}', ${NOW})`,
        { database },
      );
    }
    await start(url);
    expect(await execute("SELECT foreign_ids FROM forms ORDER BY id", { database })).toEqual([
      { foreign_ids: 0 },
      { foreign_ids: 1 },
      { foreign_ids: 1 },
    ]);
  });

  test("of the release before projects of forms puts forms into default, also those that a replica of it adds", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    const before = MIGRATIONS.findIndex((sql) => sql.includes("project_storage"));
    await start(url, "auto", MIGRATIONS.slice(0, before));
    const add = (slug: string, deleted = 0) =>
      execute(
        `INSERT INTO forms (slug, name, key, enabled, uploads, allowed_origins, blocked_senders, created_at, updated_at, deleted)
         VALUES ('${slug}', 'F', 'key-${slug}', 1, 0, '[]', '[]', 1, 1, ${deleted})`,
        { database },
      );
    await add("contact");
    await add("gone", 1);
    await start(url);
    await add("later");
    expect(add("contact")).rejects.toThrow();
    const sql = `SELECT f.slug, p.slug AS project, p.key FROM forms f LEFT JOIN projects p ON p.id = f.project_id
                 ORDER BY f.slug`;
    const key = expect.stringMatching(DASHED_KEY) as string;
    expect(await execute(sql, { database })).toEqual([
      { slug: "contact", project: "default", key },
      { slug: "gone", project: null, key: null },
      { slug: "later", project: "default", key },
    ]);
  });

  test("records how many schemas a replica may be behind", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    const places = async () => {
      const [meta] = await execute("SELECT schema, beside FROM formflag_meta", { database });
      return [meta!["schema"], meta!["beside"]];
    };
    await start(url, "auto", MIGRATIONS.slice(0, 1));
    await execute("ALTER TABLE formflag_meta DROP COLUMN beside", { database });
    await start(url);
    const known = MIGRATIONS.length;
    expect(await places()).toEqual([known, known - 1]);
    const breaking = `UPDATE formflag_meta SET beside = schema - ${known + 2}`;
    await start(url, "auto", [...MIGRATIONS, "SELECT 1", breaking, "SELECT 1"]);
    expect(await places()).toEqual([known + 3, 1]);
  });

  test("stays as it was where a migration fails", async () => {
    const url = await emptyDatabase();
    await start(url, "auto", ["CREATE TABLE one (id INTEGER)"]);
    const failing = start(url, "auto", ["", "CREATE TABLE two (id INTEGER); SELECT nonsense"]);
    expect(failing).rejects.toThrow("nonsense");
    await failing.catch(() => {});
    const database = databaseOf(url);
    expect(await execute("SELECT schema FROM formflag_meta", { database })).toEqual([{ schema: 1 }]);
    expect(await execute("SELECT to_regclass('two') AS two", { database })).toEqual([{ two: null }]);
  });

  test("of an older release is left as it is by a command that reads, and migrated by one that writes", async () => {
    const url = await emptyDatabase();
    await start(url, "auto", MIGRATIONS.slice(0, -1));
    const [env, from] = [{ FORMFLAG_DATABASE_URL: url }, MIGRATIONS.length - 1];
    const schema = () => execute("SELECT schema FROM formflag_meta", { database: databaseOf(url) });
    expect(await formflag(["projects", "list"], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(
        / has schema \d+, and this formflag needs \d+\nhint: formflag serve migrates it/,
      ),
    });
    expect(await schema()).toEqual([{ schema: from }]);
    expect(await formflag(["projects", "create", "shop"], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`migrated the database from schema ${from} to ${MIGRATIONS.length}\n`),
    });
    expect(await schema()).toEqual([{ schema: MIGRATIONS.length }]);
  });

  test("is left to others where migrations are off", async () => {
    const empty = await emptyDatabase();
    expect(start(empty, "off")).rejects.toMatchObject({ code: "forbidden", reason: "schema-older" });
    const current = await freshDatabase();
    await start(current, "off");
    expect(start(current, "off", [...MIGRATIONS, "SELECT 1"])).rejects.toMatchObject({
      reason: "schema-older",
    });
  });

  test("of a newer release is refused", async () => {
    expect(start(await newerDatabase())).rejects.toMatchObject({ code: "forbidden", reason: "schema-newer" });
  });

  test("of another program is refused, and that of an extension is not", async () => {
    const refused = { code: "forbidden", reason: "schema-foreign" };
    expect(start(await foreignDatabase())).rejects.toMatchObject(refused);
    const extended = await emptyDatabase();
    await execute("CREATE EXTENSION pg_buffercache", { database: databaseOf(extended) });
    await start(extended);
  });

  test("needs a user who may create it, and a database that can be written", async () => {
    const url = await emptyDatabase();
    const database = databaseOf(url);
    const role = `role_${database}`;
    await execute(`CREATE ROLE ${role} LOGIN`);
    expect(start(url.replace("postgres@", `${role}@`))).rejects.toMatchObject({
      code: "forbidden",
      reason: "database-rights",
    });
    await execute(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    expect(start(url)).rejects.toMatchObject({ code: "forbidden", reason: "database-read-only" });
  });

  test("needs a database that exists, a user that is known, and UTF-8", async () => {
    const url = await emptyDatabase();
    expect(start(`${url}x`)).rejects.toMatchObject({ code: "forbidden", reason: "database-missing" });
    expect(start(url.replace("postgres@", "nobody:secret@"))).rejects.toMatchObject({
      code: "unauthenticated",
      reason: "database-user",
    });
    const latin = `latin_${databaseOf(url)}`;
    await execute(`CREATE DATABASE ${latin} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    expect(start(url.replace(databaseOf(url), latin))).rejects.toMatchObject({
      code: "unsupported",
      reason: "database-encoding",
    });
  });

  test("is behind TLS that is verified as the URL says, and a password", async () => {
    const url = await freshDatabase();
    const certificate = (name: string) => join(import.meta.dir, `../../support/tls/${name}.cert.pem`);
    await start(`${url}?sslmode=require&channel_binding=prefer`);
    await start(`${url}?sslmode=verify-full&sslrootcert=${certificate("one")}`);
    for (const settings of [
      "verify-full",
      `verify-full&sslrootcert=${certificate("two")}`,
      `require&sslrootcert=${certificate("two")}`,
    ])
      expect(start(`${url}?sslmode=${settings}`)).rejects.toMatchObject({
        code: "unavailable",
        reason: "database-certificate",
      });
    expect(start(`${url}?sslmode=verify-full&sslrootcert=${certificate("none")}`)).rejects.toMatchObject({
      code: "invalid",
    });

    // The role needs no password here, so nothing binds its login.
    const unbound = await start(`${url}?channel_binding=require`).catch((error: unknown) => error);
    expect(unbound).toMatchObject({ code: "unauthenticated", reason: "database-channel-binding" });
    expect(String(unbound)).toContain("channel binding required");

    await execute("DROP ROLE IF EXISTS guarded");
    await execute("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 's:e@c ret'");
    await start(url.replace("postgres@", "guarded:s%3Ae%40c%20ret@"));
    const refused = await start(url.replace("postgres@", "guarded:other@")).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unauthenticated", reason: "database-password" });
    expect(String(refused)).not.toContain("other");
  });

  test("names what cannot be reached, without the password", async () => {
    // A server without TLS answers N when it is asked for it.
    const plain = createServer((socket) => {
      socket.on("data", () => socket.write("N")).on("error", () => {});
    });
    await new Promise<void>((resolve) => {
      plain.listen(0, "127.0.0.1", resolve);
    });
    afterAll(() => void plain.close());
    const { port } = plain.address() as AddressInfo;
    const tls = start(`postgres://ann:secret@127.0.0.1:${port}/forms?sslmode=require`);
    expect(tls).rejects.toMatchObject({ code: "unavailable", reason: "database-tls" });

    const refused = await start("postgres://ann:secret@127.0.0.1:1/forms").catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "unavailable", reason: "database-unreachable" });
    expect(String(refused)).toContain("127.0.0.1:1/");
    expect(String(refused)).not.toContain("secret");
  });
});
