import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, type Rounds, type Show, formatValue, reaches } from "./figure.ts";

/**
 * npm run bench [-- PART…] [--save] [--quick]: measures the built executable against its limits; `--save` keeps the figures in
 * docs/reference/figures.md. With `--against
 * EXECUTABLE` against that one, such as the release before. docs/explanation/benchmark.md describes what each figure means and what
 * bounds it.
 */

type Measure = (directory: string, rounds: Rounds, show: Show) => Promise<void>;

const PARTS: Record<string, () => Promise<Measure>> = {
  reads: async () => (await import("./reads.ts")).measureReads,
  evaluate: async () => (await import("./evaluate.ts")).measureEvaluate,
  ofrep: async () => (await import("./ofrep.ts")).measureOfrep,
  experiments: async () => (await import("./experiments.ts")).measureExperiments,
  submissions: async () => (await import("./submissions.ts")).measureSubmissions,
  forms: async () => (await import("./forms.ts")).measureForms,
  learning: async () => (await import("./learning.ts")).measureLearning,
  uploads: async () => (await import("./uploads.ts")).measureUploads,
  latency: async () => (await import("./latency.ts")).measureLatency,
  scale: async () => (await import("./scale.ts")).measureScale,
  "scale-out": async () => (await import("./scale-out.ts")).measureScaleOut,
  threads: async () => (await import("./threads.ts")).measureThreads,
  relay: async () => (await import("./relay.ts")).measureRelay,
  dashboard: async () => (await import("./dashboard.ts")).measureDashboard,
  start: async () => (await import("./start.ts")).measureStart,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    save: { type: "boolean", default: false },
    against: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const rounds = values.quick ? { rounds: 3, seconds: 1 } : { rounds: 15, seconds: 1 };
const { against } = values;
if (against !== undefined && values.save) throw new Error("--save keeps figures against the limits");
const parts: Record<string, () => Promise<Measure>> =
  against === undefined ? PARTS : (await import("./against.ts")).partsAgainst(against);
const unknown = positionals.filter((part) => !(part in parts));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(", ")}: there are ${Object.keys(parts).join(", ")}`);

const figures: Figure[] = [];
for (const [part, load] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(part)) continue;
  const directory = mkdtempSync(join(tmpdir(), "formflag-bench-"));
  try {
    const measure = await load();
    await measure(directory, rounds, (figure) => {
      figures.push(figure);
      console.log(lineOf(figure));
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
if (values.save) await (await import("./page.ts")).saveFigures(figures);

function lineOf(figure: Figure): string {
  const { name, goal, value, spread, unit = "", detail = "" } = figure;
  const mark = { true: "✓", false: "✗", undefined: " " }[String(reaches(figure))];
  const range = `${formatValue(spread[0])}–${formatValue(spread[1])}`;
  const aim = goal === null ? "" : `goal ${goal}  `;
  return `${mark} ${name.padEnd(60)} ${formatValue(value)}${unit}  (${range})  ${aim}${detail}`;
}
