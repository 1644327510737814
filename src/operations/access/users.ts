import { resetFactors } from "../../access/factors/factors.ts";
import { noSuchUser, type User } from "../../access/user.ts";
import { createLink, createUser, deleteUser, setRole } from "../../access/users.ts";
import type { App } from "../../app.ts";
import { MAX_LIST, nextOf } from "../../base/pages.ts";
import { noun } from "../operation.ts";
import { created, updated } from "../results.ts";

const shared = { scope: "admin", place: "instance", confirms: false } as const;

export const users = noun("users", () => import("./schema/users-schema.ts"), {
  list: {
    ...shared,
    method: "GET",
    path: "/users",
    summary: "List users",
    defaults: { limit: MAX_LIST },
    run: async ({ app, query }) => {
      const page = await app.store.users.page(query);
      return { users: page.items, next: nextOf(page, ({ name }) => name) };
    },
  },
  create: {
    ...shared,
    method: "POST",
    path: "/users",
    summary: "Create a user, who signs in by a link at first",
    status: 201,
    run: async ({ app, caller, body }) => {
      return created(await detailsOf(app, await createUser(app, caller, body)));
    },
  },
  link: {
    ...shared,
    method: "POST",
    path: "/users/links",
    summary: "Create a link that signs a user in once; without any user, the first one, an admin",
    status: 201,
    run: async ({ app, deployment, caller, body }) => {
      const { name, secret, expiresAt, isFirst } = await createLink(app, caller, body.name);
      return { name, url: await deployment.signInUrl(secret), expiresAt, isFirst };
    },
  },
  get: {
    ...shared,
    method: "GET",
    path: "/users/:user",
    summary: "Get a user",
    run: async ({ app, names }) => {
      const user = await app.store.users.find(names.user);
      if (!user) throw noSuchUser(names.user);
      return detailsOf(app, user);
    },
  },
  set: {
    ...shared,
    method: "PATCH",
    path: "/users/:user",
    summary: "Change the role of a user",
    run: async ({ app, caller, names, body }) => {
      const { user, result } = await setRole(app, caller, names.user, body.role);
      return updated(await detailsOf(app, user), result);
    },
  },
  reset: {
    ...shared,
    method: "POST",
    path: "/users/:user/reset",
    summary: "Remove every second factor of a user, and end every session of the user",
    run: async ({ app, caller, names }) => {
      const { user, result } = await resetFactors(app, caller, names.user);
      return updated(await detailsOf(app, user), result);
    },
  },
  delete: {
    ...shared,
    method: "DELETE",
    path: "/users/:user",
    summary: "Delete a user, and end every session of the user",
    run: ({ app, caller, names }) => deleteUser(app, caller, names.user),
  },
});

async function detailsOf({ store }: App, user: User) {
  const [memberships, identity = null] = await Promise.all([
    store.members.ofUser(user.name),
    store.identities.ofUser(user.name),
  ]);
  return { ...user, memberships, identity };
}
