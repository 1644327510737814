import { beforeAll, describe, expect, test } from "bun:test";
import { anchorOf, readPages } from "../../src/docs/pages.ts";
import { searchIn } from "../../src/docs/search.ts";
import { openTestApp } from "../support/app.ts";
import { openDashboard } from "../support/pages/dashboard.ts";

const dashboard = openDashboard(openTestApp());
let browser: Awaited<ReturnType<typeof dashboard.signIn>>;
beforeAll(async () => {
  browser = await dashboard.signIn("viewer");
});

/** The text of a page, as a browser has it of its address. */
const textOf = async (path: string) => (await browser.get(path)).text;

describe("the documentation in the dashboard", () => {
  test("is for people who are signed in", async () => {
    for (const path of ["/docs", "/docs/running"]) {
      const { status } = await dashboard.openBrowser().ask(path);
      expect([path, status]).toEqual([path, 303]);
    }
  });

  test("lists the pages of the executable by their kind", async () => {
    const text = await textOf("/docs");
    for (const { name, title } of readPages())
      expect(text).toContain(`<a href="/dashboard/docs/${name}">${Bun.escapeHTML(title)}</a>`);
    expect(text).toMatch(/>Tutorials<[^]*>Guides<[^]*>Reference<[^]*>Explanation</);
  });

  test("has pages whose links lead to pages and headings, and that hold no markup of their own", async () => {
    const pages = new Map<string, string>();
    for (const { name } of readPages()) pages.set(name, await textOf(`/docs/${name}`));
    const broken: string[] = [];
    for (const [name, text] of pages)
      for (const [, to = name, hash] of text.matchAll(
        /<a href="(?:\/dashboard\/docs\/([\w-]+))?(?:#([^"]+))?">/g,
      )) {
        const id = hash === undefined ? "main" : decodeURIComponent(hash);
        if (!pages.get(to)?.includes(` id="${id}"`)) broken.push(`${name}: ${to}#${hash}`);
      }
    expect(broken).toEqual([]);
    for (const [name, text] of pages)
      expect([name, /&lt;!--|&lt;(?:img|picture)/.test(text.replaceAll(/<pre>[^]*?<\/pre>/g, ""))]).toEqual([
        name,
        false,
      ]);
    expect(pages.get("running")).toContain("<h1>Running a server</h1>");
    expect(pages.get("limits")).toMatch(
      /<th scope="col">what is limited<\/th>[^]*<td data-label="what is limited">/,
    );
  });

  test("has headings with the ids that a search leads to", async () => {
    const missing: string[] = [];
    for (const { name, text } of readPages()) {
      const page = await textOf(`/docs/${name}`);
      for (const [, heading] of text.replaceAll(/^( *)```[^]*?^\1```$/gm, "").matchAll(/^##+ (.+)$/gm))
        if (!page.includes(` id="${anchorOf(heading!)}"`)) missing.push(`${name}: ${heading}`);
    }
    expect(missing).toEqual([]);
  });

  test.each(["erase a person", "erase someone", "how to erase a person", "forget someone", "GDPR"])(
    "is searched by the words of %p, in any form of them",
    async (search) => {
      const found = await textOf(`/docs?q=${encodeURIComponent(search)}`);
      expect(found).toContain(`value="${search}"`);
      const hits = [...found.matchAll(/<li><a href="\/dashboard\/docs\/([^"]+)">/g)].map(([, to]) => to);
      const at = hits.indexOf("submissions#erasing-a-person");
      expect(at).toBeGreaterThan(-1);
      if (search !== "forget someone") expect(at).toBe(0);
    },
  );

  test("is searched for sections with all words before those with some", () => {
    const page = (name: string, text: string) => ({ kind: "guide", name, title: name, text });
    const pages = [
      page("some", "# some\n\nA reply.\n"),
      page("text", "# text\n\n## Mail\n\nThe policies of replies.\n\n```sh\n# policy\n```\n"),
      page("heading", "# heading\n\n## Reply policy\n\nOther words.\n"),
      page("other", "# other\n\nA replica of a replacement.\n"),
    ];
    expect(searchIn(pages, "replying policies")).toEqual([
      { page: "heading", heading: "Reply policy", line: "Other words." },
      { page: "text", heading: "Mail", line: "The policies of replies." },
      { page: "some", heading: null, line: "A reply." },
    ]);
  });

  test("shows what was found without the marks of Markdown", async () => {
    const text = "- **Requests** of `a | b`, [the `x`](../y.md#z) *too*: <br>\n\n| `--a` | | two |\n";
    const pages = [{ kind: "guide", name: "one", title: "one", text }];
    expect(searchIn(pages, "requests")[0]!.line).toBe("Requests of a | b, the x too:");
    expect(searchIn(pages, "two")[0]!.line).toBe("--a · two");
    for (const search of ["erase", "certificate", "purge"])
      expect((await textOf(`/docs?q=${search}`)).split('aria-label="Results"')[1]).not.toMatch(/\*\*|`|\]\(/);
    expect(await textOf("/docs?q=qwertz")).toContain("Nothing has these words");
  });

  test("has no page of another name", async () => {
    expect((await browser.get("/docs/nothing")).status).toBe(404);
  });
});
