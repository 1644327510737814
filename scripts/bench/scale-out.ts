import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type PostgresServer,
  createPostgres,
  hasPostgres,
} from "../../test/support/postgres/postgres-server.ts";
import { compare } from "./compare.ts";
import { type Rounds, type Show, median, spreadOf } from "./figure.ts";
import { EXECUTABLE, type Formflag, startFormflag, startLimit } from "./formflag.ts";
import { closedLoop } from "./load.ts";
import { pinned } from "./process.ts";

const POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    name: "Ann Example",
    email: "ann@example.com",
    message: "Hello there, this is a message. ".repeat(8),
  }),
} as const;

const READ = "/api/v1/flags/sale";

/** Milliseconds after the last read in which a server still checks the database for changes, and a little more. */
const IDLE_MS = 6000;

type Env = Record<string, string>;

/** One replica on PostgreSQL, against bare handlers of the same database and against SQLite. */
export async function measureScaleOut(directory: string, rounds: Rounds, show: Show): Promise<void> {
  if (!hasPostgres()) return console.error("npm has no PostgreSQL for this platform: scale-out is skipped");
  // The database is another machine in life, so it shares the core of the load.
  Bun.spawnSync(pinned(1, ["true"]).length > 1 ? ["taskset", "-cp", "1", String(process.pid)] : ["true"]);
  const postgres = await createPostgres({ fsync: true });
  try {
    const env = { FORMFLAG_DATABASE_URL: postgres.url("postgres") };
    const server = await startFormflag(join(directory, "postgres"), { env });
    await measureIntake(server, postgres, env, directory, rounds, show);
    await measureReads(server, env, directory, rounds, show);
    await server.stop();
  } finally {
    await postgres.stop();
  }
}

async function measureIntake(
  server: Formflag,
  postgres: PostgresServer,
  env: Env,
  directory: string,
  rounds: Rounds,
  show: Show,
): Promise<void> {
  const { key } = await command<{ key: string }>(env, "forms", "create", "bench");
  const ours = { server, request: { ...POST, path: `/v1/s/${key}?mode=rest` } };
  const against = async (how: "batches" | "each", what: string, connections: number, goal: string) => {
    const bare = await startLimit("postgres", [postgres.url("postgres"), how]);
    const name = `JSON on PostgreSQL, ${what}`;
    const common = { part: "scale-out", connections, directory };
    await compare(
      ours,
      { server: bare, request: { ...POST, path: "/" } },
      { ...common, name, goal },
      rounds,
      show,
    );
    await bare.stop();
  };
  await against("batches", "64 connections, to a bare handler with the same batches", 64, "≥ 0.60");
  await against("each", "64 connections, to one statement a request", 64, "≥ 2");
  await against("batches", "one after another, to a bare handler", 1, "≥ 0.77");

  const commits: number[] = [];
  const cpu = { server: [] as number[], database: [] as number[] };
  for (let round = 0; round < rounds.rounds; round += 1) {
    const before = {
      commits: await metric(server, "formflag_commit_duration_seconds_count"),
      database: cpuOfTree(postgres.pid()),
    };
    const load = { connections: 64, seconds: rounds.seconds, directory };
    const { perSecond, cpuEach } = await closedLoop(server, ours.request, load);
    const count = perSecond * rounds.seconds;
    commits.push(
      ((await metric(server, "formflag_commit_duration_seconds_count")) - before.commits) / (count / 1000),
    );
    cpu.server.push(cpuEach * 1e6);
    cpu.database.push(((cpuOfTree(postgres.pid()) - before.database) / count) * 1e6);
  }
  const figure = (name: string, values: number[], goal: string | null, unit: string) =>
    show({ part: "scale-out", name, goal, value: median(values), spread: spreadOf(values), unit });
  figure("commits for 1,000 submissions, 64 connections", commits, "≤ 60", "");
  figure("CPU of a submission, formflag", cpu.server, null, " µs");
  figure("CPU of a submission, PostgreSQL", cpu.database, null, " µs");
}

async function measureReads(
  server: Formflag,
  env: Env,
  directory: string,
  rounds: Rounds,
  show: Show,
): Promise<void> {
  const data = join(directory, "sqlite");
  const local = await startFormflag(data);
  const [shared, single] = [await createFlag(env), await createFlag({ FORMFLAG_DATA: data })];
  await compare(
    { server, request: { path: READ, headers: shared } },
    { server: local, request: { path: READ, headers: single } },
    {
      part: "scale-out",
      name: "one flag on PostgreSQL, to SQLite",
      goal: "≥ 0.95",
      connections: 32,
      directory,
    },
    rounds,
    show,
  );
  await local.stop();

  const looks = () => metric(server, "formflag_looks_total");
  const perSecond: number[] = [];
  for (let round = 0; round < rounds.rounds; round += 1) {
    const [before, began] = [await looks(), performance.now()];
    await closedLoop(
      server,
      { path: READ, headers: shared },
      { connections: 4, seconds: rounds.seconds, directory },
    );
    perSecond.push(((await looks()) - before) / ((performance.now() - began) / 1000));
  }
  show({
    part: "scale-out",
    name: "checks of the database a second while flags are read",
    goal: "≤ 20",
    value: median(perSecond),
    spread: spreadOf(perSecond),
  });
  await Bun.sleep(IDLE_MS);
  const before = await looks();
  await Bun.sleep(5000);
  const idle = ((await looks()) - before) / 5;
  show({
    part: "scale-out",
    name: "the same without readers",
    goal: "≤ 0",
    value: idle,
    spread: [idle, idle],
  });
}

/** Runs a command on the data that `env` names; returns what `--json` prints. */
async function command<T>(env: Env, ...args: string[]): Promise<T> {
  const child = Bun.spawn([EXECUTABLE, ...args, "--json"], {
    stdout: "pipe",
    env: { ...process.env, ...env },
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`formflag ${args.join(" ")} failed`);
  return JSON.parse(text) as T;
}

/** Creates a flag; returns the headers that select its environment. */
async function createFlag(env: Env): Promise<Record<string, string>> {
  type Project = { key: string; environments: { key: string }[] };
  const { key, environments } = await command<Project>(
    env,
    "projects",
    "create",
    "bench",
    "--environments",
    "live",
  );
  await command(
    env,
    "flags",
    "set",
    "sale",
    "-p",
    "bench",
    "-e",
    "live",
    "--on",
    "--payload",
    '{"color":"green"}',
  );
  return { "x-project-key": key, "x-environment-key": environments[0]!.key };
}

/** A metric of a server, summed over its labels. */
async function metric({ url }: Formflag, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? ([\\d.e+]+)$`, "gm"))];
  if (values.length === 0) throw new Error(`there is no metric ${name}`);
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Seconds of CPU of a process and of those that it has started, ended ones included (proc_pid_stat(5)). */
function cpuOfTree(root: number): number {
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let fields: string[];
    try {
      fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    } catch {
      // The process has ended meanwhile.
      continue;
    }
    const isRoot = Number(name) === root;
    if (!isRoot && Number(fields[1]) !== root) continue;
    ticks += Number(fields[11]) + Number(fields[12]) + (isRoot ? Number(fields[13]) + Number(fields[14]) : 0);
  }
  return ticks / 100;
}
