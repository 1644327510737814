/** A table; a column without any text below its head is left out. */
export function tableOf(head: string[], rows: string[][]): string {
  const kept = head.map((_, column) => rows.some((row) => row[column] !== ""));
  const line = (cells: string[]) => `| ${cells.filter((_, column) => kept[column]).join(" | ")} |`;
  return [head, head.map(() => "---"), ...rows].map(line).join("\n");
}

/** Text as Markdown shows it unchanged, also in a table, with options and variables as code. */
export function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? code(part.slice(1, -1)) : escapedWords(part)))
    .join("");
}

function escapedWords(text: string): string {
  return text
    .replaceAll(/[\\<>*_|]/g, (char) => `\\${char}`)
    .replaceAll(/(?<=^|[\s(])(--?[a-zA-Z][\w-]*|FORMFLAG[\w\\]+)/g, (word) =>
      code(word.replaceAll("\\", "")),
    );
}

/** Code in a line of text; nothing for nothing. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
