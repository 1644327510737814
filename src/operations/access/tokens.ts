import { createToken, revokeToken } from "../../access/tokens.ts";
import { MAX_LIST, nextOf } from "../../base/pages.ts";
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
    run: async ({ app, query }) => {
      const page = await app.store.tokens.page(query);
      return { tokens: page.items, next: nextOf(page, ({ name }) => name) };
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
    summary: "Revoke a token",
    scope: "admin",
    place: "seen",
    run: ({ app, caller, names }) => revokeToken(app, caller, names.name),
  },
});
