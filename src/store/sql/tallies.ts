import {
  type HourTally,
  TALLY_KINDS as KINDS,
  type Tally,
  type TallyKey,
  type TallyKind,
  type TallyPage,
  type TallyQuery,
  type TallySum,
} from "../../flags/reads/tally.ts";
import { sha256 } from "../../base/sum.ts";
import { takeBatch } from "./experiments/batches.ts";
import { insertRows } from "./lists.ts";
import { WEIGHT } from "./bind.ts";
import { textOrder } from "./lists.ts";
import { type Params, type Work, all, run } from "./work.ts";

/** Sorts after every text that begins with what precedes it. */
const LAST = "\u{10ffff}";

/** Hours that are bound one by one at most: reading one or two from a JSON list takes longer than finding their tallies. */
const FEW = 2;

/**
 * Each hour is found by itself, so that the index leads to where the texts begin: at the prefix or behind `after`, as
 * SQLite would begin at either of two conditions.
 */
function bound({ kind, from, to, what, prefix = "", until = prefix, after }: Omit<TallyPage, "limit">): {
  where: string;
  params: Params;
} {
  const begins = `what ${after === undefined ? ">=" : ">"} $first AND what < $last`;
  const hours = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  const isFew = hours.length > 0 && hours.length <= FEW;
  const among = isFew
    ? hours.map((_, index) => `$hour${index}`).join(", ")
    : "SELECT CAST(value AS BIGINT) FROM json_each($hours)";
  return {
    where: `WHERE kind = $kind AND hour IN (${among})
      AND ${what === undefined ? begins : "what = $what"}`,
    params: {
      kind: KINDS.indexOf(kind),
      ...(isFew
        ? Object.fromEntries(hours.map((hour, index) => [`hour${index}`, hour]))
        : { hours: JSON.stringify(hours) }),
      ...(what === undefined ? { first: after ?? prefix, last: until + LAST } : { what }),
    },
  };
}

function readTallies({ limit = Number.MAX_SAFE_INTEGER, ...tallies }: TallyPage): Work<HourTally[]> {
  const { where, params } = bound(tallies);
  const sql = `SELECT hour, what, variant, count FROM tallies ${where}
    ORDER BY hour, what, variant LIMIT $limit`;
  return all(sql, { ...params, limit });
}

function sumTallies(tallies: TallyQuery): Work<TallySum[]> {
  const { where, params } = bound(tallies);
  return all(
    `SELECT what, variant, sum(count) AS count FROM tallies ${where} GROUP BY what, variant`,
    params,
  );
}

/** Adds in one order, in which concurrent writers lock the rows. */
function* addTallies(tallies: readonly Tally[], key?: TallyKey): Work<void> {
  if (key) {
    const hash = sha256(JSON.stringify(["tallies", key.id]));
    const { at, expiresAt } = key;
    const batch = { key: { hash, content: hash, expiresAt }, at, accepted: 0, measured: [] };
    if ((yield* takeBatch(batch)).isRepeat) return;
  }
  const sums = new Map<string, Tally>();
  for (const tally of tallies) {
    const key = JSON.stringify([tally.kind, tally.hour, tally.what, tally.variant]);
    sums.set(key, { ...tally, count: tally.count + (sums.get(key)?.count ?? 0) });
  }
  const sorted = [...sums].toSorted(([a], [b]) => textOrder(a, b));
  yield* insertRows(
    "INSERT INTO tallies (kind, hour, what, variant, count)",
    sorted.map(([, { kind, hour, what, variant, count }]) => [
      KINDS.indexOf(kind),
      hour,
      what,
      variant,
      count,
    ]),
    "ON CONFLICT (kind, hour, what, variant) DO UPDATE SET count = tallies.count + excluded.count",
  );
}

function* clearTallies(kind: TallyKind, before: number, limit: number): Work<boolean> {
  const changes = yield* run(
    `DELETE FROM tallies WHERE (kind, hour, what, variant) IN (
       SELECT kind, hour, what, variant FROM tallies WHERE kind = $kind AND hour < $before LIMIT $limit)`,
    { kind: KINDS.indexOf(kind), before, limit },
  );
  return changes >= limit;
}

const TALLY_WEIGHT = 200;

export const tallies = {
  reads: { read: readTallies, sum: sumTallies },
  writes: { add: addTallies, clear: clearTallies },
  weights: { add: (added: readonly Tally[]) => WEIGHT + added.length * TALLY_WEIGHT },
};
