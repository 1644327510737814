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

test("a state that takes minutes on a slow connection is taken, and a connection that brings nothing is lost", async () => {
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
  const second = () => {
    steady += 1000;
    tick();
  };
  const source: Source = {
    async *lines(signal, heard) {
      const at = { version: 1, access: 1, memberships: 0, now: Date.now(), behind: 0 };
      for (const line of [lineOf({ follow: PROTOCOL }), lineOf({ projects: [] }), lineOf({ at })]) {
        for (let part = 0; part < 100; part += 1) {
          second();
          signal.throwIfAborted();
          heard();
        }
        yield line.trimEnd();
      }
      for (let part = 0; part < 10; part += 1) {
        second();
        behind.push(relay.behind());
        signal.throwIfAborted();
      }
    },
    send: async () => {},
  };
  const problems: string[] = [];
  const link = startLink(relay, new Spool(join(directory, "spool")), source, "the source", {
    report: (error) => problems.push(String(error)),
    note: () => {},
  });
  await eventually("the loss", () => problems.length > 0);
  expect([relay.hasState, problems[0]]).toEqual([true, expect.stringContaining("it is silent")]);
  expect(behind).toEqual([0, 0, 0, 0, 0, 6000]);
  await link.stop(0);
  await journal.close();
});
