import { describe, expect, test } from "bun:test";
import { createProject } from "../../../src/projects/projects.ts";
import { fresh, path, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { shownFlag } from "../../support/records/records.ts";

const { app, ask } = await openAdmin();

describe("projects, environments and flags", () => {
  const key = expect.stringMatching(/^[a-z0-9]{4}(-[a-z0-9]{4}){2}$/);

  test("are made, shown, listed and deleted", async () => {
    const slug = fresh();
    const made = await ask("/projects", { body: { slug, name: "Shop" } });
    expect(made.status).toBe(201);
    const { result, ...project } = (await made.json()) as {
      result: string;
      environments: { slug: string }[];
    };
    expect(result).toBe("created");
    expect(project as unknown).toEqual({
      slug,
      name: "Shop",
      key,
      environments: ["develop", "production", "staging"].map((slug) => ({
        slug,
        name: slug,
        key,
        locked: false,
        color: null,
      })),
    });
    expect(await (await ask(path("projects", slug))).json()).toEqual(project);
    const { projects } = (await (await ask("/projects")).json()) as { projects: unknown[] };
    expect(projects).toContainEqual(project);
    const environments = path("projects", slug, "environments");
    expect(await (await ask(environments)).json()).toEqual({ environments: project.environments });

    const added = await ask(environments, { body: { slug: "qa", name: "QA", from: "develop" } });
    expect(added.status).toBe(201);
    const environment = { slug: "qa", name: "QA", key, locked: false, color: null };
    expect(await added.json()).toEqual({ ...environment, result: "created" });
    expect(await (await ask(`${environments}/qa`)).json()).toEqual(environment);
    const gone = await ask(`${environments}/qa`, { method: "DELETE" });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    expect((await ask(`${environments}/qa`)).status).toBe(404);

    expect((await ask(path("projects", slug), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("projects", slug))).status).toBe(404);
  });

  test("may have no environment to begin with", async () => {
    const made = await ask("/projects", { body: { slug: fresh(), environments: [] } });
    expect(await made.json()).toMatchObject({ environments: [] });
  });

  test("have flags that are created, updated and unchanged by a PATCH", async () => {
    const { slug } = await createProject(app, OPERATOR, {
      slug: fresh(),
      environments: ["develop", "staging"],
    });
    const flags = path("projects", slug, "environments", "develop", "flags");
    const at = new Date(app.now()).toISOString();
    const flag = shownFlag("beta", at);
    const patch = async (body: unknown) => {
      const answer = await ask(`${flags}/beta`, { method: "PATCH", body });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    expect(await patch({})).toEqual({ ...flag, result: "created" });
    const changed = { ...flag, enabled: true, payload: null, expiredAt: "2030-01-01T00:00:00.000Z" };
    const body = { enabled: true, payload: null, expiredAt: "2030-01-01T01:00:00+01:00" };
    expect(await patch(body)).toEqual({ ...changed, result: "updated" });
    expect(await patch(body)).toEqual({ ...changed, result: "unchanged" });
    expect(await (await ask(`${flags}/beta`)).json()).toEqual(changed);
    expect(await (await ask(flags)).json()).toEqual({ flags: [changed], next: null });
    const staging = path("projects", slug, "environments", "staging", "flags");
    expect(await (await ask(staging)).json()).toEqual({ flags: [flag], next: null });
    expect((await ask(path("projects", slug, "flags", "beta"), { method: "DELETE" })).status).toBe(204);
    expect(await (await ask(flags)).json()).toEqual({ flags: [], next: null });
  });
});
