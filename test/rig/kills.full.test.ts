import { describe, expect, test } from "bun:test";
import { IS_POSTGRES_HERE } from "../support/postgres/postgres.ts";
import { errorsIn } from "../support/executable.ts";
import { type Rig, openRig } from "../support/postgres/rig.ts";
import { clientOf, prepareWith, seededRandom } from "../faults/load.ts";
import { report, sizeOf } from "./report.ts";
import { compareObjects, countStatuses, expectStored, submitTo } from "./submitters.ts";

const ROUNDS = sizeOf(4, 20);
const SEED = Number(process.env["FORMFLAG_TORTURE_SEED"] || crypto.getRandomValues(new Uint32Array(1))[0]);

/** Removes what crashes have left, as an operator does while no server runs. */
async function repairStopped({ replicas, commands }: Rig): Promise<void> {
  await Promise.all(replicas.map((each) => each.stop()));
  const { code, stderr } = await commands.run("check", "--repair", "--yes");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  await Promise.all(replicas.map((each) => each.start()));
}

describe.skipIf(!IS_POSTGRES_HERE)("three servers of one database", () => {
  test(
    `of which one is killed under load ${ROUNDS} times have every submission that was acknowledged, and no other file`,
    async () => {
      const rig = await openRig();
      const keys = await prepareWith(rig.commands);
      const random = seededRandom(SEED);
      const load = submitTo(
        rig.replicas.map(({ url }) => url),
        keys,
        { plain: 1, files: 2, seed: SEED },
      );
      const killed = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const replica = rig.replicas[random.below(3)]!;
        // No wait for something: what follows holds at whichever moment this ends.
        await Bun.sleep(50 + random.below(300));
        await replica.stop("SIGKILL");
        killed.add(replica.url);
        await replica.start();
      }
      await load.stop();
      const counts = countStatuses(load.answered);
      expect(Object.keys(counts).toSorted()).toEqual(["200", "lost"]);
      const strays = compareObjects(rig, await clientOf(rig.replicas[0].url, keys).stored());
      expect(strays.missing).toEqual([]);
      await repairStopped(rig);
      const stored = await clientOf(rig.replicas[0].url, keys).stored();
      expectStored(stored, load.answered);
      expect(compareObjects(rig, stored)).toEqual({ left: [], missing: [] });
      expect(errorsIn(rig.replicas.map(({ log }) => log()).join(""))).toEqual([]);
      report(
        "kill -9 a replica under load",
        `${ROUNDS} kills, ${counts["200"]} stored, ${counts["lost"]} connections lost, ${strays.left.length} strays before the sweep, 0 after`,
      );
    },
    60_000 + ROUNDS * 3000,
  );
});
