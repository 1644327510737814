import { isObject } from "../base/json.ts";
import { MAX_LIST } from "../base/pages.ts";
import { MAX_DESCRIPTION, findPayloadFault } from "../flags/limits.ts";
import { noSuchFlag, viewDetail, viewDetails } from "../flags/flag.ts";
import { neededBy as neededByEach } from "../flags/requires/requirement.ts";
import { viewScheduled } from "../flags/schedule/scheduled-change.ts";
import { noun } from "./operation.ts";
import { revisionIn, viewInTurns } from "./results.ts";

const ALL = "/projects/:project/environments/:environment/flags";
const ONE = "/projects/:project/environments/:environment/flags/:flag";

export const flags = noun("flags", () => import("./schema/flags-schema.ts"), {
  list: {
    method: "GET",
    path: ALL,
    tool: "flags_list",
    summary: "List the flags of an environment",
    scope: "flags:read",
    place: "environment",
    levels: 2,
    defaults: { limit: MAX_LIST },
    isPlainQuery: (query) =>
      Object.entries(query).every(([name, value]) => name === "archived" && value === "false"),
    run: async ({ app, caller, names, query }) => {
      const { pageOfFlags } = await import("../flags/flag-filters.ts");
      const { items, next } = await pageOfFlags(app, caller, names, query);
      return { flags: await viewInTurns(items, (flag) => viewDetail(flag, app.now())), next };
    },
  },
  get: {
    method: "GET",
    path: ONE,
    tool: "flags_get",
    summary: "Get a flag in an environment",
    scope: "flags:read",
    place: "environment",
    run: async ({ app, names, tag }) => {
      const record = await app.store.flags.find(names);
      if (!record) throw noSuchFlag(names.flag);
      tag(record.revision);
      const found = await app.store.ramps.find(names);
      const { needing } = await app.store.flags.needs(names.project, names.environment);
      const neededBy = needing.length > 0 && neededByEach(needing).get(names.flag);
      const flag = { ...viewDetail(record, app.now()), ...(neededBy && { neededBy }) };
      if (!found) return flag;
      const [{ settled }, { viewRamp }] = await Promise.all([
        import("../flags/ramps/ramp-plan.ts"),
        import("../flags/ramps/ramp-view.ts"),
      ]);
      return { ...flag, ramp: viewRamp(settled(found)) };
    },
  },
  set: {
    method: "PATCH",
    path: ONE,
    tool: "flags_set",
    summary: "Create or change a flag in an environment",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    isPlain: isPlainPatch,
    run: async ({ app, caller, names, body, ifMatch, tag }) => {
      const { setFlag } = await import("../flags/flags.ts");
      const { record, result } = await setFlag(app, caller, names, body, revisionIn(ifMatch));
      tag(record.revision);
      return { ...viewDetail(record, app.now()), result };
    },
  },
  setFor: {
    method: "POST",
    path: `${ONE}/for`,
    summary: "Change a flag in an environment, and schedule the change back",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    run: async ({ app, caller, names, body: { patch, until }, ifMatch, tag }) => {
      const expected = revisionIn(ifMatch);
      const { setFlagFor } = await import("../flags/schedule/schedule.ts");
      const set = await setFlagFor(app, caller, names, patch, Date.parse(until), expected);
      const { record, result } = set;
      tag(record.revision);
      const scheduled = set.scheduled && viewScheduled(set.scheduled);
      return { ...viewDetail(record, app.now()), result, scheduled };
    },
  },
  evaluate: {
    method: "POST",
    path: `${ONE}/evaluate`,
    tool: "flags_evaluate",
    summary: "Evaluate a flag for a context, or an unsaved change of it for several",
    scope: "flags:read",
    place: "environment",
    rounded: true,
    run: async ({ app, caller, names, body: { context = {}, contexts, patch } }) => {
      const { evaluateStored, tryChange } = await import("../flags/reads/evaluations.ts");
      const key = names.flag;
      if (contexts && patch) return { key, results: await tryChange(app, caller, names, patch, contexts) };
      return { key, ...(await evaluateStored(app, caller, names, context)) };
    },
  },
  usage: {
    method: "GET",
    path: `${ONE}/usage`,
    summary: "Count what readers of a flag got today",
    scope: "flags:read",
    place: "environment",
    defaults: {},
    run: async ({ app, caller, names, query: { timeZone = "UTC" } }) => {
      const { servedToday } = await import("../flags/reads/served.ts");
      if (!(await app.store.flags.find(names))) throw noSuchFlag(names.flag);
      return servedToday(app, caller, names, timeZone);
    },
  },
  reads: {
    method: "GET",
    path: "/projects/:project/reads",
    summary: "Count who read the flags of a project in the last 24 hours",
    scope: "flags:read",
    place: "environment",
    levels: 2,
    defaults: {},
    run: async ({ app, caller, names, query }) => {
      const { readsOfFlags } = await import("../flags/reads/flag-reads.ts");
      return { flags: await readsOfFlags(app, caller, { ...names, ...query }) };
    },
  },
  details: {
    method: "PATCH",
    path: "/projects/:project/flags/:flag",
    summary: "Change what all environments share of a flag, or archive or restore it",
    scope: "flags:write",
    place: "project",
    proposes: true,
    run: async ({ app, caller, names, body, ifMatch, tag }) => {
      const { setDetails } = await import("../flags/flags.ts");
      const { record, result } = await setDetails(app, caller, names, body, revisionIn(ifMatch));
      tag(record.revision);
      return { ...viewDetails(record), result };
    },
  },
  detailsOf: {
    method: "PATCH",
    path: "/projects/:project/flags",
    summary: "Change what all environments share of several flags, or archive or restore them, all or none",
    scope: "flags:write",
    place: "project",
    proposes: true,
    levels: 2,
    run: async ({ app, caller, names, body }) => {
      const { setDetailsOf } = await import("../flags/flags.ts");
      const changed = await setDetailsOf(app, caller, names.project, body.flags);
      return { flags: changed.map(({ record, result }) => ({ ...viewDetails(record), result })) };
    },
  },
  delete: {
    method: "DELETE",
    path: "/projects/:project/flags/:flag",
    summary: "Delete a flag from every environment",
    scope: "flags:write",
    place: "project",
    proposes: true,
    run: async ({ app, caller, names, ifMatch }) => {
      const { deleteFlag } = await import("../flags/flags.ts");
      await deleteFlag(app, caller, names, revisionIn(ifMatch));
    },
  },
});

/** The fields of a patch whose rules are a line each. */
const PLAIN = new Map<string, (value: unknown) => boolean>(
  Object.entries({
    enabled: (value) => typeof value === "boolean",
    payload: (value) => findPayloadFault(value) === undefined,
    description: (value) => typeof value === "string" && value.length <= MAX_DESCRIPTION,
  }),
);

/** Whether a patch has plain fields alone, and is valid. */
function isPlainPatch(patch: unknown): boolean {
  return isObject(patch) && Object.entries(patch).every(([name, value]) => PLAIN.get(name)?.(value));
}
