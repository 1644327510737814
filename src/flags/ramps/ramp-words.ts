import { durationInWords } from "../../base/units.ts";
import { peopleOfStep, stepInWords } from "../audience.ts";
import { conditionInWords } from "../rules/condition-words.ts";
import type { viewRamp } from "./ramp-view.ts";

/** A ramp as the admin API shows it. */
export type RampView = ReturnType<typeof viewRamp>;

const REASONS = {
  person: "by a person",
  changed: "because the flag was changed",
  locked: "because the environment was locked",
  guard: "by a guard",
  deleted: "because the flag was deleted",
} as const;

/** The state of a ramp or an experiment: `running`, `paused because the flag was changed`. */
export function rampStatusInWords({
  status,
  reason,
}: {
  status: string;
  reason: RampView["reason"];
}): string {
  return reason === null ? status : `${status} ${REASONS[reason]}`;
}

/** The course of a ramp: `on goes to 1 %, 10 %, 50 %, 100 % of users, a step every day; guards: event:error rises 0%`. */
export function rampCourseInWords({
  variant,
  steps,
  every,
  guards = [],
}: Pick<RampView, "variant" | "every"> & {
  guards?: readonly string[] | undefined;
  steps: readonly { share: number; within?: unknown }[];
}): string {
  const [first, ...more] = steps.map(({ share }) => `${share} %`);
  const { within } = steps[0]!;
  const words = within === undefined ? null : (conditionInWords(within) ?? "a condition");
  const isFirst = words !== null && steps.some((step) => step.within === undefined);
  const of = words !== null && !isFirst ? `users for whom ${words} holds` : "users";
  const shares = [isFirst ? `${first} of users for whom ${words} holds` : first, ...more].join(", ");
  const pace = steps.length === 1 ? "" : `, a step every ${durationInWords(every).replace(/^1 /, "")}`;
  const guarded = guards.length === 0 ? "" : `; guards: ${guards.join(", ")}`;
  return `${variant} goes to ${shares} of ${of}${pace}${guarded}`;
}

/** The next share of a ramp that is running or paused; null if none is to come. */
export function nextShare({ steps, status }: Pick<RampView, "steps" | "status">): number | null {
  if (status !== "running" && status !== "paused") return null;
  return steps.find(({ doneAt }) => doneAt === null)?.share ?? null;
}

/** Whether a step was passed over: the ramp has made the next one at the same time. */
export function isSkipped({ steps }: Pick<RampView, "steps">, at: number): boolean {
  const [step, next] = [steps[at], steps[at + 1]];
  return step !== undefined && step.doneAt !== null && step.doneAt === next?.doneAt;
}

/** A ramp in one line: `on has 10 % of users, 50 % next at 2027-01-31T12:00:00.000Z`. */
export function rampInWords(ramp: RampView): string {
  const { variant, share, steps, nextAt } = ramp;
  const next = nextShare(ramp);
  const when = nextAt === null ? "once resumed" : `next at ${nextAt}`;
  const rest = next === null ? "" : `, ${stepInWords(steps, next)} ${when}`;
  const now = peopleOfStep(steps, share) === undefined ? `${share} % of users` : stepInWords(steps, share);
  return `${variant} has ${now}${rest}`;
}
