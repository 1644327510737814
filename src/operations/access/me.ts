import { describeCaller } from "../../access/me.ts";
import { saveSettings } from "../../access/users.ts";
import { removeView, saveView } from "../../access/settings/saved-views.ts";
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
  saveView: {
    method: "PUT",
    path: "/me/views/:view",
    summary: "Save a list of submissions under a name, in the dashboard of the user who calls",
    scope: null,
    place: "self",
    run: ({ app, caller, names, body }) => saveView(app, caller, { name: names.view, ...body }),
  },
  removeView: {
    method: "DELETE",
    path: "/me/views/:view",
    summary: "Remove a saved list of submissions",
    scope: null,
    place: "self",
    run: ({ app, caller, names }) => removeView(app, caller, names.view),
  },
});
