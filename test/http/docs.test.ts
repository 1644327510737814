import { beforeAll, describe, expect, test } from "bun:test";
import { anchorOf, readPages } from "../../src/docs/pages.ts";
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

  test("is searched by words, each of which a line has", async () => {
    const found = await textOf("/docs?q=certificate+renew");
    expect(found).toContain('value="certificate renew"');
    expect(found).toMatch(/<a href="\/dashboard\/docs\/[\w-]+#[\w-]+">[^<]*renew/);
    expect(await textOf("/docs?q=qwertz")).toContain("Nothing has all these words");
  });

  test("has no page of another name", async () => {
    expect((await browser.get("/docs/nothing")).status).toBe(404);
  });
});
