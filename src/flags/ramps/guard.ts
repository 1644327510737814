import type { GuardAction } from "./ramp-card.ts";

/** A limit of a metric: that it rises, or falls, by more than some percent, against the control or against earlier weeks. */
export type Guard = {
  metric: string;
  direction: "rises" | "falls";
  percent: number;
  isOfBaseline: boolean;
};

/** Visitors of a variant, and those of them who convert. */
type Counted = { visitors: number; conversions: number };

/** A guard that fired, with what it compared: two variants, or submissions since the start and in the weeks before. */
export type FiredGuard = { guard: string; action: GuardAction } & (
  | { variant: Counted; control: Counted }
  | { variant: null; control: null; baseline: { since: number; before: number } }
);

export const GUARD_LIMITS = { guards: 5, rises: 1000, falls: 99 } as const;

/** Bytes of the salt of a measurement. */
export const SALT_BYTES = 16;

/** A metric: `event:` with a name, or `submissions:` with a form. */
const METRIC = /^(?:event:[\w.-]{1,100}|submissions:[\w.-]{1,150}(?::[\w.-]{1,150})?)$/;

const GUARD = /^(\S{1,400})\s+(rises|falls)\s+(\d{1,4}(?:\.\d{1,2})?)\s?%(\s+of\s+baseline)?$/;

/** Why a text is not a metric; undefined for one. */
export function findMetricFault(text: string): string | undefined {
  if (METRIC.test(text)) return undefined;
  return `"${text.slice(0, 100)}" is not a metric: write event:signup or submissions:contact`;
}

/** Why a text is not a guard; undefined for one. */
export function findGuardFault(text: string): string | undefined {
  const example = "write 'event:error rises 0%', or 'submissions:contact falls 20%'";
  const parts = partsOf(text);
  if (parts === null) return `"${text.slice(0, 100)}" is not a guard: ${example}`;
  const { metric, direction, percent, isOfBaseline } = parts;
  const most = GUARD_LIMITS[direction];
  if (percent > most) return `a guard ${direction} by 0 to ${most} %, not ${percent}`;
  if (isOfBaseline && (direction === "rises" || percent === 0 || formOfMetric(metric) === null))
    return "a baseline is for submissions that fall by 1 % or more: 'submissions:contact falls 40% of baseline'";
  return findMetricFault(metric);
}

/** The parts of a guard that {@link findGuardFault} accepts. */
export function parseGuard(text: string): Guard {
  return partsOf(text)!;
}

function partsOf(text: string): Guard | null {
  const [, metric, direction, percent, baseline] = GUARD.exec(text.trim()) ?? [];
  if (metric === undefined) return null;
  return {
    metric,
    direction: direction as Guard["direction"],
    percent: Number(percent),
    isOfBaseline: baseline !== undefined,
  };
}

/**
 * Metrics that guards and experiments can count: errors, events that experiments of the same environment count, and the forms
 * with these names.
 */
export function knownMetrics(
  experiments: readonly { metrics: readonly string[]; guards: readonly string[] }[],
  forms: readonly string[],
): string[] {
  const counted = experiments.flatMap(({ metrics, guards }) => [
    ...metrics,
    ...guards.map((guard) => parseGuard(guard).metric),
  ]);
  return [...new Set(["event:error", ...counted.toSorted(), ...forms.map((form) => `submissions:${form}`)])];
}

/** The form of a metric, by its slug or with its project; null for one of events. */
export function formOfMetric(metric: string): string | null {
  const form = "submissions:";
  return metric.startsWith(form) ? metric.slice(form.length) : null;
}

/**
 * The metrics of an experiment, followed by metrics that only its guards read, each once. Guards against earlier weeks
 * need none.
 */
export function guardMetrics(metrics: readonly string[], guards: readonly string[]): string[] {
  const read = guards.map(parseGuard).filter(({ isOfBaseline }) => !isOfBaseline);
  return [...new Set([...metrics, ...read.map(({ metric }) => metric)])];
}
