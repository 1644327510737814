import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { formflag } from "../../support/commands.ts";

const DOCS = join(import.meta.dir, "../../../docs");

describe("docs", () => {
  test("lists every page of the documentation with its title, by the four kinds", async () => {
    const { stdout } = await formflag(["docs", "--json"]);
    const pages = JSON.parse(stdout) as { kind: string; name: string; title: string }[];
    const namesOf = (kind: string) => pages.filter((page) => page.kind === kind).map(({ name }) => name);
    const inFolder = (folder: string) =>
      readdirSync(join(DOCS, folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => name.slice(0, -3));
    expect([...new Set(pages.map(({ kind }) => kind))].join(" ")).toMatch(
      /^start( tutorial)? guide reference explanation$/,
    );
    expect(namesOf("start")).toEqual(["readme"]);
    expect(namesOf("guide")).toEqual(inFolder("guides").toSorted());
    expect(namesOf("reference").toSorted()).toEqual(["changelog", ...inFolder("reference")].toSorted());
    expect(namesOf("explanation").toSorted()).toEqual(["security", ...inFolder("explanation")].toSorted());
    expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
    expect(pages.every(({ title }) => title.length > 2)).toBe(true);
  });

  test.each(["forms", "forms.md", "docs/forms.md", "docs/guides/forms.md", "FORMS"])(
    "shows a page by %p",
    async (name) => {
      const { code, stdout } = await formflag(["docs", name]);
      expect([code, stdout]).toEqual([0, readFileSync(join(DOCS, "guides/forms.md"), "utf8")]);
    },
  );

  test("finds sections that have all words, those of guides before those of lists", async () => {
    const { stdout } = await formflag(["docs", "--search", "Certificate DOMAIN", "--json"]);
    const hits = JSON.parse(stdout) as { page: string; line: string }[];
    expect(hits.every(({ line }) => line.length <= 204)).toBe(true);
    const pages = hits.map(({ page }) => page);
    expect(pages.indexOf("running")).toBeGreaterThan(-1);
    expect(pages.indexOf("running")).toBeLessThan(pages.indexOf("cli"));
  });

  test("shows the sections that have a word for which no page is named, and not in place of a page in JSON", async () => {
    const lines = await formflag(["docs", "certificate"]);
    expect(lines).toMatchObject({
      code: 0,
      stdout: (await formflag(["docs", "--search", "certificate"])).stdout,
    });
    expect(lines.stdout).toContain("running");
    expect((await formflag(["docs", "certificate", "--json"])).code).toBe(3);
  });

  test("of a page that there is not says how to find one", async () => {
    const { code, stderr } = await formflag(["docs", "nope"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("formflag docs lists the pages")]);
    expect((await formflag(["docs", "forms", "--search", "x"])).code).toBe(2);
  });
});
