import { shortName } from "../../../access/place.ts";
import { hasScope } from "../../../access/rights.ts";
import type { Form } from "../../../forms/form.ts";
import { forms } from "../../../operations/forms.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { SelectField } from "../parts/field.tsx";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { type Typed, faultAt, typedAt } from "../parts/submit.ts";
import { FORM, formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { namedForm, writableForm } from "./form-words.ts";

const MOVE = `${FORM}/move` as const;

/** The page that moves a form to another project. */
export function moveFormRoutes({ app, get, post, act }: Dashboard) {
  const show = async (c: DashboardContext, name: string, typed: Typed | null = null) => {
    const form = await writableForm(app, c, name);
    const slugs = (await app.store.projects.list()).map(({ slug }) => slug);
    const places = slugs.filter(
      (slug) => slug !== form.project && hasScope(c.get("caller"), "forms:write", { project: slug }),
    );
    return movePage(form, places, typed);
  };

  get(MOVE, "forms:read", (c, { form }) => show(c, form));
  post(
    MOVE,
    "forms:write",
    act({
      operation: forms.set,
      input({ fields, names }) {
        const project = textOf(fields, "project");
        if (project === "") throw faultAt("project", "choose a project");
        return { names, body: { project } };
      },
      done: (form) => ({
        to: formPath(shortName(form)),
        text: `${form.slug} is in ${form.project} now`,
      }),
      again: ({ c, fields, names }, faults) => show(c, names.form, { fields, faults }),
      at: { "form-exists": "project", "form-name-taken": "project", not_found: "project" },
    }),
  );
}

function movePage(form: Form, places: readonly string[], typed: Typed | null): Page {
  const { slug } = form;
  const back = formPath(shortName(form));
  const [named, options] = namedForm(form);
  return {
    title: `Move form ${slug}`,
    section: "forms",
    back: { to: back, label: slug },
    commands: [["The same", "forms move", named, { ...options, to: "shop" }]],
    content:
      places.length === 0 ? (
        <Empty title="There is no other project">
          <p class="soft">A form moves to a project in which you may write forms.</p>
        </Empty>
      ) : (
        <PostForm to={`${back}/move`} class="stack narrow card" id="move-form" label="Move the form">
          <p>
            {slug} leaves {form.project} with its submissions, files, targets and history: members of the
            other project see them, and those of {form.project} do not any more. Its address stays.
          </p>
          <SelectField
            {...typedAt(typed, "project")}
            label="Project"
            options={["", ...places].map((each) => ({ value: each, label: each || "Choose a project" }))}
          />
          <div class="buttons">
            <Button kind="primary">Move {slug}</Button>
            <ButtonLink to={back} kind="quiet">
              Back
            </ButtonLink>
          </div>
        </PostForm>
      ),
  };
}
