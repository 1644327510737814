import { Hono } from "hono/quick";
import { newFormSchema } from "../../../forms/form-schema.ts";
import { createForm, deleteForm, getForm, listForms, setForm } from "../../../forms/forms.ts";
import { stateOf } from "../../../forms/intake/opening.ts";
import {
  addTarget,
  deleteTarget,
  getTarget,
  listTargets,
  rotateSecret,
  setTargetEnabled,
  testTarget,
} from "../../../forms/targets.ts";
import { AppError } from "../../../base/errors.ts";
import { sendTest } from "../../../forms/test-submission.ts";
import { formUrl, pageUrl } from "../../forms/links.ts";
import { SNIPPET_KINDS, createSnippet } from "../../forms/snippets/snippet.ts";
import type { DashboardContext, DashboardEnv } from "../dashboard-env.ts";
import { type Fields, textOf } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { confirmPage } from "./confirm-page.tsx";
import { deletePage } from "./delete-page.tsx";
import { formPage } from "./form-page.tsx";
import { secretPage } from "./secret-page.tsx";
import { readSettings } from "./setting-fields.ts";
import { formsPage, newFormPage } from "./list-page.tsx";
import { settingsPage } from "./settings-page.tsx";
import { formPath } from "../paths.ts";

/** Seconds for which the old secret of a webhook signs beside the new one. */
const OVERLAP = 86_400;

/** The pages of forms: their settings, where their submissions go, and code that sends to them. */
export function formRoutes({ app, options, page, action, viewOf }: Dashboard) {
  const { publicUrl, basePath, outgoing } = options;
  const slugIn = (c: DashboardContext) => c.req.param("form")!;
  /** The address of a form as the browser reaches it; the public one where it is known. */
  const addressOf = (c: DashboardContext, key: string) => {
    const url = formUrl(publicUrl, basePath, key);
    return URL.canParse(url) ? url : new URL(c.req.url).origin + url;
  };
  const showForm = async (c: DashboardContext, slug: string) => {
    const form = await getForm(app, slug);
    const url = addressOf(c, form.key);
    const snippets = await Promise.all(
      SNIPPET_KINDS.map(async (kind) => ({ kind, ...(await createSnippet(form, url, kind)) })),
    );
    const state = stateOf(form, app.now());
    return { form, state, url, page: pageUrl(url), snippets, targets: await listTargets(app, slug) };
  };

  return new Hono<DashboardEnv>()
    .get(
      "/forms",
      page("forms:read", async () => formsPage(await listForms(app), await app.store.submissions.counts())),
    )
    .get(
      "/forms/new",
      page("forms:write", async () => newFormPage({ slug: "", name: "" })),
    )
    .post(
      "/forms/new",
      action("forms:write", async (c, fields) => {
        const [slug, name] = [textOf(fields, "slug").trim(), textOf(fields, "name").trim()];
        const isFor = { slug, name, uploads: textOf(fields, "uploads") === "on" };
        const input = { slug, ...(name !== "" && { name }), uploads: isFor.uploads };
        const checked = newFormSchema.safeParse(input);
        const fault = checked.error?.issues[0];
        if (fault)
          return {
            ...newFormPage(isFor, { field: String(fault.path[0]), message: fault.message }),
            status: 400,
          };
        try {
          await createForm(app, c.get("caller"), input);
        } catch (error) {
          if (!(error instanceof AppError) || error.reason !== "form-exists") throw error;
          return { ...newFormPage(isFor, { field: "slug", message: error.message }), status: 409 };
        }
        return { to: formPath(slug), text: `Created form ${slug}` };
      }),
    )
    .get(
      "/forms/:form",
      page("forms:read", async (c) => formPage(await showForm(c, slugIn(c)))),
    )
    .post(
      "/forms/:form/state",
      action("forms:write", async (c, fields) => {
        const enabled = textOf(fields, "enabled") === "true";
        const { form, result } = await setForm(app, c.get("caller"), slugIn(c), { enabled });
        const undo =
          result === "updated"
            ? { to: `${formPath(form.slug)}/state`, values: { enabled: String(!enabled) } }
            : undefined;
        return { to: formPath(form.slug), text: enabled ? "The form is open" : "The form is closed", undo };
      }),
    )
    .post(
      "/forms/:form/test",
      action("forms:write", async (c) => {
        const { id } = await sendTest(app, c.get("caller"), slugIn(c));
        return { to: `/inbox/${encodeURIComponent(slugIn(c))}/${id}`, text: "Stored a test submission" };
      }),
    )
    .get(
      "/forms/:form/settings",
      page("forms:write", async (c) => settingsPage(await getForm(app, slugIn(c)), viewOf(c).timeZone)),
    )
    .post(
      "/forms/:form/settings",
      action("forms:write", async (c, fields) => {
        const { timeZone } = viewOf(c);
        const group = textOf(fields, "group");
        const { patch, errors } = readSettings(fields, group, timeZone);
        const again = async (errors: Record<string, string | undefined>, message: string | null) => ({
          ...settingsPage(await getForm(app, slugIn(c)), timeZone, { group, fields, errors, message }),
          status: 400 as const,
        });
        if (Object.keys(errors).length > 0) return again(errors, null);
        try {
          const { form, result } = await setForm(app, c.get("caller"), slugIn(c), patch);
          const text = result === "updated" ? "Saved the settings" : "Nothing was changed";
          return { to: `${formPath(form.slug)}/settings`, text };
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          if (error.code === "unconfirmed") return confirmPage(slugIn(c), fields, error.message);
          if (error.code !== "invalid") throw error;
          // `schema: …`: the name of a setting stands in front.
          const [, name, fault] = /^(\w+): (.*)$/s.exec(error.message) ?? [];
          if (name !== undefined && fields.has(name)) return again({ [name]: fault }, null);
          return again({}, error.message);
        }
      }),
    )
    .get(
      "/forms/:form/delete",
      page("forms:write", async (c) => deletePage(await getForm(app, slugIn(c)))),
    )
    .post(
      "/forms/:form/delete",
      action("forms:write", async (c, fields) => {
        const form = await getForm(app, slugIn(c));
        if (textOf(fields, "name").trim() !== form.slug)
          return { ...deletePage(form, `type ${form.slug}`), status: 400 };
        await deleteForm(app, c.get("caller"), form.slug);
        return { to: "/forms", text: `Deleted form ${form.slug}` };
      }),
    )
    .post(
      "/forms/:form/targets",
      action("forms:write", async (c, fields) => {
        const [slug, target] = [slugIn(c), textOf(fields, "target").trim()];
        try {
          const { secret } = await addTarget(app, c.get("caller"), slug, target, await outgoing());
          if (secret === null) return { to: formPath(slug), text: "Added the target" };
          return secretPage(slug, secret);
        } catch (error) {
          if (!(error instanceof AppError) || !["invalid", "conflict", "forbidden"].includes(error.code))
            throw error;
          return { ...formPage(await showForm(c, slug), { target, message: error.message }), status: 400 };
        }
      }),
    )
    .post(
      "/forms/:form/targets/:target",
      action("forms:write", (c, fields) => actOnTarget(c, fields)),
    );

  async function actOnTarget(c: DashboardContext, fields: Fields) {
    const [slug, id, caller] = [slugIn(c), c.req.param("target")!, c.get("caller")];
    const to = formPath(slug);
    if ((await getTarget(app, id)).form !== slug)
      throw new AppError("not_found", "this form has no such target");
    switch (textOf(fields, "do")) {
      case "enable":
        await setTargetEnabled(app, caller, id, true);
        return { to, text: "The target gets new submissions" };
      case "disable":
        await setTargetEnabled(app, caller, id, false);
        return { to, text: "The target gets nothing until it is enabled" };
      case "delete":
        await deleteTarget(app, caller, id);
        return { to, text: "Deleted the target" };
      case "rotate":
        return secretPage(slug, (await rotateSecret(app, caller, id, OVERLAP)).secret);
      case "test": {
        const { code, error, outcome } = await testTarget(app, caller, id, await outgoing());
        const text =
          outcome === "delivered"
            ? `The target answered ${code}`
            : `The sample was not delivered: ${error ?? `the target answered ${code}`}`;
        return { to, text };
      }
      default:
        throw new AppError("invalid", "the form names no action: load the page again");
    }
  }
}
