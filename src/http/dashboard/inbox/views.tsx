import { MAX_VIEW_NAME, type SavedView } from "../../../access/user.ts";
import { me } from "../../../operations/access/me.ts";
import { textOf } from "../fields.ts";
import { TextField } from "../parts/field.tsx";
import { Button, ButtonForm, Form } from "../parts/link.tsx";
import { Foreign } from "../parts/text.tsx";
import type { Dashboard } from "../routes.ts";
import { backIn } from "./marks.ts";
import { type InboxQuery, addressIn, valuesOf, queryIn } from "./query.ts";

const VIEWS = "/inbox/-/views";

/** Saves and removes views: links to lists with names, which their user alone sees. */
export function viewRoutes({ post, perform }: Dashboard) {
  post(VIEWS, null, async (c, fields) => {
    const removed = textOf(fields, "remove");
    if (removed !== "") {
      await perform(c, me.removeView, { names: { view: removed } });
      return { to: backIn(fields), text: `View ${removed} removed.` };
    }
    const name = textOf(fields, "name").trim();
    const to = addressIn({ ...queryIn(fields), before: null });
    const { views = [] } = c.get("session")!.signedIn.user.settings;
    const isKnown = views.some((view) => view.name === name);
    await perform(c, me.saveView, { names: { view: name }, body: { to } });
    return { to, text: `View ${name} ${isKnown ? "replaced" : "saved"}.` };
  });
}

/** A form that saves the list that is shown, and buttons that remove views. */
export function Views({ query, views }: { query: InboxQuery; views: readonly SavedView[] }) {
  const here = addressIn({ ...query, before: null });
  return (
    <div class="views">
      {here !== "/inbox" && !views.some(({ to }) => to === here) && (
        <Form to={VIEWS} class="filters" id="save-view" values={valuesOf(query)}>
          <TextField name="name" id="view-name" label="Name of the view" maxlength={MAX_VIEW_NAME} required />
          <Button>Save view</Button>
        </Form>
      )}
      {views.map(({ name }) => (
        <ButtonForm
          to={VIEWS}
          values={{ ...valuesOf(query), remove: name }}
          kind="quiet"
          icon="x"
          label={`Remove view ${name}`}
        >
          <Foreign text={name} />
        </ButtonForm>
      ))}
    </div>
  );
}

/** The path and the query of a saved view. */
export function linkOf(to: string): { to: string; query: Record<string, string> } {
  const [path = "", search = ""] = to.split("?", 2);
  return { to: path, query: Object.fromEntries(new URLSearchParams(search)) };
}
