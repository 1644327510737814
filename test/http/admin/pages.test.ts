import { expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { MAX_PAGE_BYTES } from "../../../src/base/pages.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const admin = await openServices(app).admin();
const { token } = await createToken(app, OPERATOR, { name: "admin" });
await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
const IN = "/projects/shop/environments/develop";
const large = (count: number) => ({ payload: { text: "x".repeat(250_000), count } });
const numbers = [...Array.from({ length: 24 }).keys()];
const nameOf = (number: number) => `name-${String(number).padStart(2, "0")}`;
const scheduledId = (number: number) => `planned-${"cba"[number >> 3]}-${nameOf(number)}`;

for (const number of numbers) {
  const name = nameOf(number);
  const place = { project: "shop", environment: "develop", flag: name };
  await setFlag(app, OPERATOR, place, large(number));
  await setSegment(app, OPERATOR, { ...place, segment: name }, { "==": ["x".repeat(250_000), number] });
  const scheduled = {
    ...place,
    id: scheduledId(number),
    patch: large(-number),
    // Several are due at one time.
    at: app.now() + 1000 + (number >> 3),
    createdAt: app.now(),
    who: "ann",
    why: null,
  };
  const insert = { change: "insertScheduled" as const, project: "shop", scheduled, history: null };
  await app.store.apply([insert], (await app.store.readVersion()).version, { who: "ann", at: app.now() });
  await createForm(app, OPERATOR, { slug: name, project: "shop" });
  await createProject(app, OPERATOR, { slug: name, environments: ["e"] });
  await createToken(app, OPERATOR, { name });
}

type Item = Record<string, unknown>;

const read = (path: string) =>
  admin.request(`/api/admin/v1${path}`, { headers: { authorization: `Bearer ${token}` } });

/** The pages of a list, each with its size. */
async function pagesOf(path: string, name: string, query: Record<string, string>, cursor = "after") {
  const pages: { items: Item[]; bytes: number }[] = [];
  const asked = new URLSearchParams(query);
  for (;;) {
    const answer = await read(`${path}?${asked.toString()}`);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const page = JSON.parse(text) as { next: string | number | null } & Record<string, Item[]>;
    pages.push({ items: page[name]!, bytes: text.length });
    if (page.next === null) return pages;
    asked.set(cursor, String(page.next));
  }
}

const names = numbers.map(nameOf);

type List = {
  name: string;
  path: string;
  keys: unknown[];
  isLarge?: boolean;
  query?: Record<string, string>;
};

test.each<List>([
  { name: "flags", path: `${IN}/flags`, keys: names, isLarge: true },
  { name: "segments", path: `${IN}/segments`, keys: names, isLarge: true },
  { name: "scheduled", path: "/projects/shop/scheduled", keys: numbers.map(scheduledId), isLarge: true },
  {
    name: "changes",
    path: "/projects/shop/history",
    keys: names.toReversed(),
    isLarge: true,
    query: { kind: "flag" },
  },
  { name: "forms", path: "/forms", keys: names },
  { name: "projects", path: "/projects", keys: [...names, "shop"] },
  { name: "tokens", path: "/tokens", keys: ["admin", ...names] },
])("pages of $name hold each item once, in order, and end", async ({ name, path, keys, isLarge, query }) => {
  for (const limit of [null, 5]) {
    const asked = { ...query, ...(limit === null ? {} : { limit: String(limit) }) };
    const pages = await pagesOf(path, name, asked, name === "changes" ? "before" : "after");
    const items = pages.flatMap((page) => page.items);
    expect(items.map(({ id, slug, name }) => id ?? slug ?? name)).toEqual(keys);
    for (const page of pages) {
      expect(page.items.length).toBeLessThanOrEqual(limit ?? Infinity);
      expect(page.bytes).toBeLessThan(MAX_PAGE_BYTES + 10_000);
    }
    expect(pages.length > 1).toBe(limit !== null || isLarge === true);
  }
});

test.each(["/projects?limit=0", "/forms?limit=10001", "/projects/shop/scheduled?after=x", "/tokens?limit=a"])(
  "%s is no page",
  async (path) => {
    expect((await read(path)).status).toBe(400);
  },
);
