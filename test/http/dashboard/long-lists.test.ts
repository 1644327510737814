import { expect, test } from "bun:test";
import { createUser } from "../../../src/access/users.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { openDashboard } from "../../support/pages/dashboard.ts";

const COUNT = 120;
const numbers = Array.from({ length: COUNT }, (_, index) => String(index).padStart(3, "0"));

async function furnished() {
  const app = openTestApp();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
  for (const number of numbers) {
    const project = Number(number) % 2 === 0 ? "shop" : undefined;
    await createForm(app, OPERATOR, {
      slug: `form-${number}`,
      name: `Form ${number}`,
      ...(project && { project }),
    });
    await createUser(app, OPERATOR, { name: `user-${number}`, role: "viewer" });
  }
  return openDashboard(app).signIn("admin");
}

const { get } = await furnished();

/** The ids of rows on each page of a list, page by page, as its links lead on. */
async function pagesOf(path: string, row: RegExp): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const { status, text } = await get(next);
    expect([next, status]).toEqual([next, 200]);
    pages.push([...text.matchAll(row)].map(([, name]) => name!));
    next = /href="\/dashboard([^"]*[?&;]after=[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  }
  return pages;
}

for (const { path, row, all } of [
  { path: "/forms", row: /id="form-(?:shop:)?(form-\d+)"/g, all: numbers.map((number) => `form-${number}`) },
  { path: "/access/users", row: /id="user-(user-\d+)"/g, all: numbers.map((number) => `user-${number}`) },
]) {
  test(`${path} shows a list of any length on pages, each row once`, async () => {
    const pages = await pagesOf(path, row);
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(page.length).toBeLessThanOrEqual(50);
    expect(pages.flat().toSorted()).toEqual(all);
  });

  test(`${path} is searched by name, on every page`, async () => {
    const [found] = await pagesOf(`${path}?q=${all[77]!.toUpperCase()}`, row);
    expect(found).toEqual([all[77]!]);
    expect((await pagesOf(`${path}?q=-0`, row)).flat()).toHaveLength(100);
    expect((await get(`${path}?q=nothing-like-it`)).text).toContain("has such a name");
  });
}
