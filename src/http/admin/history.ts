import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { DEFAULT_PAGE, MAX_PAGE } from "../../base/pages.ts";
import { noSuchFlag } from "../../flags/flag.ts";
import { noSuchSegment } from "../../flags/segment.ts";
import { changeSchema } from "../../projects/history-schema.ts";
import { CHANGE_KINDS, type ChangeQuery, viewChange } from "../../projects/history.ts";
import { getEnvironment } from "../../projects/environments.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { limitOf } from "../../operations/schema/shared-schema.ts";

const tag = "history";

const pageSchema = z.strictObject({
  environment: z.optional(z.string()),
  /** Only changes by the user, token or operator of that name. */
  who: z.optional(z.string()),
  limit: limitOf(MAX_PAGE, DEFAULT_PAGE),
  /** A revision; the page starts with the next older change. */
  before: z.optional(z.coerce.number("before is a revision").check(z.int())),
});
const querySchema = z.extend(pageSchema, {
  kind: z.optional(z.enum(CHANGE_KINDS, `kind is one of ${CHANGE_KINDS.join(", ")}`)),
  name: z.optional(z.string()),
});
const schema = z.object({
  changes: z.array(changeSchema),
  /** What to pass as `before` for the next page; null on the last. */
  next: z.nullable(z.int()),
});

export function historyRoutes(app: App) {
  const list = async (project: string, filter: ChangeQuery) => {
    const page = await app.store.changes.page(project, filter);
    if (page.items.length === 0) await requireKnown(app, project, filter);
    return { changes: page.items.map(viewChange), next: nextOf(page, ({ revision }) => revision) };
  };
  return new Hono<AdminEnv>()
    .get(
      "/projects/:project/history",
      route({
        tag,
        summary: "List the changes in a project, newest first",
        scope: "flags:read",
        place: "query",
        schema,
      }),
      query(querySchema),
      async (c) => c.json(await list(c.req.param("project"), c.req.valid("query"))),
    )
    .get(
      "/projects/:project/flags/:flag/history",
      route({
        tag,
        summary: "List the changes of a flag, newest first",
        scope: "flags:read",
        place: "query",
        schema,
      }),
      query(pageSchema),
      async (c) => {
        const { project, flag: name } = c.req.param();
        return c.json(await list(project, { ...c.req.valid("query"), kind: "flag", name }));
      },
    );
}

/** Throws `not_found` for an environment, a flag or a segment that does not exist and never did. */
async function requireKnown(
  app: App,
  project: string,
  { kind, name, environment }: ChangeQuery,
): Promise<void> {
  if (environment !== undefined) await getEnvironment(app, project, environment);
  if (kind === undefined || name === undefined) return;
  const { items } = await app.store.changes.page(project, { kind, name, limit: 1 });
  if (items.length > 0) return;
  if (kind === "environment") await getEnvironment(app, project, name);
  if (kind === "segment") throw noSuchSegment(name);
  if (kind !== "flag") return;
  const [first] = await app.store.environments.list(project);
  if (!first || !(await app.store.flags.find({ project, environment: first.slug, flag: name })))
    throw noSuchFlag(name);
}
