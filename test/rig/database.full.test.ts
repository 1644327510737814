import { describe, expect, test } from "bun:test";
import { POSTGRES_UNKNOWN_MS } from "../../src/store/limits.ts";
import { eventually } from "../support/eventually.ts";
import { createPostgres } from "../support/postgres/postgres-server.ts";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import type { Gate } from "../support/postgres/gate.ts";
import { IS_POOLED, openRig } from "../support/postgres/rig.ts";
import { type Stored, clientOf, jsonSubmission, prepareWith, seededRandom } from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";
import { compareObjects, countStatuses, expectStored, submitTo } from "./submitters.ts";

const CRASHES = sizeOf(2, 6);
const SWALLOWED = sizeOf(2, 10);
const random = seededRandom(1);

/** Milliseconds in which a submission is refused while the database is down, and after which it is back once that is. */
const REFUSED_WITHIN = sizeOf(10_000, 5000);
const BACK_WITHIN = sizeOf(10_000, 2000);

describe.skipIf(!IS_POSTGRES_HERE)("three servers whose database", () => {
  test(`is killed ${CRASHES} times refuse in time and are back at once, with every submission that was acknowledged once`, async () => {
    // One that survives a crash.
    const postgres = await createPostgres({ fsync: true });
    const rig = await openRig({ own: postgres });
    const keys = await prepareWith(rig.commands);
    const urls = rig.replicas.map(({ url }) => url);
    const load = submitTo(urls, keys);
    const loads = [load];
    const backAfter: number[] = [];
    for (let crash = 0; crash < CRASHES; crash += 1) {
      await eventually("load", () => countSince(load, 0, 200) > 50 * (crash + 1));
      await postgres.kill();
      // What was sent before may be tried for longer, so others come.
      const others = submitTo(urls, keys, { seed: crash + 2 });
      loads.push(others);
      await Promise.all(
        urls.map((url) =>
          eventually(`${url} to refuse`, () =>
            others.answered.some((each) => each.url === url && each.status === 503),
          ),
        ),
      );
      if (crash === CRASHES - 1) await Bun.sleep(sizeOf(1000, 35_000));
      await postgres.start();
      const started = performance.now();
      await Promise.all(
        urls.map((url) =>
          eventually(`${url} to store`, () =>
            others.answered.some((each) => each.url === url && each.at > started && each.status === 200),
          ),
        ),
      );
      const back = urls.map(
        (url) => others.answered.find((each) => each.url === url && each.status === 200)!.at,
      );
      backAfter.push(Math.max(...back) - started);
      await others.stop();
    }
    await load.stop();
    const answered = loads.flatMap((each) => each.answered);
    const refused = answered.filter(({ status }) => status === 503);
    const counts = countStatuses(answered);
    expect(Object.keys(counts).toSorted()).toEqual(["200", "503"]);
    expect(refused.filter(({ retryAfter }) => retryAfter !== "1")).toEqual([]);
    const slowestOf = (sent: typeof answered) =>
      Math.round(Math.max(0, ...sent.filter(({ status }) => status === 503).map(({ took }) => took)));
    const late = loads.slice(1).flatMap((each) => each.answered);
    const marks = new Set(
      answered.filter(({ status }) => status !== 200).map(({ sent }) => sent.fields["mark"]),
    );
    // What was refused after it may have been committed is withdrawn once the database answers.
    let stored: Stored[] = [];
    await eventually("withdrawals", async () => {
      stored = await clientOf(urls[0]!, keys).stored();
      return !stored.some(({ data }) => marks.has(data["mark"]));
    });
    expectStored(stored, answered);
    expect(compareObjects(rig, stored).missing).toEqual([]);
    report(
      "kill -9 PostgreSQL, restart",
      `${CRASHES} crashes, ${counts["200"]} stored, ${refused.length} refused within ${slowestOf(late)} ms, sent before within ${slowestOf(load.answered)} ms, back after ${Math.round(Math.max(...backAfter))} ms, 0 lost, 0 duplicates, 0 refused and stored`,
    );
    // A pooler takes statements for a moment after the database is gone, and does not tell whether it passed them on.
    expect(slowestOf(late)).toBeLessThan(REFUSED_WITHIN + (IS_POOLED ? POSTGRES_UNKNOWN_MS : 0));
    expect(slowestOf(load.answered)).toBeLessThan(POSTGRES_UNKNOWN_MS + REFUSED_WITHIN);
    expect(Math.max(...backAfter)).toBeLessThan(BACK_WITHIN);
  }, 120_000);
});

function countSince({ answered }: ReturnType<typeof submitTo>, since: number, status: number): number {
  return answered.filter((each) => each.at > since && each.status === status).length;
}

test.skipIf(!IS_POSTGRES_HERE)(
  "a submission whose commit is not answered is stored once, and acknowledged",
  async () => {
    const { replicas, gates, commands, query } = await openRig({ hasGates: true });
    const [{ url }] = replicas;
    const [gate] = gates as [Gate];
    const client = clientOf(url, await prepareWith(commands));
    const count = async () => Number((await query("SELECT count(*) AS count FROM submissions"))[0]!["count"]);
    const took: number[] = [];
    while (took.length < SWALLOWED) {
      // The form is in memory now, and known to be current; connections are open.
      await eventually("a server that stores", async () => {
        const all = Array.from({ length: 8 }, () => client.submit(jsonSubmission(random)));
        return (await Promise.all(all)).every(({ status }) => status === 200);
      });
      const before = await count();
      await gate.set("swallow");
      const began = performance.now();
      let status: number | undefined;
      const answer = client.submit(jsonSubmission(random)).then((each) => (status = each.status));
      await eventually("the row", async () => status !== undefined || (await count()) > before);
      await gate.set(took.length % 3 === 2 ? "open" : "cut");
      await gate.set("open");
      await answer;
      expect(await count()).toBe(status === 200 ? before + 1 : before);
      // On a slow machine the outage is noticed before the submission is sent.
      if (status === 200) took.push(performance.now() - began);
      else expect(status).toBe(503);
    }
    report(
      "swallow the answer to an insert",
      `${SWALLOWED} times one row, acknowledged after at most ${Math.round(Math.max(...took))} ms`,
    );
  },
  120_000,
);
