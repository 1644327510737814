import { beforeAll, describe, expect, test } from "bun:test";
import { deleteFlag, setFlag } from "../../../src/flags/flags.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { deleteForm, getForm, setForm } from "../../../src/forms/forms.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { type Sent, openInbox, plain } from "../../support/inbox.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { openDocuments, shop } from "../../support/records/documents.ts";
import { codeOf } from "../../support/refusals.ts";

const { app, newForm, open, refused, stored } = openInbox();
const place = (flag: string) => ({ project: "shop", environment: "live", flag });
const set = (flag: string, patch: FlagPatch) => setFlag(app, OPERATOR, place(flag), patch);
const variants = { on: true, off: false };

/** A form that a new flag opens, which is off. */
async function newOpened(settings: Parameters<typeof newForm>[0] = {}, patch: FlagPatch = {}) {
  const form = await newForm(settings);
  await set(form.slug, patch);
  return setForm(app, OPERATOR, form.slug, { openWhen: `shop/live/${form.slug}` }).then(
    ({ form: opened }) => opened,
  );
}

beforeAll(async () => {
  await newForm();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "spare"] });
});

describe("a form that a flag opens", () => {
  test("takes submissions while the flag is on, from the next request on, beside its times and its limit", async () => {
    const closesAt = new Date(app.clock.now + 5000).toISOString();
    const form = await newOpened({ maxSubmissions: 3, closesAt });
    expect(await refused(form, plain, 409)).toContain("this form is closed");
    for (const enabled of [true, false, true]) {
      await set(form.slug, { enabled });
      if (enabled) await stored(form, plain);
      else await refused(form, plain, 409);
    }
    await set(form.slug, { enabled: true, expiredAt: new Date(app.clock.now + 1000).toISOString() });
    await stored(form, plain);
    expect(await refused(form, plain, 409)).toContain("maximum");
    await setForm(app, OPERATOR, form.slug, { maxSubmissions: null });
    app.clock.now += 1000;
    expect(await refused(form, plain, 409)).toContain("this form is closed");
    await set(form.slug, { expiredAt: null });
    await stored(form, plain);
    app.clock.now += 4000;
    expect(await refused(form, plain, 409)).toContain(closesAt);
  });

  test("refuses before it reads the body, and its page and challenge are closed too", async () => {
    const form = await newOpened({
      page: true,
      challenge: true,
      schema: { properties: { a: { type: "string" } } },
    });
    await refused(form, { body: "{", type: "text/plain" }, 409);
    const both = async () => [
      (await open(`/v1/f/${form.key}`)).status,
      (await open(`/v1/s/${form.key}/challenge`)).status,
    ];
    expect(await both()).toEqual([409, 409]);
    const page = await (await open(`/v1/f/${form.key}`, { "accept-language": "de" })).text();
    expect(page).not.toContain("<form");
    await set(form.slug, { enabled: true });
    expect(await both()).toEqual([200, 200]);
  });

  test("is judged by its slug, the origin and the first language of the sender", async () => {
    const rule = (condition: object): FlagPatch => ({
      enabled: true,
      variants,
      defaultVariant: "off",
      targeting: { if: [condition, "on", "off"] },
    });
    const form = await newOpened({}, rule({ "==": [{ var: "language" }, "de-AT"] }));
    const from = (headers: Record<string, string>): Sent => ({ ...plain, headers });
    await stored(form, from({ "Accept-Language": " de-AT,de;q=0.9, en" }));
    await refused(form, from({ "Accept-Language": "de" }), 409);
    await refused(form, plain, 409);
    await set(form.slug, rule({ "==": [{ var: "origin" }, "https://shop.example"] }));
    await stored(form, from({ Origin: "https://shop.example" }));
    await refused(form, from({ Origin: "https://other.example" }), 409);
    await set(form.slug, rule({ "==": [{ var: "form" }, form.slug] }));
    await stored(form, plain);
    await setSegment(
      app,
      OPERATOR,
      { project: "shop", environment: "live", segment: "ours" },
      { "!!": { var: "form" } },
    );
    await set(form.slug, rule({ $ref: "ours" }));
    await stored(form, plain);
  });

  test("is closed by a value other than true, and by a default that says so", async () => {
    const form = await newOpened({}, { enabled: true, variants: { a: "true", b: "" }, defaultVariant: "a" });
    await refused(form, plain, 409);
    await set(form.slug, { variants, defaultVariant: "off" });
    await refused(form, plain, 409);
    await set(form.slug, { defaultVariant: "on" });
    await stored(form, plain);
    expect(await codeOf(setForm(app, OPERATOR, form.slug, { openWhen: null }))).toBe("none");
    await set(form.slug, { enabled: false });
    await stored(form, plain);
  });

  test("keeps its flag, the environment and the project until it is opened by another, or deleted", async () => {
    await createProject(app, OPERATOR, { slug: "kept", environments: ["live", "spare"] });
    for (const flag of ["sale", "free"])
      await setFlag(app, OPERATOR, { project: "kept", environment: "live", flag }, {});
    const form = await newForm({ openWhen: "kept/live/sale" });
    const deletions = () =>
      Promise.all([
        codeOf(deleteFlag(app, OPERATOR, { project: "kept", flag: "sale" })),
        codeOf(deleteEnvironment(app, OPERATOR, "kept", "live")),
        codeOf(deleteProject(app, OPERATOR, "kept")),
      ]);
    expect(await deletions()).toEqual(["conflict", "conflict", "conflict"]);
    const why = await deleteFlag(app, OPERATOR, { project: "kept", flag: "sale" }).catch(String);
    expect(why).toContain(
      `form "${form.slug}" in project "default" is open while the flag kept/live/sale is true`,
    );
    expect(await codeOf(deleteFlag(app, OPERATOR, { project: "kept", flag: "free" }))).toBe("none");
    expect(await codeOf(deleteEnvironment(app, OPERATOR, "kept", "spare"))).toBe("none");
    await deleteForm(app, OPERATOR, form.slug);
    expect(await codeOf(deleteFlag(app, OPERATOR, { project: "kept", flag: "sale" }))).toBe("none");
    expect(await codeOf(deleteProject(app, OPERATOR, "kept"))).toBe("none");
  });

  test("needs a flag that exists, and flags:read where it is", async () => {
    const form = await newForm();
    await set("known", {});
    const attempt = (openWhen: string, scopes: Parameters<typeof callerNamed>[1]) =>
      codeOf(setForm(app, callerNamed("bob", scopes), form.slug, { openWhen }));
    expect(await attempt("shop/live/known", { scopes: ["forms:write"] })).toBe("forbidden");
    expect(await attempt("shop/live/known", { scopes: ["forms:write", "flags:read"] })).toBe("none");
    for (const missing of ["shop/live/unknown", "shop/nowhere/known", "nowhere/live/known"])
      expect(await attempt(missing, {})).toBe("not_found");
    // Other settings need no more than before.
    const named = setForm(app, callerNamed("bob", { scopes: ["forms:write"] }), form.slug, { name: "New" });
    expect((await named).form.openWhen).toBe("shop/live/known");
  });
});

describe("a document", () => {
  test("opens a form by a flag that it creates, and keeps a flag that a form still names", async () => {
    const { app: there, apply } = await openDocuments();
    const forms = { contact: { openWhen: "shop/production/contact-open" } };
    const faultOf = (document: object, options = {}) => apply(document, options).catch(String);
    expect(await faultOf({ forms })).toContain(
      'not_found: forms.contact.openWhen: flag "shop/production/contact-open" does not exist',
    );
    await apply({ ...shop({ "contact-open": {} }), forms });
    expect((await getForm(there, OPERATOR, "contact")).openWhen).toBe("shop/production/contact-open");
    const pruned = { prune: true, confirmed: true };
    const without = { ...shop({}), forms: { contact: { name: "New" } } };
    for (const document of [without, shop({}), shop({ "contact-open": {} }, { develop: {} })])
      expect(await faultOf(document, pruned)).toContain('conflict: form "contact" in project ');
    await apply({ ...shop({}), forms: { contact: { openWhen: null } } }, pruned);
    expect((await getForm(there, OPERATOR, "contact")).openWhen).toBeNull();
  });
});
