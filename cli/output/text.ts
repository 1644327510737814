/** What a terminal obeys instead of showing it: C0, DEL and C1, separators of lines, and overrides of direction. */
const CONTROLS = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const CONTROL = new RegExp(`[${CONTROLS}]`, "g");
/** The same, or what our own texts are made of: line ends, bold and the colours. */
const CONTROL_OR_OURS = new RegExp(`\\r?\\n|\\u001b\\[(?:1|22|3[1239])m|[${CONTROLS}]`, "g");

/** Text from outside, fit for a terminal: control characters shown as escapes instead of obeyed. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, escaped);
}

/** The same for text of several lines. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

/** A text of ours, with values from outside in it that are printable each: a line end in one makes no line. */
export function shown(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => printable(String(value))));
}

/** Whatever is printed to a person, whoever wrote it: only line ends and our own colours are left to the terminal. */
export function forTerminal(text: string): string {
  return text.replaceAll(CONTROL_OR_OURS, (match) =>
    match.endsWith("\n") ? "\n" : match.length > 1 ? match : escaped(match),
  );
}

function escaped(character: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Rows under a head, in columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
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

/** Names and values, one pair a line. */
export function details(pairs: [name: string, value: string][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd() + "\n").join("");
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

/** Columns that a line of it fills at most. */
const LINE = 90;

export function shorten(text: string, width: number): string {
  return Bun.sliceAnsi(text, 0, width, { ellipsis: "…" });
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
}

/** A path as one word of a shell. */
export function shellWord(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
