/** A block of a page that a reader types or saves, with the paragraph before it. */
export type Step = { before: string } & (
  | { kind: "commands"; text: string; /** What the page shows that it prints. */ shown: string | null }
  | { kind: "file"; name: string; text: string }
);

/** The blocks of a page in their order. Throws for one that is neither commands, nor what they print, nor a file with a name. */
export function stepsOf(page: string): Step[] {
  const steps: Step[] = [];
  let end = 0;
  for (const { 0: block, 1: indent = "", 2: language = "", 3: lines = "", index } of page.matchAll(
    /^( *)```(\w*)\n([^]*?)^\1```$/gm,
  )) {
    const text = lines.replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const before = page.slice(end, index).trim().split("\n\n").at(-1) ?? "";
    end = index + block.length;
    const last = steps.at(-1);
    const name = [...before.matchAll(/`([^`\s]+)`/g)].at(-1)?.[1];
    if (language === "sh") steps.push({ kind: "commands", before, text, shown: null });
    else if (name !== undefined && before.endsWith(":")) steps.push({ kind: "file", before, name, text });
    else if (["", "json"].includes(language) && last?.kind === "commands") last.shown = text;
    else throw new Error(`a reader does not know what this block is for: ${before}\n${block}`);
  }
  return steps;
}

/** What is different each time or with each version: ids, times, tokens and keys, sizes. */
const MASKS: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"],
  [/\d{8}T\d{6}Z|\d{4}-\d\d-\d\d/g, "TIME"],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID"],
  [/\b[0-9a-f]{64}\b/g, "SHA256"],
  [/\bff[a-z]*_[\w-]{16,}/g, "TOKEN"],
  [/[\w-]{32,}/g, "KEY"],
  [/\b[a-z0-9]{24}\b/g, "KEY"],
  [/\b[a-z0-9]{4}(-[a-z0-9]{4}){2,3}\b/g, "KEY"],
  [/\d+(\.\d+)? (bytes|kB|KB|MB|GB)\b/g, "SIZE"],
  [/\d+(\.\d+)?( ms\b| seconds?\b|s\b)/g, "DURATION"],
  [/formflag \d+\.\d+\.\d+ \([^)]*\)/g, "VERSION"],
  [/all \d+ rows/g, "all rows"],
  // Revisions count what a server writes for itself too, as the first read of a flag.
  [/revision \d+/g, "revision N"],
  [/[ \t]+/g, " "],
];

/** A text without what is different each time, and without the width of columns. */
export function masked(text: string): string {
  const plain = MASKS.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), text);
  return plain
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();
}

/** Whether a page shows what was printed: all of it, or the parts around lines of "…" in their order. */
export function isShown(shown: string, printed: string): boolean {
  const [whole, ...parts] = [masked(printed), ...masked(shown).split(/^…$/m)];
  if (parts.length === 1) return parts[0] === whole;
  let at = 0;
  return parts.every((part, index) => {
    const text = part.trim();
    const found = index === parts.length - 1 ? whole.lastIndexOf(text) : whole.indexOf(text, at);
    const isThere =
      found >= at && (index > 0 || found === 0) && (index < parts.length - 1 || whole.endsWith(text));
    at = found + text.length;
    return isThere;
  });
}
