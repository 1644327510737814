import type { Command } from "commander";
import { experiments as operations } from "../../../src/operations/experiments.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { durationValue } from "../../session/values.ts";
import { whyOption } from "../../session/why.ts";
import { EXPERIMENT, type Place, placeOptions, readPlace } from "./place.ts";

const STATES = [
  ["start", "started", "start a draft: split the users of the flag, and count"],
  ["pause", "paused", "stop counting until it is resumed; the flag stays as it is"],
  ["resume", "resumed", "continue a paused experiment with the same split"],
  ["stop", "stopped", "end an experiment, and restore its flag unless the flag was changed since"],
] as const;

export function addStateCommands(experiments: Command, io: Io): void {
  for (const [name, done, description] of STATES) {
    experiments
      .command(name)
      .argument(...EXPERIMENT)
      .description(description)
      .withOptions(...placeOptions(), whyOption())
      .action(
        action(io, readPlace, async ({ client, report }: Session, place: Place) => {
          const experiment = await client.call(operations[name], { names: place });
          const { project, environment } = place;
          await report(
            { ...experiment, result: done },
            shown`${done} experiment ${place.experiment} in ${project}/${environment}\n`,
          );
        }),
      );
  }
}

export function addShipCommand(experiments: Command, io: Io): void {
  experiments
    .command("ship")
    .argument(...EXPERIMENT)
    .description("end an experiment and serve one variant to everyone, at once or by a ramp")
    .withOptions(...placeOptions())
    .option("--variant <variant>", "variant that becomes the default")
    .option("--to <percents>", "shares of a ramp, such as 75,100 (default: everyone at once)")
    .option("--every <span>", "with --to, time from one share to the next (default: 1d)")
    .addOption(whyOption())
    .after(`
An experiment that has counted no visitor is shipped with --yes, or after a question.

Examples:
  formflag experiments ship headline -p shop -e production --variant b
  formflag experiments ship headline -p shop -e production --variant b --to 75,100 --every 1d
`)
    .action(action(io, parseShip, runShip));
}

/** Returns if visitors were counted, or the person ships all the same. Throws as `confirm`, and `invalid` without a terminal. */
async function confirmUncounted(
  { client, config, canPrompt, confirm }: Session,
  place: Place,
  variant: string,
): Promise<void> {
  if (config.yes || config.propose !== undefined) return;
  const { metrics } = await client.call(operations.results, { names: place });
  if (metrics.some(({ variants }) => variants.some(({ visitors }) => visitors > 0))) return;
  const what = shown`experiment ${place.experiment} has counted no visitor`;
  if (!canPrompt())
    throw usage(
      `${what}, and there is no terminal to confirm on`,
      shown`add --yes to ship ${variant} all the same, or look at formflag experiments results`,
    );
  await confirm(`${what}. Ship ${variant} all the same?`);
}

type Shipping = { place: Place; body: { variant: string; to?: number[]; every?: number } };

async function parseShip(input: Input, given?: string): Promise<Shipping> {
  const { variant, to, every } = input.options as { variant?: string; to?: string; every?: string };
  const place = await readPlace(input, given);
  if (variant === undefined) throw usage("the variant is missing", "give it with --variant <variant>");
  if (to === undefined && every !== undefined)
    throw usage("--every is for --to", "write --to 50,100 --every 1d");
  const shares = to?.split(",").map((each) => {
    const share = Number(each.trim().replace(/\s*%$/, "") || Number.NaN);
    if (Number.isFinite(share)) return share;
    throw usage(`--to ${to} is not a list of percentages`, "write them with commas, as in --to 75,100");
  });
  const pace = every === undefined ? {} : { every: durationValue(every, "--every") };
  return { place, body: { variant, ...(shares && { to: shares, ...pace }) } };
}

async function runShip(session: Session, { place, body }: Shipping): Promise<void> {
  await confirmUncounted(session, place, body.variant);
  const { client, report } = session;
  const experiment = await client.call(operations.ship, { names: place, body });
  const { project, environment } = place;
  const how = body.to ? ` by ${body.to.join(" %, ")} %` : " to everybody";
  await report(
    { ...experiment, result: "shipped" },
    shown`shipped ${body.variant} of experiment ${place.experiment} in ${project}/${environment}${how}\n`,
  );
}
