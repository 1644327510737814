import type { Database } from "bun:sqlite";
import { clock } from "../../base/clock.ts";
import { commit, failure } from "./commit.ts";
import { connect } from "./connection.ts";
import { packOutcomes, unpackBatch, type PackedBatch, type Write, standsAlone } from "./pack.ts";
import { close } from "./statements.ts";
import type { ToThread, WriterMemory } from "./writer.ts";
import { receiveMessageOnPort } from "node:worker_threads";
import { openCommitStats } from "../commit-stats.ts";
import { abandoned } from "../queue.ts";
import { beginBatch } from "./recall.ts";

declare const self: Worker;

/** How long the thread outlives its connection, in milliseconds: ending one takes longer than the rest of a stop. */
const LINGERING = 20;

let db: Database | undefined;
let gathering: Gathering | undefined;

self.onmessage = ({ data: message }: MessageEvent<ToThread>) => {
  if (typeof message === "string" || Array.isArray(message))
    self.postMessage(packOutcomes(commit(db!, unpackBatch(message))));
  else if ("open" in message) {
    db = connect(message.open);
    if (message.memory) gathering = gather(db, message.memory);
    self.postMessage("opened");
  } else if ("join" in message) gathering!.join(message.join, message.batch);
  else {
    if (db) close(db);
    self.postMessage("closed");
    clock.after(LINGERING, () => process.exit(0));
  }
};

/**
 * How long behind a commit the writer waits for the threads that were part of it, in milliseconds: they have just got their
 * answers, and their next batches would otherwise arrive apart and need a sync each.
 */
const WAIT_MS = 2;

/** The outcome of a write whose sender left before its commit began. */
const ABANDONED = failure(abandoned());

/** Commits together what several threads send. */
type Gathering = { join: (port: MessagePort, batch: SharedArrayBuffer) => void };

/** A thread, with the memory of its batch that is here. */
type Thread = { port: MessagePort; batch: SharedArrayBuffer };
type Batch = { thread: Thread; writes: Write[] };

function gather(db: Database, memory: WriterMemory): Gathering {
  const arrivals = new Int32Array(memory.arrivals);
  const commits = openCommitStats(memory.commits);
  const threads: Thread[] = [];
  let batches: Batch[] = [];
  /** How many threads were part of the last commit, and when that ended. */
  let [together, endedAt] = [0, 0];

  const add = (thread: Thread, packed: PackedBatch) =>
    void batches.push({ thread, writes: unpackBatch(packed) });
  const receive = () => {
    for (const thread of threads) {
      // Before its event, which then does not come.
      const received = receiveMessageOnPort(thread.port);
      if (received) add(thread, received.message as PackedBatch);
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
    const begun = together.map(({ thread, writes }) => {
      const isAbandoned = beginBatch(thread.batch, writes.length);
      return { thread, writes, isAbandoned };
    });
    const awaited = begun.flatMap(({ writes, isAbandoned }) =>
      writes.filter((_, index) => !isAbandoned[index]),
    );
    const outcomes = awaited.length === 0 ? [] : commit(db, awaited);
    commits.add(start, awaited.length);
    let next = 0;
    for (const { thread, isAbandoned } of begun)
      thread.port.postMessage(
        packOutcomes(isAbandoned.map((gone) => (gone ? ABANDONED : outcomes[next++]!))),
      );
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
    join(port, batch) {
      const thread = { port, batch };
      threads.push(thread);
      port.onmessage = ({ data }) => {
        add(thread, data as PackedBatch);
        commitAll();
      };
    },
  };
}
