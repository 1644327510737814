import type { Store } from "../../app.ts";
import { findToken, listTokens, pageTokens } from "./tokens.ts";
import { findUser, listAdmins, pageUsers, passwordOf } from "./users.ts";
import type { Runner } from "./writes.ts";

/** The slices of who may do what. */
export function accessSlices({ read, write }: Runner): Pick<Store, "tokens" | "users" | "secrets"> {
  return {
    tokens: {
      list: () => read(listTokens),
      page: (query) => read(() => pageTokens(query)),
      find: (hash) => read(() => findToken(hash)),
    },
    users: {
      page: (query) => read(() => pageUsers(query)),
      find: (name) => read(() => findUser(name)),
      password: (name) => read(() => passwordOf(name)),
      admins: (limit) => read(() => listAdmins(limit)),
    },
    secrets: {
      keep: (name, candidate) => write("keepSecret", [name, candidate]),
    },
  };
}
