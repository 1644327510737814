import type { App } from "../../app.ts";
import type { Assigned, Assignments } from "../../experiments/assignment.ts";
import { createAssignmentSource } from "../../experiments/assignments.ts";
import type { Context } from "../../flags/flagd/evaluate.ts";
import type { Reader } from "./ofrep-tickets.ts";

export const ASSIGNMENT = "X-Formflag-Assignment";

/** Adds the assignment of a reader to the answer with its variants: outside the entity tag, and to 304 too. */
export type Assign = (
  answered: Response | Promise<Response>,
  reader: Reader,
  context: Context,
  variants: readonly Assigned[],
) => Promise<Response>;

export function createAssign(app: App): Assign {
  const load = createAssignmentSource(app);
  let loaded: Assignments | undefined;
  return async (answered, { keys: { environmentKey } }, { targetingKey }, variants) => {
    const answer = await answered;
    loaded ??= await load();
    const isVisitor = typeof targetingKey === "string" && targetingKey !== "";
    const pseudonym = isVisitor ? loaded.pseudonymOf(environmentKey, targetingKey) : null;
    answer.headers.set(ASSIGNMENT, loaded.sign({ environmentKey, pseudonym, variants }, app.now()));
    return answer;
  };
}
