import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { setClock } from "../../src/base/clock.ts";
import { PROTOCOL, lineOf } from "../../src/following/lines.ts";
import { openJournal } from "../../src/following/relay/journal.ts";
import { type Source, startLink } from "../../src/following/relay/link.ts";
import { Relay } from "../../src/following/relay/relay.ts";
import { Spool } from "../../src/following/relay/spool.ts";
import { eventually } from "../support/eventually.ts";
import { tempDirectory } from "../support/temp.ts";

afterEach(() => setClock());

/** Follows a source whose stream `lines` is, on a clock that its `second` moves, until it is lost. */
async function followed(
  lines: (second: () => void) => (...args: Parameters<Source["lines"]>) => Iterable<string>,
) {
  let steady = 0;
  let tick = () => {};
  const never = { close: () => {}, unref: () => never };
  setClock({
    steady: () => steady,
    every: (_, run) => {
      tick = run;
      return never;
    },
  });
  const directory = tempDirectory();
  const journal = openJournal(join(directory, "state"), "https://source");
  const relay = new Relay(journal, () => {});
  const behind: number[] = [];
  const stream = lines(() => {
    steady += 1000;
    tick();
    behind.push(relay.behind());
  });
  const source: Source = {
    async *lines(signal, heard) {
      for (const line of stream(signal, heard)) yield line.trimEnd();
    },
    send: async () => {},
  };
  const problems: string[] = [];
  const link = startLink(relay, new Spool(join(directory, "spool")), source, "the source", {
    report: (error) => problems.push(String(error)),
    note: () => {},
  });
  await eventually("the loss", () => problems.length > 0);
  await link.stop(0);
  await journal.close();
  return { hasState: relay.hasState, problem: problems[0], behind, seconds: steady / 1000 };
}

const AT = { version: 1, access: 1, memberships: 0, now: Date.now(), behind: 0 };
const STATE = [lineOf({ follow: PROTOCOL }), lineOf({ projects: [] }), lineOf({ at: AT })];

test("a state that takes minutes on a slow connection is taken, and a connection that brings nothing is lost", async () => {
  const { hasState, problem, behind } = await followed(
    (second) =>
      function* (signal, heard) {
        for (const line of STATE) {
          for (let part = 0; part < 100; part += 1) {
            second();
            signal.throwIfAborted();
            heard(1000);
          }
          yield line;
        }
        for (; !signal.aborted;) second();
        signal.throwIfAborted();
      },
  );
  expect([hasState, problem]).toEqual([true, expect.stringContaining("it is silent")]);
  expect(behind.slice(300)).toEqual([0, 0, 0, 0, 0, 6000]);
});

test("a source that trickles is silent, and one that never completes a change is lost", async () => {
  for (const [size, seconds, reason] of [
    [1, 6, "it is silent"],
    [100_000, 3601, "it completes no change"],
  ] as const) {
    const lost = await followed(
      (second) =>
        function* (signal, heard) {
          yield STATE[0]!;
          for (; !signal.aborted; heard(size)) second();
          signal.throwIfAborted();
        },
    );
    expect(lost).toMatchObject({ hasState: false, seconds, problem: expect.stringContaining(reason) });
  }
});
