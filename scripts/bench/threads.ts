import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Figure, type Rounds, type Show, median, spreadOf } from "./figure.ts";
import { createFlags, createForm, createProject, startFormflag, startLimit } from "./formflag.ts";
import { type Request, closedLoop, openLoop, percentile } from "./load.ts";
import type { Server } from "./process.ts";
import { JSON_POST } from "./submissions.ts";

const PART = "threads";
const MANY = 4;

const THREADS = { one: 1, many: MANY };

const EVALUATION = {
  path: "/ofrep/v1/evaluate/flags",
  method: "POST" as const,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ context: { targetingKey: "user-4711" } }),
};
/**
 * Connections for each thread. What a thread does with a wake-up is cheaper the more it is: one thread with 16 connections
 * takes half as long again for a submission as with 64. Capped threads rest for nine tenths of the time, and have work
 * whenever they do not.
 */
const [EACH, CAPPED_EACH] = [64, 256];
/** Seconds of load before the first round, in which each thread compiles what it runs. */
const WARM_UP = 4;
/** Servers of other parts have one core, these every core. */
const ANYWHERE = ["taskset", "-c", "0-63"];

/** A server, with the ids of the threads that serve. */
type Threads = Server & { serving: number[] };

/** A server of formflag with what requests to it need. */
type Filled = Threads & { headers: Record<string, string>; path: string; tag: string };

/** A server with one thread and one with several: formflag, and bare workers. */
type Pair<T extends Threads = Threads> = { one: T; many: T };

const FLAG = "/api/v1/flags/flag-00050";
const submission = ({ path }: Filled): Request => ({ ...JSON_POST, path });
const flag = ({ headers }: Filled): Request => ({ path: FLAG, headers });

/** Each request with that to bare workers, whose answer has about as many bytes, and the goal with capped threads. */
const REQUESTS: [name: string, (server: Filled) => Request, bare: Request, capped: string][] = [
  ["flag read", flag, { path: "/200" }, "≥ 0.92"],
  [
    "flag read as 304",
    ({ headers, tag }) => ({ path: FLAG, headers: { ...headers, "if-none-match": tag } }),
    { path: "/0", headers: { "if-none-match": '"1"' } },
    "≥ 0.92",
  ],
  ["100 flags", ({ headers }) => ({ path: "/api/v1/flags", headers }), { path: "/20000" }, "≥ 0.92"],
  [
    "100 flags evaluated",
    ({ headers }) => ({ ...EVALUATION, headers: { ...headers, ...EVALUATION.headers } }),
    { ...EVALUATION, path: "/12000" },
    "≥ 0.92",
  ],
  ["JSON submission", submission, { ...JSON_POST, path: "/50" }, "≥ 0.85"],
];

/** Gain and cost of more threads, beside bare workers that listen at one port. */
export async function measureThreads(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const started: number[] = [];
  const open = async (threads: number): Promise<Filled> => {
    const data = join(directory, `threads-${threads}-${started.length}`);
    const path = await createForm(data, "bench");
    const [headers = {}] = await createProject(data, "bench");
    await createFlags(data, "bench", "bench", 100);
    const start = performance.now();
    const env = { FORMFLAG_THREADS: String(threads) };
    const server = await startFormflag(data, { prefix: ANYWHERE, env });
    started.push(performance.now() - start);
    // The first of the workers is the writer.
    const serving = [server.pid, ...workersOf(server.pid).slice(1)].slice(0, threads);
    const tag = (await fetch(server.url + FLAG, { headers })).headers.get("etag")!;
    return { ...server, serving, headers, path, tag };
  };
  const openBare = async (threads: number): Promise<Threads> => {
    const server = await startLimit("threads", [String(threads)], ANYWHERE);
    return { ...server, serving: workersOf(server.pid) };
  };
  const ours = { one: await open(1), many: await open(MANY) };
  const bare = { one: await openBare(1), many: await openBare(MANY) };
  const memory = (ours.many.memory().now - ours.one.memory().now) / (MANY - 1);
  show(single("memory of a further thread, idle", "≤ 12", memory / 2 ** 20, " MB"));
  show(single(`start with ${MANY} threads to one`, "≤ 1.6", started[1]! / started[0]!));

  for (const [name, requestOf, bareRequest, capped] of REQUESTS) {
    const load = { seconds: rounds.seconds, directory };
    const runOurs = (side: keyof Pair, each = EACH, seconds = rounds.seconds) =>
      closedLoop(ours[side], requestOf(ours[side]), { ...load, seconds, connections: each * THREADS[side] });
    const runBare = (side: keyof Pair, each = EACH, seconds = rounds.seconds) =>
      closedLoop(bare[side], bareRequest, { ...load, seconds, connections: each * THREADS[side] });
    for (const run of [runOurs, runBare]) {
      await run("one", EACH, WARM_UP);
      await run("many", EACH, WARM_UP);
    }
    const cpu: [number, number][] = [];
    for (let round = 0; round < rounds.rounds; round += 1) {
      const of = async (run: typeof runOurs) => {
        const one = await run("one");
        return (await run("many")).cpuEach / one.cpuEach;
      };
      cpu.push([await of(runOurs), await of(runBare)]);
    }
    show(ratios(`${name}: CPU of an answer, ${MANY} threads to one`, "≤ 1.10", cpu));
    if (!mayCap()) continue;
    const gain: [number, number][] = [];
    for (let round = 0; round < rounds.rounds; round += 1) {
      const of = async (pair: Pair, run: typeof runOurs) => {
        const one = await underCap(pair.one, () => run("one", CAPPED_EACH));
        return (await underCap(pair.many, () => run("many", CAPPED_EACH))).perSecond / one.perSecond;
      };
      gain.push([await of(ours, runOurs), await of(bare, runBare)]);
    }
    show(ratios(`${name}: ${MANY} capped threads to one, beside bare ones`, capped, gain, true));
  }
  for (const side of ["one", "many"] as const)
    show(await commits(ours[side], submission(ours[side]), side, rounds, directory));
  if (mayCap()) {
    const two = await open(2);
    show(await latency({ one: ours.one, many: two }, rounds, directory));
    await two.stop();
    removeGroups(two);
  }
  for (const server of [ours.one, ours.many, bare.one, bare.many]) {
    await server.stop();
    removeGroups(server);
  }
}

/**
 * The p99 of flag reads on a schedule while submissions saturate capped threads: of two threads to one. The kernel spreads
 * connections by chance, so each round has connections of its own.
 */
async function latency(
  servers: Pair<Filled>,
  { rounds, seconds }: Rounds,
  directory: string,
): Promise<Figure> {
  const p99 = async (server: Filled) => {
    const { url, headers } = { url: server.url + FLAG, headers: server.headers };
    const [latencies] = await Promise.all([
      openLoop(url, { headers }, { perSecond: 50, seconds: seconds * 2 }),
      closedLoop(server, submission(server), { connections: 64, seconds: seconds * 2 + 1, directory }),
    ]);
    return percentile(latencies, 0.99);
  };
  const ratios: number[] = [];
  let last = [0, 0];
  for (let round = 0; round < Math.max(7, rounds); round += 1) {
    const of = (server: Filled) => underCap(server, () => p99(server), QUARTER);
    last = [await of(servers.many), await of(servers.one)];
    ratios.push(last[0]! / last[1]!);
  }
  const detail = `last round ${last.map((ms) => ms.toFixed(1)).join(" to ")} ms`;
  const name = "p99 of flag reads under submissions, 2 capped threads to one";
  return { part: PART, name, goal: "≤ 0.8", value: median(ratios), spread: spreadOf(ratios), detail };
}

/** The commits of a server for 1,000 submissions, by its metrics. */
async function commits(
  server: Server,
  request: Request,
  side: keyof Pair,
  { seconds }: Rounds,
  directory: string,
): Promise<Figure> {
  const read = async () => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    const of = (name: string) =>
      Number(new RegExp(`^formflag_commit_writes_${name} (.*)$`, "m").exec(text)![1]);
    return { writes: of("sum"), commits: of("count") };
  };
  const before = await read();
  await closedLoop(server, request, { connections: 64, seconds, directory });
  const after = await read();
  const value = ((after.commits - before.commits) * 1000) / (after.writes - before.writes);
  return single(
    `commits for 1,000 submissions, ${side === "one" ? "one thread" : `${MANY} threads`}`,
    null,
    value,
  );
}

function single(name: string, goal: string | null, value: number, unit = ""): Figure {
  return { part: PART, name, goal, value, spread: [value, value], unit };
}

/** A figure of ours and of bare threads in turns: ours, or with `isBeside` the quotient of both. */
function ratios(name: string, goal: string, turns: [number, number][], isBeside = false): Figure {
  const values = turns.map(([ours, bare]) => (isBeside ? ours / bare : ours));
  const [ours, bare] = [0, 1].map((side) => median(turns.map((turn) => turn[side]!)).toFixed(2));
  const detail = `formflag ${ours}, bare ${bare}`;
  return { part: PART, name, goal, value: median(values), spread: spreadOf(values), detail };
}

/** The ids of the worker threads of a process, in the order of their start. */
function workersOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .filter((id) => readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim() === "Worker")
    .map(Number)
    .toSorted((a, b) => a - b);
}

/** Control groups of version 1 for processor time, in which root may limit single threads. */
const GROUPS = "/sys/fs/cgroup/cpu";

function mayCap(): boolean {
  if (!existsSync(join(GROUPS, "cpu.cfs_quota_us"))) return false;
  try {
    accessSync(GROUPS, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const groupOf = (id: number) => join(GROUPS, `formflag-bench-${id}`);

/** Quotas of a period of 10 ms, in microseconds. */
const [TENTH, QUARTER] = [1000, 2500];

function setQuota({ serving }: Threads, quota: number): void {
  for (const id of serving) {
    const group = groupOf(id);
    if (!existsSync(group)) {
      mkdirSync(group);
      writeFileSync(join(group, "cpu.cfs_period_us"), "10000");
      writeFileSync(join(group, "tasks"), String(id));
    }
    writeFileSync(join(group, "cpu.cfs_quota_us"), String(quota));
  }
}

/** Runs with each serving thread limited to a part of a core. */
async function underCap<T>(server: Threads, run: () => Promise<T>, quota = TENTH): Promise<T> {
  setQuota(server, quota);
  try {
    return await run();
  } finally {
    setQuota(server, -1);
  }
}

/** Removes the groups of a server that has ended. */
function removeGroups({ serving }: Threads): void {
  for (const group of serving.map(groupOf)) if (existsSync(group)) rmdirSync(group);
}
