import type { Command } from "commander";
import type { NewOf } from "../../../src/base/kinds/kinds.ts";
import { DESIGN } from "../../../src/experiments/experiment-card.ts";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { givenIn, withCard } from "../../session/card.ts";
import type { Input } from "../../session/input.ts";
import { Proposed } from "../../session/client.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { EXPERIMENT, type Place, placeOptions, readPlace } from "./place.ts";

function addDesignOptions(command: Command): Command {
  return withCard(command.withOptions(...placeOptions()), DESIGN).addOption(whyOption());
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

type Design = NewOf<typeof DESIGN>;
type Creation = { place: Place; flag: string; design: Design; starts: boolean };

async function parseCreate(input: Input, given?: string): Promise<Creation> {
  const { flag, start } = input.options as { flag?: string; start?: true };
  const place = await readPlace(input, given);
  if (flag === undefined) throw usage("the flag is missing", "give it with --flag <flag>");
  const design = await givenIn(DESIGN, input);
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
        body: await givenIn(DESIGN, input),
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
