import { describe, expect, test } from "bun:test";
import { deleteProject } from "../../src/forms/keeping/project-deletion.ts";
import { createProject, getProject } from "../../src/projects/projects.ts";
import { openTestApp } from "../support/app.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";

describe("a project", () => {
  test("is created with its environments, each with a key of its own", async () => {
    const app = openTestApp();
    const created = await createProject(app, OPERATOR, { slug: "shop", environments: ["test", "live"] });
    expect(created).toMatchObject({ slug: "shop", name: "shop" });
    expect(created.environments.map(({ slug, locked }) => [slug, locked])).toEqual([
      ["test", false],
      ["live", false],
    ]);
    expect(new Set([created.key, ...created.environments.map(({ key }) => key)]).size).toBe(3);
    expect(await getProject(app, "shop")).toEqual(created);
  });

  test("is a conflict where the slug is taken, and leaves the first as it was", async () => {
    const app = openTestApp();
    const first = await createProject(app, OPERATOR, { slug: "shop", name: "Shop", environments: ["live"] });
    const again = createProject(app, OPERATOR, { slug: "shop", name: "again" });
    expect(await reasonOf(again)).toBe("conflict project-exists");
    expect(await getProject(app, "shop")).toEqual(first);
  });

  test("is created once by many at the same moment", async () => {
    const app = openTestApp("thread");
    const asked = Array.from({ length: 20 }, () => createProject(app, OPERATOR, { slug: "shop" }));
    const reasons = await Promise.all(asked.map(reasonOf));
    expect(reasons.filter((reason) => reason === "none")).toHaveLength(1);
    expect(reasons.filter((reason) => reason === "conflict project-exists")).toHaveLength(19);
    expect(await app.store.environments.list("shop")).toHaveLength(3);
  });

  test("is not found where there is none, also by a delete", async () => {
    const app = openTestApp();
    expect(await reasonOf(getProject(app, "nobody"))).toStartWith("not_found");
    expect(await reasonOf(deleteProject(app, OPERATOR, "nobody"))).toStartWith("not_found");
    expect((await app.store.readVersion()).version).toBe(0);
  });

  test("is created and deleted by administrators alone", async () => {
    const app = openTestApp();
    const reader = callerNamed("ci", { scopes: ["flags:locked"] });
    await createProject(app, OPERATOR, { slug: "shop" });
    const refused = [
      async () => createProject(app, reader, { slug: "other" }),
      async () => deleteProject(app, reader, "shop"),
    ];
    for (const attempt of refused) expect(await reasonOf(attempt())).toBe("forbidden");
    expect((await app.store.projects.list()).map(({ slug }) => slug)).toEqual(["shop"]);
  });
});
