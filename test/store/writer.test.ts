import { join } from "node:path";
import { expect, test } from "bun:test";
import { openMigrated } from "../support/database.ts";
import type { Measurement } from "../../src/experiments/measurement.ts";
import { putExperiment } from "../../src/experiments/plan.ts";
import { addForm, addProject, ANN, apply } from "../support/records/apply.ts";
import { experimentOf } from "../support/records/experiments.ts";
import { NOW, submissionTo } from "../support/records/records.ts";
import { tempDirectory } from "../support/temp.ts";

/** A store that commits on its own thread, with a function that returns how many commits it has made. */
async function openStore() {
  const store = openMigrated(join(tempDirectory(), "formflag.db"), "thread");
  const { key } = await addForm(store, "contact");
  const insert = () => store.submissions.insert(submissionTo(key));
  const commits = async () =>
    (await store.stats()).commitWrites.counts.reduce((sum, count) => sum + count, 0);
  return { store, insert, commits };
}

test("writes that come together are one commit, also after the queue was empty", async () => {
  const { store, insert, commits } = await openStore();
  for (let round = 0; round < 3; round += 1) {
    await insert();
    const before = await commits();
    await Promise.all(Array.from({ length: 50 }, insert));
    expect((await commits()) - before).toBe(1);
  }
  await store.close();
});

test("a write that rewrites the file is a commit of its own, and the others stay together around it", async () => {
  const { store, insert, commits } = await openStore();
  const before = await commits();
  const first = Array.from({ length: 10 }, insert);
  const rewritten = store.submissions.rewrite();
  const second = Array.from({ length: 10 }, insert);
  await Promise.all([...first, rewritten, ...second]);
  expect((await commits()) - before).toBe(3);
  await Promise.all(Array.from({ length: 10 }, insert));
  expect((await commits()) - before).toBe(4);
  await store.close();
});

test("visitors who come before the end of their experiment, in the same commit, count, and later ones do not", async () => {
  const { store, commits } = await openStore();
  const { slug: project, set } = await addProject(store, "shop", "live");
  await set("live", "sale", { enabled: true });
  const running = experimentOf("live", "sale", { status: "running", startedAt: NOW });
  await apply(store, putExperiment(project, undefined, running, [], "ab".repeat(16)));
  const [{ id }] = (await store.measurements.live()) as [Measurement];
  const count = (visitor: string) =>
    store.measurements.count([{ measurement: id, visitor, variant: 0, metrics: 0 }]);
  const { version } = await store.readVersion();
  const before = await commits();
  const ended = { ...running, status: "ended" as const, endedAt: NOW + 5 };
  const end = putExperiment(project, undefined, ended, [], null);
  await Promise.all([count("0".repeat(16)), store.apply([end], version, ANN), count("1".repeat(16))]);
  expect((await commits()) - before).toBe(1);
  const place = { project, environment: "live", experiment: "hero" };
  expect((await store.experiments.find(place))!.experiment.counts).toMatchObject({
    variants: { off: { visitors: 1 }, on: { visitors: 0 } },
  });
  await store.close();
});
