import { packedDocs } from "./packed.ts" with { type: "macro" };

/** A page of the documentation, as Markdown. */
export type DocsPage = { kind: string; name: string; title: string; text: string };

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
