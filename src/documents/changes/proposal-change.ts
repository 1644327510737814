import type { AuditAction } from "../../access/audit/entry.ts";
import type { Proposal } from "./proposal.ts";

/** An event of a proposed change that webhooks of its project get. */
export type ProposalEvent = { type: string; body: string };

/** A change of proposed changes and of the webhooks that get them, as the store applies it. */
export type ProposalChange =
  | {
      change: "insertProposal";
      project: string;
      proposal: Proposal;
      action: AuditAction;
      events: ProposalEvent[];
    }
  /** Replaces everything of the change that can change. */
  | {
      change: "updateProposal";
      project: string;
      proposal: Proposal;
      action: AuditAction;
      events: ProposalEvent[];
    }
  | { change: "insertProjectTarget"; project: string; target: ProjectTarget }
  | { change: "deleteProjectTarget"; project: string; id: string };

/** A webhook of a project that gets its changes, as it is stored. Times are milliseconds since 1970. */
export type ProjectTarget = {
  id: string;
  project: string;
  url: string;
  /** Signs each delivery. */
  secret: string;
  createdAt: number;
};
