import { Hono } from "hono/quick";
import * as z from "zod/mini";
import {
  linkSchema,
  newLinkSchema,
  newUserSchema,
  userPatchSchema,
  userSchema,
} from "../../access/user-schema.ts";
import { noSuchUser } from "../../access/user.ts";
import { createLink, createUser, deleteUser, setRole } from "../../access/users.ts";
import type { App } from "../../app.ts";
import type { AdminEnv } from "../auth.ts";
import { dashboardLink } from "../paths.ts";
import { createdResult } from "../../operations/schema/shared-schema.ts";
import { created } from "../../operations/results.ts";
import { jsonBody, query, route } from "./contract.ts";
import { nextOf } from "../../base/pages.ts";
import { listQuery, nextSchema } from "../../operations/schema/shared-schema.ts";

const shared = { tag: "users", scope: "admin", confirms: false } as const;

type Options = { dashboardUrl?: string | null; basePath?: string };

/** `dashboardUrl` is where browsers reach the dashboard, with the base path. */
export function userRoutes(app: App, { dashboardUrl, basePath = "" }: Options) {
  return new Hono<AdminEnv>()
    .get(
      "/users",
      route({
        ...shared,
        summary: "List users",
        schema: z.object({ users: z.array(userSchema), next: nextSchema }),
      }),
      query(listQuery),
      async (c) => {
        const page = await app.store.users.page(c.req.valid("query"));
        return c.json({ users: page.items, next: nextOf(page, ({ name }) => name) });
      },
    )
    .post(
      "/users",
      route({
        ...shared,
        summary: "Create a user, who signs in by a link at first",
        status: 201,
        schema: z.extend(userSchema, createdResult),
      }),
      jsonBody(newUserSchema),
      async (c) => c.json(created(await createUser(app, c.get("caller"), c.req.valid("json"))), 201),
    )
    .post(
      "/users/links",
      route({
        ...shared,
        summary: "Create a link that signs a user in once; without any user, the first one, an admin",
        status: 201,
        schema: linkSchema,
      }),
      jsonBody(newLinkSchema),
      async (c) => {
        const link = await createLink(app, c.get("caller"), c.req.valid("json").name);
        const { name, secret, expiresAt } = link;
        return c.json({ name, url: dashboardLink(dashboardUrl ?? basePath, secret), expiresAt }, 201);
      },
    )
    .get("/users/:user", route({ ...shared, summary: "Get a user", schema: userSchema }), async (c) => {
      const name = c.req.param("user");
      const user = await app.store.users.find(name);
      if (!user) throw noSuchUser(name);
      return c.json(user);
    })
    .patch(
      "/users/:user",
      route({
        ...shared,
        summary: "Change the role of a user",
        schema: z.extend(userSchema, { result: z.enum(["updated", "unchanged"]) }),
      }),
      jsonBody(userPatchSchema),
      async (c) => {
        const { role } = c.req.valid("json");
        const { user, result } = await setRole(app, c.get("caller"), c.req.param("user"), role);
        return c.json({ ...user, result });
      },
    )
    .delete(
      "/users/:user",
      route({ ...shared, summary: "Delete a user, and end every session of the user", status: 204 }),
      async (c) => {
        await deleteUser(app, c.get("caller"), c.req.param("user"));
        return c.body(null, 204);
      },
    );
}
