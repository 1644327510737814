import { ButtonLink } from "../parts/link.tsx";
import { Empty } from "../parts/card.tsx";
import { useMay, useMayWriteForms } from "../view.ts";

/** First steps, if there is no form or no project yet. */
export function FirstSteps({ hasForm, hasProject }: { hasForm: boolean; hasProject: boolean }) {
  return (
    <div class="columns">
      {!hasForm && (
        <Empty title="There is no form yet">
          <p>A form takes what people send from your pages, and keeps it in the inbox.</p>
          {useMayWriteForms(null) && (
            <ButtonLink to="/forms/new" kind="primary" icon="plus">
              Create a form
            </ButtonLink>
          )}
          <code>formflag forms create contact</code>
        </Empty>
      )}
      {!hasProject && (
        <Empty title="There is no project yet">
          <p>A project holds the flags of an application, with a value for each environment.</p>
          {useMay("flags:write") && (
            <ButtonLink to="/projects" kind="primary" icon="plus">
              Create a project
            </ButtonLink>
          )}
          <code>formflag projects create shop</code>
        </Empty>
      )}
    </div>
  );
}
