import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { skewFinding, timeoutsFinding } from "../../src/maintenance/doctor/shared.ts";
import { once } from "../../src/base/once.ts";
import type { Status } from "../../src/maintenance/status.ts";
import type { Finding } from "../../src/maintenance/finding.ts";
import { eventually } from "../support/eventually.ts";
import { runExecutable, startServer } from "../support/executable.ts";
import {
  IS_POSTGRES_HERE,
  databaseOf,
  emptyDatabase,
  execute,
  foreignDatabase,
  freshDatabase,
  newerDatabase,
  sharedPostgres,
} from "../support/postgres/postgres.ts";
import { s3Error, startFakeS3 } from "../support/s3/s3.ts";
import { CREDENTIALS, SECRET_KEY } from "../support/s3/s3-signature.ts";
import { tempDirectory } from "../support/temp.ts";

/** Runs a command on the database of that URL, and on a bucket. */
function on(url: string, blobs?: string) {
  const env = { FORMFLAG_DATABASE_URL: url, ...(blobs && { FORMFLAG_BLOBS: blobs, ...CREDENTIALS }) };
  const run = (...args: string[]) => runExecutable(args, { env });
  const json = async <T>(...args: string[]): Promise<T> => {
    const { code, stdout, stderr } = await run(...args, "--json");
    if (code !== 0) throw new Error(`formflag ${args.join(" ")} exited ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  return { run, json, env };
}

/** A server like those that share a database: without a data directory. */
const serve = (env: Record<string, string>, ...args: string[]) =>
  startServer(args, { env: { ...env }, data: null });

const fileFor = (key: string, url: string) => {
  const body = new FormData();
  body.append("name", "Ada");
  body.append("file", new File(["twelve bytes"], "a.txt"));
  return fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body });
};

async function formWithUploads({ json }: ReturnType<typeof on>): Promise<string> {
  const { key } = await json<{ key: string }>("forms", "create", "jobs");
  await json("forms", "uploads", "jobs", "on");
  return key;
}

describe.skipIf(!IS_POSTGRES_HERE)("a PostgreSQL database", () => {
  test.each<[string, number, RegExp, () => Promise<string>]>([
    ["of another scheme", 2, /starts with mysql:/, async () => "mysql://u:secret@127.0.0.1/d"],
    ["with a broken URL", 2, /malformed/, async () => "postgres://u:secret@[::1/d"],
    ["with a wrong password", 4, /refuses the password.*\n.*psql/s, withWrongPassword],
    ["that does not exist", 4, /does not exist.*CREATE DATABASE/s, () => urlOf("none")],
    ["without rights", 4, /rights it needs.*ALTER SCHEMA/s, withoutRights],
    ["that is read-only", 4, /is read-only.*name the primary/s, readOnly],
    ["of a newer formflag", 4, /newer formflag \(schema 99/, newerDatabase],
    ["of another program", 4, /another program.*of its own/s, foreignDatabase],
    [
      "at a port where nothing listens",
      6,
      /cannot be reached.*port/s,
      async () => "postgres://u:secret@127.0.0.1:1/d",
    ],
    ["at a name that is not known", 6, /cannot be reached/, async () => "postgres://u:secret@db.invalid/d"],
    [
      "with a certificate that is not trusted",
      6,
      /certificate.*sslrootcert/s,
      () => urlOf("postgres?sslmode=verify-full"),
    ],
  ])("%s is refused with exit code %i", async (_, exit, text, url) => {
    const { run } = on(await url());
    const { code, stderr } = await run("serve", "--listen", "127.0.0.1:0");
    expect([code, stderr]).toEqual([exit, expect.stringMatching(text)]);
    expect(stderr).toContain("hint: ");
    expect(stderr).not.toContain("secret");
  });

  test("is named by a variable or a file where its URL has a password, and never shown", async () => {
    const url = await emptyDatabase();
    const file = join(tempDirectory(), "url");
    await Bun.write(file, `${url}\n`);
    const refused = await runExecutable([
      "projects",
      "list",
      "--database",
      "postgres://u:secret@127.0.0.1/d",
    ]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("FORMFLAG_DATABASE_URL_FILE");
    expect(refused.stderr).not.toContain("secret");
    const byFile = await runExecutable(["projects", "create", "shop"], {
      env: { FORMFLAG_DATABASE_URL_FILE: file },
    });
    expect(byFile.code).toBe(0);
    expect((await on(url).json<{ slug: string }[]>("projects", "list")).map(({ slug }) => slug)).toEqual([
      "shop",
    ]);
    const env = { FORMFLAG_DATABASE_URL: "postgres://u:hush@h/d", AWS_SECRET_ACCESS_KEY: "hush" };
    const { stdout } = await runExecutable(["config", "show"], { env });
    expect(stdout).toMatch(/^database +\(hidden\) +env +FORMFLAG_DATABASE_URL/m);
    expect(stdout).not.toContain("hush");
  });

  test("without a schema is left alone with --migrate off", async () => {
    const url = await emptyDatabase();
    const { code, stderr } = await on(url).run("projects", "create", "shop", "--migrate", "off");
    expect([code, stderr]).toEqual([4, expect.stringContaining("has no schema yet")]);
    expect(
      await execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", { database: databaseOf(url) }),
    ).toEqual([]);
  });

  test("with files in a directory lets its server remove those that a killed one has not finished", async () => {
    const [url, data] = [await freshDatabase(), tempDirectory()];
    const staging = join(data, "uploads", "staging");
    mkdirSync(staging, { recursive: true });
    const left = join(staging, crypto.randomUUID());
    writeFileSync(left, "x");
    utimesSync(left, 0, 0);
    const server = await startServer(["--drain", "0s"], { env: on(url).env, data });
    await eventually("the file to go", () => !existsSync(left));
    expect(await server.stop()).toBe(0);
  });

  test("is backed up by its server on schedule, and for a client", async () => {
    const [url, directory] = [await freshDatabase(), join(tempDirectory(), "backups")];
    const { env, json } = on(url);
    await json("forms", "create", "contact");
    const server = await serve(env, "--drain", "0s", "--backup-dir", directory);
    const { token } = await json<{ token: string }>("tokens", "create", "admin");
    const remote = { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: token };
    const statusOf = async () => {
      const { stdout } = await runExecutable(["status", "--json"], { env: remote });
      return JSON.parse(stdout) as Status;
    };
    const { last } = await eventually("a backup", async () => {
      const { backup } = await statusOf();
      expect(backup.failure).toBeNull();
      return backup.last && backup;
    });
    expect((await runExecutable(["backup", "verify", last!.file!])).code).toBe(0);
    const file = join(tempDirectory(), "b.tar");
    const saved = await runExecutable(["backup", "create", "-o", file], { env: remote });
    expect([saved.code, saved.stderr]).toEqual([0, ""]);
    expect(await server.stop()).toBe(0);
  }, 60_000);

  test("is backed up into a bucket alone, encrypted, and restored from it", async () => {
    const [url, place] = [await freshDatabase(), startFakeS3()];
    const { json } = on(url);
    await json("forms", "create", "contact");
    const identity = join(tempDirectory(), "key.txt");
    const key = await generateIdentity();
    writeFileSync(identity, key);
    const TMPDIR = tempDirectory();
    const env = { FORMFLAG_DATABASE_URL: url, TMPDIR, ...CREDENTIALS };
    const options = ["--backup-to", place.url, "--backup-recipient", await identityToRecipient(key)];
    const server = await serve(env, "--drain", "0s", ...options);
    const { token } = await json<{ token: string }>("tokens", "create", "admin");
    const remote = { FORMFLAG_SERVER: server.url, FORMFLAG_TOKEN: token };
    const { arrived } = await eventually("a backup", async () => {
      const { stdout } = await runExecutable(["status", "--json"], { env: remote });
      const { backup } = JSON.parse(stdout) as Status;
      expect(backup.failure).toBeNull();
      return backup.arrived && backup;
    });
    expect(arrived!.file).toMatch(/^s3:\/\/bucket\/some\/prefix\/formflag-auto-\w+\.tar\.age$/);
    const here = await eventually("the server to be known", async () => {
      const { stdout } = await on(url).run("status");
      return /^backups +every/m.test(stdout) && stdout;
    });
    expect(here).toMatch(/^arrived +not recorded here/m);
    expect(await server.stop()).toBe(0);
    expect(readdirSync(TMPDIR)).toEqual([]);
    const into = { FORMFLAG_DATABASE_URL: await freshDatabase(), ...CREDENTIALS };
    const args = ["backup", "restore", place.url, "--identity-file", identity, "--json"];
    const { code, stdout } = await runExecutable(args, { env: into });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ submissions: 0 })]);
  }, 60_000);

  test.each([
    ["that a newer formflag migrates ends the older servers", "schema = 99", "a newer formflag has migrated"],
    [
      "into which a move begins ends its servers",
      "live = 0",
      "a move or a restore into the database has begun",
    ],
  ])("%s", async (_, changed, text) => {
    const url = await freshDatabase();
    const server = await serve(on(url).env, "--drain", "0s");
    await execute(`UPDATE formflag_meta SET ${changed}`, { database: databaseOf(url) });
    let code: number | undefined;
    void server.exited.then((exit) => (code = exit));
    await eventually("the server to stop", async () => {
      await fetch(`${server.url}/readyz`).catch(() => {});
      await fetch(`${server.url}/api/v1/flags`, {
        headers: { "x-project-key": "k", "x-environment-key": "k" },
      }).catch(() => {});
      return code !== undefined;
    });
    expect(code).toBe(0);
    expect(server.stderr()).toContain(text);
  });
});

describe.skipIf(!IS_POSTGRES_HERE)("servers on one database and one bucket", () => {
  const anyDatabase = once(freshDatabase);

  test("share everything, which check, doctor and backup reach too", async () => {
    const s3 = startFakeS3();
    const shared = on(await emptyDatabase(), s3.url);
    const key = await formWithUploads(shared);
    const [one, other] = [await serve(shared.env), await serve(shared.env)];
    expect((await fileFor(key, one.url)).status).toBe(200);
    expect((await fileFor(key, other.url)).status).toBe(200);
    const list = await shared.json<{ id: string }[]>("submissions", "list", "jobs");
    expect(list).toHaveLength(2);

    const checked = await shared.run("check");
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^checked postgres:\/\/\S+ and 2 files \(by size\): all is well\n$/),
    });
    for (const object of s3.objects.values()) object.bytes = Buffer.from("other bytes!");
    expect((await shared.run("check")).code).toBe(0);
    expect((await shared.run("check", "--deep")).stdout).toContain("other bytes than were stored");
    const [first] = s3.objects.keys();
    s3.objects.get(first!)!.bytes = Buffer.from("short");
    expect((await shared.run("check")).stdout).toContain("has 5 bytes instead of 12");
    s3.objects.delete(first!);
    expect((await shared.run("check")).stdout).toContain("is not among the uploaded files");
    for (const { id } of list) await shared.json("submissions", "delete", id, "--yes");
    expect(s3.objects.size).toBe(0);

    expect((await fileFor(key, one.url)).status).toBe(200);
    const archive = join(tempDirectory(), "b.tar");
    await shared.json("backup", "create", "-o", archive);
    const there = on(await emptyDatabase(), startFakeS3().url);
    expect(await there.json("backup", "restore", archive)).toMatchObject({ submissions: 1, files: 1 });
    expect((await there.run("check", "--deep")).stdout).toContain("1 file (12 bytes): all is well");
    expect((await there.run("backup", "restore", archive)).code).toBe(5);
    const data = join(tempDirectory(), "here");
    expect((await there.run("backup", "restore", archive, "--data", data)).code).toBe(0);
    expect((await runExecutable(["check", "--data", data])).stdout).toContain(
      "1 file (12 bytes): all is well",
    );

    const findings = JSON.parse(
      (await shared.run("doctor", "--listen", "127.0.0.1:0", "--json")).stdout,
    ) as Finding[];
    const statusOf = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
    expect(statusOf).toMatchObject({
      database: "ok",
      schema: "ok",
      "database clock": "ok",
      connections: "ok",
      timeouts: "ok",
      bucket: "ok",
      "bucket: store": "ok",
      "bucket: lifecycle": "warning",
    });
    // The second signal ends the wait.
    const stopped = one.stop();
    await eventually("the signal to arrive", async () => one.stderr().includes("stopping in 5 s"));
    process.kill(one.pid, "SIGTERM");
    expect(await stopped).toBe(0);
  });

  test.each<[number, string, RegExp, ReturnType<typeof s3Error>]>([
    [6, "that is missing", /does not exist.*create the bucket/s, s3Error(404, "NoSuchBucket")],
    [6, "in another region", /another region.*set the region/s, s3Error(301, "PermanentRedirect")],
    [6, "of another time", /clock of this machine.*time server/s, s3Error(403, "RequestTimeTooSkewed")],
    [
      4,
      "that refuses the credentials",
      /refuses the credentials.*AWS_/s,
      s3Error(403, "SignatureDoesNotMatch"),
    ],
    [4, "that refuses access", /refuses access/, s3Error(403, "AccessDenied")],
  ])("exit %i for a bucket %s", async (exit, _, text, answer) => {
    const s3 = startFakeS3();
    s3.fault = () => answer.clone() as typeof answer;
    const { run } = on(await anyDatabase(), s3.url);
    const { code, stderr } = await run("serve", "--listen", "127.0.0.1:0", "--log-format", "text");
    expect([code, stderr]).toEqual([exit, expect.stringMatching(text)]);
    expect(stderr).toContain("the bucket bucket in ");
    expect(stderr).not.toContain(SECRET_KEY);
  });

  test("start while the storage is down for the moment", async () => {
    const s3 = startFakeS3();
    s3.fault = () => s3Error(503, "SlowDown");
    const server = await serve(on(await anyDatabase(), s3.url).env);
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
      database: "ready",
      blobs: "unavailable",
    });
    expect(server.stderr()).not.toContain("unavailable: the object storage");
    expect(server.stderr()).toContain("SlowDown");
  });

  test.each([
    ["s3://bucket", 2, CREDENTIALS],
    ["https://bucket", 2, CREDENTIALS],
    ["s3://bucket?region=eu-west-1", 4, {}],
    ["s3://bucket?endpoint=http://127.0.0.1:1", 6, CREDENTIALS],
  ])("are refused with the storage URL %s", async (blobs, exit, credentials) => {
    const env = { FORMFLAG_DATABASE_URL: await anyDatabase(), ...credentials };
    const { code, stderr } = await runExecutable(["serve", "--listen", "127.0.0.1:0", "--blobs", blobs], {
      env,
    });
    expect([code, stderr]).toEqual([exit, expect.stringContaining("hint: ")]);
  });

  test("are refused a bucket without a database", async () => {
    const { code, stderr } = await runExecutable(["serve", "--blobs", "s3://bucket?region=eu-west-1"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("needs a PostgreSQL database")]);
  });
});

describe.skipIf(!IS_POSTGRES_HERE)("doctor", () => {
  test("names the role that needs timeouts behind a pooler, and too few connections", async () => {
    const url = await freshDatabase();
    await execute(`ALTER DATABASE ${databaseOf(url)} CONNECTION LIMIT 5`);
    const { code, stdout } = await on(`${url}?prepare=false`).run("doctor", "--listen", "127.0.0.1:0");
    expect(code).toBe(0);
    expect(stdout).toContain(`ALTER ROLE "postgres" SET statement_timeout = '10s';`);
    expect(stdout).toMatch(/^warning +connections +\d+ of 5 are open/m);
  });

  test.each([
    ["of another program", "schema", /another program/, foreignDatabase],
    ["that is not in UTF-8", "database", /LATIN1, not UTF8/, latin],
  ])("finds a database %s, which serve refuses, and leaves it as it is", async (_, check, text, url) => {
    const { code, stdout } = await on(await url()).run("doctor", "--listen", "127.0.0.1:0", "--json");
    const finding = (JSON.parse(stdout) as Finding[]).find((each) => each.check === check);
    expect([code, finding]).toEqual([
      1,
      { check, status: "problem", message: expect.stringMatching(text), hint: expect.any(String) },
    ]);
  });

  test("names prepare=false where statements are prepared through a pooler, which may be an old one", () => {
    const found = { hasTimeouts: false, user: "ann" };
    expect(timeoutsFinding(found, { prepare: true }).hint).toContain("prepare=false");
    expect(timeoutsFinding(found, { prepare: false }).hint).not.toContain("prepare=false");
    expect(timeoutsFinding({ ...found, hasTimeouts: true }, { prepare: true }).status).toBe("ok");
  });

  test("warns of a clock that differs by more than a second", () => {
    expect(skewFinding({ skew: -1000 }).status).toBe("ok");
    expect(skewFinding({ skew: 1500 })).toMatchObject({
      status: "warning",
      message: "it is 1.5 s ahead of this machine's",
    });
  });
});

describe.skipIf(!IS_POSTGRES_HERE)("a server on a database without a bucket", () => {
  test("refuses files, and takes other submissions", async () => {
    const alone = on(await emptyDatabase());
    const key = await formWithUploads(alone);
    const server = await serve(alone.env);
    const refused = await fileFor(key, server.url);
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ message: "storage for uploaded files is not configured" }),
    ]);
    const plain = await fetch(`${server.url}/v1/s/${key}?mode=rest`, {
      method: "POST",
      body: new URLSearchParams({ a: "1" }),
    });
    expect(plain.status).toBe(200);
    expect((await alone.run("check")).code).toBe(0);
  });

  test("is usable after a backup was not restored into it, because files have no place or the archive is cut", async () => {
    const bucket = startFakeS3();
    const full = on(await emptyDatabase(), bucket.url);
    const key = await formWithUploads(full);
    expect((await fileFor(key, (await serve(full.env)).url)).status).toBe(200);
    const archive = join(tempDirectory(), "b.tar");
    await full.json("backup", "create", "-o", archive);
    const cut = `${archive}.cut`;
    await Bun.write(cut, await Bun.file(archive).slice(0, 20_000).bytes());

    const url = await emptyDatabase();
    const refused = await on(url).run("backup", "restore", archive);
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringContaining("storage for uploaded files is not configured"),
    ]);
    expect((await on(url).run("forms", "list")).code).toBe(0);
    expect((await on(url, bucket.url.replace("prefix", "other")).run("backup", "restore", cut)).code).toBe(1);
    expect(await on(url).json<unknown[]>("forms", "list")).toEqual([]);
  });

  test("keeps them in the data directory that it is given, which doctor notes", async () => {
    const url = await emptyDatabase();
    const data = tempDirectory();
    const key = await formWithUploads(on(url));
    const server = await startServer([], { data, env: on(url).env });
    expect((await fileFor(key, server.url)).status).toBe(200);
    expect(readdirSync(data)).toEqual(["uploads"]);
    expect((await on(url).run("check", "--data", data)).stdout).toContain("1 file (12 bytes): all is well");
    // A command that does not reach the files leaves them alone.
    const [submission] = await on(url).json<{ id: string }[]>("submissions", "list", "jobs");
    await on(url).json("submissions", "delete", submission!.id, "--yes");
    expect((await on(url).run("check", "--data", data, "--repair")).stdout).toContain("all is well");
    expect(
      readdirSync(join(data, "uploads"), { recursive: true }).filter((name) => String(name).endsWith(".1")),
    ).toEqual([]);
    const { stdout } = await on(url).run("doctor", "--data", data, "--listen", "127.0.0.1:0");
    expect(stdout).toContain("other servers do not find them");
  });
});

async function urlOf(database: string, role?: string): Promise<string> {
  return (await sharedPostgres()).url(database, role);
}

async function withWrongPassword(): Promise<string> {
  await execute("DROP ROLE IF EXISTS guarded");
  await execute("CREATE ROLE guarded LOGIN PASSWORD 'right'");
  return urlOf("postgres", "guarded:secret");
}

async function withoutRights(): Promise<string> {
  await execute("DROP ROLE IF EXISTS weak");
  await execute("CREATE ROLE weak LOGIN");
  return urlOf(databaseOf(await emptyDatabase()), "weak");
}

async function latin(): Promise<string> {
  const name = `latin_${databaseOf(await emptyDatabase())}`;
  await execute(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
  return urlOf(name);
}

async function readOnly(): Promise<string> {
  const url = await emptyDatabase();
  await execute(`ALTER DATABASE ${databaseOf(url)} SET default_transaction_read_only = on`);
  return url;
}
