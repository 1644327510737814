import { describe, expect, test } from "bun:test";
import {
  copyForm,
  createForm,
  createFormFinder,
  deleteForm,
  getForm,
  setForm,
} from "../../src/forms/forms.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { addTarget, listTargets } from "../../src/forms/targets.ts";
import { createProject } from "../../src/projects/projects.ts";
import { fakeOutgoing } from "../support/peers/outgoing.ts";
import { DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "../../src/forms/limits.ts";
import { openTestApp } from "../support/app.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { codeOf, reasonOf } from "../support/refusals.ts";

describe("a form", () => {
  test("is enabled, without uploads, and follows the default limits where it has none of its own", async () => {
    const app = openTestApp();
    const form = await createForm(app, OPERATOR, { slug: "contact" });
    expect(form).toMatchObject({
      slug: "contact",
      name: "contact",
      enabled: true,
      uploads: false,
      maxFileSize: DEFAULT_MAX_FILE_SIZE,
      maxFiles: DEFAULT_MAX_FILES,
      createdAt: "2026-01-02T03:04:05.678Z",
    });
    expect(await getForm(app, OPERATOR, "contact")).toEqual(form);
    expect(await getForm(app, OPERATOR, form.key)).toEqual(form);
  });

  test("is updated or unchanged by a set, by slug and by key", async () => {
    const app = openTestApp();
    const { slug, key } = await createForm(app, OPERATOR, { slug: "contact" });
    const patch = { name: "New", uploads: true, allowedOrigins: ["https://a.example"], maxFiles: 9 };
    app.clock.now += 5;
    const updated = await setForm(app, OPERATOR, slug, patch);
    expect(updated.result).toBe("updated");
    expect(updated.form).toMatchObject({ ...patch, slug, key, updatedAt: "2026-01-02T03:04:05.683Z" });
    const version = (await app.store.readVersion()).version;
    app.clock.now += 5;
    for (const same of [patch, {}])
      expect(await setForm(app, OPERATOR, key, same)).toEqual({ ...updated, result: "unchanged" });
    expect((await app.store.readVersion()).version).toBe(version);
    expect(await getForm(app, OPERATOR, slug)).toEqual(updated.form);
    const { form: reset } = await setForm(app, OPERATOR, slug, { maxFiles: null });
    expect(reset.maxFiles).toBe(DEFAULT_MAX_FILES);
    expect(await codeOf(setForm(app, OPERATOR, "nobody", patch))).toBe("not_found");
  });

  test("is a conflict where the slug is taken, or is another form's key", async () => {
    const app = openTestApp();
    const { slug, key } = await createForm(app, OPERATOR, { slug: "contact" });
    for (const taken of [slug, key])
      expect(await reasonOf(createForm(app, OPERATOR, { slug: taken }))).toBe("conflict form-exists");
    expect(await app.store.forms.list()).toHaveLength(1);
  });

  test("is deleted once, by slug or by key, and its slug is free again", async () => {
    const app = openTestApp();
    const first = await createForm(app, OPERATOR, { slug: "contact" });
    await deleteForm(app, OPERATOR, first.key);
    expect(await codeOf(deleteForm(app, OPERATOR, "contact"))).toBe("not_found");
    const second = await createForm(app, OPERATOR, { slug: "contact" });
    expect(second.key).not.toBe(first.key);
    await deleteForm(app, OPERATOR, "contact");
    expect(await app.store.forms.list()).toEqual([]);
  });

  test("is changed by those alone who hold the scope forms:write", async () => {
    const app = openTestApp();
    await createForm(app, OPERATOR, { slug: "contact" });
    const reader = callerNamed("ci", { scopes: ["forms:read", "flags:locked"] });
    for (const attempt of [
      async () => createForm(app, reader, { slug: "other" }),
      async () => setForm(app, reader, "contact", { enabled: false }),
      async () => deleteForm(app, reader, "contact"),
    ])
      expect(await reasonOf(attempt())).toBe("forbidden");
    expect(await app.store.forms.list()).toMatchObject([{ slug: "contact", enabled: true }]);
  });
});

describe("a copy of a form", () => {
  test("has its settings and fields with another key, and nothing that was sent or is secret", async () => {
    const app = openTestApp();
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const confirmed = { ...OPERATOR, hasConfirmed: () => true };
    const settings = {
      schema,
      uploads: true,
      blockedSenders: ["203.0.113.7"],
      retention: 3600,
      maxFiles: null,
    };
    const form = await createForm(app, confirmed, { slug: "contact", name: "Us", ...settings });
    await createProject(app, OPERATOR, { slug: "blog" });
    await addTarget(app, OPERATOR, "contact", "https://example.com/hook", fakeOutgoing());
    await storeSubmission(app, form, { data: "{}", files: [] });
    app.clock.now += 1000;
    const copy = await copyForm(app, OPERATOR, "contact", { slug: "kontakt", name: "Kontakt" });
    const { key, createdAt, updatedAt } = copy;
    expect(copy).toEqual({ ...form, slug: "kontakt", name: "Kontakt", key, createdAt, updatedAt });
    expect([key === form.key, createdAt === form.createdAt]).toEqual([false, false]);
    expect(await listTargets(app, OPERATOR, "kontakt")).toEqual([]);
    expect((await app.store.submissions.list(copy.key, 10, null)).submissions).toEqual([]);
    expect(await reasonOf(copyForm(app, OPERATOR, "contact", { slug: "kontakt" }))).toBe(
      "conflict form-exists",
    );
    expect(await reasonOf(copyForm(app, OPERATOR, "nothing", { slug: "x" }))).toBe(
      "not_found form-not-found",
    );
    const reader = callerNamed("ci", { scopes: ["forms:read"] });
    expect(await reasonOf(copyForm(app, reader, "contact", { slug: "x" }))).toBe("forbidden");
    const elsewhere = await copyForm(app, OPERATOR, "contact", { slug: "contact", project: "blog" });
    expect(elsewhere).toMatchObject({ project: "blog", slug: "contact", name: "contact" });
  });
});

describe("a finder of forms", () => {
  test("finds a form by its key alone, as it is after the last change, and none once it is deleted", async () => {
    const app = openTestApp();
    const find = createFormFinder(app);
    const { slug, key } = await createForm(app, OPERATOR, { slug: "contact" });
    expect(await find(key)).toMatchObject({ slug, enabled: true });
    expect(await find(slug)).toBeUndefined();
    await setForm(app, OPERATOR, slug, { enabled: false });
    expect(await find(key)).toMatchObject({ enabled: false });
    await deleteForm(app, OPERATOR, slug);
    expect(await find(key)).toBeUndefined();
  });
});
