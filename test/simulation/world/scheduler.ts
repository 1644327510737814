import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, type Timer, setClock } from "../../../src/base/clock.ts";
import { timedId } from "../../../src/base/ids.ts";
import { type Chance, createChance } from "../chance.ts";
import { outsideSettled } from "./outside.ts";

/** A process of the simulation: its clock, and whether it runs. */
export type Process = {
  name: string;
  isDead: boolean;
  /** Until when it does nothing, in virtual milliseconds. */
  pausedUntil: number;
  /** What its clock shows beyond the time, and how fast it goes astray. */
  offset: number;
  drift: number;
  /** When something last went wrong for which it may have lost its leases, in virtual milliseconds. */
  troubleAt: number;
  /** At which of the awaits to come it ends, in place of going on: 0 is the next one, and Infinity none. */
  endsAfter: number;
  /** Ends it. */
  end: () => void;
};

export function createProcess(name: string): Process {
  const process: Process = {
    name,
    isDead: false,
    pausedUntil: 0,
    offset: 0,
    drift: 0,
    troubleAt: -Infinity,
    endsAfter: Infinity,
    end: () => void (process.isDead = true),
  };
  return process;
}

type Event = { at: number; order: number; process: Process | null; label: string; run: () => void };

export type Scheduler = {
  chance: Chance;
  /** Virtual milliseconds since 1970, and what the clock of a process shows. */
  now: () => number;
  clockOf: (process: Process) => number;
  /** Fulfils after a time, unless its process ends before. */
  sleep: (ms: number, label: string, process?: Process | null) => Promise<void>;
  /** Runs a function as a process, whose timers are its own. */
  as: <T>(process: Process, work: () => T) => T;
  /** Writes down what happens, for the comparison of two runs. */
  note: (text: string) => void;
  /** Runs until a time or until nothing is left to do, at most so many steps. */
  run: (until: number, most: number) => Promise<void>;
  steps: () => number;
  log: () => string[];
  /** Puts back the clock of the machine. */
  close: () => void;
};

/** When simulated time begins. */
export const EPOCH = Date.parse("2026-01-02T00:00:00Z");

/** Fulfils once everything that waits for nothing but promises, and threads of the machine, has gone on. */
async function settled(): Promise<void> {
  do await new Promise<void>((resolve) => void setImmediate(resolve));
  while (await outsideSettled());
}

/**
 * Chooses from a seed what happens next. Until it is closed, the clock of the product is simulated: all that it waits for are
 * this, and the store, which is asked in steps of the scheduler.
 */
export function createScheduler(seed: number, keepsLog = true): Scheduler {
  const chance = createChance(seed);
  const current = new AsyncLocalStorage<Process>();
  const lines: string[] = [];
  let events: Event[] = [];
  let now = EPOCH;
  let steps = 0;

  const isBefore = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const push = (event: Event) => {
    let index = events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[index] = events[parent]!;
      index = parent;
    }
    events[index] = event;
  };
  const pop = (): Event | undefined => {
    const [first] = events;
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child += 1;
      if (!isBefore(events[child]!, last)) break;
      events[index] = events[child]!;
      index = child;
    }
    events[index] = last;
    return first;
  };
  const add = (ms: number, label: string, process: Process | null, run: () => void): Event => {
    // What is due at one time happens in an order of the seed.
    const event = { at: now + Math.max(ms, 0), order: chance.int(2 ** 30), process, label, run };
    push(event);
    return event;
  };

  const scheduler: Scheduler = {
    chance,
    now: () => Math.floor(now),
    clockOf: ({ offset, drift }) => Math.floor(now + offset + (now - EPOCH) * drift),
    sleep(ms, label, process = current.getStore() ?? null) {
      return new Promise((resolve) => void add(ms, label, process, resolve));
    },
    as: (process, work) => current.run(process, work),
    note(text) {
      if (keepsLog) lines.push(`${Math.floor(now - EPOCH)} ${current.getStore()?.name ?? "-"} ${text}`);
    },
    async run(until, most) {
      await settled();
      for (let left = most; left > 0; left -= 1) {
        const event = pop();
        if (event === undefined) return;
        if (event.at > until) {
          push(event);
          now = until;
          return;
        }
        now = Math.max(now, event.at);
        const { process } = event;
        if (process?.isDead) continue;
        if (process && process.pausedUntil > now) {
          event.at = process.pausedUntil;
          push(event);
          continue;
        }
        if (process && process.endsAfter-- <= 0) {
          scheduler.note(`${process.name} ends at ${event.label}`);
          process.end();
          continue;
        }
        steps += 1;
        if (keepsLog && event.label !== "")
          lines.push(`${Math.floor(now - EPOCH)} ${process?.name ?? "-"} ${event.label}`);
        if (process) current.run(process, event.run);
        else event.run();
        await settled();
      }
      throw new Error(`the simulation has not come to rest after ${most} steps`);
    },
    steps: () => steps,
    log: () => lines,
    close: () => setClock(),
  };
  const process = () => current.getStore() ?? null;
  setClock({ ...clockIn(scheduler, seed, add, process), steady: () => now - EPOCH });
  return scheduler;
}

type Add = (ms: number, label: string, process: Process | null, run: () => void) => Event;

/** The clock of the product in a simulation. Its chance is a source of its own, so that events keep their order of the seed. */
function clockIn(
  { now, clockOf, sleep }: Scheduler,
  seed: number,
  add: Add,
  process: () => Process | null,
): Omit<Clock, "steady"> {
  const chance = createChance(seed + 1);
  const after = (ms: number, run: () => void): Timer => {
    const event = add(ms, "", process(), run);
    const timer = { close: () => void (event.run = () => {}), unref: () => timer };
    return timer;
  };
  return {
    now: () => {
      const own = process();
      return own ? clockOf(own) : now();
    },
    after,
    every(ms, run) {
      let next: Timer;
      const repeat = () => {
        next = after(ms, repeat);
        run();
      };
      next = after(ms, repeat);
      const timer = { close: () => next.close(), unref: () => timer };
      return timer;
    },
    sleep: (ms) => sleep(ms, ""),
    soon: (run) => void after(0, run),
    random: chance.bytes,
    uuid: () => timedId(0, 0, chance.bytes(8)),
    fraction: () => chance.int(2 ** 30) / 2 ** 30,
  };
}
