import type { PresentedFactor } from "../access/factors/second-factor.ts";

/** Most approvals that an environment can ask for. */
export const MAX_APPROVALS = 5;

/** Second factors that an environment can ask for at an approval, the strictest last; `any` is either of the others. */
export const APPROVE_WITH = ["any", "totp", "passkey"] as const;

export type ApproveWith = (typeof APPROVE_WITH)[number];

/** How strict a factor that is asked for is; 0 for none. */
export function strictness(needed: ApproveWith | null): number {
  return needed === null ? 0 : APPROVE_WITH.indexOf(needed) + 1;
}

/** The strictest of the factors that environments ask for. */
export function strictest(environments: readonly { approveWith: ApproveWith | null }[]): ApproveWith | null {
  return environments
    .map(({ approveWith }) => approveWith)
    .reduce((most, each) => (strictness(each) > strictness(most) ? each : most), null);
}

/** Whether an approval with a factor, or with none, is enough where that is asked for; a recovery code counts as a code. */
export function satisfies(factor: PresentedFactor | null, needed: ApproveWith | null): boolean {
  if (needed === null) return true;
  if (factor === null) return false;
  return needed === "any" || (needed === "passkey") === (factor === "passkey");
}

/** States of a proposed change. */
export const PROPOSAL_STATUSES = ["open", "approved", "applied", "rejected", "withdrawn", "expired"] as const;

export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];
