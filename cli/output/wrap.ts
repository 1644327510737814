/**
 * Text whose lines have at most `width` columns: longer ones are broken between words, and go on below their last
 * column or their indent. A line with a command to type is broken as a shell takes it.
 */
export function wrap(text: string, width: number): string {
  if (text.length <= width) return text;
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

/** The same for help, whose paragraphs are reflowed. */
export function wrapHelp(text: string, width: number): string {
  return wrap(width < HELP_WIDTH ? text.replaceAll(WITHIN_PARAGRAPH, "$1 ") : text, width);
}

/** Columns of the longest line that a help text is written in. */
const HELP_WIDTH = 120;
/** A long line that is not indented, and goes on in the next. */
const WITHIN_PARAGRAPH = /^(\S[^\n]{60,})\n(?=\S)/gm;

const COMMAND = /^ *formflag /;
const WORD = /(\s*)(\S+)/g;
/** A quoted argument is one word. */
const ARGUMENT = /(\s*)((?:'[^']*'|[^\s'])+)/g;

function wrapLine(line: string, width: number): string {
  if (Bun.stringWidth(line) <= width) return line;
  const isCommand = COMMAND.test(line);
  const end = isCommand ? " \\" : "";
  const indent = " ".repeat(isCommand ? leading(line) + 4 : hang(line, width));
  const lines: string[] = [];
  let current = "";
  for (const [, space = "", word = ""] of line.matchAll(isCommand ? ARGUMENT : WORD)) {
    const fits = Bun.stringWidth(current) + space.length + Bun.stringWidth(word) <= width - end.length;
    if (fits || current.trim() === "") current += space + word;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current].join(`${end}\n`);
}

/** Where a line goes on: below the last of its columns that leaves a third of the width. */
function hang(line: string, width: number): number {
  const starts = [...Bun.stripANSI(line).matchAll(/\S {2,}(?=\S)/g)].map(
    ({ index, 0: gap }) => index + gap.length,
  );
  return starts.findLast((start) => start <= (width * 2) / 3) ?? leading(line) + (starts.length > 0 ? 2 : 0);
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}
