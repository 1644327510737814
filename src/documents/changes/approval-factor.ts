import type { Caller } from "../../access/caller.ts";
import type { Presented } from "../../access/factors/presented.ts";
import type { SecondFactor } from "../../access/factors/second-factor.ts";
import { AppError } from "../../base/errors.ts";
import { type ApproveWith, satisfies } from "../../projects/approval.ts";
import type { ProposalsApp } from "../store.ts";
import { type Proposal, factorNeeded } from "./proposal.ts";

const NAMES: Record<SecondFactor, string> = { totp: "an authenticator app", passkey: "a passkey" };

/** The factors that an approval takes, in words to the reviewer. */
export const TAKES: Record<ApproveWith, string> = {
  any: "a passkey or a code of your authenticator app",
  totp: "a code of your authenticator app",
  passkey: "a passkey",
};

/**
 * Requires the second factor that the environments of a proposal ask for. Throws `unconfirmed` where none of that kind is
 * presented, and `forbidden` with the reason `factor-not-set-up` for a user who does not have what is asked for or presented.
 */
export async function requireFactor(
  app: ProposalsApp,
  { name }: Caller,
  proposal: Proposal,
  presented: Presented | null,
): Promise<void> {
  const project = await app.store.projects.find(proposal.project);
  const needed = factorNeeded(proposal, project ?? { environments: [] });
  if (needed === null && presented === null) return;
  const own = (await app.store.users.find(name))?.secondFactors ?? [];
  const kind = presented && ("passkey" in presented ? "passkey" : "totp");
  const suits = (each: SecondFactor) => satisfies(each, needed);
  if (!own.some(suits) || (kind !== null && !own.includes(kind))) {
    const lacking = needed === "any" || needed === null ? (kind ?? null) : needed;
    const what = lacking === null ? `${NAMES.passkey} or ${NAMES.totp}` : NAMES[lacking];
    throw new AppError("forbidden", `to approve this change takes ${what}, which you do not have`, {
      reason: "factor-not-set-up",
      hint: "add it on your own page of the dashboard, under How you sign in",
    });
  }
  if (satisfies(kind, needed)) return;
  throw new AppError("unconfirmed", `to approve this change takes ${TAKES[needed ?? "any"]}`, {
    reason: "factor-needed",
    hint:
      needed === "passkey"
        ? "open the page of the change in the dashboard, and approve it there"
        : "send the code in the body, as code",
  });
}
