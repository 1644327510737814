import { MAX_LIST, nextOf } from "../base/pages.ts";
import { noSuchSegment, viewSegment } from "../flags/segment.ts";
import { deleteSegment, setSegment } from "../flags/segments.ts";
import { noun } from "./operation.ts";
import { revisionIn } from "./results.ts";

const ALL = "/projects/:project/environments/:environment/segments";
const ONE = "/projects/:project/environments/:environment/segments/:segment";

export const segments = noun("segments", () => import("./schema/segments-schema.ts"), {
  list: {
    method: "GET",
    path: ALL,
    summary: "List the segments of an environment",
    scope: "flags:read",
    place: "environment",
    defaults: { limit: MAX_LIST },
    run: async ({ app, names, query }) => {
      const page = await app.store.segments.page(names.project, names.environment, query);
      return { segments: page.items.map(viewSegment), next: nextOf(page, ({ name }) => name) };
    },
  },
  get: {
    method: "GET",
    path: ONE,
    summary: "Get a segment",
    scope: "flags:read",
    place: "environment",
    run: async ({ app, names, tag }) => {
      const record = await app.store.segments.find(names);
      if (!record) throw noSuchSegment(names.segment);
      tag(record.revision);
      return viewSegment(record);
    },
  },
  set: {
    method: "PUT",
    path: ONE,
    summary: "Create a segment or give it another rule",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    run: async ({ app, caller, names, body, ifMatch, tag }) => {
      const { record, result } = await setSegment(app, caller, names, body.rule, revisionIn(ifMatch));
      tag(record.revision);
      return { ...viewSegment(record), result };
    },
  },
  delete: {
    method: "DELETE",
    path: ONE,
    summary: "Delete a segment that nothing refers to",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    run: ({ app, caller, names, ifMatch }) => deleteSegment(app, caller, names, revisionIn(ifMatch)),
  },
});
