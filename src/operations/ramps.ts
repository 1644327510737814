import { AppError } from "../base/errors.ts";
import { MAX_LIST, nextOf } from "../base/pages.ts";
import { settled } from "../flags/ramps/ramp-plan.ts";
import { viewRamp } from "../flags/ramps/ramp-view.ts";
import { noun } from "./operation.ts";
import { revisionIn } from "./results.ts";

const ONE = "/projects/:project/environments/:environment/flags/:flag/ramp";

const write = { scope: "flags:write", place: "environment" } as const;

/** Shares of flags that grow by steps. */
export const ramps = noun("ramps", async () => (await import("./schema/timed-schema.ts")).ramps, {
  list: {
    method: "GET",
    path: "/projects/:project/ramps",
    summary: "List the last ramp of each flag of a project in each environment, by flag",
    scope: "flags:read",
    place: "environment",
    defaults: { limit: MAX_LIST },
    run: async ({ app, names, query: { environment = null, limit, after } }) => {
      const page = await app.store.ramps.page(names.project, environment, {
        limit,
        after: after === undefined ? undefined : parseCursor(after),
      });
      const next = nextOf(page, ({ ramp }) => `${ramp.flag}/${ramp.environment}`);
      return { ramps: page.items.map((found) => viewRamp(settled(found))), next };
    },
  },
  start: {
    ...write,
    method: "PUT",
    path: ONE,
    tool: "ramps_start",
    summary:
      "Begin a ramp of a flag: a share of the users that grows by steps; with `patch`, change the flag too",
    status: 201,
    proposes: true,
    run: async ({ app, caller, names, body, ifMatch }) => {
      const { startGuardedRamp } = await import("../experiments/guards/ramp-guards.ts");
      return viewRamp(await startGuardedRamp(app, caller, names, body, revisionIn(ifMatch)));
    },
  },
  get: {
    method: "GET",
    path: ONE,
    summary: "Get the ramp of a flag, the last one if it has ended",
    scope: "flags:read",
    place: "environment",
    run: async ({ app, names }) => {
      const { getRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await getRamp(app, names));
    },
  },
  pause: {
    ...write,
    method: "POST",
    path: `${ONE}/pause`,
    summary: "Pause a ramp; it leaves the flag as it is, and needs no approval",
    run: async ({ app, caller, names }) => {
      const { pauseRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await pauseRamp(app, caller, names));
    },
  },
  resume: {
    ...write,
    method: "POST",
    path: `${ONE}/resume`,
    summary: "Let a paused ramp continue from the share that the flag has now",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { resumeRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await resumeRamp(app, caller, names));
    },
  },
  next: {
    ...write,
    method: "POST",
    path: `${ONE}/next`,
    summary: "Make the next step of a running ramp now",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { advanceRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await advanceRamp(app, caller, names, { isToEnd: false }));
    },
  },
  finish: {
    ...write,
    method: "POST",
    path: `${ONE}/finish`,
    summary: "Raise the share of a running ramp to its last step now, which completes it",
    proposes: true,
    run: async ({ app, caller, names }) => {
      const { advanceRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await advanceRamp(app, caller, names, { isToEnd: true }));
    },
  },
  abort: {
    ...write,
    method: "POST",
    path: `${ONE}/abort`,
    summary: "End a ramp, and give the flag the share from before it, unless it is kept",
    proposes: true,
    mayLackBody: true,
    run: async ({ app, caller, names, body: { keep = false } }) => {
      const { abortRamp } = await import("../flags/ramps/ramps.ts");
      return viewRamp(await abortRamp(app, caller, names, { keep }));
    },
  },
});

/** Throws `invalid` for a text that is not a cursor. */
function parseCursor(cursor: string): { flag: string; environment: string } {
  const [, flag, environment] = /^([\w.-]+)\/([\w.-]+)$/.exec(cursor) ?? [];
  if (environment === undefined) throw new AppError("invalid", "after is the `next` of a page of this list");
  return { flag: flag!, environment };
}
