import type { Command } from "commander";
import { SHARED_NAMES } from "../../../src/flags/flag-fields.ts";
import { history as operations } from "../../../src/operations/history.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace } from "./place.ts";
import { ownValues, summaryOf } from "./state.ts";

export function addRollbackCommand(flags: Command, io: Io): void {
  flags
    .command("rollback")
    .argument("[flag]", "slug of the flag")
    .description(
      "set a flag in an environment to what it was, as a new change; without --to, undo the newest change",
    )
    .addOption(projectOption())
    .addOption(environmentOption())
    .option(
      "--to <revision>",
      "after that change, as flags history shows it; or before, for before the newest",
    )
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
${ownValues(...SHARED_NAMES)} are set as they were. A flag that was deleted since is
created again, off in the other environments. Before its first change in an environment a flag is off and empty there.
The newest change after a rollback is the rollback, so that a second one without --to takes the first one back.

Examples:
  formflag flags rollback new-checkout -p shop -e production
  formflag flags history new-checkout -p shop -e production
  formflag flags rollback new-checkout -p shop -e production --to 12
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; to: number | "before"; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { to = "before" } = input.options as { to?: string };
  return { place, to: pointValue(to), revision: ifRevision(input.options) };
}

/** Throws `invalid`. */
function pointValue(text: string): number | "before" {
  if (text === "before") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage(
    `--to ${text} is not a revision`,
    "write the number of one, as flags history shows it, or before to undo the newest change",
  );
}

async function run({ client, report }: Session, { place, to, revision }: Values): Promise<void> {
  const { project, environment, flag: slug } = place;
  const flag = await client.call(operations.rollback, { names: place, body: { to }, revision });
  const point = to === "before" ? "before its newest change" : `after revision ${to}`;
  await report(
    flag,
    shown`${flag.result} ${slug} in ${project}/${environment}: ${summaryOf(flag)}, as ${point}\n`,
  );
}
