import { own } from "../../src/base/shapes/own.ts";

/** Characters that a terminal obeys instead of showing: C0, DEL and C1, line separators, and overrides of direction. */
const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const CONTROL = new RegExp(`[${CONTROLS}]`, "g");
/** Control characters, and the line ends, bold and colours of formflag's own texts. */
const CONTROL_OR_OURS = new RegExp(`\\r?\\n|\\u001b\\[(?:1|22|3[1239])m|[${CONTROLS}]`, "g");

/** Text from outside with its control characters escaped, safe to print on a terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, escaped);
}

/** As `printable`, for text of several lines: line ends are kept. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

/** A template tag that makes each value printable, so that a line end in a value does not start a line. */
export function shown(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => printable(String(value))));
}

/** Text for a person with all control characters escaped but line ends, bold and formflag's own colours. */
export function forTerminal(text: string): string {
  return text.replaceAll(CONTROL_OR_OURS, (match) =>
    match.endsWith("\n") ? "\n" : match.length > 1 ? match : escaped(match),
  );
}

function escaped(character: string): string {
  const short = own({ "\n": "\\n", "\r": "\\r", "\t": "\\t" }, character);
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Rows under a head, in columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) =>
    lines.reduce((most, line) => Math.max(most, Bun.stringWidth(line[column] ?? "")), 0),
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => pad(cell, widths[column]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** The head and the rows of a table, with every column from `first` on aligned to the right: for numbers. */
export function alignedRight(
  head: string[],
  rows: string[][],
  first = 1,
): [head: string[], rows: string[][]] {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const align = (row: string[]) =>
    row.map((cell, column) => (column < first ? cell : cell.padStart(widths[column]!)));
  return [align(head), rows.map(align)];
}

/** A name and its value; null and undefined leave out the line. */
export type Detail = readonly [name: string, value: string | null | undefined];

/** Names and values, one pair a line. A server of an earlier version does not send all. */
export function details(pairs: readonly Detail[]): string {
  const rows = pairs.flatMap(([name, value]) =>
    value == null ? [] : [[printable(name), printable(value)] as const],
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd() + "\n").join("");
}

/** JSON indented by two columns; a value that fits into a line is not broken. */
export function indentedJson(value: unknown, column = 2): string {
  const whole = printable(JSON.stringify(value));
  const pad = " ".repeat(column);
  if (whole.length + column <= LINE || typeof value !== "object" || value === null) return `${pad}${whole}\n`;
  const inner = (each: unknown) => indentedJson(each, column + 2).slice(0, -1);
  const parts = Array.isArray(value)
    ? value.map(inner)
    : Object.entries(value).map(
        ([key, each]) => `${pad}  ${printable(JSON.stringify(key))}: ${inner(each).trimStart()}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${pad}${open}\n${parts.join(",\n")}\n${pad}${close}\n`;
}

/** Maximum columns of a line of indented JSON. */
const LINE = 90;

/** The beginning of a text in as many columns, with its control characters escaped: a colour that is cut off would be ended. */
export function shorten(text: string, width: number): string {
  return Bun.sliceAnsi(printable(text), 0, width, { ellipsis: "…" });
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
}

/** The lines of {@link details} that have a value: an older server does not send all. */
export function known(lines: readonly (readonly [string, string | null | undefined])[]): [string, string][] {
  return lines.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}
