import { viewSession } from "../../access/session.ts";
import { endSession, listSessions } from "../../access/sessions.ts";
import { noun } from "../operation.ts";

/** Admins see every session, and users their own. */
const shared = { scope: null, place: "seen", confirms: false } as const;

export const sessions = noun("sessions", () => import("./schema/sessions-schema.ts"), {
  list: {
    ...shared,
    method: "GET",
    path: "/sessions",
    summary: "List the browsers that are signed in, most recently used first",
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
    run: ({ app, caller, names }) => endSession(app, caller, names.session),
  },
});
