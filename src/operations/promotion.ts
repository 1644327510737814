import { AppError } from "../base/errors.ts";
import { fingerprintOf } from "../flags/promotions.ts";
import { promoteFlags } from "../flags/promotions.ts";
import { noun } from "./operation.ts";

export const promotion = noun("flags", async () => (await import("./schema/lifecycle-schema.ts")).promotion, {
  promote: {
    method: "POST",
    path: "/projects/:project/environments/:environment/promote",
    tool: "flags_promote",
    summary: "Copy the values of flags from another environment",
    scope: "flags:write",
    place: "environment",
    proposes: true,
    levels: 2,
    run: async ({ app, caller, names, body, ifMatch, tag }) => {
      const { from, flags = null, segments = false, dryRun = false } = body;
      const order = { from, to: names.environment, flags, segments };
      const expected = fingerprintIn(ifMatch);
      const promotion = await promoteFlags(app, caller, names.project, order, dryRun, expected);
      if (dryRun) tag(await fingerprintOf(promotion));
      return promotion;
    },
  },
});

/** The fingerprint of a dry run that `If-Match` names; null if it names none. Throws `invalid`. */
function fingerprintIn(ifMatch: string | undefined): string | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  const fingerprint = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(ifMatch.trim())?.[1];
  if (fingerprint === undefined)
    throw new AppError("invalid", "If-Match is the ETag of the answer to a dry run");
  return fingerprint;
}
