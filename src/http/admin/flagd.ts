import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { exportFlags } from "../../flags/flagd/definition.ts";
import { importFlags } from "../../flags/imports.ts";
import type { AdminEnv } from "../auth.ts";
import { MAX_IMPORT_BODY } from "../limits.ts";
import { jsonBody, query, route } from "./contract.ts";
import { membersAnswer } from "../exports.ts";

const tag = "flags";
const PLACE = "/projects/:project/environments/:environment/flagd";

/** Only the outer object: the import checks the rest, and reports all faults with their paths. */
const documentSchema = z.looseObject({
  $schema: z.optional(z.any()),
  flags: z.optional(z.any()),
  $evaluators: z.optional(z.any()),
  metadata: z.optional(z.any()),
});

const result = z.enum(["created", "updated", "unchanged"]);
const importedSchema = z.object({
  flags: z.array(z.object({ key: z.string(), result })),
  segments: z.array(z.object({ name: z.string(), result })),
  metadata: result,
  /** Rules that are imported and fail when evaluated, each with a JSON pointer (RFC 6901). */
  warnings: z.array(z.string()),
});

/** Export and import of flagd files: https://flagd.dev/schema/v0/flags.json */
export function flagdRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      PLACE,
      route({
        tag,
        summary: "Export the flags and segments of an environment as a flagd file",
        scope: "flags:read",
        schema: documentSchema,
      }),
      async (c) => {
        const { project, environment } = c.req.param();
        const selection = await app.store.flags.selectIn(project, environment);
        const [flags, segments] = [await selection.flags(), await selection.segments()];
        return membersAnswer(exportFlags(flags, segments, selection.metadata), 2);
      },
    )
    .post(
      PLACE,
      route({
        tag,
        summary: "Import the flags and segments of a flagd file into an environment",
        scope: "flags:write",
        schema: importedSchema,
        maxBody: MAX_IMPORT_BODY,
      }),
      query(z.strictObject({ dryRun: z._default(z.enum(["true", "false"]), "false") })),
      jsonBody(documentSchema),
      async (c) => {
        const dryRun = c.req.valid("query").dryRun === "true";
        const document = c.req.valid("json");
        const { differences: _, ...imported } = await importFlags(
          app,
          c.get("caller"),
          c.req.param(),
          document,
          dryRun,
        );
        return c.json(imported);
      },
    );
}
