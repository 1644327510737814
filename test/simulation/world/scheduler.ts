import { AsyncLocalStorage } from "node:async_hooks";
import { type Chance, createChance } from "../chance.ts";

/** A process of the simulation: its clock, and whether it runs. */
export type Process = {
  name: string;
  isDead: boolean;
  /** Until when it does nothing, in virtual milliseconds. */
  pausedUntil: number;
  /** What its clock shows beyond the time, and how fast it goes astray. */
  offset: number;
  drift: number;
};

export function createProcess(name: string): Process {
  return { name, isDead: false, pausedUntil: 0, offset: 0, drift: 0 };
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
  /** Puts back the timers and clocks of the process. */
  close: () => void;
};

/** When simulated time begins. */
export const EPOCH = Date.parse("2026-01-02T00:00:00Z");

const realImmediate = globalThis.setImmediate;

/** Fulfils once everything that waits for nothing but promises has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}

/**
 * Chooses from a seed what happens next. Until it is closed, timers and clocks of the whole process are simulated: what the
 * product waits for are these, and the store, which is asked in steps of the scheduler.
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
          push({ ...event, at: process.pausedUntil });
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
    close: replaceGlobals(() => now, add, current),
  };
  return scheduler;
}

type Add = (ms: number, label: string, process: Process | null, run: () => void) => Event;

/** A timer as Bun's, which code may keep alive or not. */
type Timer = { event: Event | null; ref: () => Timer; unref: () => Timer; hasRef: () => boolean };

/** Replaces the clocks and timers of the process, and returns what puts them back. */
function replaceGlobals(now: () => number, add: Add, current: AsyncLocalStorage<Process>): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } = globalThis;
  const real = { now: Date.now, sleep: Bun.sleep };
  const steady = Object.getOwnPropertyDescriptor(performance, "now");
  const wait = (run: () => void, ms = 0, label = ""): Timer => {
    const timer: Timer = { event: null, ref: () => timer, unref: () => timer, hasRef: () => true };
    timer.event = add(Math.max(ms, 0), label, current.getStore() ?? null, () => {
      timer.event = null;
      run();
    });
    return timer;
  };
  const clear = (timer: unknown) => {
    const { event } = (timer ?? { event: null }) as Timer;
    if (event) event.run = () => {};
  };
  Object.assign(globalThis, {
    setTimeout: wait,
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: (run: () => void) => wait(run),
    setInterval(run: () => void, ms: number) {
      const timer = wait(() => repeat(), ms);
      const repeat = () => {
        timer.event = wait(repeat, ms).event;
        run();
      };
      return timer;
    },
  });
  Date.now = () => Math.floor(now());
  performance.now = () => now() - EPOCH;
  Bun.sleep = ((ms: number) => new Promise<void>((resolve) => void wait(resolve, ms))) as typeof Bun.sleep;
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate });
    Date.now = real.now;
    if (steady) Object.defineProperty(performance, "now", steady);
    else Reflect.deleteProperty(performance, "now");
    Bun.sleep = real.sleep;
  };
}
