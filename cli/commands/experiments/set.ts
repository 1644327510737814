import { type Command, Option } from "commander";
import { parseSplit } from "../../../src/experiments/experiment.ts";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import { Proposed } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { collect, countValue } from "../../session/values.ts";
import { whyOption } from "../../session/why.ts";
import { EXPERIMENT, type Place, guardOptions, placeOptions, readPlace } from "./place.ts";

type Design = {
  metrics?: string[];
  control?: string;
  split?: Record<string, number>;
  minDays?: number;
  hypothesis?: string | null;
  guards?: string[];
  onGuard?: "pause" | "rollback";
};

function addDesignOptions(command: Command): Command {
  return command
    .withOptions(...placeOptions())
    .addOption(
      new Option(
        "--metric <metric>",
        "metric: submissions:<form> or event:<name>; repeatable, the first one decides",
      ).argParser(collect),
    )
    .option(
      "--control <variant>",
      "variant to compare the others with (default: the default variant of the flag)",
    )
    .option("--split <weights>", "weight of each variant, such as off:50,on:50 (default: equal weights)")
    .option("--min-days <days>", "number of days before a winner is declared (default: 7)")
    .option("--hypothesis <text>", "what you expect, and why")
    .withOptions(...guardOptions(), whyOption());
}

export function addCreateCommand(experiments: Command, io: Io): void {
  const create = experiments
    .command("create")
    .argument(...EXPERIMENT)
    .description("create an experiment that compares the variants of a flag by what visitors do")
    .option("--flag <flag>", "flag whose users are split among its variants");
  addDesignOptions(create)
    .option("--start", "start it at once")
    .after(`
A draft changes nothing. When you start it, it turns the flag on, splits the users who match no condition of the flag,
and counts what visitors do. Until it ends, no other experiment and no ramp can start on the flag (exit 5).

Examples:
  formflag experiments create headline -p shop -e production --flag hero --metric submissions:contact
  formflag experiments create headline -p shop -e production --flag hero --metric event:signup --split a:80,b:20 \\
    --guard 'event:error rises 0%' --start
`)
    .action(action(io, parseCreate, runCreate));
}

type Creation = { place: Place; flag: string; design: Design; starts: boolean };

async function parseCreate(input: Input, given?: string): Promise<Creation> {
  const { flag, start } = input.options as { flag?: string; start?: true };
  const place = await readPlace(input, given);
  if (flag === undefined) throw usage("the flag is missing", "give it with --flag <flag>");
  const design = designOf(input);
  if (design.metrics === undefined)
    throw usage(
      "the metric is missing",
      "give it with --metric submissions:<form>, or --metric event:<name>",
    );
  return { place, flag, design, starts: start === true };
}

async function runCreate(
  { client, report, note }: Session,
  { place, flag, design, starts }: Creation,
): Promise<void> {
  const { project, environment, experiment: name } = place;
  const body = { name, flag, ...design, metrics: design.metrics! };
  const names = { project, environment };
  if (!starts) {
    const created = await client.call(operations.create, { names, body });
    await report(
      { ...created, result: "created" },
      shown`created experiment ${name} in ${project}/${environment}\n`,
    );
    return;
  }
  // A draft changes no flag: the start alone is proposed, or bypasses approvals.
  await client.call(operations.create, { names, body, isStep: true });
  const experiment = await client.call(operations.start, { names: place }).catch(async (error: unknown) => {
    if (error instanceof Proposed)
      note(shown`created experiment ${name} in ${project}/${environment}, a draft\n`);
    // A refused command leaves nothing.
    else await client.call(operations.delete, { names: place, isStep: true });
    throw error;
  });
  await report(
    { ...experiment, result: "created" },
    shown`created and started experiment ${name} in ${project}/${environment}\n`,
  );
}

export function addSetCommand(experiments: Command, io: Io): void {
  const set = experiments
    .command("set")
    .argument(...EXPERIMENT)
    .description("change a draft, or the hypothesis of an experiment that was started");
  addDesignOptions(set).action(
    action(
      io,
      async (input: Input, given?: string) => ({
        place: await readPlace(input, given),
        body: designOf(input),
      }),
      async ({ client, report }: Session, { place, body }) => {
        if (Object.keys(body).length === 0)
          throw usage("nothing to change", "name a setting, such as --hypothesis");
        const experiment = await client.call(operations.set, { names: place, body });
        const { project, environment } = place;
        await report(
          { ...experiment, result: "updated" },
          shown`updated experiment ${place.experiment} in ${project}/${environment}\n`,
        );
      },
    ),
  );
}

function designOf({ options }: Input): Design {
  const { metric, control, split, minDays, hypothesis, guard, onGuard } = options as {
    metric?: string[];
    control?: string;
    split?: string;
    minDays?: string;
    hypothesis?: string;
    guard?: string[];
    onGuard?: "pause" | "rollback";
  };
  return {
    ...(metric && { metrics: metric }),
    ...(control !== undefined && { control }),
    ...(split !== undefined && { split: splitOf(split) }),
    ...(minDays !== undefined && { minDays: countValue(minDays, "--min-days") }),
    ...(hypothesis !== undefined && { hypothesis: hypothesis === "none" ? null : hypothesis }),
    ...(guard && { guards: guard }),
    ...(onGuard && { onGuard }),
  };
}

function splitOf(text: string): Record<string, number> {
  const split = parseSplit(text);
  if (split) return split;
  throw usage(
    `--split ${text} is not a list of weights`,
    "write a weight for each variant: --split off:50,on:50",
  );
}
