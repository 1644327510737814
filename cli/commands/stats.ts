import { clock } from "../../src/base/clock.ts";
import type { DaySubmissions, FormStats, HourReads } from "../../src/maintenance/stats.ts";
import { stats as operations } from "../../src/operations/stats.ts";
import { nameIn } from "../../src/forms/form-name.ts";
import { WIDTH } from "../output/terminal.ts";
import { alignedRight, shown, table } from "../output/text.ts";
import { env } from "../session/env.ts";
import { formFilter } from "./form-filter.ts";
import { countValue } from "../session/values.ts";
import type { Paint } from "../output/color.ts";
import { lone } from "../session/verb.ts";

export const addStatsCommand = lone({
  guesses: String.raw`
[formflag] usage analytics telemetry report reports chart charts funnel insights: formflag stats counts submissions and reads of flags
--week --month --today --year --from --since --until --to: --days <n> says how many days, today included
`,
  options: [
    ["--days <n>", "number of days, including today", "30"],
    ["--form <form>", "only submissions of this form, by its slug or key"],
    "project of forms",
    "field",
  ],
  help: `
Days are in UTC. A submission counts for the day and the folder in which it was stored, even after it is deleted. Reads
of flags are counted at most a minute late.

Examples:
  formflag stats
  formflag stats --days 90 --form contact
  formflag stats --json
`,
  parse: async (input) => {
    const { days } = input.options as { days: string };
    return { days: countValue(days, "--days", 1), ...(await formFilter(input)) };
  },
  run: async ({ client, print, note, suggest, paint, io }, { days, form, project }) => {
    const stats = await client.call(operations.read, { query: { days, form, project } });
    const charted = barChart(daysOf(stats.submissions, days), {
      head: ["DAY", "INBOX", "SPAM"],
      width: io.outWidth ?? WIDTH,
      blocks: hasBlocks(env),
      paint,
    });
    const parts = [describeForms(stats), charted, ...(form === undefined ? describeReads(stats) : [])];
    await print(stats, parts.join("\n"));
    const { failed } = stats.deliveries;
    if (failed > 0) {
      const some = failed === 1 ? "1 delivery has failed" : `${failed} deliveries have failed`;
      note(`${some}: formflag deliveries list --status failed\n`);
    }
    if (stats.forms.length === 0) suggest("Begin with a form: formflag forms create <form>");
  },
});

function describeForms({ forms }: FormStats): string {
  const hasProjects = new Set(forms.map(({ project }) => project)).size > 1;
  const isAsking = forms.some(({ unconfirmed }) => unconfirmed > 0);
  const rows = forms.map(({ project, form, ...counts }) => [
    hasProjects ? nameIn(project, form) : form,
    ...[counts.inbox, counts.unread, counts.spam, counts.archived].map(String),
    ...(isAsking ? [String(counts.unconfirmed)] : []),
  ]);
  const head = ["FORM", "INBOX", "UNREAD", "SPAM", "ARCHIVED", ...(isAsking ? ["UNCONFIRMED"] : [])];
  return table(...alignedRight(head, rows));
}

const DAY_MS = 86_400_000;

/** The submissions of every form by day in UTC, up to today; a server whose clock is ahead adds a day. */
function daysOf(points: DaySubmissions[], days: number): [day: string, ...values: number[]][] {
  const today = Date.parse(new Date(clock.now()).toISOString().slice(0, 10));
  const all = Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const names = [...new Set([...all, ...points.map(({ day }) => day)])].toSorted();
  return names.map((name) => {
    const ofDay = points.filter(({ day }) => day === name);
    const sum = (folder: "inbox" | "spam") => ofDay.reduce((total, each) => total + each[folder], 0);
    return [name, sum("inbox"), sum("spam")];
  });
}

/** Nothing without reads. */
function describeReads({ reads }: { reads: HourReads[] }): string[] {
  const places = new Map<string, { project: string; environment: string; one: number; all: number }>();
  for (const { project, environment, one, all } of reads) {
    const key = shown`${project} ${environment}`;
    const place = places.get(key) ?? { project, environment, one: 0, all: 0 };
    places.set(key, { ...place, one: place.one + one, all: place.all + all });
  }
  if (places.size === 0) return [];
  const rows = [...places.values()].map((each) => [
    each.project,
    each.environment,
    String(each.one),
    String(each.all),
  ]);
  const head = ["PROJECT", "ENVIRONMENT", "READS OF A FLAG", "READS OF ALL FLAGS"];
  return [`In the last 24 hours:\n${table(...alignedRight(head, rows, 2))}`];
}

/** A bar is drawn in eighths of a column. */
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Columns of the longest bar, at least. */
const MIN_BAR = 10;

type Chart = {
  /** The names of the columns: of the row, then of its values. */
  head: string[];
  /** Columns of the terminal. */
  width: number;
  /** Whether the terminal shows block characters; otherwise bars are made of `#` and `.`. */
  blocks: boolean;
  paint: Paint;
};

/** Rows with their values in columns, and a bar as long as the sum: its first value, then the others. */
export function barChart(rows: [name: string, ...values: number[]][], chart: Chart): string {
  const cells = rows.map(([name, ...values]) => [name, ...values.map((value) => value.toLocaleString("en"))]);
  const [head = "", ...lines] = table(...alignedRight(chart.head, cells))
    .trimEnd()
    .split("\n");
  const used = Math.max(head.length, ...lines.map((line) => line.length)) + 2;
  const room = Math.max(MIN_BAR, chart.width - used);
  const most = Math.max(1, ...rows.map(([, ...values]) => values.reduce((sum, value) => sum + value, 0)));
  const bars = rows.map(([, first = 0, ...others]) => {
    const rest = others.reduce((sum, value) => sum + value, 0);
    return barOf((first / most) * room, ((first + rest) / most) * room, chart);
  });
  return [head, ...lines.map((line, index) => `${line.padEnd(used)}${bars[index]}`.trimEnd())]
    .map((line) => `${line}\n`)
    .join("");
}

/** A bar of `first` columns, and lighter up to `whole` columns. */
function barOf(first: number, whole: number, { blocks, paint }: Chart): string {
  if (whole === 0) return "";
  const columns = Math.max(1, Math.round(whole));
  if (!blocks) return "#".repeat(Math.round(first)).padEnd(columns, ".");
  if (whole > first) {
    const solid = Math.round(first);
    return paint("█".repeat(solid), "green") + paint("░".repeat(Math.max(1, columns - solid)), "yellow");
  }
  const eighths = Math.max(1, Math.round(first * 8));
  return paint("█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8], "green");
}

/** Whether a terminal shows block characters: not in a locale that names a character set other than UTF-8. */
export function hasBlocks(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" || /utf-?8/i.test(locale);
}
