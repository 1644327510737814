import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newDatabase } from "../../support/database.ts";
import type { Chance } from "../chance.ts";
import { faultIn } from "../history/checker.ts";
import { createHistory } from "../history/history.ts";
import { requireSound } from "./invariants.ts";
import { EPOCH } from "./scheduler.ts";
import { NO_DATABASE_FAULTS } from "./simulated-store.ts";
import { type Ledger, furnish, work } from "./workload.ts";
import { type World, createWorld } from "./world.ts";

/** What the product loads when it first needs it: a module that is on its way is no event of the scheduler. */
export function loadAll(): Promise<void> {
  return (loaded ??= load());
}

async function load(): Promise<void> {
  await Promise.all([
    import("@cfworker/json-schema"),
    import("reflect-metadata").then(() => import("@simplewebauthn/server")),
    import("altcha-lib"),
    import("altcha-lib/algorithms/pbkdf2"),
    import("re2js"),
  ]);
  const source = join(import.meta.dir, "../../../src");
  const isOfThread = (path: string) => /(^|\/)(hash-thread|writer-thread)\.ts$/.test(path);
  const others = /^(blobs\/s3|store\/postgres|send|http\/dashboard|http\/flags\/script)\//;
  for (const path of new Bun.Glob("**/*.ts").scanSync(source))
    if (!isOfThread(path) && !others.test(path)) await import(join(source, path));
}

let loaded: Promise<void> | undefined;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Steps after which a simulation counts as one that does not come to rest. */
const MOST_STEPS = 120_000;

export type Simulated = { violations: string[]; steps: number; hours: number; log: string[]; calls: number };

type Options = { seed: number; directory: string; minutes?: number; keepsLog?: boolean };

/**
 * Runs servers, clients and faults from a seed, then heals everything, lets all retries end, and checks what has to be. The
 * seed also chooses what goes wrong: nothing but receivers, or the database, the storage, clocks and processes too.
 */
export async function simulate({
  seed,
  directory,
  minutes = 2,
  keepsLog = true,
}: Options): Promise<Simulated> {
  await loadAll();
  const own = mkdtempSync(join(directory, "world-"));
  const file = newDatabase(own);
  const servers = seed % 4 === 0 ? 1 : 3;
  const world = createWorld({ seed, file, servers, keepsLog });
  const { scheduler } = world;
  const ledger: Ledger = {
    sent: new Map(),
    deleted: new Set(),
    purged: [],
    purging: [],
    marked: new Set(),
    scheduled: new Map(),
    forms: new Map(),
    flags: createHistory(),
    approvals: { proposed: new Map(), refused: new Set() },
    joining: [],
    visits: new Map(),
  };
  const level = seed % 3;
  if (level === 0 && seed % 2 === 1) world.clockOffset = () => clockOffset(scheduler.chance);
  try {
    await finish(world, "start", startAll(world, servers));
    const others = await finish(
      world,
      "furnish",
      scheduler.as(world.servers[0]!.process, () => furnish(world, ledger)),
    );
    const until = scheduler.now() + minutes * MINUTE;
    world.receivers.isHealthy = seed % 5 === 0;
    if (level > 0) {
      world.faults.database = { refused: 150, lostAnswer: 150, late: 100, latest: level === 1 ? 900 : 4500 };
      world.faults.storage = 10;
    }
    const faults = level === 0 ? Promise.resolve() : disturb(world, until, level);
    await finish(world, "work", Promise.all([work(world, ledger, until, others), faults]));
    await heal(world, servers);
    await scheduler.run(scheduler.now() + 80 * HOUR, MOST_STEPS);
    await finish(
      world,
      "check",
      scheduler.as(world.servers[0]!.process, () => requireSound(world, ledger)),
    );
    const fault = faultIn(ledger.flags.calls);
    if (fault !== null) world.violated(`not linearizable: ${fault}`);
    return {
      violations: world.violations,
      steps: scheduler.steps(),
      hours: (scheduler.now() - EPOCH) / HOUR,
      log: scheduler.log(),
      calls: ledger.flags.calls.length,
    };
  } finally {
    await world.close();
    rmSync(own, { recursive: true });
  }
}

async function startAll(world: World, servers: number): Promise<void> {
  for (let slot = 0; slot < servers; slot += 1) await world.start(slot);
}

/** Runs until something has been done. Throws if that never ends. */
export async function finish<T>(world: World, what: string, done: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const ended = done.finally(() => (state.isDone = true));
  ended.catch(() => {});
  for (let slices = 0; !state.isDone; slices += 1) {
    if (slices > 1000) throw new Error(`${what} does not end`);
    await world.scheduler.run(world.scheduler.now() + 1000, MOST_STEPS);
  }
  return ended;
}

/** Ends servers at any await of their work, stops them, pauses them for longer than a lease, and sets their clocks. */
async function disturb(world: World, until: number, level: number): Promise<void> {
  const { scheduler } = world;
  const { chance } = scheduler;
  /** Another process takes the place, mostly at once; a few end as they start. */
  const restart = async (slot: number) => {
    if (chance.once(2)) await scheduler.sleep(chance.int(3000), "restart", null);
    while (chance.once(5)) await begin(slot, chance.int(30));
    await begin(slot);
  };
  const begin = (slot: number, endsAfter?: number) =>
    world.start(slot, endsAfter).catch((error: unknown) => scheduler.note(`did not start: ${String(error)}`));
  while (scheduler.now() < until) {
    await scheduler.sleep(chance.int(12_000), "fault", null);
    const slot = chance.int(world.servers.length);
    const server = world.servers[slot]!;
    switch (chance.int(level === 1 ? 3 : 5)) {
      case 0:
      case 1:
        server.process.endsAfter = chance.int(chance.once(2) ? 20 : 300);
        await Promise.race([server.killed, scheduler.sleep(20_000, "patience", null)]);
        server.kill();
        await restart(slot);
        break;
      case 2:
        scheduler.note(`stop ${server.process.name}`);
        server.outbox.stop();
        await Promise.race([server.jobs.stop(), scheduler.sleep(20_000, "grace", null)]);
        server.kill();
        await restart(slot);
        break;
      case 3:
        scheduler.note(`pause ${server.process.name}`);
        server.process.pausedUntil = scheduler.now() + chance.int(50_000);
        server.process.troubleAt = world.troubleAt = server.process.pausedUntil;
        break;
      default:
        scheduler.note(`clock of ${server.process.name}`);
        // A step of seconds, as from a time server, or a clock that somebody sets.
        server.process.offset = chance.once(2)
          ? server.process.offset + (chance.int(10) - 5) * 1000
          : clockOffset(chance);
        server.process.troubleAt = Math.max(server.process.troubleAt, scheduler.now());
        server.process.drift = (chance.int(101) - 50) / 100_000;
        world.troubled();
    }
  }
}

/** Clocks that differ by less than the hour after which files without a row are removed. */
function clockOffset(chance: Chance): number {
  return (chance.int(3000) - 1500) * 1000;
}

/** Ends every fault: servers start anew, with jobs that look rarely, so that days pass quickly. */
async function heal(world: World, servers: number): Promise<void> {
  world.receivers.isHealthy = true;
  world.faults.database = NO_DATABASE_FAULTS;
  world.faults.storage = 0;
  const { troubleAt } = world;
  for (const server of world.servers) server.kill();
  // That is no trouble: nothing is under way any more that it excuses.
  world.troubleAt = troubleAt;
  world.slowness = 6000;
  await finish(world, "restart", startAll(world, servers));
}
