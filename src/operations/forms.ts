import { MAX_LIST, nextOf } from "../base/pages.ts";
import { type Form, viewForm } from "../forms/form.ts";
import type { Deployment } from "./deployment.ts";
import { noun } from "./operation.ts";
import { created, updated } from "./results.ts";

export const forms = noun("forms", () => import("./schema/forms-schema.ts"), {
  list: {
    method: "GET",
    path: "/forms",
    summary: "List forms",
    scope: "forms:read",
    place: "seen",
    defaults: { limit: MAX_LIST },
    run: async ({ app, deployment, query }) => {
      const page = await app.store.forms.page(query);
      const forms = page.items.map((record) => withUrl(deployment, viewForm(record)));
      return { forms, next: nextOf(page, ({ slug }) => slug) };
    },
  },
  create: {
    method: "POST",
    path: "/forms",
    summary: "Create a form",
    scope: "forms:write",
    place: "seen",
    status: 201,
    confirms: "form",
    run: async ({ app, deployment, caller, body }) => {
      const { createForm } = await import("../forms/forms.ts");
      return created(withUrl(deployment, await createForm(app, caller, body)));
    },
  },
  get: {
    method: "GET",
    path: "/forms/:form",
    summary: "Get a form by its slug or key",
    scope: "forms:read",
    place: "form",
    run: async ({ app, deployment, names }) => {
      const { getForm } = await import("../forms/forms.ts");
      return withUrl(deployment, await getForm(app, names.form));
    },
  },
  set: {
    method: "PATCH",
    path: "/forms/:form",
    summary: "Change a form",
    scope: "forms:write",
    place: "form",
    confirms: "form",
    run: async ({ app, deployment, caller, names, body }) => {
      const { setForm } = await import("../forms/forms.ts");
      const { form, result } = await setForm(app, caller, names.form, body);
      return updated(withUrl(deployment, form), result);
    },
  },
  test: {
    method: "POST",
    path: "/forms/:form/test",
    summary: "Store a test submission and send it as any other",
    scope: "forms:write",
    place: "form",
    status: 201,
    run: async ({ app, caller, names }) => {
      const { sendTest } = await import("../forms/test-submission.ts");
      return sendTest(app, caller, names.form);
    },
  },
  delete: {
    method: "DELETE",
    path: "/forms/:form",
    summary: "Delete a form, its submissions and their files",
    scope: "forms:write",
    place: "form",
    run: async ({ app, caller, names }) => {
      const { deleteForm } = await import("../forms/forms.ts");
      await deleteForm(app, caller, names.form);
    },
  },
});

function withUrl({ formUrl }: Deployment, form: Form) {
  return { ...form, url: formUrl(form.key) };
}
