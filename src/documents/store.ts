import type { ChangeStore } from "../access/door.ts";
import type { AccessStore } from "../access/store.ts";
import type { Page } from "../base/pages.ts";
import type { Versioned } from "../base/changes.ts";
import type { FlagsStore } from "../flags/store.ts";
import type { FormsApp, FormsStore } from "../forms/store.ts";
import type { ProjectsStore } from "../projects/store.ts";
import type { ProjectTarget, ProposalDelivery, SettledProposalDelivery } from "./changes/proposal-change.ts";
import type { Proposal, ProposalQuery } from "./changes/proposal.ts";
import type { Setup, SetupChange } from "./setup.ts";

type SetupStore = {
  /** Reads at one moment the projects of these slugs, or all for null, and with `forms` every form. Missing projects are left out. */
  read(projects: string[] | null, forms: boolean): Promise<Setup>;
};

type OpenSum = { count: number; bytes: number };

type ProposalStore = {
  /** Newest first. Throws `not_found` for the project. */
  page(project: string, query: ProposalQuery): Promise<Page<Proposal>>;
  find(project: string, id: string): Promise<Proposal | undefined>;
  /** How many of a project are open at `now` besides one, and their bytes; of all, and of an author alone. */
  sumOpen(
    project: string,
    now: number,
    author: Pick<Proposal, "id" | "who" | "type">,
  ): Promise<{ all: OpenSum; own: OpenSum }>;
  /** When the next open one expires; null if none is open. */
  nextExpiry(): Promise<number | null>;
  /** One that is open and expired at `now`. */
  findExpired(now: number): Promise<Proposal | undefined>;
  /** The webhooks of a project, oldest first. Throws `not_found`. */
  targets(project: string): Promise<ProjectTarget[]>;
  /** When the next event is due; null if none waits. */
  nextDelivery(): Promise<number | null>;
  /** Takes at most `limit` events that are due, which others leave alone until the lease ends. */
  claimDeliveries(now: number, leaseUntil: number, limit: number): Promise<ProposalDelivery[]>;
  settleDelivery(settled: SettledProposalDelivery): Promise<void>;
  /** Removes deliveries that ended before a time. */
  clearDeliveries(before: number): Promise<void>;
};

/** The part of the app that plans and applies documents. */
export type DocumentsApp = Omit<FormsApp, "store"> & {
  store: Versioned &
    ProjectsStore &
    FlagsStore &
    FormsStore & { setup: SetupStore } & ChangeStore<SetupChange>;
};

/** The part of the app that proposes and reviews changes. */
export type ProposalsApp = DocumentsApp & {
  store: { proposals: ProposalStore } & Pick<
    AccessStore,
    "users" | "tokens" | "members" | "factors" | "secrets" | "audit"
  >;
};
