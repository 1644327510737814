import { isOn } from "../flags/flag.ts";
import { exportFlags } from "../flags/flagd/definition.ts";
import { withoutForeign } from "../flags/flagd/source.ts";
import { exportMembers } from "../memberships/members.ts";
import { importFlags } from "../flags/imports.ts";
import { MAX_IMPORT_BODY } from "./limits.ts";
import { noun } from "./operation.ts";

const PLACE = "/projects/:project/environments/:environment/flagd";

/** Export and import of flagd files: https://flagd.dev/schema/v0/flags.json */
export const flagd = noun("flags", () => import("./schema/flagd-schema.ts"), {
  export: {
    method: "GET",
    path: PLACE,
    summary: "Export the flags and segments of an environment as a flagd file",
    scope: "flags:read",
    place: "environment",
    levels: 2,
    defaults: { members: "false", expired: "on" },
    run: async ({ app, caller, names, query, omit }) => {
      const selection = await app.store.flags.selectIn(names.project, names.environment);
      const own = [await selection.flags(), await selection.segments()] as const;
      const { flags, segments, omitted } = withoutForeign(...own);
      omit?.(omitted);
      const members = query.members === "true" ? await exportMembers(caller, selection, segments) : undefined;
      const isExpiredOff = query.expired === "off";
      const shown = isExpiredOff ? flags.map((flag) => ({ ...flag, enabled: isOn(flag, app.now()) })) : flags;
      return exportFlags(shown, segments, selection.metadata, members, true);
    },
  },
  import: {
    method: "POST",
    path: PLACE,
    summary: "Import the flags and segments of a flagd file into an environment",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    maxBody: MAX_IMPORT_BODY,
    defaults: { dryRun: "false" },
    run: async ({ app, caller, names, query, body }) => {
      const dryRun = query.dryRun === "true";
      const { differences: _, ...imported } = await importFlags(app, caller, names, body, dryRun);
      return imported;
    },
  },
});
