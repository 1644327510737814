import { SHARED_NAMES } from "../../../src/flags/flag-fields.ts";
import { history as operations } from "../../../src/operations/history.ts";
import { printable, shown } from "../../output/text.ts";
import { ifRevision } from "../../session/change-options.ts";
import type { Session } from "../../session/session.ts";
import { usage } from "../../session/usage.ts";
import { type Place, readPlace } from "./place.ts";
import { ownValues } from "./promote.ts";
import { summaryOf } from "./state.ts";
import { AppError } from "../../../src/base/errors.ts";
import { JSON_NOTATION, printDiff } from "../../output/diff.ts";
import type { Client } from "../../session/client.ts";
import { listAll } from "../../session/pages.ts";
import { verb } from "../../session/verb.ts";

export const addRollbackCommand = verb("rollback", {
  argument: ["[flag]", "slug of the flag"],
  description: "restore the state of a flag in an environment after a certain change, as a new change",
  options: [
    "project",
    "environment",
    [
      "--to <revision>",
      "revision of that change, as flags history shows it, or before, for the state before the newest change (default: choose at the prompt; without a terminal, before)",
    ],
    "revision",
    "why",
  ],
  help: `
${ownValues(...SHARED_NAMES)} are restored. A flag that was deleted since is created again, off in the other
environments. Before its first change in an environment, a flag is off and empty there. To take back only the newest
change, use flags undo. After a rollback, the newest change is the rollback itself, so a second rollback with --to
before takes back the first.

Examples:
  formflag flags history new-checkout -p shop -e production
  formflag flags rollback new-checkout -p shop -e production --to 12
  formflag flags rollback new-checkout -p shop -e production --to before
`,
  parse: async (input, given) => {
    const place = await readPlace(input, given);
    const { to } = input.options as { to?: string };
    return { place, to: to === undefined ? undefined : pointValue(to), revision: ifRevision(input.options) };
  },
  run: rollback,
});

type Point = number | "before";
/** `to` is undefined if it has to be chosen. */
type Values = { place: Place; to: Point | undefined; revision: number | undefined };

/** Throws `invalid`. */
function pointValue(text: string): Point {
  if (text === "before") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage(
    `--to ${text} is not a revision`,
    "write the number of one, as flags history shows it, or before to undo the newest change",
  );
}

async function rollback(session: Session, { place, to: given, revision }: Values): Promise<void> {
  const { client, report } = session;
  const { project, environment, flag: slug } = place;
  const to = given ?? (await choosePoint(session, place));
  const flag = await client.call(operations.rollback, { names: place, body: { to }, revision });
  const point = to === "before" ? "before its newest change" : `after revision ${to}`;
  await report(
    flag,
    shown`${flag.result} ${slug} in ${project}/${environment}: ${await summaryOf(flag)}, as ${point}\n`,
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

export const addUndoCommand = verb("undo", {
  argument: ["[flag]", "slug of the flag"],
  description: "take back the newest change of a flag in an environment, as a new change",
  options: ["project", "environment", "why"],
  help: `
Shows what will change and asks; without a terminal it needs --yes. If the change was the first one in the environment,
the flag becomes off and empty there. A deleted flag is created again. A second undo takes back the first. To go back
further, use flags rollback.

Examples:
  formflag flags undo new-checkout -p shop -e production
  formflag flags undo new-checkout -p shop -e production --yes --why 'orders dropped by half'
`,
  parse: readPlace,
  run: undo,
});

async function undo(session: Session, place: Place): Promise<void> {
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
      throw usage(`${what} would be undone, and confirming needs a terminal`, "add --yes to undo it");
    await confirm(`Undo ${what}?`);
  }
  // Exactly the change that is shown is undone, or none.
  const flag = await client.call(operations.rollback, { names: place, body: { before: newest.revision } });
  const text = shown`undid revision ${newest.revision} of ${slug} in ${project}/${environment}: ${await summaryOf(flag)}\n`;
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

/** The newest changes of a flag in an environment, 20 at most, newest first. */
export async function changesOf(client: Client, { project, environment, flag }: Place) {
  const changes = await listAll(client, operations.ofFlag, {
    names: { project, flag },
    query: { environment },
    cursor: "before",
    limit: 20,
  });
  // Failures of scheduled changes, and ramps, which changed nothing, are listed too.
  return changes.filter(({ kind }) => kind === "flag");
}
