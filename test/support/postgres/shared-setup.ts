import type { Versions, Versioned } from "../../../src/base/changes.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { Timing } from "../../../src/base/watch-state.ts";

/** Clocks that stand still until they are moved, with the timers of what they are passed to. */
export function openTiming() {
  let [steady, wall] = [0, 0];
  const timers = new Set<{ at: number; run: () => void }>();
  const timing: Timing = {
    steady: () => steady,
    wall: () => wall,
    after(ms, run) {
      const timer = { at: steady + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  /** Moves both clocks, running each timer at its time and what follows from it. */
  const advance = async (ms: number) => {
    const end = steady + ms;
    for (;;) {
      await settle();
      const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (!next) break;
      wall += Math.max(0, next.at - steady);
      steady = Math.max(steady, next.at);
      timers.delete(next);
      next.run();
    }
    wall += end - steady;
    steady = end;
  };
  /** Moves only the clock that goes on while a machine is suspended. */
  const suspend = (ms: number) => (wall += ms);
  return { timing, advance, suspend };
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

type Mode = "answers" | "refuses" | "hangs";

/** A setup in a database that is shared by machines: it answers, refuses or hangs as the test wants. */
export function openSharedSetup() {
  const watchers: (() => void)[] = [];
  const state = { mode: "answers" as Mode, looks: 0, setup: { version: 0, access: 0 } as Versions };
  /** Looks that hang, to be answered later with what they found. */
  const hanging: (() => void)[] = [];
  const answer = async (): Promise<Versions> => {
    state.looks += 1;
    const { mode, setup } = state;
    if (mode === "refuses") throw new AppError("unavailable", "connection refused");
    if (mode === "hangs") await new Promise<void>((resolve) => void hanging.push(resolve));
    return setup;
  };
  const store: Versioned = {
    readVersion: answer,
    staleness: 100,
    watch: (changed) => void watchers.push(changed),
  };
  /** A change by another process. */
  const changeElsewhere = (access = 0) => {
    const { version, access: before } = state.setup;
    state.setup = { version: version + 1, access: before + access };
  };
  return {
    state,
    store,
    changeElsewhere,
    /** A change by this process. */
    change: () => {
      changeElsewhere();
      for (const changed of watchers) changed();
    },
    answerHanging: () => {
      for (const resolve of hanging.splice(0)) resolve();
    },
  };
}
