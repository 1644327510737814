import type { Command } from "commander";
import type { Environment } from "../../../src/projects/environment.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { projectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addLockCommand(environments: Command, io: Io): void {
  const lock = environments
    .command("lock")
    .description("require --yes, or a yes at the terminal, for changes of its flags and segments");
  addEnvironment(lock).action(action(io, readPlace, (session, place) => run(session, place, true)));
}

export function addUnlockCommand(environments: Command, io: Io): void {
  const unlock = environments
    .command("unlock")
    .description("allow changes of its flags and segments without --yes again");
  addEnvironment(unlock).action(action(io, readPlace, (session, place) => run(session, place, false)));
}

function addEnvironment(command: Command): Command {
  return command
    .argument("[environment]", "slug of the environment")
    .addOption(projectOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
A token needs the scope flags:locked to change what is locked, and admin to lock or unlock.

Examples:
  formflag environments ${command.name()} production -p shop
`,
    );
}

async function run({ client, report }: Session, place: Place, locked: boolean): Promise<void> {
  const set = await client.call<Environment & { result: string }>("PATCH", urlOf(place), { locked });
  const verb = locked ? "lock" : "unlock";
  const done = set.result === "unchanged" ? `unchanged, ${verb}ed already:` : `${verb}ed`;
  await report(set, shown`${done} environment ${place.environment} of project ${place.project}\n`);
}
