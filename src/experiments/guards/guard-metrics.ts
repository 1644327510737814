import { parseGuard } from "../../flags/ramps/guard.ts";

/** The metrics of an experiment, then those that its guards read besides, each once. Guards against earlier weeks count none. */
export function guardMetrics(metrics: readonly string[], guards: readonly string[]): string[] {
  const read = guards.map(parseGuard).filter(({ isOfBaseline }) => !isOfBaseline);
  return [...new Set([...metrics, ...read.map(({ metric }) => metric)])];
}
