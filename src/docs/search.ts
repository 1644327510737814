import type { DocsPage } from "./pages.ts";

/** A section that was found: its page, its heading, which is null at the start of a page, and a line of it as plain text. */
export type Hit = { page: string; heading: string | null; line: string };

/** A heading with the lines below it, as Markdown. */
type Section = { heading: string | null; lines: string[] };

/** Sections that a search lists. */
const MOST = 40;
/** Characters of a line that are shown, and those before the first word that was found. */
const WIDTH = 200;
const BEFORE = 60;

/** Pages that hold everything, so that a search lists them last. */
const LISTS = new Set(["cli", "settings", "limits", "api", "figures", "names-of-controls", "changelog"]);

/** Words of a question that say nothing about its subject. */
const IGNORED = new Set(["a", "an", "the", "someone", "how", "to", "do", "i"]);

/** The sections that have words of a text, in any form of theirs: those with all words first, and of these those with them in the heading. */
export function searchIn(pages: readonly DocsPage[], text: string): Hit[] {
  const patterns = patternsOf(text);
  if (patterns.length === 0) return [];
  const countIn = (text: string) => patterns.filter((pattern) => pattern.test(text)).length;
  const found = pages.flatMap(({ name: page, title, text }) =>
    sectionsOf(text).flatMap(({ heading, lines }) => {
      const ofHeading = countIn(heading ?? title);
      const all = countIn([heading ?? title, ...lines].join("\n"));
      if (all * 2 < patterns.length || all === 0) return [];
      const best = ofHeading === patterns.length ? lines : lines.toSorted((a, b) => countIn(b) - countIn(a));
      const line = best.map(lineOf).find((line) => line !== "") ?? title;
      const isList = LISTS.has(page);
      return { hit: { page, heading, line: excerptOf(line, patterns) }, isList, all, ofHeading };
    }),
  );
  return found
    .toSorted((a, b) => b.all - a.all || Number(a.isList) - Number(b.isList) || b.ofHeading - a.ofHeading)
    .slice(0, MOST)
    .map(({ hit }) => hit);
}

/** A pattern for each word, which matches the forms that begin with its stem: erase, erased and erasing. */
function patternsOf(text: string): RegExp[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const named = words.filter((word) => !IGNORED.has(word));
  return [...new Set(named.length > 0 ? named : words)].map((word) => {
    const stem = word
      .replace(/(?<=..)ie[sd]$/, "y")
      .replace(/(?<=...)(?:ing|ed|es|e|s)$/, "")
      .replace(/([^aeiou])\1$/, "$1")
      .replace(/(?<=..)y$/, "(?:y|ie)");
    // The beginning of another word is more often meant by a long one.
    return new RegExp(`(?<![\\p{L}\\p{N}])${stem}${stem.length < 3 ? "(?![\\p{L}\\p{N}])" : ""}`, "iu");
  });
}

/** The sections of a page; lines of code are behind those of text, which say more. */
function sectionsOf(text: string): Section[] {
  let [heading, lines, code]: [string | null, string[], string[]] = [null, [], []];
  const sections: Section[] = [];
  const end = () => sections.push({ heading, lines: [...lines, ...code] });
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^ *```/.test(line)) isCode = !isCode;
    else if (isCode) code.push(line);
    else if (!/^#+ /.test(line)) lines.push(line);
    else if (line.startsWith("##")) {
      end();
      [heading, lines, code] = [line.replace(/^#+ /, ""), [], []];
    }
  }
  end();
  return sections;
}

/** A line of a page without the marks of Markdown. */
function lineOf(line: string): string {
  const row = line.trim().replace(/^(?:[-*>]|\d+\.) +/, "");
  return /^[|\s:-]*$/.test(row) ? "" : plainText(row.replaceAll(/^\| *| *\|$/g, "")).trim();
}

/** The words of a line of Markdown without the marks between them. */
export function plainText(text: string): string {
  return text
    .replaceAll(
      /`([^`]+)`|!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)|<\/?[a-z][^>]*>|<!--.*?-->|\*+(?=\S)|(?<=\S)\*+| +(?:\| +)+/g,
      (mark, code?: string, link?: string) =>
        code ?? (link === undefined ? (mark.includes("|") ? " · " : "") : plainText(link)),
    )
    .replaceAll("\\|", "|");
}

/** The part of a line in which the first word was found. */
function excerptOf(line: string, patterns: readonly RegExp[]): string {
  if (line.length <= WIDTH) return line;
  const first = Math.min(
    ...patterns.map((pattern) => line.search(pattern)).filter((at) => at >= 0),
    line.length,
  );
  const from = first < WIDTH - BEFORE || first === line.length ? 0 : line.indexOf(" ", first - BEFORE) + 1;
  const end = line.length <= from + WIDTH ? line.length : line.lastIndexOf(" ", from + WIDTH);
  return `${from > 0 ? "… " : ""}${line.slice(from, end)}${end < line.length ? " …" : ""}`;
}
