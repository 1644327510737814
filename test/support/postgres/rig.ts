import { afterAll } from "bun:test";
import type { Postgres } from "./postgres-server.ts";
import { databaseOf, emptyDatabase, execute, sharedPostgres } from "./postgres.ts";
import { type RunningServer, runExecutable, startServer } from "../executable.ts";
import { type Gate, openGate } from "./gate.ts";
import { HAS_POOLER, startPooler } from "./pgbouncer.ts";
import { freePort } from "../peers/ports.ts";
import { startFakeS3 } from "../s3/s3.ts";
import { ACCESS_KEY, SECRET_KEY } from "../s3/s3-signature.ts";

type Signal = Parameters<RunningServer["stop"]>[0];

/** A server of the rig, which keeps its port over its lives. */
type Replica = {
  url: string;
  port: number;
  pid: () => number;
  /** What all of its lives have logged. */
  log: () => string;
  start: () => Promise<void>;
  /** Sends a signal, waits for the end and returns the exit code. */
  stop: (signal?: Signal) => Promise<number>;
};

/** Commands of an operator on the database of a rig. */
type Commands = {
  run: (...args: string[]) => ReturnType<typeof runExecutable>;
  /** The parsed output of a command that has to succeed. */
  json: <T>(...args: string[]) => Promise<T>;
};

export type Rig = {
  replicas: [Replica, Replica, Replica];
  /** What is between each server and the database, where the rig was opened with gates. */
  gates: Gate[];
  commands: Commands;
  s3: ReturnType<typeof startFakeS3>;
  /** Runs one statement on the database, beside gates and poolers. */
  query: (text: string) => Promise<Record<string, unknown>[]>;
  database: string;
};

/** With this variable all trials run behind pgbouncer. */
export const IS_POOLED = process.env["FORMFLAG_RIG_POOLER"] === "1";
if (IS_POOLED && !HAS_POOLER) throw new Error("pgbouncer is not installed");

/** With this variable every server has so many threads. */
const THREADS = process.env["FORMFLAG_RIG_THREADS"];

type Options = {
  /** The PostgreSQL of the rig. Default: a database of the one that all tests share. */
  own?: Postgres;
  hasGates?: boolean;
  args?: string[];
  env?: Record<string, string>;
  isStarted?: boolean;
};

/** Three servers of one empty database and one bucket. They end after the test file. */
export async function openRig({
  own,
  hasGates = false,
  args = [],
  env = {},
  isStarted = true,
}: Options = {}): Promise<Rig> {
  const postgres = own ?? (await sharedPostgres());
  const database = own ? "postgres" : databaseOf(await emptyDatabase());
  const port = IS_POOLED ? await startPooler(postgres.port) : postgres.port;
  const s3 = startFakeS3();
  const settings = (at: number) => ({
    FORMFLAG_DATABASE_URL: `postgres://postgres@127.0.0.1:${at}/${database}${IS_POOLED ? "?prepare=false" : ""}`,
    FORMFLAG_BLOBS: s3.url,
    AWS_ACCESS_KEY_ID: ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    FORMFLAG_DRAIN: "0s",
    ...(THREADS && { FORMFLAG_THREADS: THREADS }),
    ...env,
  });
  const run = (...words: string[]) => runExecutable(words, { env: settings(port) });
  const commands: Commands = {
    run,
    async json<T>(...words: string[]): Promise<T> {
      const { code, stdout, stderr } = await run(...words, "--json");
      if (code !== 0) throw new Error(`formflag ${words.join(" ")} exited ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
  };
  const gates: Gate[] = [];
  const create = async () => {
    if (!hasGates) return createReplica(args, settings(port));
    const gate = await openGate(port);
    afterAll(gate.close);
    gates.push(gate);
    return createReplica(args, settings(gate.port));
  };
  const replicas: Rig["replicas"] = [await create(), await create(), await create()];
  if (isStarted) await Promise.all(replicas.map((each) => each.start()));
  return {
    replicas,
    gates,
    commands,
    s3,
    query: (text) => execute(text, { database, on: Promise.resolve(postgres) }),
    database,
  };
}

function createReplica(args: string[], env: Record<string, string>): Replica {
  const port = freePort();
  let server: RunningServer | undefined;
  let before = "";
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: () => server!.pid,
    log: () => before + (server?.stderr() ?? ""),
    async start() {
      before += server?.stderr() ?? "";
      server = await startServer(["--listen", `127.0.0.1:${port}`, ...args], { env });
    },
    stop: (signal) => server!.stop(signal),
  };
}
