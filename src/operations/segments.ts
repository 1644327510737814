import { MAX_LIST, nextOf } from "../base/pages.ts";
import { noSuchSegment, viewSegment } from "../flags/segment.ts";
import { deleteSegment, setSegment } from "../flags/segments.ts";
import { approve, listMembers, suspend } from "../memberships/members.ts";
import { setSource } from "../memberships/sources.ts";
import { noun } from "./operation.ts";
import { mailWarnings, revisionIn } from "./results.ts";

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
      return {
        segments: page.items.map((each) => viewSegment(each, names.project)),
        next: nextOf(page, ({ name }) => name),
      };
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
      return viewSegment(record, names.project);
    },
  },
  set: {
    method: "PUT",
    path: ONE,
    summary: "Create a segment, give it another rule, or let a form fill it",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    run: async ({ app, deployment, caller, names, body, ifMatch, tag }) => {
      const expected = revisionIn(ifMatch);
      const set = body.source
        ? setSource(app, caller, names, body.source, expected)
        : setSegment(app, caller, names, body.rule, expected);
      const { record, result } = await set;
      tag(record.revision);
      // How many members it has is known once they were found.
      const found = (record.source && (await app.store.segments.find(names))) ?? record;
      const warned = await mailWarnings(deployment, found.source?.welcome !== undefined);
      return { ...viewSegment(found, names.project), result, ...warned };
    },
  },
  members: {
    method: "GET",
    path: `${ONE}/members`,
    summary: "List the members of a segment that a form fills",
    scope: "flags:read",
    place: "environment",
    defaults: { limit: MAX_LIST },
    run: async ({ app, caller, names, query }) => {
      const page = await listMembers(app, caller, names, { ...query, pending: query.pending === "true" });
      return { members: page.items, next: nextOf(page, ({ value }) => value) };
    },
  },
  approve: {
    method: "POST",
    path: `${ONE}/approve`,
    summary: "Approve pending values of a segment, or all, or take the approval of some back",
    scope: "flags:write",
    place: "environment",
    run: async ({ app, caller, names, body, tag }) => {
      const { values, undo } = body;
      const record =
        undo === true && values
          ? await suspend(app, caller, names, values)
          : await approve(app, caller, names, values ?? null);
      tag(record.revision);
      return viewSegment(record, names.project);
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
