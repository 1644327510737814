import { type Figure, type Rounds, inTurns, median, spreadOf } from "./figure.ts";
import { type Request, closedLoop } from "./load.ts";
import type { Server } from "./process.ts";

export type Side = { server: Server; request: Request };

type Comparison = { part: string; name: string; goal: string | null; connections: number; directory: string };

/** The throughput of one side to that of another, with what an answer costs either server in CPU time. */
export async function compare(
  a: Side,
  b: Side,
  { part, name, goal, connections, directory }: Comparison,
  { rounds, seconds }: Rounds,
): Promise<Figure> {
  const cpu = { a: [] as number[], b: [] as number[] };
  const run = async ({ server, request }: Side, each: number[]) => {
    const result = await closedLoop(server, request, { connections, seconds, directory });
    if (result.failures > 0) throw new Error(`${name}: ${result.failures} requests failed`);
    each.push(result.cpuEach);
    return result.perSecond;
  };
  const result = await inTurns(
    rounds,
    () => run(a, cpu.a),
    () => run(b, cpu.b),
  );
  return {
    part,
    name,
    goal,
    value: median(result.ratios),
    spread: spreadOf(result.ratios),
    detail: `${perSecond(result.a)} to ${perSecond(result.b)}; CPU ${micro(median(cpu.a))} to ${micro(median(cpu.b))} each`,
  };
}

function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en")}/s`;
}

function micro(seconds: number): string {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}
