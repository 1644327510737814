import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { createAssets } from "../../../src/http/dashboard/assets.ts";
import { COLORS } from "../../../src/projects/environment-card.ts";

const PAGES = join(import.meta.dir, "../../../src/http/dashboard");

/** The names in the values of `class` and `className`: of text, and of texts in an expression. */
function classesIn(source: string): string[] {
  const texts = [...source.matchAll(/class(?:Name)?(?::|=)\s*(?:"([^"]*)"|\{)/g)].map(
    ({ 1: text, index, 0: all }) =>
      text === undefined ? expressionAt(source, index + all.length) : `"${text}"`,
  );
  return texts.flatMap((text) =>
    [...text.matchAll(/["`]([^"`]*)["`]/g)].flatMap(([, value = ""]) =>
      value.replaceAll(/\S*\$\{[^}]*\}/g, " ").split(/\s+/),
    ),
  );
}

/** The text of an expression up to its closing brace. */
function expressionAt(source: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0; end += 1) depth += source[end] === "{" ? 1 : source[end] === "}" ? -1 : 0;
  return source.slice(start, end - 1);
}

const sources = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(PAGES)].map((path) =>
  readFileSync(join(PAGES, path), "utf8"),
);
const style = ["tokens", "kit", "pages"]
  .map((name) => readFileSync(join(PAGES, `style/${name}.css`), "utf8"))
  .join("\n")
  .replaceAll(/\/\*.*?\*\//gs, "");
const ruled = new Set([...style.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!));
const used = new Set(sources.flatMap(classesIn).filter((name) => /^[a-z][\w-]*$/.test(name)));

const source = sources.join("\n");

test("every class of a page has a rule, or is selected by a script", () => {
  const isSelected = (name: string) => source.includes(`main .${name} `);
  expect([...used].filter((name) => !ruled.has(name) && !isSelected(name))).toEqual([]);
});

test("every class of a rule is written on some page", () => {
  const isWritten = (name: string) =>
    new RegExp(`["\`\\s]${name}`).test(source) || COLORS.some((color) => color === name);
  expect([...ruled].filter((name) => !isWritten(name))).toEqual([]);
});

const assets = createAssets("/dashboard");

test("scripts and styles have at most 10 KB compressed", () => {
  expect(assets.script.gzipped.byteLength).toBeLessThanOrEqual(10 * 1024);
  expect(assets.passkeys.gzipped.byteLength).toBeLessThanOrEqual(2 * 1024);
  expect(assets.style.gzipped.byteLength).toBeLessThanOrEqual(10 * 1024);
});

test("what is compressed is what others get as it is", () => {
  for (const { bytes, gzipped } of [assets.script, assets.style, assets.passkeys])
    expect(Buffer.from(Bun.gunzipSync(new Uint8Array(gzipped))).equals(bytes)).toBe(true);
});
