import { type Experiment, noSuchExperiment } from "../../../../src/experiments/experiment.ts";
import { dropExperiment, putExperiment } from "../../../../src/experiments/plan.ts";
import type { Measured } from "../../../../src/forms/intake/measured.ts";
import { experimentOf } from "../../../support/records/experiments.ts";
import { NOW, submissionTo } from "../../../support/records/records.ts";
import { HASH, OTHER_HASH, VISITOR } from "../shop.ts";
import type { Call } from "./call.ts";
import { change } from "./changes.ts";

const visitor = (index: number) => index.toString(16).padStart(16, "0");
const row = (measurement: number, index: number, variant: number | null, metrics = 0): Measured => ({
  measurement,
  visitor: index === 0 ? VISITOR : visitor(index),
  variant,
  metrics,
});

const counting =
  (...rows: [index: number, variant: number | null, metrics?: number][]): Call =>
  (store, { measurement }) =>
    store.measurements.count(rows.map((each) => row(measurement, ...each)));

/** Changes of the experiment, as jobs and people make them: planned on the version that they have read. */
const becoming =
  (after: Partial<Experiment>): Call =>
  async (store, { tried, by }) => {
    const { version } = await store.readVersion();
    const found = await store.experiments.find(tried);
    if (!found) throw noSuchExperiment(tried);
    if (found.experiment.status === "ended") return "over";
    const experiment: Experiment = { ...found.experiment, ...after };
    await store.apply([putExperiment("shop", found.experiment, experiment)], version, by);
    return experiment.status;
  };

const taking =
  (content: string): Call =>
  (store, { measurement }) =>
    store.measurements.take({
      measured: [row(measurement, 7, 1, 1), row(measurement, 0, null, 2)],
      accepted: 2,
      at: NOW,
      key: { hash: HASH.replaceAll("a", "e"), content, expiresAt: NOW + 9 },
    });

/** Experiments, and visitors who are counted. */
export const EXPERIMENTS = {
  "count visitors": counting([1, 0], [2, 1], [0, null, 1]),
  "count visitors with conversions": counting([2, 1, 1], [1, 0, 2], [0, 0, 2]),
  "count a visitor of another variant": counting([0, 1]),
  "take events": taking(HASH),
  "take other events with its key": taking(OTHER_HASH),
  "forget a visitor": (store, { measurement }) =>
    store.measurements.forget([{ measurement, visitor: VISITOR }]),
  "clear visitors": (store) => store.measurements.clear(1),
  "convert by a submission": ({ submissions }, { waitlist, measurement }, { id }) =>
    submissions.insert(submissionTo(waitlist.key, { id, measured: [row(measurement, 0, null, 2)] })),
  "pause an experiment": becoming({ status: "paused", reason: "guard" }),
  "end an experiment": becoming({ status: "ended", endedAt: NOW }),
  "delete an experiment": change(({ draft }) => dropExperiment("shop", draft)),
  "draft an experiment": change(() =>
    putExperiment("shop", undefined, experimentOf("test", "sale", { name: "new" })),
  ),
} satisfies Record<string, Call>;
