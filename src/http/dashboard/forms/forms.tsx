import { seenCounts } from "../inbox/load.ts";
import { shortName } from "../../../access/place.ts";
import { hasScope } from "../../../access/rights.ts";
import { listDeliveries } from "../../../forms/deliveries.ts";
import { getForm, listForms } from "../../../forms/forms.ts";
import { listFeeds } from "../../../forms/feeds/feeds.ts";
import { statsOfForm } from "../../../forms/form-stats.ts";
import { DEFAULT_FORM_DAYS } from "../../../forms/limits.ts";
import { listTargets } from "../../../forms/targets.ts";
import { parseFormName } from "../../../forms/form-name.ts";
import { pageUrl } from "../../forms/links.ts";
import { SNIPPET_KINDS } from "../../forms/snippets/snippet.ts";
import { createSnippet } from "../../forms/snippets/snippets.ts";
import { forms } from "../../../operations/forms.ts";
import { targets } from "../../../operations/targets.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { type Fields, searchIn, textOf, textOrNull } from "../fields.ts";
import type { Dashboard } from "../routes.ts";
import { formPage } from "./form-page.tsx";
import { projectNameOf, writableForm, namedForm } from "./form-words.ts";
import { formsPage, newFormPage } from "./list-page.tsx";
import { feedsOf, feedsRoutes } from "./form-feeds.tsx";
import { settingsIn } from "./form-settings.tsx";
import type { FormShown } from "./form-shown.ts";
import { settingFaults } from "../parts/kind-field.tsx";
import { secretPage } from "../parts/secret.tsx";
import { type Home, TARGET_FAULTS, actOnTarget, newTargetIn, targetSecretPage } from "../parts/targets.tsx";
import { FORM, formPath, pathTo, inboxPath } from "../paths.ts";
import type { Form } from "../../../forms/form.ts";
import { sentence } from "../../../base/shapes/words.ts";
import type { Page } from "../page.tsx";
import { Danger, WordField } from "../parts/danger.tsx";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { Notice } from "../parts/status.tsx";

/** The newest deliveries of a form that tell how its targets are. */
const HEALTH = 100;

/** The pages of forms: their settings, where their submissions go, and code that sends to them. */
export function formRoutes(dashboard: Dashboard) {
  const { app, get, post, act, perform, viewOf } = dashboard;
  const load = async (c: DashboardContext, name: string): Promise<FormShown> => {
    const caller = c.get("caller");
    const query = { form: name, status: null, before: null, submission: null, limit: HEALTH, searches: 1 };
    const [{ url, warnings, ...form }, [targets, deliveries], feeds, stats, counts] = await Promise.all([
      perform(c, forms.get, { names: { form: name } }),
      listTargets(app, caller, name).then(async (all) => {
        const sent = all.length === 0 ? [] : (await listDeliveries(app, caller, query)).items;
        return [all, sent] as const;
      }),
      listFeeds(app, caller, feedsOf(name)),
      statsOfForm(app, caller, name, { days: DEFAULT_FORM_DAYS, timeZone: viewOf(c).timeZone }),
      app.store.submissions.counts(),
    ]);
    const [projectName, ...snippets] = await Promise.all([
      projectNameOf(app, form),
      ...SNIPPET_KINDS.map(async (kind) => ({ kind, ...(await createSnippet(form, url, kind)) })),
    ]);
    return {
      form,
      projectName,
      now: app.now(),
      mailWaits: warnings !== undefined,
      url,
      page: pageUrl(url),
      snippets,
      targets,
      deliveries: Map.groupBy(deliveries, ({ target }) => target),
      feeds: feeds.items,
      stats,
      unread: counts.find(({ formKey }) => formKey === form.key)?.unread ?? 0,
    };
  };

  get("/forms", "forms:read", async (c) => {
    const [all, counts, projects] = await Promise.all([
      listForms(app, c.get("caller")),
      seenCounts(app, c.get("caller")),
      app.store.projects.list(),
    ]);
    const names = new Map(projects.map(({ slug, name }) => [slug, name]));
    const nameOf = (project: string) => names.get(project) ?? project;
    return formsPage(
      all,
      counts,
      { now: app.now(), nameOf },
      {
        search: searchIn(c),
        state: c.req.query("state") ?? "",
        project: c.req.query("project") || null,
        after: c.req.query("after") || null,
      },
    );
  });
  /** The slugs of the projects in which a caller may write forms. */
  const projectsOf = async (c: DashboardContext) =>
    (await app.store.projects.list())
      .map(({ slug }) => slug)
      .filter((project) => hasScope(c.get("caller"), "forms:write", { project }));
  get("/forms/new", "forms:write", async (c) => newFormPage(await projectsOf(c)));
  post(
    "/forms/new",
    "forms:write",
    act({
      operation: forms.create,
      input: ({ fields }) => ({ body: newFormIn(fields) }),
      done: (form) => ({ to: formPath(shortName(form)), text: `Created form ${form.slug}` }),
      again: async ({ c, fields }, faults) => newFormPage(await projectsOf(c), { fields, faults }),
      at: { "form-exists": "slug" },
    }),
  );
  get(`${FORM}/copy`, "forms:write", async (c, { form }) =>
    newFormPage(await projectsOf(c), null, await writableForm(app, c, form)),
  );
  post(
    `${FORM}/copy`,
    "forms:write",
    act({
      operation: forms.copy,
      input({ fields, names }) {
        const { slug, name, project } = newFormIn(fields);
        return { names, body: { slug, name, project } };
      },
      done({ checkSecrets, ...form }) {
        const name = shortName(form);
        if (checkSecrets !== undefined) return checkSecretPage(checkSecrets, homeOf(name));
        return { to: formPath(name), text: `Created form ${form.slug}` };
      },
      again: async ({ c, fields, names }, faults) =>
        newFormPage(await projectsOf(c), { fields, faults }, await writableForm(app, c, names.form)),
      at: { "form-exists": "slug" },
    }),
  );
  get(FORM, "forms:read", async (c, { form }) => formPage(await load(c, form)));
  feedsRoutes(dashboard, async (c, name, typed) =>
    formPage(await load(c, name), "feeds", typed && { of: "feed", ...typed }),
  );
  post(`${FORM}/state`, "forms:write", async (c, fields, names) => {
    const enabled = textOf(fields, "enabled") === "true";
    const { result, ...form } = await perform(c, forms.set, { names, body: { enabled } });
    const to = formPath(shortName(form));
    const undo = { to: `${to}/state`, values: { enabled: String(!enabled) } };
    const text = enabled ? "The form is open" : "The form is closed";
    return { to, text, ...(result === "updated" && { undo }) };
  });
  post(`${FORM}/test`, "forms:write", async (c, _, names) => {
    const { id } = await perform(c, forms.test, { names });
    return { to: pathTo("/inbox/:form/:id", { ...names, id }), text: "Stored a test submission" };
  });
  get(`${FORM}/settings`, "forms:write", async (c, { form }) => {
    await writableForm(app, c, form);
    return formPage(await load(c, form), "all");
  });
  post(
    `${FORM}/settings`,
    "forms:write",
    act({
      operation: forms.set,
      input: ({ c, fields, names }) => ({ names, body: settingsIn(fields, viewOf(c).timeZone).patch }),
      done({ result, checkSecrets, ...form }) {
        const name = shortName(form);
        if (checkSecrets !== undefined) return checkSecretPage(checkSecrets, homeOf(name));
        const text = result === "updated" ? "Saved the settings" : "Nothing was changed";
        return { to: formPath(name), text };
      },
      async again({ c, fields, names }, faults, error) {
        if (error.code === "unconfirmed") return confirmPage(names.form, fields, error.message);
        const unread = settingsIn(fields, viewOf(c).timeZone).faults;
        const all = { ...settingFaults(fields, faults, error), ...unread };
        return formPage(await load(c, names.form), null, { of: "settings", fields, faults: all });
      },
      at: { invalid: "", unconfirmed: "" },
    }),
  );
  get(`${FORM}/delete`, "forms:write", async (c, { form }) => deletePage(await writableForm(app, c, form)));
  post(`${FORM}/delete`, "forms:write", async (c, fields, names) => {
    const form = await getForm(app, c.get("caller"), names.form);
    if (textOf(fields, "name").trim() !== form.slug)
      return { ...deletePage(form, `Type ${form.slug}.`), status: 400 };
    await perform(c, forms.delete, { names });
    return { to: "/forms", text: `Deleted form ${form.slug}` };
  });
  post(
    `${FORM}/targets`,
    "forms:write",
    act({
      operation: targets.add,
      input: ({ fields, names }) => ({ names, body: newTargetIn(fields) }),
      done({ secret }, { names: { form } }) {
        if (secret !== null) return targetSecretPage(secret, homeOf(form));
        return { to: formPath(form), text: "Added the target" };
      },
      again: async ({ c, fields, names: { form } }, faults) =>
        formPage(await load(c, form), null, { of: "target", fields, faults }),
      at: TARGET_FAULTS,
    }),
  );
  post(`${FORM}/targets/:target`, "forms:write", async (c, fields, { form, target: id }) => {
    const { targets: its } = await perform(c, targets.list, { names: { form } });
    return actOnTarget(dashboard, c, fields, {
      id,
      to: `${formPath(form)}/targets`,
      targets: its,
      gets: "new submissions",
      home: homeOf(form),
    });
  });
}

function newFormIn(fields: Fields) {
  const text = (name: string) => textOrNull(fields, name) ?? undefined;
  const [name, project] = [text("name"), text("project")];
  return { slug: text("slug") ?? "", name, uploads: textOf(fields, "uploads") === "on", project };
}

/** Shows the secrets of external checks, this one time. */
function checkSecretPage(secrets: readonly { check: string; secret: string }[], home: Home): Page {
  return secretPage({
    ...home,
    title: `Secrets of checks of ${home.back.label}`,
    id: "secret",
    secret: secrets.map(({ check, secret }) => `${check}  ${secret}`).join("\n"),
    about: (
      <Notice tone="warn">
        <p>A secret is shown this one time. Store it where the check verifies the signatures.</p>
      </Notice>
    ),
  });
}

/** The page of a form, as its targets go back to it. */
function homeOf(name: string) {
  return {
    section: "forms" as const,
    back: { to: formPath(name), label: parseFormName(name).slugOrKey },
  };
}

/** The page that deletes a form once its name is typed. */
function deletePage(form: Form, fault?: string): Page {
  const { slug } = form;
  const name = shortName(form);
  return {
    title: `Delete form ${slug}`,
    section: "forms",
    back: { to: formPath(name), label: slug },
    commands: [["The same", "forms delete", ...namedForm(form), { yes: true }]],
    content: (
      <PostForm to={`${formPath(name)}/delete`} class="stack narrow card" id="delete-form">
        <Notice tone="bad" title={`This deletes ${slug} with all its submissions and files.`}>
          <p>Pages that post to it get an error from then on. An export is the last chance to keep them.</p>
        </Notice>
        <WordField name="name" word={slug} fault={fault} />
        <div class="buttons">
          <Button kind="danger primary" icon="trash">
            {`Delete ${slug}`}
          </Button>
          <ButtonLink to={`${inboxPath(name)}/export`} icon="download">
            Export first
          </ButtonLink>
        </div>
      </PostForm>
    ),
  };
}

/** The page that asks for the name of a form before settings are saved that delete submissions: `message` says which. */
function confirmPage(name: string, fields: Fields, message: string): Page {
  const { slugOrKey: slug } = parseFormName(name);
  const back = formPath(name);
  const values = [...fields].flatMap(([name, value]): [string, string][] =>
    name === "confirm" || typeof value !== "string" ? [] : [[name, value]],
  );
  const isTyped = textOf(fields, "confirm") !== "";
  const fault = isTyped ? "That is not the name of the form. Nothing has changed." : null;
  return {
    title: `Confirm the settings of form ${slug}`,
    heading: "Save the settings?",
    section: "forms",
    status: 428,
    back: { to: back, label: slug },
    content: (
      <Danger
        to={`${back}/settings`}
        values={values}
        class="stack narrow"
        id="confirmation"
        words={[{ name: "confirm", word: slug, id: "confirm-form", fault, autofocus: true }]}
        act="Save the settings"
        back={{ to: back }}
      >
        <Notice tone="bad">
          <p>{sentence(message)}</p>
          <p>m stands for minutes: a month is written 30d.</p>
        </Notice>
      </Danger>
    ),
  };
}
