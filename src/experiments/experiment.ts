import { isoTime, shownTime } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { RecordOf } from "../base/kinds/kinds.ts";
import type { RampedState, RampReason } from "../flags/ramps/ramp.ts";
import { DESIGN } from "./experiment-card.ts";
import { EXPERIMENT_LIMITS } from "./limits.ts";

export const EXPERIMENT_STATUSES = ["draft", "running", "paused", "ended"] as const;
type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

/** The place of an experiment by slugs. */
export type ExperimentPlace = { project: string; environment: string; experiment: string };

/** The weight of each variant; the control is one of them. */
export type Split = Readonly<Record<string, number>>;

/** Visitors and conversions of each variant, by the names of variants and metrics. */
export type ExperimentCounts = {
  mixed: number;
  full: boolean;
  variants: Record<string, { visitors: number; conversions: Record<string, number> }>;
};

/** The course of an experiment, as callers set it. */
export type Design = { flag: string } & RecordOf<typeof DESIGN>;

const DESIGN_NAMES = ["flag", ...(Object.keys(DESIGN) as (keyof typeof DESIGN)[])] as const;

/** An experiment in an environment. Times are milliseconds since 1970. */
export type Experiment = Design & {
  environment: string;
  name: string;
  status: ExperimentStatus;
  /** Why it is paused or has ended, unless a person ended it as planned. */
  reason: RampReason | null;
  startedAt: number | null;
  endedAt: number | null;
  /** The flag as the experiment has left it, and before it; null for a draft. */
  left: RampedState | null;
  before: RampedState | null;
  /** Whether the environment was locked, or needed approvals, when it was started or resumed. */
  isGuarded: boolean;
  /** Whether targets were notified of a winner or of an alarm. */
  isDecided: boolean;
  /** The counts of one that has ended. */
  counts: ExperimentCounts | null;
  who: string;
  why: string | null;
  createdAt: number;
};

/** An experiment with the things it depends on. */
export type FoundExperiment = {
  project: string;
  experiment: Experiment;
  /** Null if the flag does not exist. */
  flag: (RampedState & { createdAt: number }) | null;
  /** Whether the environment is locked or needs approvals. */
  isGuarded: boolean;
};

export type ExperimentEvent =
  | "experiment.started"
  | "experiment.paused"
  | "experiment.ended"
  | "experiment.decided";

/** An experiment holds its flag from its start to its end. */
export function holdsFlag({ status }: Pick<Experiment, "status">): boolean {
  return status === "running" || status === "paused";
}

/** Why weights are not a split of variants; undefined if they are one. */
export function findSplitFault(split: Readonly<Record<string, unknown>>): string | undefined {
  const { variants, weight } = EXPERIMENT_LIMITS;
  const weights = Object.entries(split);
  if (weights.length < 2 || weights.length > variants)
    return `an experiment compares 2 to ${variants} variants`;
  const odd = weights.find(
    ([, each]) => !Number.isInteger(each) || Number(each) < 1 || Number(each) > weight,
  );
  return odd && `a weight is a whole number from 1 to ${weight}, not ${String(odd[1])} for ${odd[0]}`;
}

/** Whether a stored value is a split. */
export function isSplit(value: Readonly<Record<string, unknown>>): boolean {
  return findSplitFault(value) === undefined;
}

/** An experiment as the history records it. */
export function experimentState(experiment: Experiment) {
  return { ...designOf(experiment), status: experiment.status, reason: experiment.reason };
}

/** The course of an experiment. */
export function designOf(experiment: Experiment): Design {
  return Object.fromEntries(DESIGN_NAMES.map((name) => [name, experiment[name]])) as Design;
}

export function viewExperiment(experiment: Experiment) {
  const { name, environment, status, reason, startedAt, endedAt, who, why, createdAt } = experiment;
  return {
    name,
    environment,
    ...designOf(experiment),
    status,
    reason,
    startedAt: shownTime(startedAt),
    endedAt: shownTime(endedAt),
    who,
    why,
    createdAt: isoTime(createdAt),
  };
}

/** The error for one more than an environment may have. */
export function tooManyExperiments(environment: string): AppError {
  return new AppError(
    "conflict",
    `environment "${environment}" has ${EXPERIMENT_LIMITS.experiments} experiments, the most there may be`,
    { reason: "experiment-limit", hint: "delete drafts, and ones that have ended" },
  );
}

export function noSuchExperiment({ environment, experiment }: ExperimentPlace): AppError {
  return new AppError("not_found", `experiment "${experiment}" does not exist in ${environment}`, {
    reason: "experiment-not-found",
  });
}
