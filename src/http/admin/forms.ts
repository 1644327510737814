import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { formPatchSchema, formViewSchema, newFormSchema } from "../../forms/form-schema.ts";
import { type Form, viewForm } from "../../forms/form.ts";
import { createForm, deleteForm, getForm, setForm } from "../../forms/forms.ts";
import { submissionSchema } from "../../forms/submission-schema.ts";
import { sendTest } from "../../forms/test-submission.ts";
import type { AdminEnv } from "../auth.ts";
import { formUrl } from "../forms/links.ts";
import { createdResult } from "../../operations/schema/shared-schema.ts";
import { created } from "../../operations/results.ts";
import { jsonBody, query, route } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { listQuery, nextSchema } from "../../operations/schema/shared-schema.ts";

const tag = "forms";

const setFormSchema = z.extend(formViewSchema, { result: z.enum(["updated", "unchanged"]) });

/** Where senders reach the server. */
type PublicPlace = { publicUrl?: string | null; basePath?: string };

export function formRoutes(app: App, { publicUrl = null, basePath = "" }: PublicPlace) {
  const view = (form: Form) => ({ ...form, url: formUrl(publicUrl, basePath, form.key) });
  return new Hono<AdminEnv>()
    .get(
      "/forms",
      route({
        tag,
        summary: "List forms",
        scope: "forms:read",
        schema: z.object({ forms: z.array(formViewSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const page = await app.store.forms.page(c.req.valid("query"));
        const forms = page.items.map((record) => view(viewForm(record)));
        return c.json({ forms, next: nextOf(page, ({ slug }) => slug) });
      },
    )
    .post(
      "/forms",
      route({
        tag,
        summary: "Create a form",
        scope: "forms:write",
        confirms: "form",
        status: 201,
        schema: z.extend(formViewSchema, createdResult),
      }),
      jsonBody(newFormSchema),
      async (c) => c.json(created(view(await createForm(app, c.get("caller"), c.req.valid("json")))), 201),
    )
    .get(
      "/forms/:form",
      route({ tag, summary: "Get a form by its slug or key", scope: "forms:read", schema: formViewSchema }),
      async (c) => c.json(view(await getForm(app, c.req.param("form")))),
    )
    .patch(
      "/forms/:form",
      route({
        tag,
        summary: "Change a form",
        scope: "forms:write",
        confirms: "form",
        schema: setFormSchema,
      }),
      jsonBody(formPatchSchema),
      async (c) => {
        const [slugOrKey, patch] = [c.req.param("form"), c.req.valid("json")];
        const { form, result } = await setForm(app, c.get("caller"), slugOrKey, patch);
        return c.json({ ...view(form), result });
      },
    )
    .post(
      "/forms/:form/test",
      route({
        tag,
        summary: "Store a test submission and send it as any other",
        scope: "forms:write",
        status: 201,
        schema: submissionSchema,
      }),
      async (c) => c.json(await sendTest(app, c.get("caller"), c.req.param("form")), 201),
    )
    .delete(
      "/forms/:form",
      route({
        tag,
        summary: "Delete a form, its submissions and their files",
        scope: "forms:write",
        status: 204,
      }),
      async (c) => {
        await deleteForm(app, c.get("caller"), c.req.param("form"));
        return c.body(null, 204);
      },
    );
}
