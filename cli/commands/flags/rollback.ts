import type { Command } from "commander";
import type { SetResult } from "../../../src/base/result.ts";
import type { Flag } from "../../../src/flags/flag.ts";
import type { Io } from "../../output/terminal.ts";
import { shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Input } from "../../session/input.ts";
import { ifRevision, revisionOption } from "../../session/revision.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { countValue } from "../../session/values.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace, urlOf } from "./place.ts";

export function addRollbackCommand(flags: Command, io: Io): void {
  flags
    .command("rollback")
    .argument("[flag]", "slug of the flag")
    .description("set a flag in an environment to what it was after a change, as a new change")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option("--to <revision>", "the change, as formflag flags history shows it")
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
State, payload, expiry, variants, rules, preview and description are set as they were. A flag that was deleted since is
created again, off in the other environments.

Examples:
  formflag flags history new-checkout -p shop -e production
  formflag flags rollback new-checkout -p shop -e production --to 12
`,
    )
    .action(action(io, parse, run));
}

type Values = { place: Place; to: number; headers: Record<string, string> };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { to } = input.options as { to?: string };
  if (to === undefined) {
    const history = `formflag flags history ${place.flag} -p ${place.project} -e ${place.environment}`;
    throw usage("the revision is missing", `name it with --to; ${history} shows which there are`);
  }
  return { place, to: countValue(to, "--to", 1), headers: ifRevision(input.options) };
}

async function run({ client, report }: Session, { place, to, headers }: Values): Promise<void> {
  const { project, environment, flag: slug } = place;
  const url = `${urlOf(place)}/rollback`;
  const flag = await client.call<Flag & { result: SetResult }>("POST", url, { to }, headers);
  await report(flag, shown`${flag.result} ${slug} in ${project}/${environment}: as after revision ${to}\n`);
}
