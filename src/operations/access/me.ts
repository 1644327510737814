import { describeCaller } from "../../access/me.ts";
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
});
