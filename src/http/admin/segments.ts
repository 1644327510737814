import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { segmentRuleSchema, segmentSchema } from "../../flags/segment-schema.ts";
import { noSuchSegment, viewSegment } from "../../flags/segment.ts";
import { deleteSegment, setSegment } from "../../flags/segments.ts";
import type { AdminEnv } from "../auth.ts";
import { jsonBody, query, revisionOf, route, etagHeader } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { listQuery, nextSchema } from "../../operations/schema/shared-schema.ts";

const tag = "segments";
const ALL = "/projects/:project/environments/:environment/segments";
const ONE = `${ALL}/:segment` as const;

const setSegmentSchema = z.extend(segmentSchema, { result: z.enum(["created", "updated", "unchanged"]) });

export function segmentRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      ALL,
      route({
        tag,
        summary: "List the segments of an environment",
        scope: "flags:read",
        schema: z.object({ segments: z.array(segmentSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const { project, environment } = c.req.param();
        const page = await app.store.segments.page(project, environment, c.req.valid("query"));
        return c.json({ segments: page.items.map(viewSegment), next: nextOf(page, ({ name }) => name) });
      },
    )
    .get(
      ONE,
      route({ tag, summary: "Get a segment", scope: "flags:read", schema: segmentSchema }),
      async (c) => {
        const place = c.req.param();
        const record = await app.store.segments.find(place);
        if (!record) throw noSuchSegment(place.segment);
        return c.json(viewSegment(record), 200, etagHeader(record));
      },
    )
    .put(
      ONE,
      route({
        tag,
        summary: "Create a segment or give it another rule",
        scope: "flags:write",
        schema: setSegmentSchema,
      }),
      jsonBody(segmentRuleSchema),
      async (c) => {
        const place = c.req.param();
        const { rule } = c.req.valid("json");
        const expected = revisionOf(c.req.header("if-match"));
        const { record, result } = await setSegment(app, c.get("caller"), place, rule, expected);
        return c.json({ ...viewSegment(record), result }, 200, etagHeader(record));
      },
    )
    .delete(
      ONE,
      route({ tag, summary: "Delete a segment that nothing refers to", scope: "flags:write", status: 204 }),
      async (c) => {
        const expected = revisionOf(c.req.header("if-match"));
        await deleteSegment(app, c.get("caller"), c.req.param(), expected);
        return c.body(null, 204);
      },
    );
}
