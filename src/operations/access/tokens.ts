import { tokenCursor } from "../../access/token.ts";
import { createToken, listTokens, revokeToken } from "../../access/tokens.ts";
import { MAX_LIST, nextOf } from "../../base/pages.ts";
import { getProject } from "../../projects/projects.ts";
import { noun } from "../operation.ts";
import { created } from "../results.ts";

export const tokens = noun("tokens", () => import("./schema/tokens-schema.ts"), {
  list: {
    method: "GET",
    path: "/tokens",
    summary: "List tokens",
    scope: "admin",
    place: "seen",
    defaults: { limit: MAX_LIST },
    run: async ({ app, caller, query: { project, ...query } }) => {
      const page = await listTokens(app, caller, query, project);
      if (project !== undefined) await getProject(app, project);
      return { tokens: page.items, next: nextOf(page, tokenCursor) };
    },
  },
  create: {
    method: "POST",
    path: "/tokens",
    summary: "Create a token; its secret is shown once",
    scope: "admin",
    place: "seen",
    status: 201,
    run: async ({ app, caller, body }) => created(await createToken(app, caller, body)),
  },
  revoke: {
    method: "DELETE",
    path: "/tokens/:name",
    summary: "Revoke a token: of a project, or the only one of that name",
    scope: "admin",
    place: "seen",
    defaults: {},
    run: ({ app, caller, names, query }) => revokeToken(app, caller, names.name, query.project),
  },
});
