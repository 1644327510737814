import { type Rounds, type Show, inTurns, median, spreadOf } from "./figure.ts";
import { type Request, closedLoop } from "./load.ts";
import type { Server } from "./process.ts";

export type Side = { server: Server; request: Request };

type Comparison = {
  part: string;
  name: string;
  /** The goal of the throughput. */
  goal: string | null;
  /** The goal of the CPU time of an answer; without one, it is only a detail. */
  cpuGoal?: string;
  connections: number;
  directory: string;
};

/** Shows the throughput of one side to that of another, and what an answer costs either server in CPU time. */
export async function compare(
  a: Side,
  b: Side,
  { part, name, goal, cpuGoal, connections, directory }: Comparison,
  { rounds, seconds }: Rounds,
  show: Show,
): Promise<void> {
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
  const used = `${micro(median(cpu.a))} to ${micro(median(cpu.b))}`;
  const sides = `${perSecond(result.a)} to ${perSecond(result.b)}`;
  const detail = cpuGoal === undefined ? `${sides}; CPU ${used} each` : sides;
  show({ part, name, goal, value: median(result.ratios), spread: spreadOf(result.ratios), detail });
  if (cpuGoal === undefined) return;
  const ratios = cpu.a.map((value, round) => value / cpu.b[round]!);
  const figure = { part, name: `${name}: CPU of an answer`, goal: cpuGoal, detail: used };
  show({ ...figure, value: median(ratios), spread: spreadOf(ratios) });
}

function perSecond(value: number): string {
  return `${Math.round(value).toLocaleString("en")}/s`;
}

function micro(seconds: number): string {
  return `${(seconds * 1e6).toFixed(1)} µs`;
}
