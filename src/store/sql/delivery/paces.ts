import type { Pace } from "../../../delivery/delivery.ts";
import { bytesOfHash } from "../ids.ts";
import { type Work, only, run } from "../work.ts";

/** When a request to confirm may be sent that has a place by each of some paces, which is recorded; null for one too many. */
export function* takePlaces(paces: readonly Pace[], now: number): Work<number | null> {
  let dueAt = now;
  const places: { pace: Pace; taken: number[] }[] = [];
  for (const pace of paces) {
    const { most, within, apart, waits } = pace;
    const taken = (yield* placesBy(pace, now)).filter((at) => at > now - within);
    const isFull = taken.length >= most;
    if (isFull && !waits) return null;
    const free = isFull ? taken.at(-most)! + within : now;
    dueAt = Math.max(dueAt, free, apart === 0 ? now : (taken.at(-1) ?? -Infinity) + apart);
    places.push({ pace, taken });
  }
  for (const { pace, taken } of places) yield* keepPlaces(pace, [...taken, dueAt]);
  return dueAt;
}

/** Records that a mailbox is asked to confirm now, by a pace of what is sent; if it may not be yet, returns when, and records nothing. */
export function* admit(pace: Pace, now: number): Work<number> {
  const taken = yield* placesBy(pace, now);
  const dueAt = yield* takePlaces([pace], now);
  if (dueAt! > now) yield* keepPlaces(pace, taken);
  return dueAt!;
}

/** Takes back what {@link admit} recorded for a time. */
export function* giveBack(pace: Pace, at: number): Work<void> {
  const taken = yield* placesBy(pace, at);
  const place = taken.lastIndexOf(at);
  if (place >= 0) yield* keepPlaces(pace, taken.toSpliced(place, 1));
}

/** The places that were taken by a pace, the first first. Waits for others who take one. */
function* placesBy({ hash, within }: Pace, now: number): Work<number[]> {
  const { times } = yield* only<{ times: string }>(
    `INSERT INTO confirmations (hash, times, expires_at) VALUES ($key, '[]', $expiresAt)
     ON CONFLICT (hash) DO UPDATE SET expires_at = confirmations.expires_at RETURNING times`,
    { key: bytesOfHash(hash), expiresAt: now + within },
  );
  return JSON.parse(times) as number[];
}

/** Records the places that are taken by a pace, of which the last ones say when the next is free. */
function* keepPlaces({ hash, most, within }: Pace, taken: readonly number[]): Work<void> {
  const kept = taken.toSorted((a, b) => a - b).slice(-most);
  yield* run("UPDATE confirmations SET times = $times, expires_at = $expiresAt WHERE hash = $key", {
    key: bytesOfHash(hash),
    times: JSON.stringify(kept),
    expiresAt: (kept.at(-1) ?? 0) + within,
  });
}
