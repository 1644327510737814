/**
 * Wraps lines longer than `width` columns between words, and indents their continuation to the last column of a table
 * or to the indent of the line. A command is wrapped with backslashes, as a shell reads it.
 */
export function wrap(text: string, width: number): string {
  if (text.length <= width) return text;
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

/** As `wrap`, for help texts, whose paragraphs are reflowed. */
export function wrapHelp(text: string, width: number): string {
  return wrap(width < HELP_WIDTH ? text.replaceAll(WITHIN_PARAGRAPH, "$1 ") : text, width);
}

/** Maximum columns of a line in the source of a help text. */
const HELP_WIDTH = 120;
/** A long, unindented line whose paragraph continues on the next line. */
const WITHIN_PARAGRAPH = /^(\S[^\n]{60,})\n(?=\S)/gm;

const COMMAND = /^ *formflag /;
const WORD = /(\s*)(\S+)/g;
/** A quoted argument is one word, also one that holds a quote: `'it'\''s'`. */
const ARGUMENT = /(\s*)((?:'[^']*'|\\.?|[^\s'\\]|')+)/g;

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

/** The indent of a continuation line: that of the last column that leaves a third of the width. */
function hang(line: string, width: number): number {
  const starts = [...Bun.stripANSI(line).matchAll(/\S {2,}(?=\S)/g)].map(
    ({ index, 0: gap }) => index + gap.length,
  );
  return starts.findLast((start) => start <= (width * 2) / 3) ?? leading(line) + (starts.length > 0 ? 2 : 0);
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}
