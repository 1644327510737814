import { readWhy } from "../../access/why.ts";
import { AppError } from "../../base/errors.ts";
import { DEFAULT_PAGE, nextOf } from "../../base/pages.ts";
import { applyProposal, refreshProposal } from "../../documents/changes/applying.ts";
import { approveProposal, rejectProposal, withdrawProposal } from "../../documents/changes/reviews.ts";
import { getProposal, listProposals } from "../../documents/changes/views.ts";
import type { ProposalView } from "../../documents/changes/proposal.ts";
import { type Call, noun } from "../operation.ts";
import { rerunOn, withPage } from "./perform.ts";

const ALL = "/projects/:project/changes";
const ONE = "/projects/:project/changes/:change";

const shared = { place: "project", confirms: false } as const;
/** Operations on proposals that a caller limited to some environments may reach. */
const within = { ...shared, place: "within" } as const;
const review = { ...shared, method: "POST", scope: "flags:read" } as const;

/** Changes that are proposed, reviewed and then applied. */
export const changes = noun("changes", () => import("../schema/changes-schema.ts"), {
  list: {
    ...within,
    method: "GET",
    path: ALL,
    tool: "changes_list",
    summary:
      "List the proposed changes of a project, newest first; a token for one environment gets changes that reach no other",
    scope: "flags:read",
    defaults: { limit: DEFAULT_PAGE },
    run: async ({ app, caller, names, query: { before, ...filter } }) => {
      const cursor = before === undefined ? undefined : parseCursor(before);
      const filtered = { ...filter, before: cursor };
      const page = await listProposals(app, caller, names.project, filtered, rerunOn(app));
      return { changes: page.items, next: nextOf(page, cursorOf) };
    },
  },
  get: {
    ...within,
    method: "GET",
    path: ONE,
    tool: "changes_get",
    summary: "Get a proposed change",
    scope: "flags:read",
    run: async ({ app, caller, names, tag, deployment }) =>
      tagged({ tag, deployment }, await getProposal(app, caller, names, rerunOn(app))),
  },
  approve: {
    ...review,
    path: `${ONE}/approve`,
    summary:
      "Approve a proposed change, as the ETag names it, with a code where its environments ask for one",
    mayLackBody: true,
    run: async ({ app, caller, names, body, ifMatch, tag, deployment }) => {
      const given = { etag: etagIn(ifMatch), code: body?.code };
      return tagged({ tag, deployment }, await approveProposal(app, caller, names, given));
    },
  },
  reject: {
    ...review,
    path: `${ONE}/reject`,
    summary: "Reject a proposed change",
    run: async ({ app, caller, names, body: { why }, tag, deployment }) =>
      tagged({ tag, deployment }, await rejectProposal(app, caller, names, readWhy(why ?? ""))),
  },
  withdraw: {
    ...review,
    ...within,
    path: `${ONE}/withdraw`,
    tool: "changes_withdraw",
    summary: "Withdraw a proposed change",
    run: async ({ app, caller, names, tag, deployment }) =>
      tagged({ tag, deployment }, await withdrawProposal(app, caller, names)),
  },
  apply: {
    ...review,
    ...within,
    path: `${ONE}/apply`,
    summary: "Apply an approved change, as the ETag names it",
    run: async ({ app, caller, names, ifMatch, tag, deployment }) =>
      tagged({ tag, deployment }, await applyProposal(app, caller, names, etagIn(ifMatch), rerunOn(app))),
  },
  refresh: {
    ...review,
    ...within,
    path: `${ONE}/refresh`,
    summary: "Plan a proposed change again, which voids its approvals if it would now do something else",
    run: async ({ app, caller, names, tag, deployment }) =>
      tagged({ tag, deployment }, await refreshProposal(app, caller, names, rerunOn(app))),
  },
});

async function tagged(
  { tag, deployment }: Pick<Call, "tag" | "deployment">,
  change: ProposalView,
): Promise<{ change: ProposalView }> {
  tag(change.etag);
  return { change: await withPage(deployment, change) };
}

/** The etag of the proposal that the caller has seen; null if it names none. Throws `invalid`. */
function etagIn(ifMatch: string | undefined): string | null {
  if (ifMatch === undefined) return null;
  const etag = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(ifMatch.trim())?.[1];
  if (etag === undefined) throw new AppError("invalid", "If-Match is the etag of the change");
  return etag;
}

/** The position behind a proposal in a list, which stays valid when its proposal is applied or closed. */
export function cursorOf({ createdAt, id }: Pick<ProposalView, "createdAt" | "id">): string {
  return `${Date.parse(createdAt)}.${id}`;
}

/** Throws `invalid` for a text that is not a cursor. */
function parseCursor(cursor: string): { createdAt: number; id: string } {
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]+)$/.exec(cursor) ?? [];
  if (id === undefined) throw new AppError("invalid", "before is the `next` of a page of this list");
  return { createdAt: Number(createdAt), id };
}
