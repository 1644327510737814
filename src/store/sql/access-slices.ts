import type { Store } from "../../app.ts";
import { findSession, findSessionById, pageSessions } from "./sessions.ts";
import { findToken, listTokens, pageTokens } from "./tokens.ts";
import { findUser, listAdmins, pageUsers, passwordOf } from "./users.ts";
import type { Runner } from "./writes.ts";

/** The slices of who may do what. */
export function accessSlices({
  read,
  write,
}: Runner): Pick<Store, "tokens" | "users" | "sessions" | "secrets"> {
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
    sessions: {
      insert: (session, password) => write("insertSession", [session, password]),
      find: (hash) => read(() => findSession(hash)),
      findById: (id) => read(() => findSessionById(id)),
      page: (user, query) => read(() => pageSessions(user, query)),
      markSeen: (hash, at) => write("markSeen", [hash, at]),
      delete: (id) => write("deleteSession", [id]),
      deleteByHash: (hash) => write("deleteSessionByHash", [hash]),
      insertLink: (link) => write("insertLink", [link]),
      spendLink: (hash, now, session) => write("spendLink", [hash, now, session]),
      clearEnded: (until, limit) => write("clearEndedSessions", [until, limit]),
    },
    secrets: {
      keep: (name, candidate) => write("keepSecret", [name, candidate]),
    },
  };
}
