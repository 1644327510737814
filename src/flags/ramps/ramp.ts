import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { NewOf, RecordOf } from "../../base/kinds/kinds.ts";
import type { FlagPatch, FlagPlace } from "../flag.ts";
import { RAMP_LIMITS } from "../limits.ts";
import type { COURSE, RAMP } from "./ramp-card.ts";

export const RAMP_STATUSES = ["running", "paused", "completed", "aborted"] as const;
/** Why a ramp is paused or was aborted. */
export const RAMP_REASONS = ["person", "changed", "locked", "guard", "deleted"] as const;

type RampStatus = (typeof RAMP_STATUSES)[number];
export type RampReason = (typeof RAMP_REASONS)[number];

/** A condition in JSONLogic. */
type Condition = Record<string, unknown>;

/**
 * A share of the users in percent, and when it was set, in milliseconds since 1970; null if it is to come. With `within` it is
 * a share of those for whom the condition holds.
 */
export type RampStep = { share: number; doneAt: number | null; within?: Condition | undefined };

/** The parts of a flag that a ramp sets; `rules` as JSON text without metadata, null for a plain flag. */
export type RampedState = { enabled: boolean; rules: string | null };

/** The share of a variant of a flag in an environment that grows by steps. Times are milliseconds since 1970. */
export type Ramp = RecordOf<typeof COURSE> & {
  environment: string;
  flag: string;
  steps: RampStep[];
  /** When the first step is due; null for a ramp that began with it. */
  startAt: number | null;
  status: RampStatus;
  reason: RampReason | null;
  /** When the next step is due; null unless the ramp is running. */
  nextAt: number | null;
  /** The share of the variant in percent that the ramp has left. */
  share: number;
  /** The flag as the ramp has left it. */
  left: RampedState;
  /** The flag before the ramp, and the share of the variant then. */
  before: RampedState & { share: number };
  /** Whether the environment was locked, or needed approvals, when the ramp went on last, so that this does not stop it. */
  isGuarded: boolean;
  who: string;
  why: string | null;
  createdAt: number;
};

/** The desired course of a ramp: shares in percent, `every` in seconds, `start` in ISO 8601. */
export type RampPlan = NewOf<typeof RAMP>;

/** A ramp that starts, and the change of its flag that goes out by it. */
export type RampStart = Omit<RampPlan, "variant"> & {
  /** Default with a patch: the variant that is released unless another is chosen. */
  variant?: string | undefined;
  patch?: FlagPatch | undefined;
};

/** A ramp with what it depends on. */
export type FoundRamp = {
  project: string;
  ramp: Ramp;
  /** Null if the flag does not exist. */
  flag: (RampedState & { createdAt: number }) | null;
  /** Whether the environment is locked or needs approvals. */
  isGuarded: boolean;
};

/** Selects a page of at most `limit` ramps after the given one, which may no longer exist. */
export type RampQuery = { limit: number; after?: Pick<Ramp, "flag" | "environment"> | undefined };

/** An event of a ramp, for the targets of its project. */
export type RampEvent = "ramp.stepped" | "ramp.paused" | "ramp.ended";

/** Why shares cannot be the steps of a ramp; undefined if they can. */
export function findStepsFault(to: readonly number[]): string | undefined {
  const { steps } = RAMP_LIMITS;
  if (to.length < 1 || to.length > steps) return `a ramp has 1 to ${steps} shares`;
  const odd = to.find((share) => !(share > 0 && share <= 100) || !hasTwoDecimals(share));
  if (odd !== undefined)
    return `a share is a percentage above 0 up to 100, with two decimals at most, not ${odd}`;
  const at = to.findIndex((share, index) => index > 0 && share <= to[index - 1]!);
  return at === -1 ? undefined : `the shares of a ramp rise: ${to[at]} does not follow ${to[at - 1]}`;
}

/** Whether a stored value is the list of steps of a ramp. */
export function areRampSteps(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every(isObject)) return false;
  const isTime = (at: unknown) => at === null || Number.isSafeInteger(at);
  const shares = value.map(({ share }) => Number(share));
  const isStep = ({ doneAt, within }: Condition) =>
    isTime(doneAt) && (within === undefined || isObject(within));
  return value.every(isStep) && findStepsFault(shares) === undefined;
}

/** Whether a stored value is a state of a flag with a ramp, whose rules are an object there. */
export function isRampedState(value: unknown): boolean {
  return isFlagState(value) && isObject(value) && typeof value["share"] === "number";
}

/** Whether a stored value is a state of a flag, whose rules are an object there. */
export function isFlagState(value: unknown): boolean {
  if (!isObject(value) || typeof value["enabled"] !== "boolean") return false;
  const { rules } = value;
  return rules === null || (isObject(rules) && isObject(rules["variants"]));
}

function hasTwoDecimals(share: number): boolean {
  return Number(share.toFixed(2)) === share;
}

/** A ramp holds its flag until it is completed or aborted. */
export function isHeld({ status }: Pick<Ramp, "status">): boolean {
  return status === "running" || status === "paused";
}

/** The next step, or undefined. */
export function nextStep({ steps }: Pick<Ramp, "steps">): RampStep | undefined {
  return steps.find(({ doneAt }) => doneAt === null);
}

/** Whether a ramp has made a step. */
export function isBegun({ steps }: Pick<Ramp, "steps">): boolean {
  return steps.some(({ doneAt }) => doneAt !== null);
}

/** The variant that a ramp makes the default by its last step; undefined for one that goes less far. */
export function newDefaultOf({ steps, variant }: Pick<Ramp, "steps" | "variant">): string | undefined {
  return steps.some(({ share, within }) => share === 100 && !within) ? variant : undefined;
}

/** The variant of the users that a ramp has not reached: the default, which a plain flag has by its state. */
export function restOf({ left: { enabled, rules } }: Pick<Ramp, "left">): string {
  if (rules === null) return enabled ? "on" : "off";
  return (JSON.parse(rules) as { defaultVariant: string }).defaultVariant;
}

/** When the next step is due: some time after the last one, or at the start. */
export function dueAt({ steps, every, startAt }: Pick<Ramp, "steps" | "every" | "startAt">): number | null {
  const last = steps.findLast(({ doneAt }) => doneAt !== null)?.doneAt;
  return last == null ? startAt : last + every * 1000;
}

export function noSuchRamp({ environment, flag }: FlagPlace): AppError {
  return new AppError("not_found", `the flag "${flag}" has no ramp in ${environment}`, {
    reason: "ramp-not-found",
  });
}

/** The error for a flag whose share a ramp or an experiment already writes, which `by` names. */
export function flagHeld(
  { environment, flag }: Pick<FlagPlace, "environment" | "flag">,
  by: string,
): AppError {
  return new AppError("conflict", `${by} already sets the share of "${flag}" in ${environment}`, {
    reason: "flag-held",
    hint: "end that one first, or wait until it has ended",
  });
}
