import { type Command, Option } from "commander";
import type { Ratings } from "../../../../src/flags/previews/feedback.ts";
import { feedback as operations } from "../../../../src/operations/feedback.ts";
import { WIDTH, type Io } from "../../../output/terminal.ts";
import { printable, shown } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { environmentOption, projectOption } from "../../../session/config.ts";
import type { Input } from "../../../session/input.ts";
import { listSome } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";
import { usage } from "../../../session/usage.ts";
import { addExportCommand } from "./export.ts";
import { type FeedbackDetail, type Selected, readSelection, withSelection } from "./place.ts";

export function addFeedbackCommands(flags: Command, io: Io): void {
  const feedback = flags
    .command("feedback")
    .description("show, export and delete feedback about previews")
    .usage("[show] <flag> | export <flag> | delete <id>")
    .addHelpText(
      "after",
      `
flags feedback <flag> is short for flags feedback show <flag>; write show if the flag has the name of a command.

Examples:
  formflag flags feedback search -p shop
  formflag flags feedback export search -p shop --format csv -o search.csv
  formflag flags feedback delete --flag search -p shop
`,
    );
  addShowCommand(feedback, io);
  addExportCommand(feedback, io);
  addDeleteCommand(feedback, io);
}

function addShowCommand(feedback: Command, io: Io): void {
  withSelection(feedback.command("show", { isDefault: true }))
    .description("show the ratings of a preview, their average, and the newest texts")
    .addHelpText(
      "after",
      `
Examples:
  formflag flags feedback search -p shop
  formflag flags feedback search -p shop -e production --since 7d
  formflag flags feedback search -p shop --json
`,
    )
    .action(action(io, readSelection, showFeedback));
}

/** Texts that are shown, and the newest feedback among which they are found. */
const TEXTS = 10;
const NEWEST = 200;
/** Columns of the longest bar. */
const MAX_BAR = 40;

async function showFeedback(
  { client, print, io, suggest }: Session,
  { project, flag, query }: Selected,
): Promise<void> {
  const selected = { names: { project, flag }, query };
  const ratings = await client.call(operations.ratings, selected);
  const page = { ...selected, cursor: "before", limit: NEWEST } as const;
  const { items } = await listSome(client, operations.list, page);
  const newest = items.filter(({ description }) => description !== null).slice(0, TEXTS);
  await print({ flag, ...ratings, newest }, describe(flag, ratings, newest, io.outWidth ?? WIDTH));
  if (ratings.count === 0) suggest("No feedback yet.");
}

function describe(flag: string, ratings: Ratings, newest: FeedbackDetail[], width: number): string {
  const { count, mean, moods } = ratings;
  const head = shown`${flag}: ${count} rating${count === 1 ? "" : "s"}`;
  if (mean === null) return `${head}\n`;
  const felt = Object.entries(moods).filter(([, times]) => times > 0);
  return [
    `${head}, ${mean.toFixed(2)} on average\n\n`,
    ...barsOf(ratings, width),
    `\n${felt.map(([mood, times]) => shown`${wordsOf(mood)} ${times}`).join(", ")}\n`,
    ...newest.map(
      ({ createdAt, environment, rating, mood, description }) =>
        shown`\n${createdAt}  ${environment}  ${rating}  ${wordsOf(mood)}` +
        `\n  ${printable(description!)}\n`,
    ),
  ].join("");
}

/** A bar for each rating, the best first; one that was given has at least one column. */
function barsOf({ ratings }: Ratings, width: number): string[] {
  const most = Math.max(...Object.values(ratings));
  const columns = Math.max(1, Math.min(MAX_BAR, width - 4 - String(most).length));
  return Object.entries(ratings)
    .toReversed()
    .map(([rating, times]) => {
      const bar = "█".repeat(times === 0 ? 0 : Math.max(1, Math.round((times / most) * columns)));
      return shown`${rating}  ${bar}${bar === "" ? "" : " "}${times}\n`;
    });
}

/** `VERY_SAD` as `very sad`. */
function wordsOf(mood: string): string {
  return mood.toLowerCase().replaceAll("_", " ");
}

function addDeleteCommand(feedback: Command, io: Io): void {
  feedback
    .command("delete")
    .argument("[id]", "id of one feedback")
    .description("delete one entry of feedback, or all feedback about a flag")
    .addOption(projectOption())
    .addOption(new Option("--flag <flag>", "delete all feedback about this flag"))
    .addOption(environmentOption())
    .addHelpText(
      "after",
      `
With --flag, -e limits the deletion to one environment. Deleting a flag deletes its feedback too.

Examples:
  formflag flags feedback delete 01a1fc49-92a7-75da-ab11-1c9958800353 -p shop
  formflag flags feedback delete --flag search -p shop -e develop
`,
    )
    .action(action(io, parseDelete, deleteFeedback));
}

type Deleted = { project: string } & ({ id: string } | { flag: string; environment: string | undefined });

async function parseDelete(input: Input, given?: string): Promise<Deleted> {
  const { flag, environment } = input.options as { flag?: string; environment?: string };
  if (given !== undefined && flag !== undefined)
    throw usage(
      "an id and --flag exclude each other",
      "give the id of one feedback, or --flag for all of a flag",
    );
  if (flag !== undefined) return { project: await input.project(), flag, environment };
  return { id: await input.need(given, "id"), project: await input.project() };
}

async function deleteFeedback({ client, confirmDelete, report }: Session, values: Deleted): Promise<void> {
  const { project } = values;
  if ("id" in values) {
    const { id } = values;
    await confirmDelete("feedback", id);
    await client.call(operations.delete, { names: { project, feedback: id } });
    return report({ id, result: "deleted" }, shown`deleted feedback ${id}\n`);
  }
  const { flag, environment } = values;
  await confirmDelete("all feedback about flag", flag, environment === undefined ? "" : ` in ${environment}`);
  const names = { project, flag };
  const { deleted } = await client.call(operations.deleteAll, { names, query: { environment } });
  await report({ flag, deleted, result: "deleted" }, shown`deleted ${deleted} feedback about flag ${flag}\n`);
}
