/** Most approvals that an environment can ask for. */
export const MAX_APPROVALS = 5;

/** States of a proposed change. */
export const PROPOSAL_STATUSES = ["open", "approved", "applied", "rejected", "withdrawn", "expired"] as const;

export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];
