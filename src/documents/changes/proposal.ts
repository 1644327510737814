import type * as z from "zod/mini";
import type { PresentedFactor } from "../../access/factors/second-factor.ts";
import type { ActorType } from "../../access/audit/entry.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/sum.ts";
import type { Project } from "../../projects/project.ts";
import type { differenceSchema } from "../document-schema.ts";
import type { proposalSchema } from "./proposal-schema.ts";
import { type ApproveWith, strictest } from "../../projects/approval.ts";
import type { ProposalStatus } from "../../projects/approval.ts";

/** Limits on proposals. */
export const PROPOSAL_LIMITS = {
  /** Open ones of a project, and bytes of their operations and of what they make. */
  open: 200,
  openBytes: 16 * 1024 * 1024,
  /** The same of one author in it: they are planned again for lists after each change of the setup. */
  own: 100,
  ownBytes: 4 * 1024 * 1024,
  /** Bytes of an operation, and of what it makes. */
  bytes: 1024 * 1024,
  /** Changes of a plan that is made at once. */
  planned: 10_000,
  /** Characters of its description. */
  summary: 300,
  /** How long one may stay open: at least and at most, and by default, in milliseconds. */
  leastMs: 1000,
  mostMs: 90 * 86_400_000,
  defaultMs: 14 * 86_400_000,
  /** Webhooks of a project. */
  targets: 20,
} as const;

/** An operation of the admin API as data, such as `PATCH /projects/:project/…`, with what it was called with. */
export type ProposedOperation = {
  operation: string;
  names: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
};

/** A verdict of a reviewer, at a time in milliseconds since 1970; those from before remember no account. */
export type Verdict = {
  who: string;
  account?: string | null;
  verdict: "approved" | "rejected";
  why: string | null;
  at: number;
  /** The second factor that was presented for it. */
  factor?: PresentedFactor;
};

/** The states that the store keeps: whether an open proposal is approved or expired follows from the rest. */
export type StoredStatus = "open" | "applied" | "rejected" | "withdrawn" | "expired";

/** One difference that a proposed change makes: of a document, a scheduled change, a ramp, or an experiment. */
export type ProposedDifference = Omit<Difference, "kind"> & {
  kind: Difference["kind"] | "scheduled" | "ramp" | "experiment";
};

type Difference = z.infer<typeof differenceSchema>;

/** A proposal. Times are milliseconds since 1970. */
export type Proposal = {
  /** A dashed key. */
  id: string;
  project: string;
  /** The environments that it reaches, by slug. */
  environments: string[];
  summary: string;
  why: string | null;
  who: string;
  type: ActorType;
  /** The account of the author; null for the operator, and for proposals from before it was remembered. */
  account: string | null;
  /** The name of the assistant's client that proposed it for the author; null for none. */
  via: string | null;
  status: StoredStatus;
  operation: ProposedOperation;
  differences: ProposedDifference[];
  /** The version of the setup at which the differences were planned. */
  version: number;
  etag: string;
  reviews: Verdict[];
  createdAt: number;
  expiresAt: number;
  appliedBy: string | null;
  appliedAt: number | null;
  bypass: boolean;
};

/** Selects proposals of a project, newest first; `before` is the last one of the previous page. */
export type ProposalQuery = {
  statuses: readonly StoredStatus[];
  limit: number;
  before?: Pick<Proposal, "createdAt" | "id"> | undefined;
};

export type ProposalView = z.infer<typeof proposalSchema>;

/** A text that differs for proposals, and for other differences of one or other environments that it reaches. */
export function etagOf(
  id: string,
  { environments, differences }: Pick<Proposal, "environments" | "differences">,
): string {
  return sha256(JSON.stringify([id, environments, differences]));
}

/** How many approvals a proposal needs today: as many as the strictest of its environments asks for, and at least one. */
export function approvalsNeeded(proposal: Pick<Proposal, "environments">, project: Environments): number {
  return Math.max(1, approvalsRequired(proposal, project));
}

type Environments = { environments: readonly Pick<Project["environments"][number], "slug" | "approvals">[] };

function approvalsRequired({ environments }: Pick<Proposal, "environments">, project: Environments): number {
  const own = project.environments.filter(({ slug }) => environments.includes(slug));
  return Math.max(0, ...own.map(({ approvals }) => approvals));
}

/**
 * Whether a proposal is of a user, who then cannot review it. One that an assistant made for them they review themselves
 * where no approvals are required.
 */
export function isOwn(
  proposal: Pick<Proposal, "who" | "via" | "environments">,
  user: string,
  project: Environments,
): boolean {
  if (proposal.who !== user) return false;
  return proposal.via === null || approvalsRequired(proposal, project) > 0;
}

/** The second factor that an approval of a proposal is given with today: the strictest of its environments; null for none. */
export function factorNeeded(
  { environments }: Pick<Proposal, "environments">,
  project: Pick<Project, "environments">,
): ApproveWith | null {
  return strictest(project.environments.filter(({ slug }) => environments.includes(slug)));
}

/** The users who approved a proposal. */
export function approversOf({ reviews }: Pick<Proposal, "reviews">): string[] {
  return reviews.filter(({ verdict }) => verdict === "approved").map(({ who }) => who);
}

/** The status of a proposal, of whose approvals all count. */
export function statusOf(proposal: Proposal, needed: number, now: number): ProposalStatus {
  if (proposal.status !== "open") return proposal.status;
  if (proposal.expiresAt <= now) return "expired";
  return approversOf(proposal).length >= needed ? "approved" : "open";
}

/** A proposal as the admin API shows it, of whose approvals all count. */
export function viewProposal(
  proposal: Proposal,
  {
    needed,
    approveWith,
    now,
    isOutdated,
  }: { needed: number; approveWith: ApproveWith | null; now: number; isOutdated: boolean },
): ProposalView {
  const { id, project, environments, summary, why, who, via, etag, differences, bypass, appliedBy } =
    proposal;
  return {
    id,
    project,
    environments,
    summary,
    why,
    who,
    via,
    status: statusOf(proposal, needed, now),
    isOutdated,
    needed,
    approveWith,
    etag,
    differences,
    reviews: proposal.reviews.map(({ who, verdict, why, at, factor = null }) => ({
      who,
      verdict,
      why,
      at: isoTime(at),
      factor,
    })),
    createdAt: isoTime(proposal.createdAt),
    expiresAt: isoTime(proposal.expiresAt),
    appliedBy,
    appliedAt: proposal.appliedAt === null ? null : isoTime(proposal.appliedAt),
    bypass,
  };
}

export function noSuchProposal(id: string): AppError {
  return new AppError("not_found", `change "${id}" does not exist`, { reason: "change-not-found" });
}
