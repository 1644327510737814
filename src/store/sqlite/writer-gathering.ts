import type { Database } from "bun:sqlite";
import { clock } from "../../base/clock.ts";
import { receiveMessageOnPort } from "node:worker_threads";
import { openCommitStats } from "../commit-stats.ts";
import { type Write, commit, standsAlone } from "./commit.ts";
import { type PackedBatch, packOutcomes, unpackBatch } from "./pack.ts";
import type { WriterMemory } from "./writer.ts";

/**
 * How long behind a commit the writer waits for the threads that were part of it, in milliseconds: they have just got their
 * answers, and their next batches would otherwise arrive apart and need a sync each.
 */
const WAIT_MS = 1;

/** Commits together what several threads send. */
export type Gathering = { join: (port: MessagePort) => void };

type Batch = { port: MessagePort; writes: Write[] };

export function gather(db: Database, memory: WriterMemory): Gathering {
  const arrivals = new Int32Array(memory.arrivals);
  const commits = openCommitStats(memory.commits);
  const ports: MessagePort[] = [];
  let batches: Batch[] = [];
  /** How many threads were part of the last commit, and when that ended. */
  let [together, endedAt] = [0, 0];

  const add = (port: MessagePort, packed: PackedBatch) =>
    void batches.push({ port, writes: unpackBatch(packed) });
  const receive = () => {
    for (const port of ports) {
      // Before its event, which then does not come.
      const received = receiveMessageOnPort(port);
      if (received) add(port, received.message as PackedBatch);
    }
  };
  const waitForOthers = () => {
    for (;;) {
      const seen = Atomics.load(arrivals, 0);
      receive();
      const left = endedAt + WAIT_MS - clock.steady();
      if (batches.length >= together || left <= 0) return;
      Atomics.wait(arrivals, 0, seen, left);
    }
  };
  const commitTogether = (together: Batch[]) => {
    const start = clock.steady();
    const writes = together.flatMap((batch) => batch.writes);
    const outcomes = commit(db, writes);
    commits.add(start, writes.length);
    let from = 0;
    for (const { port, writes } of together) {
      port.postMessage(packOutcomes(outcomes.slice(from, from + writes.length)));
      from += writes.length;
    }
  };
  const commitAll = () => {
    waitForOthers();
    const all = batches;
    batches = [];
    for (const batch of all.filter(({ writes }) => writes.some(standsAlone))) commitTogether([batch]);
    const rest = all.filter(({ writes }) => !writes.some(standsAlone));
    if (rest.length > 0) commitTogether(rest);
    [together, endedAt] = [all.length, clock.steady()];
  };
  return {
    join(port) {
      ports.push(port);
      port.onmessage = ({ data }) => {
        add(port, data as PackedBatch);
        commitAll();
      };
    },
  };
}
