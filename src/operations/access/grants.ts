import { isSelf } from "../../access/caller.ts";
import { viewGrant } from "../../access/oauth/grant.ts";
import { listGrants, revokeGrant } from "../../access/oauth/grants.ts";
import { noun } from "../operation.ts";

const shared = { scope: "admin", place: "instance", confirms: false } as const;

export const grants = noun("grants", async () => (await import("./schema/sign-in-schema.ts")).grants, {
  list: {
    ...shared,
    method: "GET",
    path: "/grants",
    summary: "List the assistants that people have signed in, most recently used first",
    admits: async ({ caller, query: { user = "" } }) => isSelf(caller, user),
    defaults: {},
    run: async ({ app, caller, query: { user = null } }) => ({
      grants: (await listGrants(app, caller, user)).map(viewGrant),
    }),
  },
  revoke: {
    ...shared,
    method: "DELETE",
    path: "/grants/:grant",
    summary: "End an assistant's access",
    admits: async ({ app, caller, names }) =>
      isSelf(caller, (await app.store.grants.findById(names["grant"]!))?.user ?? ""),
    run: ({ app, caller, names }) => revokeGrant(app, caller, names.grant),
  },
});
