import type { PlantedFault } from "./fault.ts";

/** Faults of what is counted for experiments and guards. */
export const EXPERIMENT_FAULTS: PlantedFault[] = [
  {
    name: "a visitor of two variants stays in the count of the first",
    test: "world",
    file: "src/store/sql/experiments/counting.ts",
    from: "      deltas.addVisitor(before.variant, before.metrics, -1);\n      continue;",
    to: "      continue;",
  },
  {
    name: "a conversion counts each time",
    test: "world",
    file: "src/store/sql/experiments/counting.ts",
    from: "if (after === before.metrics) continue;\n    now.set(visitor, packSeen(before.variant, after, count));\n    for (let [bits, metric] = [after & ~before.metrics, 1]",
    to: "now.set(visitor, packSeen(before.variant, after, count));\n    for (let [bits, metric] = [metrics, 1]",
  },
  {
    name: "a conversion counts before the exposure",
    test: "world",
    file: "src/store/sql/experiments/counting.ts",
    from: "if (variant === null) continue;",
    to: "if (variant === null) { now.set(visitor, packSeen(0, metrics, count)); deltas.addVisitor(0, metrics, 1); visitors += 1; continue; }",
  },
  {
    name: "visitors of what has ended are kept",
    test: "world",
    file: "src/experiments/jobs.ts",
    from: "while (await store.measurements.clear(VISITORS_A_STEP));",
    to: "",
  },
  {
    name: "a measurement goes on behind a ramp that has ended",
    test: "world",
    file: "src/store/sql/ramps.ts",
    from: "if (!isHeld(ramp)) yield* endMeasurement(environmentId, flag);",
    to: "if (!isHeld(ramp)) yield* runMeasurement(environmentId, flag, false);",
  },
  {
    name: "a guard fires in silence",
    test: "world",
    file: "src/documents/noticed.ts",
    from: "return fired\n    ? [...noticed",
    to: 'return fired?.action === "rollback"\n    ? [...noticed',
  },
  {
    name: "two count at once without a lock",
    test: "statements",
    file: "src/store/sql/experiments/counting.ts",
    from: "FROM measurements WHERE id = $id ${FOR_UPDATE}",
    to: "FROM measurements WHERE id = $id",
  },
];
