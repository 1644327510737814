import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { type Digests, digestOf } from "../../src/maintenance/digest.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { onData } from "../support/commands.ts";
import { EXECUTABLE, runExecutable, startServer } from "../support/executable.ts";
import { openGate } from "../support/postgres/gate.ts";
import {
  IS_POSTGRES_HERE,
  emptyDatabase,
  foreignDatabase,
  newerDatabase,
  sharedPostgres,
} from "../support/postgres/postgres.ts";
import { s3Error, startFakeS3 } from "../support/s3/s3.ts";
import { CREDENTIALS } from "../support/s3/s3-signature.ts";
import { tempDirectory } from "../support/temp.ts";

const send = async (url: string, key: string, text: string) => {
  const body = new FormData();
  body.append("name", "Ada");
  body.append("file", new File([text], "a.txt"));
  expect((await fetch(`${url}/v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
};

/** A data directory with a flag and a form, its key, and functions that run a server and send it submissions. */
async function begin() {
  const data = tempDirectory();
  const commands = onData(data, runExecutable);
  await commands.json("projects", "create", "shop");
  await commands.json("flags", "set", "search", "-p", "shop", "-e", "production", "--on");
  const { key } = await commands.json<{ key: string }>("forms", "create", "jobs");
  await commands.json("forms", "uploads", "jobs", "on");
  const receive = async (...texts: string[]) => {
    const server = await startServer([], { data });
    for (const text of texts) await send(server.url, key, text);
    await server.stop();
  };
  return { data, key, run: commands.run, receive };
}

/** Runs `migrate` to that database and bucket. */
function mover(data: string, url: string, blobs?: string) {
  const env = { FORMFLAG_TO_DATABASE_URL: url, ...CREDENTIALS };
  const args = ["migrate", "--data", data, ...(blobs === undefined ? [] : ["--to-blobs", blobs])];
  return (...more: string[]) => runExecutable([...args, ...more], { env });
}

/** What the database in a data directory holds but the audit log, to which a backup adds an entry. */
async function digestsIn(data: string): Promise<Partial<Digests>> {
  const store = openSqliteStore(join(data, "formflag.db"), "inline");
  try {
    const { audit: _, ...digests } = await digestOf(store.dump());
    return digests;
  } finally {
    await store.close();
  }
}

const noteIn = async (data: string) => (await Bun.file(join(data, "moved.json")).json()) as object;

describe.skipIf(!IS_POSTGRES_HERE)("formflag migrate", () => {
  test("moves data beside its server, ends once that has stopped, and goes back by a backup", async () => {
    const { data, key } = await begin();
    const [url, s3] = [await emptyDatabase(), startFakeS3()];
    const migrate = mover(data, url, s3.url);
    const server = await startServer([], { data });
    await send(server.url, key, "first");
    const copied = await migrate();
    expect([copied.code, copied.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^copied 1 submission and 1 file \(5 bytes\) to .*\nnext: stop .*\n.* --final\n$/,
      ),
    ]);
    await send(server.url, key, "second");
    const early = await migrate("--final");
    expect([early.code, early.stderr]).toEqual([6, expect.stringMatching(/server is running.*\nhint: stop/)]);
    expect(existsSync(join(data, "moved.json"))).toBe(false);
    const env = { FORMFLAG_DATABASE_URL: url, FORMFLAG_BLOBS: s3.url, ...CREDENTIALS };
    const tooSoon = await runExecutable(["serve", "--listen", "127.0.0.1:0"], { env });
    expect([tooSoon.code, tooSoon.stderr]).toEqual([6, expect.stringContaining("migrate --final")]);
    await server.stop();
    const moved = await migrate("--final");
    expect([moved.code, moved.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^copied 1 submission .*\nmoved .* rows are equal\nnext: .*\n  formflag serve --blobs/,
      ),
    ]);

    const archive = join(tempDirectory(), "b.tar");
    expect((await runExecutable(["backup", "create", "-o", archive], { env })).code).toBe(0);
    const back = join(tempDirectory(), "back");
    expect((await runExecutable(["backup", "restore", archive, "--data", back])).code).toBe(0);
    expect(await digestsIn(back)).toEqual(await digestsIn(data));
    expect((await runExecutable(["check", "--data", back])).stdout).toContain(
      "2 files (11 bytes): all is well",
    );

    const { url: address } = await startServer([], { data: null, env });
    await send(address, key, "third");
    expect((await runExecutable(["check", "--deep"], { env })).stdout).toContain(
      "3 files (16 bytes): all is well",
    );
  });

  test("leaves a directory that commands refuse, but for a backup", async () => {
    const { data, run, receive } = await begin();
    await receive("first");
    const url = await emptyDatabase();
    const migrate = mover(data, url);
    expect((await migrate()).stdout).toContain("uploaded files stay in ");
    expect((await migrate("--final")).stdout).toContain(`formflag serve --data ${data}\n`);
    for (const args of [["serve", "--listen", "127.0.0.1:0"], ["forms", "list"], ["check"]]) {
      const { code, stderr } = await run(...args);
      expect([code, stderr]).toEqual([
        4,
        expect.stringMatching(/has been moved to postgres:.*\nhint: set FORM/),
      ]);
    }
    expect((await run("doctor", "--listen", "127.0.0.1:0")).stdout).toContain("has been moved to postgres:");
    expect((await run("backup", "create", "-o", join(tempDirectory(), "old.tar"))).code).toBe(0);
    const other = mover(data, await emptyDatabase());
    expect([(await other()).code, (await other("--final")).code]).toEqual([5, 5]);
    expect((await migrate("--final")).stdout).toContain("had been moved");

    const env = { FORMFLAG_DATABASE_URL: url };
    const server = await startServer([], { data, env });
    const checked = await runExecutable(["check", "--data", data], { env });
    expect(checked.stdout).toContain("1 file (5 bytes): all is well");
    await server.stop();
    rmSync(join(data, "formflag.db"));
    expect((await runExecutable(["submissions", "list", "jobs", "--data", data], { env })).code).toBe(0);
  });

  test.each<[string, number, RegExp, () => Promise<string>]>([
    ["that is not empty", 5, /is not empty.*holds nothing yet/s, withData],
    ["of a newer formflag", 4, /newer formflag.*was left as it is/s, newerDatabase],
    ["of another program", 4, /another program/, foreignDatabase],
    [
      "that is not there",
      4,
      /does not exist.*CREATE DATABASE/s,
      async () => (await sharedPostgres()).url("none"),
    ],
    ["that cannot be reached", 6, /cannot be reached/, async () => "postgres://u:secret@127.0.0.1:1/d"],
    ["with a broken URL", 2, /starts with file:/, async () => "file:///tmp/d"],
  ])("refuses a database %s with exit code %i, and the old data goes on", async (_, exit, text, database) => {
    const { data, run } = await begin();
    const migrate = mover(data, await database());
    for (const args of [[], ["--final"]]) {
      const { code, stderr } = await migrate(...args);
      expect([code, stderr]).toEqual([exit, expect.stringMatching(text)]);
      expect(stderr).not.toContain("secret");
    }
    expect((await run("forms", "list")).code).toBe(0);
  });

  test.each<[number, RegExp, Response | undefined]>([
    [4, /refuses access/, s3Error(403, "AccessDenied")],
    [6, /does not exist.*create the bucket/s, s3Error(404, "NoSuchBucket")],
    [6, /storage/, s3Error(503, "SlowDown")],
  ])(
    "exits %i for a bucket that answers with an error, and goes on once it does not",
    async (exit, text, answer) => {
      const { data, run, receive } = await begin();
      await receive("first");
      const [url, s3] = [await emptyDatabase(), startFakeS3()];
      const migrate = mover(data, url, s3.url);
      s3.fault = ({ method }) => (method === "PUT" ? (answer?.clone() as Response) : undefined);
      const refused = await migrate("--final");
      expect([refused.code, refused.stderr]).toEqual([exit, expect.stringMatching(text)]);
      expect((await run("forms", "list")).code).toBe(0);
      s3.fault = () => undefined;
      expect((await migrate("--final")).code).toBe(0);
    },
  );

  test.each<[string[], number, RegExp]>([
    [[], 2, /database to move to is missing.*\nhint: .*FORMFLAG_TO_DATABASE_URL/],
    [["--to", "postgres://u:secret@127.0.0.1/d"], 2, /holds a password.*FORMFLAG_TO_DATABASE_URL_FILE/s],
    [["--to", "postgres://u@127.0.0.1/d", "--database", "postgres://u@127.0.0.1/e"], 2, /hint: use --to\n/],
    [["--to", "postgres://u@127.0.0.1/d", "--to-blobs", "https://bucket"], 2, /s3:/],
    [["--to", "postgres://u@127.0.0.1/d", "--to-blobs", "s3://bucket?region=eu"], 4, /credentials/],
    [["--to", "postgres://u@127.0.0.1/d"], 3, /has no formflag.db/],
    [["--to", "postgres://u@127.0.0.1/d", "--server", "https://x.example"], 2, /not with --server/],
  ])("with %p exits %i", async (args, exit, text) => {
    const { code, stderr } = await runExecutable(["migrate", ...args], {
      env: { FORMFLAG_DATA: tempDirectory() },
    });
    expect([code, stderr]).toEqual([exit, expect.stringMatching(text)]);
    expect(stderr).not.toContain("secret");
  });

  test("stopped by a person in the final step, leaves the old data as it was", async () => {
    const { data, run, receive } = await begin();
    await receive("first");
    const s3 = startFakeS3();
    const child = Bun.spawn([EXECUTABLE, "migrate", "--data", data, "--to-blobs", s3.url, "--final"], {
      env: { FORMFLAG_TO_DATABASE_URL: await emptyDatabase(), ...CREDENTIALS },
      stdout: "ignore",
      stderr: "ignore",
    });
    let noted = false;
    s3.fault = ({ method }) => {
      if (method !== "PUT") return undefined;
      noted ||= existsSync(join(data, "moved.json"));
      child.kill("SIGTERM");
      return new Promise(() => {});
    };
    expect([await child.exited, noted]).toEqual([143, true]);
    expect((await run("forms", "list")).code).toBe(0);
  });

  test("killed at any moment of either step and repeated, ends with the same", async () => {
    const { data, run, receive } = await begin();
    await receive("first", "second");
    const [url, s3] = [await emptyDatabase(), startFakeS3()];
    const { port } = await sharedPostgres();
    let [sent, most] = [0, 0];
    let child: ReturnType<typeof start> | undefined;
    const gate = await openGate(port, () => (sent += 1) === most && child?.kill("SIGKILL"));
    const env = {
      FORMFLAG_TO_DATABASE_URL: url.replace(`:${port}/`, `:${gate.port}/`),
      ...CREDENTIALS,
    };
    const start = (args: string[]) =>
      Bun.spawn([EXECUTABLE, "migrate", "--data", data, "--to-blobs", s3.url, ...args], {
        env,
        stdout: "ignore",
        stderr: "pipe",
      });
    /** Kills a run each time that it has sent a little more to the database, until it ends; returns how often. */
    const repeat = async (...args: string[]) => {
      for (let kills = 0; ; kills += 1) {
        [sent, most] = [0, 15 + 20 * kills];
        child = start(args);
        const [code, stderr] = [await child.exited, await child.stderr.text()];
        if (child.signalCode === null) {
          expect([code, stderr]).toEqual([0, ""]);
          return kills;
        }
      }
    };
    expect(await repeat()).toBeGreaterThan(3);
    await receive("third");
    expect(await repeat("--final")).toBeGreaterThan(3);
    expect(await noteIn(data)).toMatchObject({ finished: true });
    // As a kill leaves it between the release of the database and the end.
    await Bun.write(join(data, "moved.json"), JSON.stringify({ ...(await noteIn(data)), finished: false }));
    expect((await run("forms", "list")).stderr).toContain("is being moved to");
    await repeat("--final");
    expect(await noteIn(data)).toMatchObject({ finished: true });
    gate.close();

    const shared = { FORMFLAG_DATABASE_URL: url, FORMFLAG_BLOBS: s3.url, ...CREDENTIALS };
    expect((await runExecutable(["check", "--deep"], { env: shared })).stdout).toContain(
      "3 files (16 bytes): all is well",
    );
    const archive = join(tempDirectory(), "b.tar");
    expect((await runExecutable(["backup", "create", "-o", archive], { env: shared })).code).toBe(0);
    const back = join(tempDirectory(), "back");
    expect((await runExecutable(["backup", "restore", archive, "--data", back])).code).toBe(0);
    expect(await digestsIn(back)).toEqual(await digestsIn(data));
  }, 120_000);
});

async function withData(): Promise<string> {
  const url = await emptyDatabase();
  await runExecutable(["projects", "create", "theirs"], { env: { FORMFLAG_DATABASE_URL: url } });
  return url;
}
