import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Pages at the top of the repository that are documentation too. */
const AT_TOP = ["README.md", "SECURITY.md", "CHANGELOG.md"];

/**
 * The pages of the documentation by their name, in one compressed text. This is a macro: the bundler replaces a call with the
 * text, if it is imported with `{ type: "macro" }`. https://bun.com/docs/bundler/macros
 */
export function packedDocs(): string {
  const root = join(import.meta.dir, "../../..");
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const files = [...AT_TOP, ...names.toSorted().map((name) => `docs/${name}`)];
  const pages = files.map((file) => [nameOf(file), readFileSync(join(root, file), "utf8")]);
  return Buffer.from(Bun.gzipSync(JSON.stringify(pages), { level: 9 })).toString("base64");
}

/** The name of a page: `forms` for `docs/forms.md`. */
function nameOf(file: string): string {
  return file
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .toLowerCase();
}
