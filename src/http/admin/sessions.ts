import { Hono } from "hono/quick";
import * as z from "zod/mini";
import { sessionSchema } from "../../access/session-schema.ts";
import { viewSession } from "../../access/session.ts";
import { endSession, listSessions } from "../../access/sessions.ts";
import type { App } from "../../app.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";

const shared = { tag: "sessions", scope: "admin", confirms: false } as const;

const listQuery = z.strictObject({ user: z.optional(z.string()) });

export function sessionRoutes(app: App) {
  return new Hono<AdminEnv>()
    .get(
      "/sessions",
      route({
        ...shared,
        summary: "List the browsers that are signed in, the one used last first",
        schema: z.object({ sessions: z.array(sessionSchema) }),
      }),
      query(listQuery),
      async (c) => {
        const { user = null } = c.req.valid("query");
        const sessions = await listSessions(app, c.get("caller"), user);
        return c.json({ sessions: sessions.map(viewSession) });
      },
    )
    .delete(
      "/sessions/:session",
      route({ ...shared, summary: "Sign a browser out", status: 204 }),
      async (c) => {
        await endSession(app, c.get("caller"), c.req.param("session"));
        return c.body(null, 204);
      },
    );
}
