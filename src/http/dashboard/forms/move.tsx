import { shortName } from "../../../access/place.ts";
import { hasScope, requireScope } from "../../../access/rights.ts";
import { getForm, setForm } from "../../../forms/forms.ts";
import type { Form } from "../../../forms/form.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
import type { Page } from "../page.tsx";
import { Empty } from "../parts/card.tsx";
import { formflag } from "../parts/commands.tsx";
import { SelectField } from "../parts/field.tsx";
import { Button, ButtonLink, Form as PostForm } from "../parts/link.tsx";
import { faultAt, submit } from "../parts/submit.ts";
import { FORM, formPath } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { namedForm } from "./form-words.ts";

const MOVE = `${FORM}/move` as const;

/** The page that moves a form to another project. */
export function moveFormRoutes({ app, get, post }: Dashboard) {
  /** The projects to which a caller may move a form, by their slugs. Throws `forbidden`. */
  const placesOf = async (c: DashboardContext, { project }: Form) => {
    const caller = c.get("caller");
    requireScope(caller, "forms:write", { project });
    const slugs = (await app.store.projects.list()).map(({ slug }) => slug);
    return slugs.filter((slug) => slug !== project && hasScope(caller, "forms:write", { project: slug }));
  };

  get(MOVE, "forms:read", async (c, parameters) => {
    const form = await getForm(app, c.get("caller"), parameters.form);
    return movePage(form, await placesOf(c, form));
  });
  post(MOVE, "forms:write", async (c, fields, parameters) => {
    const form = await getForm(app, c.get("caller"), parameters.form);
    const project = textOf(fields, "project");
    return submit(
      async () => {
        if (project === "") throw faultAt("project", "choose a project");
        const { form: moved } = await setForm(app, c.get("caller"), parameters.form, { project });
        return { to: formPath(shortName(moved)), text: `${form.slug} is in ${project} now` };
      },
      async (faults) => movePage(form, await placesOf(c, form), project, faults["project"]),
      { "form-exists": "project", not_found: "project" },
    );
  });
}

function movePage(form: Form, places: readonly string[], project?: string, fault?: string): Page {
  const { slug } = form;
  const back = formPath(shortName(form));
  const [named, options] = namedForm(form);
  return {
    title: `Move form ${slug}`,
    section: "forms",
    back: { to: back, label: slug },
    commands: [{ label: "The same", text: formflag("forms move", named, { ...options, to: "shop" }) }],
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
            name="project"
            label="Project"
            value={project}
            options={["", ...places].map((each) => ({ value: each, label: each || "Choose a project" }))}
            error={fault}
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
