import { parseGuard } from "../../flags/ramps/guard.ts";

/**
 * The metrics of an experiment, followed by those that only its guards read, each once. Guards against earlier weeks
 * need none.
 */
export function guardMetrics(metrics: readonly string[], guards: readonly string[]): string[] {
  const read = guards.map(parseGuard).filter(({ isOfBaseline }) => !isOfBaseline);
  return [...new Set([...metrics, ...read.map(({ metric }) => metric)])];
}
