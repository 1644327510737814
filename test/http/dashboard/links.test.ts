import { expect, test } from "bun:test";
import { openTestApp } from "../../support/app.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";
import { fullPages } from "../../support/pages/dashboard-pages.ts";
import { furnish } from "../../support/pages/furnished.ts";

/** Pages that no link leads to: one that does not exist, one that a button of a list opens, that of a login, and an older address. */
const UNLINKED = new Set(["/nowhere", "/inbox/-/matching", "/device", "/forms/contact/feeds"]);

test("every page is linked from another one, and no link leads nowhere", async () => {
  const app = openTestApp();
  const pages = fullPages(await furnish(app));
  const ann = await openDashboard(app).signIn("admin");
  const pathOf = (address: string) => new URL(address, "http://localhost").pathname;
  const linked = new Map<string, string>();
  for (const page of pages) {
    const { text } = await ann.get(page);
    for (const [, href] of text.matchAll(/<a [^>]*?href="(\/dashboard[^"#]*)/g)) {
      const path = pathOf(href!).replace(/^\/dashboard(?=\/)/, "");
      if (path !== "/dashboard" && path !== pathOf(page))
        linked.set(path, href!.replaceAll("&amp;", "&").replace(/^\/dashboard/, ""));
    }
  }
  const wanted = pages.map(pathOf).filter((path) => !UNLINKED.has(path));
  expect(wanted.filter((path) => path !== "/" && !linked.has(path))).toEqual([]);

  const broken: string[] = [];
  for (const href of linked.values()) {
    const { status } = await ann.get(href);
    if (status !== 200) broken.push(`${status} ${href}`);
  }
  expect(broken).toEqual([]);
});
