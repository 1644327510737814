import { describeCaller } from "../../access/me.ts";
import { saveSettings } from "../../access/users.ts";
import { noun } from "../operation.ts";

export const me = noun("me", () => import("./schema/me-schema.ts"), {
  get: {
    method: "GET",
    path: "/me",
    summary: "Get the name and the rights of the caller",
    scope: null,
    place: "self",
    run: async ({ caller }) => describeCaller(caller),
  },
  set: {
    method: "PATCH",
    path: "/me",
    summary: "Change how the dashboard behaves for the user who calls",
    scope: null,
    place: "self",
    confirms: false,
    explains: false,
    run: async ({ app, caller, body }) => {
      const { timeZone, shortcuts } = await saveSettings(app, caller, caller.name, body);
      return { timeZone, shortcuts };
    },
  },
});
