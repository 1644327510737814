import { expect, test } from "bun:test";
import { type Random, clientOf, prepareWith, seededRandom } from "../../faults/load.ts";
import { IS_POSTGRES_HERE } from "../../support/postgres/postgres.ts";
import { type Rig, openRig } from "../../support/postgres/rig.ts";
import { faultIn } from "../history/checker.ts";
import type { Call } from "../history/history.ts";
import { FLAGS, type Seen, createSeen, listener, reader, write, writer } from "./clients.ts";

const GIVEN = process.env["FORMFLAG_SIMULATE_SECONDS"];
const SECONDS = Number(GIVEN ?? 20);
const ROUND = Math.min(SECONDS, 20);
const FIRST = Number(process.env["FORMFLAG_SIMULATE_SEED"] ?? (GIVEN === undefined ? 1 : randomSeed()));

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1;
}

async function open() {
  const rig = await openRig({ hasGates: true });
  const keys = await prepareWith(rig.commands);
  return { rig, keys, client: clientOf(rig.replicas[0].url, keys) };
}
type Opened = Awaited<ReturnType<typeof open>>;

test.skipIf(!IS_POSTGRES_HERE)(
  "three servers keep what they promise of flags through kills, pauses and cuts",
  async () => {
    const opened = await open();
    const newest = new Map<string, number>();
    const seen = createSeen(newest);
    for (const flag of FLAGS) expect(await write({ seen }, opened.client, flag, false)).toBe(true);
    const until = performance.now() + SECONDS * 1000;
    for (let seed = FIRST; ; seed += 1) {
      const round = seed === FIRST ? seen : createSeen(newest);
      const figures = await tryRound(opened, round, seed);
      if (GIVEN !== undefined) process.stderr.write(`seed ${seed} of histories: ${figures}\n`);
      if (performance.now() >= until) break;
    }
  },
  SECONDS * 2000 + 120_000,
);

/** Runs clients and faults for a round, and checks what was seen. The seed chooses the faults and what clients do, not when. */
async function tryRound({ rig, keys, client }: Opened, seen: Seen, seed: number): Promise<string> {
  const random = seededRandom(seed);
  const since = Math.min(...FLAGS.map((flag) => seen.newest.get(flag)!));
  const until = performance.now() + ROUND * 1000;
  const isOver = () => performance.now() >= until;
  const urls = rig.replicas.map(({ url }) => url);
  const context = () => ({ urls, keys, seen, isOver, random: seededRandom(random.below(1e9)) });
  await Promise.all([
    ...Array.from({ length: 8 }, () => writer(context())),
    ...Array.from({ length: 6 }, () => reader(context())),
    ...Array.from({ length: 3 }, () => listener(context())),
    disturb(rig, seededRandom(seed + 1), isOver),
  ]);
  const made = new Map<number, number>();
  for (const flag of FLAGS) await readHistory(client, flag, since, made);
  const fault = check(seen, made);
  if (fault !== null) process.stderr.write(`seed ${seed} of histories: ${fault}\n`);
  expect(fault).toBeNull();
  const unknown = seen.writes.filter(({ call }) => call.revision === null);
  const late = unknown.filter(({ value }) => made.has(value)).length;
  const stale = seen.reads.filter(({ isStale }) => isStale).length;
  const isLinearizable = faultIn([...callsOf(seen, made), ...seen.refusals]) === null;
  return `${seen.writes.length} writes (${unknown.length} of unknown outcome, ${late} of these made), ${seen.refusals.length} refused, ${seen.reads.length} reads (${stale} stale), ${isLinearizable ? "" : "not "}linearizable over all servers`;
}

/** Kills a server, stops one for longer than it may trust a version, or takes its database away, one after another. */
async function disturb({ replicas, gates }: Rig, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const slot = random.below(3);
    const replica = replicas[slot]!;
    const gate = gates[slot]!;
    const time = 150 + random.below(1500);
    switch (random.below(5)) {
      case 0:
        await replica.stop("SIGKILL");
        await Bun.sleep(random.below(400));
        await replica.start();
        break;
      case 1:
        process.kill(replica.pid(), "SIGSTOP");
        await Bun.sleep(time);
        process.kill(replica.pid(), "SIGCONT");
        break;
      case 2:
        gate.cutNextAnswer();
        break;
      default:
        await gate.set((["cut", "stall", "slow", "swallow"] as const)[random.below(4)]!);
        await Bun.sleep(time);
        // What the gate has dropped of an open connection is never sent again.
        await gate.set("cut");
        await gate.set("open");
    }
    await Bun.sleep(random.below(800));
  }
}

/** Adds the revision of each value that the product says it has written since a revision. */
async function readHistory(
  client: Opened["client"],
  flag: string,
  since: number,
  made: Map<number, number>,
): Promise<void> {
  type Page = {
    changes: { revision: number; after: { payload: { value: number } } }[];
    next: number | null;
  };
  for (let before = ""; ;) {
    const answer = await client.admin(
      `/projects/shop/flags/${flag}/history?environment=develop&limit=100${before}`,
    );
    expect(answer.status).toBe(200);
    const { changes, next } = (await answer.json()) as Page;
    for (const { revision, after } of changes) made.set(after.payload.value, revision);
    if (next === null || next === undefined || changes.at(-1)!.revision < since) return;
    before = `&before=${next}`;
  }
}

/** What contradicts the promise; null if nothing does. */
function check(seen: Seen, made: ReadonlyMap<number, number>): string | null {
  for (const { call, value } of seen.writes)
    if (call.revision !== null && made.get(value) !== call.revision)
      return `value ${value} was answered with revision ${call.revision}, and is not in the history`;
  for (const { value, flag } of seen.reads)
    if (!made.has(value)) return `${value} of ${flag} was read, and is not in the history`;
  const writes = writesOf(seen, made);
  const stored = faultIn([...writes, ...readsOf(seen, made, null), ...seen.refusals]);
  if (stored !== null) return `the database is not linearizable: ${stored}`;
  const all = faultIn([...callsOf(seen, made), ...seen.refusals], "regular");
  if (all !== null) return `not a regular register: ${all}`;
  for (const replica of [0, 1, 2]) {
    const own = faultIn([...writes, ...readsOf(seen, made, replica)]);
    if (own !== null) return `server ${replica} alone is not linearizable: ${own}`;
  }
  return null;
}

/** Writes that were made, those of unknown outcome at any time after their begin. */
function writesOf({ writes }: Seen, made: ReadonlyMap<number, number>): Call[] {
  return writes
    .filter(({ value }) => made.has(value))
    .map(({ call, value }) => ({ ...call, revision: made.get(value)! }));
}

function readsOf({ reads }: Seen, made: ReadonlyMap<number, number>, from: number | null): Call[] {
  return reads
    .filter(({ replica }) => replica === from)
    .map(({ flag, value, begin, end }) => ({ kind: "read", flag, begin, end, revision: made.get(value)! }));
}

function callsOf(seen: Seen, made: ReadonlyMap<number, number>): Call[] {
  return [...writesOf(seen, made), ...[null, 0, 1, 2].flatMap((replica) => readsOf(seen, made, replica))];
}
