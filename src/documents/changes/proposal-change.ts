import type { AuditAction } from "../../access/audit/entry.ts";
import type { Proposal, ProposalView } from "./proposal.ts";

/** An event of a proposal that webhooks of its project get; with `change`, targets of the project get a notice of it. */
export type ProposalEvent = { type: string; body: string; change?: ProposalView };

/** A change of proposals and of the webhooks that get them, as the store applies it. */
export type ProposalChange =
  | {
      change: "insertProposal";
      project: string;
      proposal: Proposal;
      action: AuditAction;
      events: ProposalEvent[];
      /** The addresses of reviewers that the first notice of it goes to, besides targets. */
      mail?: readonly string[];
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

/** A webhook of a project that gets its proposals, as it is stored. Times are milliseconds since 1970. */
export type ProjectTarget = {
  id: string;
  project: string;
  url: string;
  /** Signs each delivery. */
  secret: string;
  createdAt: number;
};

/** An event on its way to a webhook. */
export type ProposalDelivery = { id: string; body: string; url: string; secret: string; attempts: number };

/**
 * The end of an attempt: the time of the next one, or the time of this one if it was the last, in milliseconds since
 * 1970.
 */
export type SettledProposalDelivery = {
  id: string;
  dueAt: number;
  endedAt: number | null;
  error: string | null;
};
