import { seenCounts } from "../inbox/load.ts";
import { shortName } from "../../../access/place.ts";
import { hasScope, requireScope } from "../../../access/rights.ts";
import { newFormSchema } from "../../../forms/form-schema.ts";
import { listDeliveries } from "../../../forms/deliveries.ts";
import { createForm, deleteForm, getForm, listForms, setForm } from "../../../forms/forms.ts";
import { stateOf } from "../../../forms/intake/opening.ts";
import { listTargets } from "../../../forms/targets.ts";
import { AppError } from "../../../base/errors.ts";
import { sendTest } from "../../../forms/test-submission.ts";
import { parseFormName } from "../../../forms/form-name.ts";
import { formUrl, pageUrl } from "../../forms/links.ts";
import { sendsMailItself } from "../../../delivery/delivery-status.ts";
import { SNIPPET_KINDS } from "../../forms/snippets/snippet.ts";
import { createSnippet } from "../../forms/snippets/snippets.ts";
import { targets } from "../../../operations/targets.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { searchIn, textOf, textOrNull } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { check, submit } from "../parts/submit.ts";
import { confirmPage, deletePage } from "./questions.tsx";
import { formPage } from "./form-page.tsx";
import { readSettings } from "./setting-fields.ts";
import { formsPage, newFormPage } from "./list-page.tsx";
import { settingsPage } from "./settings-page.tsx";
import { actOnTarget, targetSecretPage } from "../parts/targets.tsx";
import { FORM, formPath, pathTo } from "../paths.ts";

/** The newest deliveries of a form that tell how its targets are. */
const HEALTH = 100;

/** The pages of forms: their settings, where their submissions go, and code that sends to them. */
export function formRoutes(dashboard: Dashboard) {
  const { app, options, get, post, act, perform, viewOf } = dashboard;
  const { publicUrl, basePath } = options;
  /** The address of a form as the browser reaches it; the public one if it is known. */
  const addressOf = (c: DashboardContext, key: string) => {
    const url = formUrl(publicUrl, basePath, key);
    return URL.canParse(url) ? url : new URL(c.req.url).origin + url;
  };
  const showForm = async (c: DashboardContext, slug: string) => {
    const form = await getForm(app, c.get("caller"), slug);
    const url = addressOf(c, form.key);
    const snippets = await Promise.all(
      SNIPPET_KINDS.map(async (kind) => ({ kind, ...(await createSnippet(form, url, kind)) })),
    );
    const state = stateOf(form, app.now());
    const targets = await listTargets(app, c.get("caller"), slug);
    const deliveries = targets.length === 0 ? [] : await newestDeliveries(c, slug);
    const { mail } = await options.outgoing();
    return {
      form,
      mailWaits: mail === null && sendsMailItself(form),
      state,
      url,
      page: pageUrl(url),
      snippets,
      targets,
      deliveries: Map.groupBy(deliveries, ({ target }) => target),
    };
  };

  const newestDeliveries = async (c: DashboardContext, form: string) => {
    const query = { form, status: null, before: null, submission: null, limit: HEALTH, searches: 1 };
    return (await listDeliveries(app, c.get("caller"), query)).items;
  };

  /** A form that the caller may change. */
  const writableForm = async (c: DashboardContext, name: string) => {
    const form = await getForm(app, c.get("caller"), name);
    requireScope(c.get("caller"), "forms:write", { project: form.project });
    return form;
  };

  get("/forms", "forms:read", async (c) =>
    formsPage(await listForms(app, c.get("caller")), await seenCounts(app, c.get("caller")), {
      search: searchIn(c),
      after: c.req.query("after") || null,
    }),
  );
  /** The slugs of the projects in which a caller may write forms. */
  const projectsOf = async (c: DashboardContext) =>
    (await app.store.projects.list())
      .map(({ slug }) => slug)
      .filter((project) => hasScope(c.get("caller"), "forms:write", { project }));
  get("/forms/new", "forms:write", async (c) => newFormPage({ slug: "", name: "" }, await projectsOf(c)));
  post("/forms/new", "forms:write", async (c, fields) => {
    const [slug, name] = [textOf(fields, "slug").trim(), textOf(fields, "name").trim()];
    const project = textOrNull(fields, "project") ?? undefined;
    const typed = { slug, name, uploads: textOf(fields, "uploads") === "on", ...(project && { project }) };
    const projects = await projectsOf(c);
    return submit(
      async () => {
        const input = { ...typed, name: name === "" ? undefined : name };
        check(newFormSchema, input);
        const form = await createForm(app, c.get("caller"), input);
        return { to: formPath(shortName(form)), text: `Created form ${slug}` };
      },
      (faults) => newFormPage(typed, projects, faults),
      { "form-exists": "slug" },
    );
  });
  get(FORM, "forms:read", async (c, { form }) => formPage(await showForm(c, form)));
  post(`${FORM}/state`, "forms:write", async (c, fields, parameters) => {
    const enabled = textOf(fields, "enabled") === "true";
    const { form, result } = await setForm(app, c.get("caller"), parameters.form, { enabled });
    const undo =
      result === "updated"
        ? { to: `${formPath(shortName(form))}/state`, values: { enabled: String(!enabled) } }
        : undefined;
    return { to: formPath(shortName(form)), text: enabled ? "The form is open" : "The form is closed", undo };
  });
  post(`${FORM}/test`, "forms:write", async (c, _, { form }) => {
    const { submission } = await sendTest(app, c.get("caller"), form);
    return { to: pathTo("/inbox/:form/:id", { form, id: submission.id }), text: "Stored a test submission" };
  });
  get(`${FORM}/settings`, "forms:write", async (c, { form }) =>
    settingsPage(await writableForm(c, form), viewOf(c).timeZone),
  );
  post(`${FORM}/settings`, "forms:write", async (c, fields, { form: slug }) => {
    const { timeZone } = viewOf(c);
    const group = textOf(fields, "group");
    const { patch, errors } = readSettings(fields, group, timeZone);
    const again = async (errors: Record<string, string | undefined>, message: string | null) => ({
      ...settingsPage(await getForm(app, c.get("caller"), slug), timeZone, {
        group,
        fields,
        errors,
        message,
      }),
      status: 400 as const,
    });
    if (Object.keys(errors).length > 0) return again(errors, null);
    try {
      const { form, result } = await setForm(app, c.get("caller"), slug, patch);
      const text = result === "updated" ? "Saved the settings" : "Nothing was changed";
      return { to: `${formPath(shortName(form))}/settings`, text };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "unconfirmed") return confirmPage(slug, fields, error.message);
      if (error.code !== "invalid") throw error;
      // `schema: …`: the name of a setting stands in front.
      const [, name, fault] = /^(\w+): (.*)$/s.exec(error.message) ?? [];
      if (name !== undefined && fields.has(name)) return again({ [name]: fault }, null);
      return again({}, error.message);
    }
  });
  get(`${FORM}/delete`, "forms:write", async (c, { form }) => deletePage(await writableForm(c, form)));
  post(`${FORM}/delete`, "forms:write", async (c, fields, parameters) => {
    const form = await getForm(app, c.get("caller"), parameters.form);
    if (textOf(fields, "name").trim() !== form.slug)
      return { ...deletePage(form, `Type ${form.slug}.`), status: 400 };
    await deleteForm(app, c.get("caller"), parameters.form);
    return { to: "/forms", text: `Deleted form ${form.slug}` };
  });
  post(
    `${FORM}/targets`,
    "forms:write",
    act({
      operation: targets.add,
      input: ({ fields, names }) => ({ names, body: { target: textOf(fields, "target").trim() } }),
      done({ secret }, { names: { form } }) {
        if (secret !== null) return targetSecretPage(secret, homeOf(form));
        return { to: formPath(form), text: "Added the target" };
      },
      again: async ({ c, fields, names: { form } }, { target: message = "" }) =>
        formPage(await showForm(c, form), { target: textOf(fields, "target").trim(), message }),
      at: { invalid: "target", conflict: "target", forbidden: "target" },
    }),
  );
  post(`${FORM}/targets/:target`, "forms:write", async (c, fields, { form, target: id }) => {
    const { targets: its } = await perform(c, targets.list, { names: { form } });
    return actOnTarget(dashboard, c, fields, {
      id,
      targets: its,
      gets: "new submissions",
      home: homeOf(form),
    });
  });
}

/** The page of a form, as its targets go back to it. */
function homeOf(name: string) {
  return {
    section: "forms" as const,
    back: { to: formPath(name), label: parseFormName(name).slugOrKey },
  };
}
