import { shortName } from "../../../access/place.ts";
import { AppError } from "../../../base/errors.ts";
import type { Form } from "../../../forms/form.ts";
import { forms } from "../../../operations/forms.ts";
import { textOf } from "../fields.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import type { Page } from "../page.tsx";
import { FORM, formPath } from "../paths.ts";
import type { Dashboard, Done } from "../routes.ts";
import {
  type FieldsDraft,
  type FieldsFaults,
  areSameSchemas,
  faultsOf,
  inNotation,
  readFields,
  schemaOf,
  storedFields,
  withRowsMoved,
} from "./form-fields-draft.ts";
import { projectNameOf, writableForm } from "./form-words.ts";
import { type FieldsPreview, fieldsPage } from "./form-fields-page.tsx";

const FIELDS = `${FORM}/fields` as const;

/** The page on which the fields of a form are edited, as rows or as the JSON of its schema. */
export function fieldsRoutes({ app, get, post, perform }: Dashboard) {
  const placeOf = async (c: DashboardContext, name: string): Promise<Place> => {
    const form = await writableForm(app, c, name);
    return { form, projectName: await projectNameOf(app, form) };
  };
  get(FIELDS, "forms:write", async (c, names) => {
    const place = await placeOf(c, names.form);
    const { form } = place;
    const { draft, why } = storedFields(form, c.req.query("as") === "json");
    return shown(place, draft, { why });
  });
  post(FIELDS, "forms:write", async (c, fields, names): Promise<Page | Done> => {
    const place = await placeOf(c, names.form);
    const { form } = place;
    const [act, draft] = [textOf(fields, "act"), readFields(fields, form)];
    const to = `${formPath(shortName(form))}/fields`;
    if (act === "discard") return { to, text: "Nothing is changed." };
    if (act === "check") return shown(place, draft, { isTyped: true });
    if (/^(?:add|(?:up|down|remove)-\d+)$/.test(act))
      return shown(place, withRowsMoved(draft, act), { isTyped: true, faults: null, isAdded: act === "add" });
    const { faults } = await examine(form, draft);
    if (act === "rows" || act === "json") {
      const other = faults ? { draft, faults } : inNotation(draft, act, form);
      return shown(place, other.draft, { isTyped: true, faults: other.faults });
    }
    if (faults) return shown(place, draft, { isTyped: true, faults });
    if (!areSameSchemas(draft.before, form.schema))
      return shown(
        place,
        { ...draft, before: form.schema },
        { isTyped: true, faults: null, isOverwriting: true },
      );
    try {
      const { schema } = schemaOf(draft, form);
      const { result } = await perform(c, forms.set, { names, body: { schema } });
      const query = draft.as === "json" ? { query: { as: "json" } } : {};
      return { to, ...query, text: result === "updated" ? "Saved the fields" : "Nothing was changed" };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      return shown(place, draft, { isTyped: true, faults: faultsOf(draft, error) });
    }
  });
}

type Showing = {
  isTyped?: boolean;
  /** The faults, if they are known already. */
  faults?: FieldsFaults | null;
  why?: string | undefined;
  isOverwriting?: boolean;
  isAdded?: boolean;
};

type Place = { form: Form; projectName: string };

async function shown({ form, projectName }: Place, draft: FieldsDraft, showing: Showing): Promise<Page> {
  const { isTyped = false, why, isOverwriting = false, isAdded = false } = showing;
  const examined = await examine(form, draft);
  const { preview } = examined;
  const faults = showing.faults === undefined ? examined.faults : showing.faults;
  const isRefused = isTyped && showing.faults !== undefined && faults !== null;
  return fieldsPage(
    form,
    projectName,
    { draft, isTyped, faults, why, isOverwriting, isAdded, preview },
    isRefused,
  );
}

type Examined = {
  /** Null for none. */
  faults: FieldsFaults | null;
  preview: FieldsPreview;
};

async function examine(form: Form, draft: FieldsDraft): Promise<Examined> {
  const { schema, faults } = schemaOf(draft, form);
  if (schema === null)
    return { faults, preview: { reason: "There are no fields yet. One with a label is shown here." } };
  const { compileSchema } = await import("../../../forms/validation/validation.ts");
  const { pageContentOf } = await import("../../../forms/intake/page-content.ts");
  let isSound = false;
  try {
    await compileSchema(schema);
    isSound = true;
    const { inputsHtml } = await import("../../forms/pages/form.ts");
    const content = pageContentOf({ ...form, schema });
    return {
      faults,
      preview: { description: content.description, inputs: await inputsHtml(form, content) },
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return {
      faults: isSound ? faults : (faults ?? faultsOf(draft, error)),
      preview: { reason: error.message },
    };
  }
}
