import { documents } from "../documents.ts";
import { experiments } from "../experiments.ts";
import { flagd } from "../flagd.ts";
import { flags } from "../flags.ts";
import { history } from "../history.ts";
import type { Operation } from "../operation.ts";
import { promotion } from "../promotion.ts";
import { ramps } from "../ramps.ts";
import { scheduled } from "../scheduled.ts";
import { segments } from "../segments.ts";

/** The operations that can be proposed in place of being run, by method and path. */
export const PROPOSABLE: ReadonlyMap<string, Operation> = new Map(
  [flags, segments, flagd, history, promotion, scheduled, ramps, experiments, documents]
    .flatMap((noun): Operation[] => Object.values(noun))
    .filter(({ proposes }) => proposes)
    .map((operation) => [keyOf(operation), operation]),
);

/** An operation as a proposed change names it. */
export function keyOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method} ${path}`;
}
