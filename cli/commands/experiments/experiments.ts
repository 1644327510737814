import type { Command } from "commander";
import type { viewExperiment } from "../../../src/experiments/experiment.ts";
import { barOf, differenceInWords, percentOf, stateInWords } from "../../../src/experiments/result-words.ts";
import type { Results } from "../../../src/experiments/results.ts";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import type { Io } from "../../output/terminal.ts";
import { counted, details, printable, shown, table } from "../../output/text.ts";
import { addHistoryCommand } from "../change-history.ts";
import { verb } from "../../session/verb.ts";
import { addDelete, addGet, addList } from "../verbs.ts";
import { addCreate, addSet, addShip, EXPERIMENT, STATES } from "./acts.ts";

export function addExperimentCommands(experiments: Command, io: Io): void {
  experiments.after(`\nExamples:
  formflag experiments create headline -p shop -e production --flag hero --metric submissions:contact --start
  formflag experiments results headline -p shop -e production
  formflag experiments ship headline -p shop -e production --variant b
`);
  addCreate(experiments, io);
  addSet(experiments, io);
  addGet(experiments, io, {
    ...EXPERIMENT,
    description: "show an experiment",
    operation: operations.get,
    describe: describeExperiment,
  });
  addList(experiments, io, {
    description: "list the experiments of an environment by name",
    options: EXPERIMENT.options,
    parse: (input) => input.place(),
    operation: operations.list,
    names: (place) => place,
    head: ["EXPERIMENT", "FLAG", "STATUS", "SPLIT", "DECIDES", "STARTED"],
    row: (each) => [
      each.name,
      each.flag,
      statusInWords(each),
      splitInWords(each),
      each.metrics[0] ?? "",
      each.startedAt ?? "",
    ],
    none: ({ project, environment }) =>
      shown`No experiments yet. Next: formflag experiments create <name> -p ${project} -e ${environment} --flag <flag> --metric submissions:<form>`,
  });
  for (const add of STATES) add(experiments, io);
  addResults(experiments, io);
  addShip(experiments, io);
  addDelete(experiments, io, {
    ...EXPERIMENT,
    description: "delete an experiment that does not hold its flag, with its results",
    options: [...EXPERIMENT.options, "why"],
    operations: { get: operations.get, delete: operations.delete },
    kind: "experiment",
    id: ({ experiment: name }) => ({ name }),
    of: ({ project, environment }) => ` of ${project}/${environment}`,
  });
  addHistoryCommand(experiments, io, "experiment");
}

type View = ReturnType<typeof viewExperiment>;

/** `paused (changed)`. */
export function statusInWords({ status, reason }: Pick<View, "status" | "reason">): string {
  return reason === null ? status : `${status} (${reason})`;
}

/** `off:1, on:1`. */
function splitInWords({ split }: Pick<View, "split">): string {
  return Object.entries(split)
    .map(([variant, weight]) => `${variant}:${weight}`)
    .join(", ");
}

function describeExperiment(experiment: View): string {
  const { name, flag, metrics, control, minDays, hypothesis, guards, onGuard, startedAt, endedAt, who, why } =
    experiment;
  return details([
    ["experiment", name],
    ["flag", flag],
    ["status", statusInWords(experiment)],
    ["control", control],
    ["split", splitInWords(experiment)],
    ["metrics", metrics.join(", ")],
    ["min days", String(minDays)],
    ["hypothesis", hypothesis || null],
    ["guards", guards.length === 0 ? null : `${guards.join("; ")}; then ${onGuard}`],
    ["started", startedAt],
    ["ended", endedAt],
    ["by", who],
    ["why", why || null],
  ]);
}

const addResults = verb("results", {
  ...EXPERIMENT,
  description: "show what visitors of each variant did. The intervals are valid whenever you look",
  options: [...EXPERIMENT.options, "field"],
  run: async ({ client, print }, names) => {
    const found = await client.call(operations.results, { names });
    await print(found, drawResults(found));
  },
});

const BAR = 20;

/** Results for a terminal: bars by variant and metric, then whether anything is decided. */
function drawResults(results: Results): string {
  const metrics = results.metrics.map(({ metric, primary, variants }) => {
    const most = Math.max(...variants.map(({ rate }) => rate ?? 0));
    const rows = variants.map((each) => [
      each.variant,
      each.visitors.toLocaleString("en"),
      each.conversions.toLocaleString("en"),
      percentOf(each.rate),
      barOf(each.rate, most, BAR),
      differenceInWords(each),
    ]);
    const head = ["VARIANT", "VISITORS", "CONVERSIONS", "RATE", "", "AGAINST THE CONTROL"];
    return `${printable(metric)}${primary ? ", which decides" : ""}\n${table(head, rows)}`;
  });
  const { experiment, status, days, method } = results;
  const running = `${experiment}: ${status}, ${counted(days, "day")}`;
  return `${printable(running)}\n\n${metrics.join("\n")}\n${printable(stateInWords(results))}\n${method}\n`;
}
