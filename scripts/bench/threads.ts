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
import { type Request, closedLoop } from "./load.ts";
import type { Server } from "./process.ts";
import { JSON_POST } from "./submissions.ts";

const PART = "threads";
const MANY = 4;
/** Connections to capped threads: each of them rests for nine tenths of the time, and has work whenever it does not. */
const CAPPED = 256;
/** Servers of other parts have one core, these every core. */
const ANYWHERE = ["taskset", "-c", "0-63"];

/** A server, with the ids of the threads that serve. */
type Threads = Server & { serving: number[] };

/** A server with one thread and one with four: formflag, and bare workers. */
type Pair = { one: Threads; many: Threads };

/** Gain and cost of more threads, beside bare workers that listen at one port. */
export async function measureThreads(directory: string, rounds: Rounds, show: Show): Promise<void> {
  const started: number[] = [];
  const open = async (
    threads: number,
  ): Promise<Threads & { headers: Record<string, string>; path: string }> => {
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
    return { ...server, serving, headers, path };
  };
  const openBare = async (threads: number): Promise<Threads> => {
    const server = await startLimit("threads", [String(threads)], ANYWHERE);
    return { ...server, serving: workersOf(server.pid) };
  };
  const ours = { one: await open(1), many: await open(MANY) };
  const bare = { one: await openBare(1), many: await openBare(MANY) };
  const flag = ({ headers }: typeof ours.one): Request => ({ path: "/api/v1/flags/flag-00050", headers });
  const post = ({ path }: typeof ours.one): Request => ({ ...JSON_POST, path });
  const memory = (ours.many.memory().now - ours.one.memory().now) / (MANY - 1);
  show(single("memory of a further thread, idle", "≤ 12", memory / 2 ** 20, " MB"));
  show(single(`start with ${MANY} threads to one`, "≤ 1.6", started[1]! / started[0]!));

  for (const [name, requestOf, bareRequest, capped] of [
    ["flag read", flag, { path: "/" }, "≥ 0.92"],
    ["JSON submission", post, { ...JSON_POST, path: "/" }, "≥ 0.85"],
  ] as const) {
    const load = { seconds: rounds.seconds, directory };
    const runOurs = (side: keyof Pair, connections = 64) =>
      closedLoop(ours[side], requestOf(ours[side]), { ...load, connections });
    const runBare = (side: keyof Pair, connections = 64) =>
      closedLoop(bare[side], bareRequest, { ...load, connections });
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
        const one = await underCap(pair.one, () => run("one", CAPPED));
        return (await underCap(pair.many, () => run("many", CAPPED))).perSecond / one.perSecond;
      };
      gain.push([await of(ours, runOurs), await of(bare, runBare)]);
    }
    show(ratios(`${name}: ${MANY} capped threads to one, beside bare ones`, capped, gain, true));
  }
  for (const side of ["one", "many"] as const)
    show(await commits(ours[side], post(ours[side]), side, rounds, directory));
  for (const server of [ours.one, ours.many, bare.one, bare.many]) {
    await server.stop();
    removeGroups(server);
  }
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

/** Runs with each serving thread limited to a tenth of a core. */
async function underCap<T>(server: Threads, run: () => Promise<T>): Promise<T> {
  setQuota(server, 1000);
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
