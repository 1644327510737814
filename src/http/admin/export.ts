import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { documentSchema } from "../../documents/document-schema.ts";
import { documentOf } from "../../documents/document.ts";
import { noSuchProject } from "../../projects/project.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";
import { membersAnswer } from "../exports.ts";

const one = z.pipe(
  z.transform((value) => (typeof value === "string" ? [value] : value)),
  z.array(z.string()),
);

/** Default: all projects, and the forms. */
const exportQuery = z.object({
  project: z.optional(one),
  forms: z.optional(z.enum(["true", "false"], "forms is true or false")),
});

export function exportRoutes(app: App) {
  return new Hono<AdminEnv>().get(
    "/export",
    route({
      tag: "documents",
      summary: "Export projects, flags and forms as a document",
      scope: "read",
      schema: documentSchema,
    }),
    query(exportQuery),
    async (c) => {
      const { project: projects = null, forms } = c.req.valid("query");
      const withForms = forms === undefined ? projects === null : forms === "true";
      const setup = await app.store.setup.read(projects && [...new Set(projects)], withForms);
      for (const slug of projects ?? [])
        if (!setup.projects.some((project) => project.slug === slug)) throw noSuchProject(slug);
      return membersAnswer(await documentOf(setup, withForms), 4);
    },
  );
}
