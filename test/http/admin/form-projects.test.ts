import { describe, expect, test } from "bun:test";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { expectError, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

type Named = { project: string; slug?: string; form?: string };

/** Two projects with a form of the same name, each with a submission. */
async function openShops() {
  const { app, ask } = await openAdmin();
  const forms = [];
  for (const project of ["a", "b"]) {
    await createProject(app, OPERATOR, { slug: project });
    const form = await createForm(app, OPERATOR, { slug: "contact", project });
    const data = JSON.stringify({ email: "ada@example.com" });
    const { id } = await storeSubmission(app, form, { data, files: [] });
    forms.push({ ...form, id });
  }
  const json = async <T>(path: string, body?: object, method = body ? "POST" : "GET") =>
    (await (await ask(path, { method, ...(body && { body }) })).json()) as T;
  return { app, ask, json, a: forms[0]!, b: forms[1]! };
}

describe("a form that several projects have by name", () => {
  test("is a 409 that names them without a project, and found with one or by its key", async () => {
    const { ask, json, a, b } = await openShops();
    for (const [method, path, body] of [
      ["GET", "/forms/contact"],
      ["PATCH", "/forms/contact", { enabled: false }],
      ["DELETE", "/forms/contact"],
      ["GET", "/forms/contact/submissions"],
      ["GET", "/forms/contact/targets"],
      ["POST", "/forms/contact/test"],
      ["GET", "/deliveries?form=contact"],
      ["GET", "/stats?form=contact"],
      ["POST", "/submissions/purge", { email: "ada@example.com", form: "contact", dryRun: true }],
    ] as const)
      await expectError(await ask(path, { method, body: body! }), 409, "conflict", "projects a and b");
    expect(await json<Named>("/forms/contact?project=b")).toMatchObject({ project: "b", key: b.key });
    expect(await json<Named>(`/forms/${a.key}`)).toMatchObject({ project: "a" });
    await expectError(await ask("/forms/other?project=b"), 404, "not_found", 'in project "b"');
    await expectError(await ask(`/forms/${a.key}?project=b`), 404, "not_found");
  });

  test("is selected in lists, marks, purges, exports, deliveries and statistics", async () => {
    const { ask, json, a, b } = await openShops();
    type Listed = { forms: Named[]; submissions: (Named & { id: string })[] };
    expect((await json<Listed>("/forms")).forms.map(({ project }) => project)).toEqual(["a", "b"]);
    expect((await json<Listed>("/forms?project=b")).forms).toMatchObject([{ project: "b", slug: "contact" }]);
    const paged = await json<{ next: string }>("/forms?limit=1");
    expect((await json<Listed>(`/forms?limit=1&after=${paged.next}`)).forms).toMatchObject([
      { project: "b" },
    ]);
    for (const path of [
      "/submissions?project=b",
      "/submissions?form=contact&project=b",
      "/submissions?email=ada@example.com&project=b",
      "/forms/contact/submissions?project=b",
    ])
      expect((await json<Listed>(path)).submissions.map(({ id, project }) => [id, project])).toEqual([
        [b.id, "b"],
      ]);
    expect(await json("/submissions/mark-matching", { mark: "archived", project: "a" })).toMatchObject({
      ids: [a.id],
    });
    const purged = await json("/submissions/purge", { email: "ada@example.com", project: "b", dryRun: true });
    expect(purged).toMatchObject({ forms: [{ project: "b", form: "contact", submissions: 1 }] });
    const line = await (await ask("/forms/contact/submissions/export?project=b")).text();
    expect(JSON.parse(line)).toMatchObject({ id: b.id, project: "b", form: "contact" });
    const stats = await json<{ forms: Named[] }>("/stats?project=a");
    expect(stats.forms).toMatchObject([{ project: "a", form: "contact", archived: 1 }]);
    for (const path of ["/forms?project=c", "/submissions?project=c", "/deliveries?project=c"])
      await expectError(await ask(path), 404, "not_found", '"c"');
  });

  test("moves, unless its name is taken there", async () => {
    const { ask, json, a } = await openShops();
    const move = (project: string) => ask("/forms/contact?project=a", { method: "PATCH", body: { project } });
    await expectError(await move("b"), 409, "conflict", "contact");
    await expectError(await move("c"), 404, "not_found", '"c"');
    expect(await json("/projects", { slug: "c" })).toMatchObject({ slug: "c" });
    expect(await (await move("c")).json()).toMatchObject({ project: "c", key: a.key, result: "updated" });
    expect(await json(`/submissions/${a.id}`)).toMatchObject({ project: "c", form: "contact" });
    await expectError(await move("c"), 404, "not_found");
  });
});

describe("a new form without a project", () => {
  test("is in default, which is made with the usual environments if there is no project", async () => {
    const { ask } = await openAdmin();
    const made = await ask("/forms", { body: { slug: "contact" } });
    expect([made.status, await made.json()]).toMatchObject([201, { project: "default" }]);
    const { environments } = (await (await ask("/projects/default")).json()) as { environments: object[] };
    expect(environments).toMatchObject([{ slug: "develop" }, { slug: "staging" }, { slug: "production" }]);
  });

  test("is in the only project, and of several in default; otherwise they are named", async () => {
    const { ask } = await openAdmin();
    const create = (slug: string) => ask("/forms", { body: { slug } });
    await ask("/projects", { body: { slug: "shop" } });
    expect(await (await create("one")).json()).toMatchObject({ project: "shop" });
    await ask("/projects", { body: { slug: "blog" } });
    await expectError(await create("two"), 400, "invalid", "blog, shop");
    await ask("/projects", { body: { slug: "default" } });
    expect(await (await create("two")).json()).toMatchObject({ project: "default" });
  });
});
