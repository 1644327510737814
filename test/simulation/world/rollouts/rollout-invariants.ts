import { GATHERED, NOTICED, ROLLOUT } from "./ramps.ts";
import { type Entry, type Expected, followRamps } from "./ramp-history.ts";
import type { Receipt } from "../receivers.ts";
import type { Evidence } from "../world.ts";

/** Notices that are of no change of the history, or of one that is still to come. */
const OTHERS = new Set(["flag.scheduled", "flag.expired", "flag.stale", "flag.removable", "segment.full"]);

/** Ramps took their steps as planned, and each change was noticed once, by each target. */
export function requireRollouts(world: Evidence): void {
  const { db, violated, scheduler } = world;
  const entries = db
    .query<Entry, [string]>(
      `SELECT c.revision, c.kind, c.environment, c.name, c.at, c.before, c.after, c.why FROM changes c
       JOIN projects p ON p.id = c.project_id WHERE p.slug = ? ORDER BY c.revision`,
    )
    .all(ROLLOUT);
  const expected: Expected[] = [];
  const isOfFlag = ({ kind }: Entry) => kind === "flag" || kind === "ramp";
  for (const [, own] of Map.groupBy(entries.filter(isOfFlag), ({ name }) => name))
    expected.push(...followRamps(own, violated));
  for (const { kind, revision, before } of entries)
    if (kind === "segment" || (kind === "environment" && before !== null))
      expected.push({ type: `${kind}.changed`, revision });
  const late = db
    .query<{ flag: string }, [number]>("SELECT flag FROM ramps WHERE status = 'running' AND next_at < ?")
    .all(scheduler.now() - 3_600_000);
  for (const { flag } of late) violated(`the ramp of ${flag} has a step that was not made`);
  requireNotices(world, expected, NOTICED);
  requireNotices(world, expected, GATHERED);
}

type Notice = { type: string; data: { revision: number } };

/** The notices of a request: those of a digest, or one. */
function noticesOf({ type, data }: Receipt): Notice[] {
  if (type === "digest") return (data as { notices: Notice[] }).notices;
  return [{ type, data: data as Notice["data"] }];
}

/** A target hears of each change in one delivery, of which every attempt has the same id and says the same, and of no other. */
export function requireNotices(
  { receivers, violated }: Evidence,
  expected: readonly Expected[],
  url: string,
  isChecked = (type: string) => !OTHERS.has(type),
): void {
  const own = receivers.receipts.filter((each) => each.url === url);
  const heard = new Map<string, { ids: Set<string>; isAccepted: boolean }>();
  const said = new Map<string, string>();
  for (const receipt of own) {
    const text = JSON.stringify(receipt.data);
    if ((said.get(receipt.id) ?? text) !== text) violated(`${receipt.id} said two things to ${url}`);
    said.set(receipt.id, text);
    for (const { type, data } of noticesOf(receipt)) {
      if (!isChecked(type)) continue;
      const key = `${type} ${data.revision}`;
      const known = heard.get(key) ?? { ids: new Set(), isAccepted: false };
      known.ids.add(receipt.id);
      known.isAccepted ||= receipt.accepted;
      heard.set(key, known);
    }
  }
  for (const { type, revision } of expected) {
    const key = `${type} ${revision}`;
    const found = heard.get(key);
    if (!found?.isAccepted) violated(`${url} was never told of ${key}`);
    if (found && found.ids.size > 1) violated(`${url} was told of ${key} as ${[...found.ids].join(", ")}`);
    heard.delete(key);
  }
  for (const key of heard.keys()) violated(`${url} was told of ${key}, which is in no history`);
}
