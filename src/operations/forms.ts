import { MAX_LIST, nextOf } from "../base/pages.ts";
import type { App } from "../app.ts";
import type { Form } from "../forms/form.ts";
import { DEFAULT_FORM_DAYS } from "../forms/limits.ts";
import { fullName } from "../forms/form-name.ts";
import { sendsMailItself } from "../delivery/delivery-status.ts";
import type { Deployment } from "./deployment.ts";
import { formIn } from "./form-query.ts";
import { noun } from "./operation.ts";
import { created, mailWarnings, updated } from "./results.ts";

export const forms = noun("forms", () => import("./schema/forms-schema.ts"), {
  list: {
    method: "GET",
    path: "/forms",
    summary: "List forms",
    scope: "forms:read",
    place: "seen",
    defaults: { limit: MAX_LIST },
    run: async ({ app, deployment, caller, query }) => {
      const { pageForms } = await import("../forms/forms.ts");
      const page = await pageForms(app, caller, query);
      return { forms: page.items.map((form) => withUrl(deployment, form)), next: nextOf(page, fullName) };
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
      await requireReach(deployment, body.checks);
      const form = await createForm(app, caller, body);
      return created(await withSecrets(app, deployment, form, form.checks));
    },
  },
  copy: {
    method: "POST",
    path: "/forms/:form/copy",
    summary: "Create a form with the settings and fields of another one",
    scope: "forms:write",
    place: "form",
    status: 201,
    defaults: {},
    run: async ({ app, deployment, caller, names, query, body }) => {
      const { copyForm } = await import("../forms/forms.ts");
      const form = await copyForm(app, caller, formIn(names, query), body);
      return created(await withSecrets(app, deployment, form, form.checks));
    },
  },
  get: {
    method: "GET",
    path: "/forms/:form",
    tool: "forms_get",
    summary: "Get a form by its slug or key",
    scope: "forms:read",
    place: "form",
    defaults: {},
    run: async ({ app, deployment, caller, names, query }) => {
      const { showForm } = await import("../forms/forms.ts");
      return withWarnings(deployment, await showForm(app, caller, formIn(names, query)));
    },
  },
  stats: {
    method: "GET",
    path: "/forms/:form/stats",
    summary: "Get the numbers of a form: submissions, spam, first answers, fields and pages",
    scope: "forms:read",
    place: "form",
    defaults: { days: DEFAULT_FORM_DAYS },
    run: async ({ app, caller, names, query }) => {
      const { statsOfForm } = await import("../forms/form-stats.ts");
      return statsOfForm(app, caller, formIn(names, query), query);
    },
  },
  set: {
    method: "PATCH",
    path: "/forms/:form",
    summary: "Change a form",
    scope: "forms:write",
    place: "form",
    confirms: "form",
    defaults: {},
    run: async ({ app, deployment, caller, names, query, body }) => {
      const { getForm, setForm } = await import("../forms/forms.ts");
      const name = formIn(names, query);
      const given = body.checks ?? [];
      const before = given.length === 0 ? [] : (await getForm(app, caller, name)).checks;
      await requireReach(deployment, given);
      const { form, result } = await setForm(app, caller, name, body);
      const added = given.filter((each) => !before.includes(each));
      return updated(await withSecrets(app, deployment, form, added), result);
    },
  },
  test: {
    method: "POST",
    path: "/forms/:form/test",
    summary: "Store a test submission and send it as any other",
    scope: "forms:write",
    place: "form",
    status: 201,
    defaults: {},
    run: async ({ app, deployment, caller, names, query }) => {
      const { sendTest } = await import("../forms/test-submission.ts");
      const { submission, isMailed } = await sendTest(app, caller, formIn(names, query));
      return { ...submission, ...(await mailWarnings(deployment, isMailed)) };
    },
  },
  delete: {
    method: "DELETE",
    path: "/forms/:form",
    summary: "Delete a form, its submissions and their files",
    scope: "forms:write",
    place: "form",
    defaults: {},
    run: async ({ app, caller, names, query }) => {
      const { deleteForm } = await import("../forms/forms.ts");
      await deleteForm(app, caller, formIn(names, query));
    },
  },
});

function withUrl({ formUrl }: Deployment, form: Form) {
  return { ...form, url: formUrl(form.key) };
}

/** Throws `invalid` for external checks that a server cannot reach. */
async function requireReach({ outgoing }: Deployment, checks: readonly string[] | null | undefined) {
  if (!checks?.length) return;
  const { checkReach } = await import("../forms/form-check.ts");
  await checkReach(checks, await outgoing());
}

/** A form with the secrets of checks that are new. */
async function withSecrets(app: App, deployment: Deployment, form: Form, checks: readonly string[]) {
  const warned = await withWarnings(deployment, form);
  if (checks.length === 0) return warned;
  const { createCheckSecrets } = await import("../forms/spam/external-checks.ts");
  const secretOf = createCheckSecrets(app);
  const checkSecrets: { check: string; secret: string }[] = [];
  for (const check of checks) checkSecrets.push({ check, secret: await secretOf(form.key, check) });
  return { ...warned, checkSecrets };
}

async function withWarnings(deployment: Deployment, form: Form) {
  return {
    ...withUrl(deployment, form),
    ...(await mailWarnings(deployment, sendsMailItself(form), form.optIn !== null)),
  };
}
