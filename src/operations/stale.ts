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
    async run({ app, names: { project }, query: { days, environment = null, removable = "false" } }) {
      const found = await findStale(app, { project, environment, days });
      if (removable === "false") return { stale: found };
      const { finishedAmong } = await import("../flags/cleanup.ts");
      const finished = await finishedAmong(
        app,
        project,
        found.map(({ slug }) => slug),
      );
      return { stale: found.map((flag) => ({ ...flag, removable: finished.has(flag.slug) })) };
    },
  },
  cleanup: {
    method: "GET",
    path: "/projects/:project/flags/:flag/cleanup",
    tool: "flags_cleanup",
    summary: "Check whether a flag is finished, what its code keeps, and what is left to do",
    scope: "flags:read",
    place: "project",
    async run({ app, caller, names }) {
      const { readCleanup } = await import("../flags/cleanup.ts");
      return readCleanup(app, caller, names);
    },
  },
});
