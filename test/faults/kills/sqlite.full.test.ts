import { expect, test } from "bun:test";
import { formflag, onData } from "../../support/commands.ts";
import { eventually } from "../../support/eventually.ts";
import { DISK, tempDirectory } from "../../support/temp.ts";
import { canInject, killAt } from "../inject.ts";
import { seededRandom } from "../load.ts";
import type { Killer } from "./house.ts";
import { KILLS_MS, KILLS_SEED, NETWORK, tryKills } from "./trial.ts";

/** What makes a change last, and what answers: pages in the log, its sync, and bytes to a socket. */
const CALLS = "pwrite64,fdatasync,fsync,sendto";

/** Calls of a thread in what is done, at most. */
const MOST = 64;

/**
 * Kills a server before the n-th of these calls of a thread since something began, once at most in each thing that is done. The
 * seed chooses n among those that were not tried in this, and are not past its end.
 */
function createKiller(seed: number): Killer {
  const random = seededRandom(seed);
  const left = new Map<string, number[]>();
  let pid = 0;
  let aimed: { what: string; n: number; pid: number; strace: AsyncDisposable } | null = null;
  /** Aims at the server that runs, which may have been killed a moment ago. */
  const aim = async (what: string, n: number) => {
    while (aimed === null) {
      const target = await eventually("a process", () => pid);
      try {
        aimed = { what, n, pid: target, strace: await killAt(target, CALLS, n) };
      } catch {
        await eventually("the end of a process that strace cannot attach to", () => pid !== target);
      }
    }
  };
  const end = async () => {
    if (aimed === null) return;
    const { what, n, strace } = aimed;
    const isKilled = aimed.pid !== pid;
    aimed = null;
    await strace[Symbol.asyncDispose]();
    const others = left.get(what)!.filter((each) => (isKilled ? each !== n : each < n));
    left.set(what, others);
  };
  return {
    spawned: (_, id) => void (pid = id),
    ended: () => void (pid = 0),
    async during(what) {
      await end();
      if (what === null) return;
      const untried = left.get(what) ?? Array.from({ length: MOST }, (_, index) => index + 1);
      left.set(what, untried);
      if (untried.length === 0) return;
      const n = untried[random.below(1 + random.below(untried.length))]!;
      await aim(what, n);
    },
  };
}

test.skipIf(!(await canInject()))(
  "a server killed at any write, sync or answer on SQLite makes no second step, notice or count",
  async () => {
    const data = tempDirectory(DISK);
    const kills = await tryKills({
      commands: onData(data, (args) => formflag(args, { env: NETWORK })),
      data,
      count: 1,
      killer: createKiller(KILLS_SEED),
      envOf: () => NETWORK,
      release: async () => {},
      copy: async () => data,
    });
    expect(kills).toBeGreaterThan(0);
  },
  KILLS_MS + 600_000,
);
