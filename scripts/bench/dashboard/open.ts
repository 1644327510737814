import { type Rounds, type Show, inTurns, median, spreadOf } from "../figure.ts";
import { type Request, closedLoop } from "../load.ts";
import type { Filled } from "./data.ts";
import { type Site, load } from "./session.ts";

const OPEN = 20;
const PAGES_PER_SECOND = 2;
const PATHS = ["/dashboard", "/dashboard/inbox", "/dashboard/projects/shop", "/dashboard/inbox/contact"];

const POST = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ name: "Ann Example", message: "Hello there. ".repeat(20) }),
} as const;

/** Measures the cost of open dashboards for flag reads and submissions: one server with and without them, in turns. */
export async function measureOpen(
  site: Site,
  { flags, post }: Filled,
  directory: string,
  { rounds, seconds }: Rounds,
  show: Show,
): Promise<void> {
  const against = async (name: string, request: Request, connections: number) => {
    const cpu = { with: [] as number[], without: [] as number[] };
    const run = async (each: number[]) => {
      const result = await closedLoop(site.server, request, { connections, seconds: seconds + 1, directory });
      if (result.failures > 0) throw new Error(`${name}: ${result.failures} requests failed`);
      each.push(result.cpuEach * 1e6);
      return result.perSecond;
    };
    const result = await inTurns(
      rounds,
      async () => {
        const close = await open(site);
        const perSecond = await run(cpu.with);
        await close();
        return perSecond;
      },
      () => run(cpu.without),
    );
    show({
      part: "dashboard",
      name: `${name} with ${OPEN} dashboards open, to without`,
      goal: "≥ 0.97",
      value: median(result.ratios),
      spread: spreadOf(result.ratios),
      detail: `${Math.round(result.a)}/s to ${Math.round(result.b)}/s; CPU ${median(cpu.with).toFixed(1)} to ${median(cpu.without).toFixed(1)} µs each`,
    });
  };
  await against("flag reads", { path: "/api/v1/flags/flag-00050", headers: flags }, 32);
  await against("submissions", { ...POST, path: post }, 64);
}

/** Opens the streams of events of some dashboards, which load pages now and then. Returns what closes them. */
async function open(site: Site): Promise<() => Promise<void>> {
  const abort = new AbortController();
  const headers = { cookie: site.cookie };
  for (let index = 0; index < OPEN; index += 1) {
    const answer = await fetch(`${site.server.url}/dashboard/events`, { headers, signal: abort.signal });
    if (!answer.ok) throw new Error(`the stream of events is answered with ${answer.status}`);
    answer.text().catch(() => {});
  }
  const loads: Promise<unknown>[] = [];
  const timer = setInterval(
    () => loads.push(load(site, PATHS[loads.length % PATHS.length]!)),
    1000 / PAGES_PER_SECOND,
  );
  return async () => {
    clearInterval(timer);
    await Promise.all(loads);
    abort.abort();
  };
}
