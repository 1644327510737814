import type { Paint } from "./color.ts";
import { alignedRight, table } from "./text.ts";

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

/** Whether a terminal shows block characters, by the locale: those that name a character set other than UTF-8 do not. */
export function hasBlocks(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" || /utf-?8/i.test(locale);
}
