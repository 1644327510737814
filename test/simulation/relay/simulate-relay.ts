import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { newDatabase } from "../../support/database.ts";
import { OPERATOR } from "../world/asking.ts";
import { createProcess } from "../world/scheduler.ts";
import { finish, loadAll } from "../world/simulation.ts";
import { NO_DATABASE_FAULTS } from "../world/simulated-store.ts";
import { createWorld } from "../world/world.ts";
import { replaceDisk } from "./disk.ts";
import { replaceFetch } from "./network.ts";
import { type RelayProcess, startRelay } from "./relay-process.ts";
import { FLAGS, PLACE, READERS, createWork } from "./relay-work.ts";

export type SimulatedRelay = { violations: string[]; checks: number; steps: number; log: string[] };

/**
 * Runs a relay and two servers from a seed: processes end at any await, power is lost, streams are cut, frozen and sent
 * through a proxy that fails, servers lose the database, tokens are revoked. Then heals everything, and checks what has to be.
 */
export async function simulateRelay(
  seed: number,
  directory: string,
  { seconds = 30, keepsLog = true } = {},
): Promise<SimulatedRelay> {
  await loadAll();
  const own = mkdtempSync(join(directory, "relay-"));
  const data = join(own, "data");
  mkdirSync(data);
  const world = createWorld({ seed, file: newDatabase(own), servers: 2, keepsLog });
  world.slowness = 6000;
  world.staleness = 400;
  const { scheduler, violated } = world;
  const { chance } = scheduler;
  const disk = replaceDisk(data, scheduler);
  const network = replaceFetch(world);
  const work = createWork(world, () => relay);
  let starts = 0;
  let relay: RelayProcess;
  const begin = () => {
    starts += 1;
    relay = startRelay(world, `relay.${starts}`, data, () => work.tokens.get("relay")!.secret);
    // A reader who reads as soon as there is something new.
    relay.relay.watch().onChange(() => void work.read());
  };
  const troubledUntil = (at: number) => void (world.troubleAt = Math.max(world.troubleAt, at));

  const end = async () => {
    if (chance.once(4)) {
      const stopping = scheduler.as(relay.process, () => relay.link.stop(2000));
      await Promise.race([stopping, scheduler.sleep(3000, "patience", null), relay.killed]);
    } else {
      relay.process.endsAfter = chance.int(chance.once(2) ? 30 : 100);
      void work.write();
      const until = scheduler.now() + 2000;
      while (!relay.process.isDead && scheduler.now() < until) {
        await scheduler.sleep(chance.int(30), "watch", null);
        await work.read();
      }
    }
    relay.process.end();
    network.leave();
    if (chance.once(2)) disk.losePower();
    await scheduler.sleep(chance.int(2000), "restart", null);
    begin();
  };
  const start = async (slot: number) => {
    await world.start(slot);
    // What its jobs do is no part of this.
    await world.servers[slot]!.jobs.stop();
  };
  const restart = async (slot: number) => {
    world.servers[slot]!.kill();
    await scheduler.sleep(chance.int(2000), "restart", null);
    await start(slot);
  };
  const cutOff = async (slot: number) => {
    world.faults.cutOff.add(slot);
    await scheduler.sleep(chance.int(5000), "cut off", null);
    network.only = chance.once(2) ? slot : null;
    network.cut();
    await scheduler.sleep(chance.int(15_000), "cut off", null);
    network.only = null;
    world.faults.cutOff.delete(slot);
    world.troubled();
  };
  const disturb = async () => {
    const soon = scheduler.now() + chance.int(9000);
    const kind = chance.int(6);
    world.troubled();
    if (kind < 2) return end();
    if (kind === 2) return restart(chance.int(2));
    if (kind === 3) return cutOff(chance.int(2));
    troubledUntil(soon);
    if (kind === 4) network.frozenUntil = soon;
    else {
      network.cutUntil = soon;
      network.cut();
    }
  };
  const startAll = () => Promise.all([start(0), start(1)]);
  const furnish = async () => {
    const { app } = world.servers[0]!;
    await createProject(app, OPERATOR, { slug: PLACE.project, environments: ["develop", PLACE.environment] });
    for (const flag of FLAGS) await setFlag(app, OPERATOR, { ...PLACE, flag }, {});
    relay = startRelay(world, "relay.0", data, () => "");
    for (const about of ["relay", ...READERS]) await work.grant(about);
    relay.process.end();
    begin();
  };
  const repeat = (name: string, every: number, until: number, step: () => Promise<unknown>) =>
    scheduler.as(createProcess(name), async () => {
      while (scheduler.now() < until) {
        await scheduler.sleep(chance.int(every), name);
        await step();
      }
    });
  const heal = async () => {
    Object.assign(network, { faulty: 0, cutUntil: 0, frozenUntil: 0 });
    world.faults.database = NO_DATABASE_FAULTS;
    world.faults.cutOff.clear();
    disk.full = 0;
    for (const each of world.servers) each.kill();
    await startAll();
    for (const about of ["relay", ...READERS]) if (work.tokens.get(about)!.revoked) await work.replace(about);
    // It connects at once, or after the longest wait between two connections.
    if (chance.once(3)) return scheduler.sleep(33_000, "healed", null);
    relay.process.end();
    network.leave();
    begin();
    await scheduler.sleep(3000, "healed", null);
  };
  const requireSound = async () => {
    for (const reader of READERS) {
      const answer = await work.read(reader);
      for (const flag of FLAGS)
        if (answer?.get(flag) !== work.newest(flag))
          violated(`${flag} stays at ${answer?.get(flag)}, and is ${work.newest(flag)}`);
    }
    await scheduler.sleep(5000, "sent", null);
    const rows = world.db
      .query<{ variant: string; count: number }, []>("SELECT variant, count FROM tallies")
      .all();
    const counts = new Map(rows.map(({ variant, count }) => [variant, count]));
    for (const [variant, outcome] of work.tallies) {
      const count = counts.get(variant) ?? 0;
      if (count > 1 || (count === 0 && outcome === "counted"))
        violated(`the tally ${variant} counts ${count} times`);
    }
    if (relay.spool.size > 0) violated(`${relay.spool.size} bytes are not sent`);
    await work.revoke("relay");
    await scheduler.sleep(5001, "revoked", null);
    await work.read();
    if (await work.read()) violated("a relay whose token is revoked answers");
  };

  try {
    await finish(world, "start", startAll());
    await finish(world, "furnish", scheduler.as(world.servers[0]!.process, furnish));
    const until = scheduler.now() + seconds * 1000;
    if (seed % 2 === 1) {
      network.faulty = disk.full = 12;
      world.faults.database = { refused: 400, lostAnswer: 400, late: 200, latest: 900 };
    }
    await finish(
      world,
      "work",
      Promise.all([
        repeat("writer", 1200, until, () => work.write()),
        repeat("reader", 400, until, () => work.read()),
        repeat("other reader", 400, until, () => work.read()),
        repeat("tokens", 12_000, until, () => work.changeTokens()),
        repeat("fault", 14_000, until, disturb),
      ]),
    );
    await finish(world, "heal", heal());
    await finish(world, "check", scheduler.as(createProcess("checker"), requireSound));
    const { violations } = world;
    return { violations, checks: work.checks, steps: scheduler.steps(), log: scheduler.log() };
  } finally {
    network.close();
    disk.close();
    await world.close();
    rmSync(own, { recursive: true });
  }
}
