import { DEFAULT_PAGE, nextOf } from "../base/pages.ts";
import { viewFeedback } from "../flags/previews/feedback.ts";
import { countRatings, deleteFeedback, deleteFeedbackOf, firstIdSince } from "../flags/previews/feedbacks.ts";
import { noun } from "./operation.ts";

const ALL = "/projects/:project/flags/:flag/feedback";

/** Feedback is not set up: it has no lock and no history. */
const shared = { confirms: false, explains: false } as const;

export const feedback = noun("flags", () => import("./schema/feedback-schema.ts"), {
  list: {
    ...shared,
    method: "GET",
    path: ALL,
    summary: "List the feedback about a preview, newest first",
    scope: "flags:read",
    place: "environment",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, names, query: { environment = null, since, limit, before = null } }) => {
      const from = firstIdSince(since === undefined ? null : Date.parse(since));
      const page = await app.store.feedback.page({ ...names, environment }, { limit, before, from });
      return { feedback: page.items.map(viewFeedback), next: nextOf(page, ({ id }) => id) };
    },
  },
  deleteAll: {
    ...shared,
    method: "DELETE",
    path: ALL,
    summary: "Delete all feedback about a flag",
    scope: "flags:write",
    place: "environment",
    defaults: {},
    run: async ({ app, caller, names, query: { environment = null } }) => ({
      deleted: await deleteFeedbackOf(app, caller, { ...names, environment }),
    }),
  },
  delete: {
    ...shared,
    method: "DELETE",
    path: "/projects/:project/feedback/:feedback",
    summary: "Delete a feedback",
    scope: "flags:write",
    place: "project",
    run: ({ app, caller, names: { project, feedback: id } }) => deleteFeedback(app, caller, { project, id }),
  },
  ratings: {
    method: "GET",
    path: "/projects/:project/flags/:flag/ratings",
    summary: "Count the feedback about a preview by rating and mood",
    scope: "flags:read",
    place: "environment",
    defaults: {},
    run: ({ app, names, query: { environment = null, since } }) =>
      countRatings(app, { ...names, environment }, since === undefined ? null : Date.parse(since)),
  },
});
