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
import { changesOf } from "./changes.ts";
import { type Place, readPlace } from "./place.ts";
import { ownValues, summaryOf } from "./state.ts";

export function addRollbackCommand(flags: Command, io: Io): void {
  flags
    .command("rollback")
    .argument("[flag]", "slug of the flag")
    .description("restore the state of a flag in an environment after a certain change, as a new change")
    .addOption(projectOption())
    .addOption(environmentOption())
    .option(
      "--to <revision>",
      "revision of that change, as flags history shows it, or before, for the state before the newest change (default: choose at the prompt; without a terminal, before)",
    )
    .addOption(revisionOption())
    .addOption(whyOption())
    .addHelpText(
      "after",
      `
${ownValues(...SHARED_NAMES)} are restored. A flag that was deleted since is created again, off in the other
environments. Before its first change in an environment, a flag is off and empty there. To take back only the newest
change, use flags undo. After a rollback, the newest change is the rollback itself, so a second rollback with --to
before takes back the first.

Examples:
  formflag flags history new-checkout -p shop -e production
  formflag flags rollback new-checkout -p shop -e production --to 12
  formflag flags rollback new-checkout -p shop -e production --to before
`,
    )
    .action(action(io, parse, run));
}

type Point = number | "before";
/** `to` is undefined if it has to be chosen. */
type Values = { place: Place; to: Point | undefined; revision: number | undefined };

async function parse(input: Input, given?: string): Promise<Values> {
  const place = await readPlace(input, given);
  const { to } = input.options as { to?: string };
  return { place, to: to === undefined ? undefined : pointValue(to), revision: ifRevision(input.options) };
}

/** Throws `invalid`. */
function pointValue(text: string): Point {
  if (text === "before") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage(
    `--to ${text} is not a revision`,
    "write the number of one, as flags history shows it, or before to undo the newest change",
  );
}

async function run(session: Session, { place, to: given, revision }: Values): Promise<void> {
  const { client, report } = session;
  const { project, environment, flag: slug } = place;
  const to = given ?? (await choosePoint(session, place));
  const flag = await client.call(operations.rollback, { names: place, body: { to }, revision });
  const point = to === "before" ? "before its newest change" : `after revision ${to}`;
  await report(
    flag,
    shown`${flag.result} ${slug} in ${project}/${environment}: ${summaryOf(flag)}, as ${point}\n`,
  );
}

/** The change to go back to, chosen at a prompt; before the newest if the user cannot be prompted. */
async function choosePoint({ client, canPrompt }: Session, place: Place): Promise<Point> {
  if (!canPrompt()) return "before";
  const changes = (await changesOf(client, place)).filter(({ after }) => after !== null);
  const states = new Map(
    changes.map(({ revision, at, who, after }) => [
      `${revision}  ${at}  ${who}  ${(after as { enabled?: boolean }).enabled === true ? "on" : "off"}`,
      revision,
    ]),
  );
  const { promptChoice } = await import("../../session/prompts.ts");
  const chosen = await promptChoice(shown`Set ${place.flag} to what it was after which change?`, [
    ...states.keys(),
  ]);
  return states.get(chosen)!;
}
