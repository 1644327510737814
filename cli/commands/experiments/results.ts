import type { Command } from "commander";
import type { Results } from "../../../src/experiments/results.ts";
import { barOf, differenceInWords, percentOf, stateInWords } from "../../../src/experiments/result-words.ts";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import { fieldOption } from "../../output/field.ts";
import type { Io } from "../../output/terminal.ts";
import { printable, table } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Session } from "../../session/session.ts";
import { EXPERIMENT, type Place, placeOptions, readPlace } from "./place.ts";

export function addResultsCommand(experiments: Command, io: Io): void {
  const results = experiments
    .command("results")
    .argument(...EXPERIMENT)
    .description("show what visitors of each variant did. The intervals are valid whenever you look");
  for (const option of placeOptions()) results.addOption(option);
  results.addOption(fieldOption()).action(
    action(io, readPlace, async ({ client, print }: Session, place: Place) => {
      const found = await client.call(operations.results, { names: place });
      await print(found, drawResults(found));
    }),
  );
}

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
  const running = `${experiment}: ${status}, ${days} ${days === 1 ? "day" : "days"}`;
  return `${printable(running)}\n\n${metrics.join("\n")}\n${printable(stateInWords(results))}\n${method}\n`;
}
