import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { MAX_LIST } from "../../base/pages.ts";
import {
  codeReferencesSchema,
  uploadSchema,
  uploadedSchema,
} from "../../flags/code/code-reference-schema.ts";
import { pageReferences, removeReferences, uploadReferences } from "../../flags/code/code-references.ts";
import type { AdminEnv } from "../auth.ts";
import { MAX_CODE_BODY } from "../limits.ts";
import { describedBody, query, route } from "./contract.ts";
import { limitOf, nextSchema } from "../../operations/schema/shared-schema.ts";

const tag = "flags";
const PLACE = "/projects/:project/code-refs";

const listQuery = z.strictObject({
  flag: z.optional(z.string()),
  branch: z.optional(z.string()),
  projectName: z.optional(z.string()),
  limit: limitOf(MAX_LIST, MAX_LIST),
  after: z.optional(z.string()),
});
const removeQuery = z.strictObject({ branch: z.string(), projectName: z.optional(z.string()) });

export function codeReferenceRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      PLACE,
      route({
        tag,
        summary: "List where the source code of a project names flags; a long list of references is in parts",
        scope: "flags:read",
        schema: z.object({ references: z.array(codeReferencesSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => c.json(await pageReferences(app, c.req.param("project"), c.req.valid("query"))),
    )
    .put(
      PLACE,
      route({
        tag,
        summary: "Replace the code references of a project at one branch",
        scope: "flags:refs",
        schema: uploadedSchema,
        maxBody: MAX_CODE_BODY,
      }),
      describedBody(uploadSchema),
      async (c) => {
        const body = new Uint8Array(await c.req.arrayBuffer());
        return c.json(await uploadReferences(app, c.get("caller"), c.req.param("project"), body));
      },
    )
    .delete(
      PLACE,
      route({
        tag,
        summary: "Delete the code references of a project at a branch",
        scope: "flags:refs",
        status: 204,
      }),
      query(removeQuery),
      async (c) => {
        await removeReferences(app, c.get("caller"), c.req.param("project"), c.req.valid("query"));
        return c.body(null, 204);
      },
    );
}
