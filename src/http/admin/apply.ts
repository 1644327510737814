import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { applyDocument, compareDocument } from "../../documents/apply.ts";
import { differenceSchema, documentSchema } from "../../documents/document-schema.ts";
import type { AdminEnv } from "../auth.ts";
import { MAX_IMPORT_BODY } from "../limits.ts";
import { jsonBody, route } from "./contract.ts";
import { listAnswer } from "./pages.ts";

const applySchema = z.strictObject({
  document: documentSchema,
  /** Returns what would change, and changes nothing. */
  dryRun: z.optional(z.boolean()),
  /** Deletes what the sections of the document do not name. */
  prune: z.optional(z.boolean()),
  /** Allows deletions that need a confirmation, such as of environments; locked environments are named in X-Confirm. */
  confirmed: z.optional(z.boolean()),
});

export function applyRoutes(app: App) {
  return new Hono<AdminEnv>().post(
    "/apply",
    route({
      tag: "documents",
      summary: "Apply a document, with the scope `admin`; or list what would change, with `dryRun`",
      scope: "read",
      explains: true,
      schema: z.object({ changes: z.array(differenceSchema) }),
      maxBody: MAX_IMPORT_BODY,
    }),
    jsonBody(applySchema, { whole: "document" }),
    async (c) => {
      const { document, dryRun = false, prune = false, confirmed = false } = c.req.valid("json");
      const caller = c.get("caller");
      const changes = dryRun
        ? await compareDocument(app, caller, document, prune)
        : await applyDocument(app, caller, document, { prune, confirmed });
      return listAnswer("changes", changes);
    },
  );
}
