import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag } from "../../support/commands.ts";

const DOCS = join(import.meta.dir, "../../../docs");

describe("docs", () => {
  test("lists every page of the documentation with its title", async () => {
    const { stdout } = await formflag(["docs", "--json"]);
    const pages = JSON.parse(stdout) as { name: string; title: string }[];
    const names = pages.map(({ name }) => name);
    const files = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
    expect(names).toEqual(expect.arrayContaining(files.map((name) => name.slice(0, -3))));
    expect(names).toEqual(expect.arrayContaining(["readme", "security", "changelog"]));
    expect(pages.every(({ title }) => title.length > 2)).toBe(true);
  });

  test.each(["forms", "forms.md", "docs/forms.md", "FORMS"])("shows a page by %p", async (name) => {
    const { code, stdout } = await formflag(["docs", name]);
    expect([code, stdout]).toEqual([0, readFileSync(join(DOCS, "forms.md"), "utf8")]);
  });

  test("finds lines that have all words, those of guides before those of lists", async () => {
    const { stdout } = await formflag(["docs", "--search", "Certificate DOMAIN", "--json"]);
    const hits = JSON.parse(stdout) as { page: string; line: string }[];
    expect(hits.every(({ line }) => line.length <= 200)).toBe(true);
    const pages = hits.map(({ page }) => page);
    expect(pages.indexOf("running")).toBeGreaterThan(-1);
    expect(pages.indexOf("running")).toBeLessThan(pages.indexOf("cli"));
  });

  test("of a page that there is not says how to find one", async () => {
    const { code, stderr } = await formflag(["docs", "nope"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("formflag docs lists the pages")]);
    expect((await formflag(["docs", "forms", "--search", "x"])).code).toBe(2);
  });
});
