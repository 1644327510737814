import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of `docs/` with the kind of their pages, in the order in which pages are listed. */
const KINDS = { tutorials: "tutorial", guides: "guide", reference: "reference", explanation: "explanation" };

/** Pages at the top of the repository that are documentation too, with their kind. */
const AT_TOP: Record<string, string> = {
  "README.md": "start",
  "CHANGELOG.md": KINDS.reference,
  "SECURITY.md": KINDS.explanation,
};

/** The kind, the name and the title of a page, and its text, compressed. */
export type PackedPage = [kind: string, name: string, title: string, text: string];

/**
 * The pages of the documentation by kind. This is a macro: the bundler replaces a call with what it returns, if it is imported
 * with `{ type: "macro" }`. https://bun.com/docs/bundler/macros
 */
export function packedDocs(): PackedPage[] {
  const root = join(import.meta.dir, "../..");
  const kinds = ["start", ...Object.values(KINDS)];
  const inFolders = Object.entries(KINDS).flatMap(([folder, kind]) =>
    readdirSync(join(root, "docs", folder)).map((name) => ({ kind, file: `docs/${folder}/${name}` })),
  );
  const files = [...inFolders, ...Object.entries(AT_TOP).map(([file, kind]) => ({ kind, file }))]
    .filter(({ file }) => file.endsWith(".md"))
    .map(({ kind, file }) => ({ kind, file, name: nameOf(file) }))
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
  return files.map(({ kind, file, name }) => {
    const text = readFileSync(join(root, file), "utf8");
    const title = /^# (.+)$/m.exec(text)?.[1] ?? name;
    return [kind, name, title, Buffer.from(Bun.gzipSync(text, { level: 9 })).toString("base64")];
  });
}

/** The name of a page: `forms` for `docs/guides/forms.md`. */
function nameOf(file: string): string {
  return file.replace(/^.*\//, "").replace(/\.md$/, "").toLowerCase();
}
