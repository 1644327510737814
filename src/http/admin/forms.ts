import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { createForm, deleteForm, getForm } from "../../forms.ts";
import { formPatchSchema, formSchema, newFormSchema } from "../../schemas/forms.ts";
import type { AdminEnv } from "../auth.ts";
import { created, createdResult, jsonBody, query, route } from "./contract.ts";
import { listQuery, nextOf, nextSchema } from "./pages.ts";

const tag = "forms";

const setFormSchema = z.extend(formSchema, { result: z.enum(["updated", "unchanged"]) });

export function formRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/forms",
      route({
        tag,
        summary: "List forms",
        scope: "forms:read",
        schema: z.object({ forms: z.array(formSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const page = await app.store.forms.page(c.req.valid("query"));
        return c.json({ forms: page.items, next: nextOf(page, ({ slug }) => slug) });
      },
    )
    .post(
      "/forms",
      route({
        tag,
        summary: "Create a form",
        scope: "forms:write",
        status: 201,
        schema: z.extend(formSchema, createdResult),
      }),
      jsonBody(newFormSchema),
      async (c) => c.json(created(await createForm(app, c.req.valid("json"))), 201),
    )
    .get(
      "/forms/:form",
      route({ tag, summary: "Get a form by its slug or key", scope: "forms:read", schema: formSchema }),
      async (c) => c.json(await getForm(app, c.req.param("form"))),
    )
    .patch(
      "/forms/:form",
      route({ tag, summary: "Change a form", scope: "forms:write", schema: setFormSchema }),
      jsonBody(formPatchSchema),
      async (c) => {
        const { form, result } = await app.store.forms.update(
          c.req.param("form"),
          c.req.valid("json"),
          app.now(),
        );
        return c.json({ ...form, result });
      },
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
        await deleteForm(app, c.req.param("form"));
        return c.body(null, 204);
      },
    );
}
