import { type Command, Option } from "commander";
import { COLORS } from "../../../src/projects/color.ts";
import type { Environment } from "../../../src/projects/environment.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addSetCommand(environments: Command, io: Io): void {
  environments
    .command("set")
    .argument("[environment]", "slug of the environment")
    .description("set the colour of an environment on the dashboard")
    .addOption(projectOption())
    .addOption(colorOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Examples:
  formflag environments set production -p shop --color red
  formflag environments set develop -p shop --color none
`,
    )
    .action(action(io, parse, run));
}

export function colorOption(): Option {
  return new Option("--color <color>", "its colour on the dashboard").choices([...COLORS, "none"]);
}

/** The colour of `--color`: null for `none`, undefined without the option. */
export function colorOf({ options }: Input): Environment["color"] | undefined {
  const { color } = options as { color?: NonNullable<Environment["color"]> | "none" };
  return color === "none" ? null : color;
}

type Values = { place: Place; color: Environment["color"] };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const color = colorOf(input);
  if (color === undefined) throw usage("nothing would change", "name a colour: --color red");
  return { place, color };
}

async function run({ client, report }: Session, { place, color }: Values): Promise<void> {
  const set = await client.call<Environment & { result: string }>("PATCH", urlOf(place), { color });
  const { project, environment } = place;
  await report(
    set,
    shown`${set.result} environment ${environment} of project ${project}: color ${color ?? "none"}\n`,
  );
}
