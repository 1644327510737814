import { Hono } from "hono/quick";
import * as z from "zod/mini";
import { createdTokenSchema, newTokenSchema, tokenSchema } from "../../access/token-schema.ts";
import { createToken, revokeToken } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import type { AdminEnv } from "../auth.ts";
import { created, createdResult, jsonBody, query, route } from "./contract.ts";
import { listQuery, nextOf, nextSchema } from "./pages.ts";

const tag = "tokens";

export function tokenRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/tokens",
      route({
        tag,
        summary: "List tokens",
        scope: "admin",
        schema: z.object({ tokens: z.array(tokenSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const page = await app.store.tokens.page(c.req.valid("query"));
        return c.json({ tokens: page.items, next: nextOf(page, ({ name }) => name) });
      },
    )
    .post(
      "/tokens",
      route({
        tag,
        summary: "Create a token; its secret is shown once",
        scope: "admin",
        status: 201,
        schema: z.extend(createdTokenSchema, createdResult),
      }),
      jsonBody(newTokenSchema),
      async (c) => c.json(created(await createToken(app, c.get("caller"), c.req.valid("json"))), 201),
    )
    .delete(
      "/tokens/:name",
      route({ tag, summary: "Revoke a token", scope: "admin", status: 204 }),
      async (c) => {
        await revokeToken(app, c.get("caller"), c.req.param("name"));
        return c.body(null, 204);
      },
    );
}
