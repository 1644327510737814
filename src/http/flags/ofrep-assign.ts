import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { type Assigned, type Assignments, fits } from "../../experiments/assignment.ts";
import { createHeldFlags } from "../../experiments/held-flags.ts";
import type { Context, Subject } from "../../flags/flagd/evaluate.ts";
import type { Access } from "./ofrep-access.ts";
import type { Report } from "../errors.ts";
import type { FlagSet } from "./ofrep-flags.ts";
import type { Reader } from "./ofrep-tickets.ts";

export const ASSIGNMENT = "X-Formflag-Assignment";

/** Adds the assignment of a reader to the answer with its variants: outside the entity tag, and to 304 too. */
export type Assign = (
  answered: Response | Promise<Response>,
  access: Access,
  context: Context,
  variants: readonly Assigned[],
) => Promise<Response>;

export function createAssign(app: App): Assign {
  const load = () => app.measuring.assignments();
  const findHeld = createHeldFlags(app);
  let loaded: Assignments | undefined;

  /** The variants of flags that are held, since those of all flags do not fit. */
  const heldAmong = async (variants: readonly Assigned[], place: string): Promise<Assigned[]> => {
    const byFlag = new Map(variants);
    const held = await heldIn(place);
    return held.flatMap((flag): Assigned[] => (byFlag.has(flag) ? [[flag, byFlag.get(flag)!]] : []));
  };
  const heldIn = async (place: string): Promise<readonly string[]> => {
    try {
      return (await findHeld(place)) ?? [];
    } catch (error) {
      // Flags are answered from memory while the database does not answer, also if what holds them was never read.
      if (error instanceof AppError && error.code === "unavailable") return [];
      throw error;
    }
  };

  return async (answered, { flags, reader: { keys } }, { targetingKey }, variants) => {
    const answer = await answered;
    loaded ??= await load();
    const { environmentKey } = keys;
    const isVisitor = typeof targetingKey === "string" && targetingKey !== "";
    const pseudonym = isVisitor ? loaded.pseudonymOf(environmentKey, targetingKey) : null;
    // A server that follows another one has the pseudonym and the time in the same room.
    const whole = { environmentKey, variants: [...variants, [pseudonym ?? "", "00000000"] as const] };
    const kept = fits(whole) ? variants : await heldAmong(variants, flags.place);
    answer.headers.set(ASSIGNMENT, loaded.sign({ environmentKey, pseudonym, variants: kept }, app.now()));
    return answer;
  };
}

/**
 * Notes that a user has seen the variant of a flag, if an experiment or a guard counts it and no condition holds; at once if
 * what counts is in memory.
 */
export function noteExposure(
  { measuring }: App,
  report: Report,
  exposure: { environmentKey: string; flag: string; variant: string },
  subject: Subject,
  { isInSplit }: FlagSet,
): void | Promise<void> {
  const { targetingKey } = subject;
  if (typeof targetingKey !== "string" || targetingKey === "") return undefined;
  const { environmentKey, flag } = exposure;
  const note = (measurement: number | null) => {
    if (measurement === null || !isInSplit(flag, subject)) return;
    measuring.note(measurement, { ...exposure, targetingKey });
  };
  const found = measuring.measurementOf(environmentKey, flag);
  return found instanceof Promise ? found.then(note, (error: unknown) => report.error(error)) : note(found);
}

/** Whether the variant of a flag is to be in an assignment: not of one that is counted, where a condition holds. */
export function mayCount(
  { measuring }: App,
  { keys: { environmentKey } }: Reader,
  flag: string,
  subject: Subject,
  { isInSplit }: FlagSet,
): boolean {
  const found = measuring.measurementOf(environmentKey, flag);
  return found instanceof Promise || found === null || isInSplit(flag, subject);
}
