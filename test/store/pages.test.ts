import { join } from "node:path";
import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { createForm } from "../../src/forms/forms.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { NOW, nextId, submissionTo } from "../support/records/records.ts";

const app = openTestApp();
const { store } = app;
const file = join(app.directory, "formflag.db");
await createProject(app, OPERATOR, { slug: "p", environments: ["e"] });
const { key } = await createForm(app, OPERATOR, { slug: "contact" });
const page = { limit: 5 };

test.each<[what: string, list: () => Promise<unknown>]>([
  ["projects", () => store.projects.page(page, null)],
  ["flags", () => store.flags.page("p", "e", page)],
  ["segments", () => store.segments.page("p", "e", page)],
  ["forms", () => store.forms.page({ ...page, projects: null })],
  ["tokens", () => store.tokens.page(page, null)],
  ["submissions", () => store.submissions.list(key, 5, null, ["inbox"])],
  ["scheduled changes", () => store.scheduled.page("p", null, page)],
  ["changes of a project", () => store.changes.page("p", page)],
  ["changes of a kind", () => store.changes.page("p", { ...page, kind: "segment" })],
  ["changes of a flag", () => store.changes.page("p", { ...page, kind: "flag", name: "a" })],
  [
    "changes of a flag in an environment, from one on",
    () => store.changes.page("p", { ...page, kind: "flag", name: "a", environment: "e", before: 9 }),
  ],
])("a page of %s is read from an index in its order", async (_, list) => {
  using prepared = spyOn(Database.prototype, "prepare");
  await list();
  const paged = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("LIMIT $limit"));
  expect(paged).toHaveLength(1);
  using db = new Database(file, { readonly: true });
  const plan = db.query<{ parent: number; detail: string }, []>(`EXPLAIN QUERY PLAN ${paged[0]}`).all();
  const steps = plan.filter(({ parent }) => parent === 0).map(({ detail }) => detail);
  for (const step of steps) expect(step).toMatch(/^(SEARCH|USE TEMP|CORRELATED)/);
  // What an index holds may be sorted, as that is small, and so may slugs that are equal.
  const sorted = steps.some((step) => step.startsWith("USE TEMP B-TREE FOR ORDER BY"));
  if (sorted) for (const step of steps.slice(0, -1)) expect(step).toContain("COVERING INDEX");
});

test("no parameter is bare where SQLite would plan a statement again for each value", async () => {
  // Statements are compiled once on a connection.
  const own = openTestApp();
  await createProject(own, OPERATOR, { slug: "p", environments: ["e"] });
  using prepared = spyOn(Database.prototype, "prepare");
  await own.store.changes.page("p", { ...page, kind: "flag", name: "b", environment: "e", before: 7 });
  await own.store.tallies.read({ kind: "flagReads", from: 5, to: 6, prefix: "a/", after: "a/b", limit: 3 });
  const ordered = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("ORDER BY"));
  expect(ordered).not.toBeEmpty();
  for (const sql of ordered) expect(sql).not.toMatch(/ = \$|LIMIT \$\w+\b(?! \+ 0)/);
});

const planOf = (sql: string) => {
  using db = new Database(file, { readonly: true });
  return db
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
};

test("a page of several folders is merged from their places in the index, without a sort", async () => {
  using prepared = spyOn(Database.prototype, "prepare");
  await store.submissions.list(key, 5, null, ["inbox", "archived"]);
  const sql = prepared.mock.calls.map(([sql]) => sql).find((sql) => sql.includes("LIMIT $limit"));
  const plan = planOf(sql!);
  expect(plan).toContain("MERGE (UNION ALL)");
  const searches = plan.filter((step) => step.includes("submissions_by_state"));
  expect(searches).toHaveLength(2);
  for (const step of searches) expect(step).toContain("(form_id=? AND state=? AND id<?)");
  expect(plan.join("\n")).not.toMatch(/SCAN|TEMP B-TREE FOR ORDER BY/);
});

test("a submission is found by its id through the index of every form", async () => {
  using prepared = spyOn(Database.prototype, "prepare");
  const id = "01a1fc49-92a7-75da-ab11-1c9958800353";
  await store.submissions.find(id);
  await store.submissions.delete([id]);
  const found = prepared.mock.calls.map(([sql]) => sql).filter((sql) => /s\.id (= \+\$id|IN)/.test(sql));
  expect(found).toHaveLength(2);
  for (const sql of found) {
    const plan = planOf(sql);
    expect(plan.join("\n")).toContain("submissions_by_state (form_id=? AND state=? AND id=?)");
  }
});

test("deliveries are claimed from an index in its order, however many wait", async () => {
  const delivery = { id: nextId(), kind: "welcome" as const, target: "a@example.com#1.beta" };
  await store.submissions.insert(submissionTo(key, { deliveries: [delivery] }));
  using prepared = spyOn(Database.prototype, "prepare");
  const turn = { holder: "a", now: NOW, databaseNow: NOW, leaseUntil: NOW, settled: [], renewed: [] };
  await store.deliveries.turn({ ...turn, blocked: [], after: null, perLane: 32, limit: 128 });
  await store.deliveries.nextAt([]);
  await store.deliveries.explainMail(0, NOW, 500);
  const statements = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes("CASE WHEN kind"));
  expect(statements).toHaveLength(4);
  for (const sql of statements) {
    const steps = planOf(sql).filter((step) => step.includes("deliveries") || /\bd\b/.test(step));
    expect(steps).not.toBeEmpty();
    for (const step of steps)
      expect(step).toMatch(/^SEARCH (deliveries|d) USING (INDEX deliveries_queued|PRIMARY KEY)/);
    // The names of the lanes are sorted, as they are few.
    if (!sql.includes("FROM lanes")) expect(planOf(sql).join("\n")).not.toContain("TEMP B-TREE");
  }
});
