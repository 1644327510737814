import { join } from "node:path";
import { type Rounds, type Show, median, spreadOf } from "./figure.ts";
import { createFlags, createForm, createProject, startFormflag, startLimit } from "./formflag.ts";
import { closedLoop, openLoop, percentile } from "./load.ts";
import type { Server } from "./process.ts";

const PER_SECOND = 300;
const READ = "/api/v1/flags/flag-00005";
const POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ name: "Ann Example", message: "Hello there. ".repeat(20) }),
} as const;

/** How long flag reads on a fixed schedule take while submissions come as fast as they are answered. */
export async function measureLatency(directory: string, rounds: Rounds, show: Show): Promise<void> {
  await measure("as fast as the disk goes", "≤ 4", [], directory, rounds, show);
  if (!Bun.which("strace")) return;
  const slowDisk = ["-e", "inject=fsync,fdatasync:delay_enter=20000", "-e", "trace=fsync,fdatasync"];
  const strace = ["strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null", ...slowDisk];
  await measure("each fsync 20 ms late", "≤ 2", strace, directory, rounds, show);
}

async function measure(
  what: string,
  goal: string,
  prefix: string[],
  directory: string,
  { rounds, seconds }: Rounds,
  show: Show,
): Promise<void> {
  const data = join(directory, what.replaceAll(" ", "-"));
  const server = await startFormflag(data, { prefix });
  const [headers = {}] = await createProject(data, "bench");
  await createFlags(data, "bench", "bench", 10);
  const path = await createForm(data, "bench");
  const bare = await startLimit("durable", [join(directory, `${what.replaceAll(" ", "-")}.db`)], prefix);
  const p99 = async (url: string) =>
    percentile(await openLoop(url, { headers }, { perSecond: PER_SECOND, seconds }), 0.99);
  const saturated = async (on: Server, read: string, post: string) => {
    const load = { connections: 64, seconds: seconds + 1, directory };
    const [latency, { perSecond }] = await Promise.all([
      p99(on.url + read),
      closedLoop(on, { ...POST, path: post }, load),
    ]);
    return { latency, perSecond };
  };
  const ratios: number[] = [];
  const besides: number[] = [];
  const submitted: number[] = [];
  let [idle, busy, bareBusy] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    idle = await p99(server.url + READ);
    const ours = await saturated(server, READ, path);
    busy = ours.latency;
    submitted.push(ours.perSecond);
    ratios.push(busy / idle);
    bareBusy = (await saturated(bare, "/", "/")).latency;
    besides.push(busy / bareBusy);
  }
  const common = { part: "latency" };
  const name = `p99 of flag reads under submissions, ${what}`;
  show({
    ...common,
    name: `${name}, to idle`,
    goal,
    value: median(ratios),
    spread: spreadOf(ratios),
    detail: `last round ${busy.toFixed(1)} to ${idle.toFixed(1)} ms; ${Math.round(median(submitted)).toLocaleString("en")} submissions/s`,
  });
  show({
    ...common,
    name: `${name}, to the bare durable server`,
    goal: "≤ 1.05",
    value: median(besides),
    spread: spreadOf(besides),
    detail: `last round ${busy.toFixed(1)} to ${bareBusy.toFixed(1)} ms`,
  });
  await Promise.all([server.stop(), bare.stop()]);
}
