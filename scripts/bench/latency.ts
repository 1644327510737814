import { join } from "node:path";
import { median, spreadOf, type Rounds, type Show } from "./figure.ts";
import { makeFlags, makeForm, makeProject, startFormflag, type Formflag } from "./formflag.ts";
import { closedLoop, openLoop, percentile } from "./load.ts";

const PER_SECOND = 300;
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
  const server = await startFormflag(data, prefix);
  const [headers = {}] = await makeProject(data, "bench");
  await makeFlags(data, "bench", "bench", 10);
  const path = await makeForm(data, "bench");
  const p99 = async () => {
    const url = `${server.url}/api/v1/flags/flag-00005`;
    return percentile(await openLoop(url, { headers }, { perSecond: PER_SECOND, seconds }), 0.99);
  };
  const ratios: number[] = [];
  const submitted: number[] = [];
  let [idle, busy] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    idle = await p99();
    const load = saturate(server, path, seconds + 1, directory);
    busy = await p99();
    submitted.push(await load);
    ratios.push(busy / idle);
  }
  show({
    part: "latency",
    name: `p99 of flag reads while submissions saturate, ${what}, to idle`,
    goal,
    value: median(ratios),
    spread: spreadOf(ratios),
    detail: `last round ${busy.toFixed(1)} to ${idle.toFixed(1)} ms; ${Math.round(median(submitted)).toLocaleString("en")} submissions/s`,
  });
  await server.stop();
}

async function saturate(server: Formflag, path: string, seconds: number, directory: string): Promise<number> {
  const { perSecond } = await closedLoop(server, { ...POST, path }, { connections: 64, seconds, directory });
  return perSecond;
}
