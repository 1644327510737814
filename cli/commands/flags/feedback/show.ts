import type { Command } from "commander";
import type { Ratings, viewFeedback } from "../../../../src/flags/previews/feedback.ts";
import { type Io, WIDTH } from "../../../output/terminal.ts";
import { printable, shown } from "../../../output/text.ts";
import { action } from "../../../session/action.ts";
import { path } from "../../../session/client.ts";
import { listSome } from "../../../session/pages.ts";
import type { Session } from "../../../session/session.ts";
import { type Selected, readSelection, withSelection } from "./place.ts";

/** A stored feedback as the admin API shows it. */
export type FeedbackDetail = ReturnType<typeof viewFeedback>;

export function addShowCommand(feedback: Command, io: Io): void {
  withSelection(feedback.command("show", { isDefault: true }))
    .description("show the ratings of a preview, their mean, and the newest texts")
    .addHelpText(
      "after",
      `
Examples:
  formflag flags feedback search -p shop
  formflag flags feedback search -p shop -e production --since 7d
  formflag flags feedback search -p shop --json
`,
    )
    .action(action(io, readSelection, run));
}

/** Texts that are shown, and the newest feedback among which they are found. */
const TEXTS = 10;
const NEWEST = 200;
/** Columns of the longest bar. */
const MAX_BAR = 40;

async function run(
  { client, print, io, suggest }: Session,
  { project, flag, query }: Selected,
): Promise<void> {
  const parameters = new URLSearchParams(query);
  const url = path`/projects/${project}/flags/${flag}`;
  const ratings = await client.call<Ratings>("GET", `${url}/ratings?${parameters.toString()}`);
  const listing = { query, cursor: "before", limit: NEWEST } as const;
  const { items } = await listSome<FeedbackDetail>(client, `${url}/feedback`, "feedback", listing);
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
