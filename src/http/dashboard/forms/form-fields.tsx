import { shortName } from "../../../access/place.ts";
import { requireScope } from "../../../access/rights.ts";
import { AppError } from "../../../base/errors.ts";
import { getForm, setForm } from "../../../forms/forms.ts";
import type { Form } from "../../../forms/form.ts";
import type { PageContent } from "../../../forms/intake/input.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf } from "../fields.ts";
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
import { fieldsPage } from "./form-fields-page.tsx";

const FIELDS = `${FORM}/fields` as const;

/** The page on which the fields of a form are edited, as rows or as the JSON of its schema. */
export function fieldsRoutes({ app, get, post }: Dashboard) {
  const writable = async (c: DashboardContext, name: string) => {
    const form = await getForm(app, c.get("caller"), name);
    requireScope(c.get("caller"), "forms:write", { project: form.project });
    return form;
  };
  get(FIELDS, "forms:write", async (c, parameters) => {
    const form = await writable(c, parameters.form);
    const { draft, why } = storedFields(form, c.req.query("as") === "json");
    return shown(form, draft, { why });
  });
  post(FIELDS, "forms:write", async (c, fields, parameters): Promise<Page | Done> => {
    const form = await writable(c, parameters.form);
    const [act, draft] = [textOf(fields, "act"), readFields(fields, form)];
    const to = `${formPath(shortName(form))}/fields`;
    if (act === "discard") return { to, text: "Nothing is changed." };
    if (act === "check") return shown(form, draft, { isTyped: true });
    if (/^(?:add|(?:up|down|remove)-\d+)$/.test(act))
      return shown(form, withRowsMoved(draft, act), { isTyped: true, faults: null, isAdded: act === "add" });
    const faults = await faultsIn(form, draft);
    if (act === "rows" || act === "json") {
      const other = faults ? { draft, faults } : inNotation(draft, act, form);
      return shown(form, other.draft, { isTyped: true, faults: other.faults });
    }
    if (faults) return shown(form, draft, { isTyped: true, faults });
    if (!areSameSchemas(draft.before, form.schema))
      return shown(
        form,
        { ...draft, before: form.schema },
        { isTyped: true, faults: null, isOverwriting: true },
      );
    try {
      const { schema } = schemaOf(draft, form);
      const { result } = await setForm(app, c.get("caller"), parameters.form, { schema });
      const query = draft.as === "json" ? { query: { as: "json" } } : {};
      return { to, ...query, text: result === "updated" ? "Saved the fields" : "Nothing was changed" };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid") throw error;
      return shown(form, draft, { isTyped: true, faults: faultsOf(draft, error) });
    }
  });
}

/** The faults of a draft; null for none. */
async function faultsIn(form: Form, draft: FieldsDraft): Promise<FieldsFaults | null> {
  const { schema, faults } = schemaOf(draft, form);
  if (faults || schema === null) return faults;
  const { compileSchema } = await import("../../../forms/validation/validation.ts");
  try {
    await compileSchema(schema);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return faultsOf(draft, error);
  }
}

type Showing = {
  isTyped?: boolean;
  /** Left out, what is wrong is looked for. */
  faults?: FieldsFaults | null;
  why?: string | undefined;
  isOverwriting?: boolean;
  isAdded?: boolean;
};

async function shown(form: Form, draft: FieldsDraft, showing: Showing): Promise<Page> {
  const { isTyped = false, why, isOverwriting = false, isAdded = false } = showing;
  const faults = showing.faults === undefined ? await faultsIn(form, draft) : showing.faults;
  const isRefused = isTyped && showing.faults !== undefined && faults !== null;
  const preview = await previewOf(form, draft);
  return fieldsPage(form, { draft, isTyped, faults, why, isOverwriting, isAdded, preview }, isRefused);
}

/** The inputs that a page of these fields has, as far as they are right; or the reason why it has none. */
async function previewOf(form: Form, draft: FieldsDraft): Promise<PageContent | string> {
  const { schema } = schemaOf(draft, form);
  if (schema === null) return "There are no fields yet.";
  const { compileSchema } = await import("../../../forms/validation/validation.ts");
  const { pageContentOf } = await import("../../../forms/intake/page-content.ts");
  try {
    await compileSchema(schema);
    return pageContentOf({ ...form, schema });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}
