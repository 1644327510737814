import { describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { IS_POSTGRES_HERE } from "../support/postgres.ts";
import type { Gate } from "../support/gate.ts";
import { openRig } from "../support/rig.ts";
import { clientOf, jsonSubmission, prepareWith, seededRandom } from "../faults/load.ts";
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
    const rig = await openRig({ isOwn: true });
    const keys = await prepareWith(rig.commands);
    const urls = rig.replicas.map(({ url }) => url);
    const load = submitTo(urls, keys);
    const loads = [load];
    const backAfter: number[] = [];
    for (let crash = 0; crash < CRASHES; crash += 1) {
      await eventually("load", () => countSince(load, 0, 200) > 50 * (crash + 1));
      await rig.postgres.kill();
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
      await rig.postgres.start();
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
    const slowest = Math.max(...refused.map(({ took }) => took));
    const stored = await clientOf(urls[0]!, keys).stored();
    expectStored(stored, answered);
    expect(compareObjects(rig, stored).missing).toEqual([]);
    const ids = new Set(
      answered.filter(({ status }) => status !== 200).map(({ sent }) => sent.fields["mark"]),
    );
    const kept = stored.filter(({ data }) => ids.has(data["mark"])).length;
    report(
      "kill -9 PostgreSQL, restart",
      `${CRASHES} crashes, ${counts["200"]} stored, ${refused.length} refused, slowest refusal ${Math.round(slowest)} ms, back after ${Math.round(Math.max(...backAfter))} ms, 0 lost, 0 duplicates, ${kept} refused and stored`,
    );
    expect(slowest).toBeLessThan(REFUSED_WITHIN);
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
    for (let round = 1; round <= SWALLOWED; round += 1) {
      // The form is in memory now, and known to be current.
      expect((await client.submit(jsonSubmission(random))).status).toBe(200);
      await gate.set("swallow");
      const began = performance.now();
      const answer = client.submit(jsonSubmission(random));
      await eventually("the row", async () => (await count()) === round * 2);
      await gate.set(round % 3 === 0 ? "open" : "cut");
      await gate.set("open");
      expect((await answer).status).toBe(200);
      took.push(performance.now() - began);
    }
    expect(await count()).toBe(SWALLOWED * 2);
    report(
      "swallow the answer to an insert",
      `${SWALLOWED} times one row, acknowledged after at most ${Math.round(Math.max(...took))} ms`,
    );
  },
  120_000,
);
