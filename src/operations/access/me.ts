import { describeCaller } from "../../access/me.ts";
import { AppError } from "../../base/errors.ts";
import { plainAddress } from "../../delivery/address.ts";
import { saveSettings } from "../../access/users.ts";
import { removeView, saveView } from "../../access/settings/saved-views.ts";
import { noun } from "../operation.ts";

/** Throws `invalid` for a text that is not a plain mail address. */
function mailIn(text: string | null | undefined): string | null | undefined {
  if (text == null) return text;
  const address = plainAddress(text);
  if (address === null)
    throw new AppError("invalid", "reviewMail is one plain mail address, or null", { reason: "review-mail" });
  return address;
}

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
      const settings = { ...body, reviewMail: mailIn(body.reviewMail) };
      const {
        timeZone,
        shortcuts,
        reviewMail = null,
      } = await saveSettings(app, caller, caller.name, settings);
      return { timeZone, shortcuts, reviewMail };
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
