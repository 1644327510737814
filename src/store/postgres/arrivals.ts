import { clock } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Arrival } from "../../forms/inbox/scan.ts";
import { listLastArrivals } from "../sql/submissions/order.ts";
import { type Work, all } from "../sql/work.ts";
import type { Units } from "./run.ts";

/** Milliseconds between two looks at what is under way, and of all of them: no statement of a request takes longer. */
const LOOK_MS = 5;
const DEADLINE_MS = 10_000;

/** The transactions of this database that are writing submissions. */
function listWriters(): Work<{ writer: string }[]> {
  return all<{ writer: string }>(
    `SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
     WHERE relation = CAST('submissions' AS REGCLASS) AND mode = 'RowExclusiveLock' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
}

/**
 * The last submissions that arrived. Waits until every transaction has ended that may have taken a smaller place
 * without committing, because a place is taken before the commit, for example in a long import. Throws `unavailable` if
 * one does not end.
 */
export async function lastArrivals({ read }: Pick<Units, "read">, limit: number): Promise<Arrival[]> {
  const found = await read(() => listLastArrivals(limit));
  const writers = async () => (await read(listWriters)).map(({ writer }) => writer);
  const deadline = clock.steady() + DEADLINE_MS;
  let left = new Set(await writers());
  while (left.size > 0) {
    if (clock.steady() > deadline)
      throw new AppError("unavailable", "a change of submissions that takes long is under way", {
        hint: "try again once it has ended",
        retryAfter: 10,
      });
    await clock.sleep(LOOK_MS);
    left = left.intersection(new Set(await writers()));
  }
  return found;
}
