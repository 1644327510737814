import { DEFAULT_STALE_DAYS, findStale } from "../flags/stale.ts";
import { noun } from "./operation.ts";

export const stale = noun("flags", async () => (await import("./schema/lifecycle-schema.ts")).stale, {
  list: {
    method: "GET",
    path: "/projects/:project/stale",
    tool: "flags_stale",
    summary: "List the flags that look finished",
    scope: "flags:read",
    place: "environment",
    defaults: { days: DEFAULT_STALE_DAYS },
    run: async ({ app, names, query: { days, environment = null } }) => ({
      stale: await findStale(app, { project: names.project, environment, days }),
    }),
  },
});
