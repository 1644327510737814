import { packedDocs } from "./packed.ts" with { type: "macro" };

/** A page of the documentation, as Markdown. */
export type DocsPage = { kind: string; name: string; title: string; text: string };

/** A line that was found, with its page and the heading above it, which is null at the start of a page. */
export type Hit = { page: string; heading: string | null; line: string };

/** Lines that a search lists. */
const MOST = 40;

/** Pages that hold everything, so that a search lists them last. */
const LISTS = new Set(["cli", "settings", "limits", "api", "figures", "names-of-controls", "changelog"]);

/** The pages of the documentation of this version, by their kind. */
export function readPages(): DocsPage[] {
  return packedDocs().map(([kind, name, title, packed]) => ({
    kind,
    name,
    title,
    // Only a page that is asked for is unpacked.
    get text() {
      return new TextDecoder().decode(Bun.gunzipSync(Buffer.from(packed, "base64")));
    },
  }));
}

/** The name that a path or a file of a page means: `forms` of `../guides/forms.md`. */
export function nameIn(path: string): string {
  return path.toLowerCase().replace(/^.*\//, "").replace(/\.md$/, "");
}

/** The id of a heading on its page, as the parser of Markdown makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The lines that have all words of a text, each once, with their page. */
export function searchIn(pages: readonly DocsPage[], text: string): Hit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, Hit>();
  for (const { name, text } of pages.toSorted(
    (a, b) => Number(LISTS.has(a.name)) - Number(LISTS.has(b.name)),
  )) {
    let heading: string | null = null;
    for (const line of text.split("\n")) {
      heading = /^#{2,} (.+)$/.exec(line)?.[1] ?? heading;
      const lower = line.toLowerCase();
      if (found.has(line) || !words.every((word) => lower.includes(word))) continue;
      found.set(line, { page: name, heading, line: line.replace(/^[#|\s-]+/, "").slice(0, 200) });
    }
  }
  return [...found.values()].slice(0, MOST);
}
