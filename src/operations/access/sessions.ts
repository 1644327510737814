import { isSelf } from "../../access/caller.ts";
import { viewSession } from "../../access/session.ts";
import { endSession, listSessions } from "../../access/sessions.ts";
import { noun } from "../operation.ts";

const shared = { scope: "admin", place: "instance", confirms: false } as const;

export const sessions = noun("sessions", async () => (await import("./schema/sign-in-schema.ts")).sessions, {
  list: {
    ...shared,
    method: "GET",
    path: "/sessions",
    summary: "List the browsers that are signed in, most recently used first",
    admits: async ({ caller, query: { user = "" } }) => isSelf(caller, user),
    defaults: {},
    run: async ({ app, caller, query: { user = null } }) => ({
      sessions: (await listSessions(app, caller, user)).map(viewSession),
    }),
  },
  end: {
    ...shared,
    method: "DELETE",
    path: "/sessions/:session",
    summary: "Sign a browser out",
    admits: async ({ app, caller, names }) =>
      isSelf(caller, (await app.store.sessions.findById(names["session"]!))?.user ?? ""),
    run: ({ app, caller, names }) => endSession(app, caller, names.session),
  },
});
