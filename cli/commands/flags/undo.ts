import type { Command } from "commander";
import { AppError } from "../../../src/base/errors.ts";
import { history as operations } from "../../../src/operations/history.ts";
import { JSON_NOTATION, printDiff } from "../../output/diff.ts";
import type { Io } from "../../output/terminal.ts";
import { printable, shown } from "../../output/text.ts";
import { action } from "../../session/action.ts";
import { environmentOption, projectOption } from "../../session/config.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { whyOption } from "../../session/why.ts";
import { type Place, readPlace } from "./place.ts";
import { changesOf } from "./changes.ts";
import { summaryOf } from "./state.ts";

export function addUndoCommand(flags: Command, io: Io): void {
  flags
    .command("undo")
    .argument("[flag]", "slug of the flag")
    .description("take back the newest change of a flag in an environment, as a new change")
    .addOption(projectOption())
    .addOption(environmentOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
Shows what will change and asks; without a terminal it needs --yes. If the change was the first one in the environment,
the flag becomes off and empty there. A deleted flag is created again. A second undo takes back the first. To go back
further, use flags rollback.

Examples:
  formflag flags undo new-checkout -p shop -e production
  formflag flags undo new-checkout -p shop -e production --yes --why 'orders dropped by half'
`,
    )
    .action(action(io, readPlace, run));
}

async function run(session: Session, place: Place): Promise<void> {
  const { client, config, canPrompt, confirm, report, paint } = session;
  const { project, environment, flag: slug } = place;
  const newest = await newestChange(session, place);
  const head = printable(`undo revision ${newest.revision}, ${newest.at}, by ${newest.who}`);
  const states = { before: stateIn(newest.after, environment), after: stateIn(newest.before, environment) };
  if (!config.yes) {
    const diff = printDiff({ head, color: "bold", ...states }, JSON_NOTATION, paint);
    session.io.note(diff);
    const what = shown`the newest change of ${slug} in ${project}/${environment}`;
    if (!canPrompt())
      throw usage(`${what} would be undone, and there is no terminal to confirm on`, "add --yes to undo it");
    await confirm(`Undo ${what}?`);
  }
  // The change that is shown is the one that is undone, or none.
  const flag = await client.call(operations.rollback, { names: place, body: { before: newest.revision } });
  const text = shown`undid revision ${newest.revision} of ${slug} in ${project}/${environment}: ${summaryOf(flag)}\n`;
  await report(flag, text);
}

async function newestChange({ client }: Session, place: Place) {
  const [newest] = await changesOf(client, place);
  if (newest) return newest;
  const { flag, environment } = place;
  throw new AppError("not_found", `there is no change of "${flag}" in ${environment} to undo`);
}

/** A flag that does not exist is off and empty. */
const BLANK = { enabled: false, expiredAt: null };

/** The state of the flag in the environment: a deletion has it for each. */
function stateIn(state: unknown, environment: string): unknown {
  const { environments } = (state ?? {}) as { environments?: Record<string, unknown> };
  return (environments === undefined ? state : environments[environment]) ?? BLANK;
}
