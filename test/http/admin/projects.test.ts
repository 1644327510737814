import { describe, expect, test } from "bun:test";
import { blobKey } from "../../../src/blobs/key.ts";
import { stageText } from "../../contracts/blobs.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { expectError, fresh, path, openAdmin } from "../../support/admin.ts";
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
      mailFrom: null,
      accent: null,
      maxSubmissions: null,
      maxStorage: null,
      environments: ["develop", "staging", "production"].map((slug, index) => ({
        slug,
        name: slug,
        key,
        locked: false,
        color: null,
        approvals: 0,
        approveWith: null,
        position: index + 1,
      })),
    });
    const usage = { submissions: 0, storage: null };
    expect(await (await ask(path("projects", slug))).json()).toEqual({ ...project, usage });
    const { projects } = (await (await ask("/projects")).json()) as { projects: unknown[] };
    expect(projects).toContainEqual(project);
    const environments = path("projects", slug, "environments");
    expect(await (await ask(environments)).json()).toEqual({ environments: project.environments });

    const added = await ask(environments, { body: { slug: "qa", name: "QA", from: "develop" } });
    expect(added.status).toBe(201);
    const environment = {
      slug: "qa",
      name: "QA",
      key,
      locked: false,
      color: null,
      approvals: 0,
      approveWith: null,
      position: 4,
    };
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

describe("the settings of a project", () => {
  test("are changed, shown and reset; each fault is named", async () => {
    const { slug } = await createProject(app, OPERATOR, { slug: fresh() });
    const set = (body: object) => ask(path("projects", slug), { method: "PATCH", body });
    const settings = {
      name: "Shop",
      mailFrom: "Shop <shop@example.com>",
      accent: "#a02040",
      maxSubmissions: 1000,
      maxStorage: 5_000_000_000,
    };
    expect(await (await set({ ...settings, accent: "#A02040" })).json()).toMatchObject({
      ...settings,
      result: "updated",
    });
    expect(await (await set(settings)).json()).toMatchObject({ result: "unchanged" });
    expect(await (await ask(path("projects", slug))).json()).toMatchObject(settings);
    const unset = { mailFrom: null, accent: null, maxSubmissions: null, maxStorage: null };
    expect(await (await set(unset)).json()).toMatchObject({ name: "Shop", ...unset });
    for (const [body, ...words] of [
      [{}, "give one of name"],
      [{ accent: "#ffff00" }, "accent", "1.07"],
      [{ accent: "#959595" }, "accent", "2.99"],
      [{ accent: "red" }, "accent", "#0b68cb"],
      [{ mailFrom: "shop" }, "mailFrom"],
      [{ maxSubmissions: 0 }, "maxSubmissions", "from 1"],
      [{ maxStorage: 1.5 }, "maxStorage"],
    ] as const)
      await expectError(await set(body), 400, "invalid", ...words);
    expect((await set({ accent: "#949494" })).status).toBe(200);
  });
});

describe("a project that holds submissions", () => {
  test("is deleted with them once its slug confirms it, and is told how many there are", async () => {
    const { slug: project } = await createProject(app, OPERATOR, { slug: fresh() });
    const form = await createForm(app, OPERATOR, { slug: "contact", project, uploads: true });
    await createForm(app, OPERATOR, { slug: "empty", project });
    const blob = await stageText(app.blobs, "bytes");
    const file = { field: "file", name: "a.txt", type: "text/plain", blob };
    const { id } = await storeSubmission(app, form, { data: "{}", files: [file] });
    const remove = (confirm?: string) =>
      ask(path("projects", project), {
        method: "DELETE",
        ...(confirm !== undefined && { headers: { "x-confirm": confirm } }),
      });
    await expectError(await remove(), 428, "unconfirmed", "1 submission of 2 forms");
    await expectError(await remove("other"), 428, "unconfirmed");
    expect(await app.store.submissions.find(id)).toMatchObject({ project });
    expect((await remove(project)).status).toBe(204);
    expect(await app.store.submissions.find(id)).toBeUndefined();
    expect(await app.store.submissions.files("", 100)).toEqual([]);
    expect(await app.blobs.has(blobKey(id, 1))).toBe(false);
    expect((await ask(path("forms", form.key))).status).toBe(404);
  });
});
