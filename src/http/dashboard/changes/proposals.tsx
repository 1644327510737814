import { AppError } from "../../../base/errors.ts";
import { nextOf } from "../../../base/pages.ts";
import { applyChange, refreshChange } from "../../../documents/changes/applying.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { approveChange, rejectChange, withdrawChange } from "../../../documents/changes/reviews.ts";
import { getChange, listChanges } from "../../../documents/changes/views.ts";
import { rerunOn } from "../../../operations/changes/perform.ts";
import { PROPOSAL_STATUSES } from "../../../projects/approval.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOf, textOrNull } from "../fields.ts";
import { PROPOSAL } from "../notice-pages.ts";
import { PROJECT, pathTo } from "../paths.ts";
import type { Done, Dashboard } from "../routes.ts";
import type { Page } from "../page.tsx";
import { proposalsPage } from "./proposal-list.tsx";
import { proposalPage } from "./proposal-page.tsx";

/** Changes on one page. */
const PAGE = 20;

const PROPOSALS = `${PROJECT}/changes` as const;

type Place = { project: string; change: string };

/** A review or another step of a change, and what is said of it afterwards. */
type Step = {
  name: string;
  act: (
    c: DashboardContext,
    place: Place,
    seen: { etag: string | null; why: string | undefined },
  ) => Promise<ProposalView>;
  said: (change: ProposalView) => string;
};

export function proposalRoutes({ app, get, post }: Dashboard) {
  const rerun = rerunOn(app);
  const show = async (
    c: DashboardContext,
    { project, change }: Place,
    error: AppError | null = null,
  ): Promise<Page> => {
    const [{ environments }, found] = [
      await getProject(app, project),
      await getChange(app, c.get("caller"), { project, change }, rerun),
    ];
    return proposalPage({ environments, change: found, error });
  };

  get(PROPOSALS, "flags:read", async (c, parameters) => {
    const { slug: project } = await getProject(app, parameters.project);
    const status = statusIn(c.req.query("status"));
    const before = cursorIn(c.req.query("before"));
    const page = await listChanges(app, c.get("caller"), project, { status, limit: PAGE, before }, rerun);
    const next = nextOf(page, ({ createdAt, id }) => `${Date.parse(createdAt)}.${id}`);
    return proposalsPage({ project, status, changes: page.items, isLater: before !== undefined, next });
  });
  get(PROPOSAL, "flags:read", (c, place) => show(c, place));

  const steps: readonly Step[] = [
    {
      name: "approve",
      act: (c, place, { etag }) => approveChange(app, c.get("caller"), place, etag),
      said: ({ status }) => (status === "approved" ? "Approved: it can be applied." : "Approved."),
    },
    {
      name: "reject",
      act: (c, place, { why }) => rejectChange(app, c.get("caller"), place, why),
      said: () => "Rejected.",
    },
    {
      name: "withdraw",
      act: (c, place) => withdrawChange(app, c.get("caller"), place),
      said: () => "Withdrawn.",
    },
    {
      name: "apply",
      act: (c, place, { etag }) => applyChange(app, c.get("caller"), place, etag, rerun),
      said: ({ summary }) => `Applied: ${summary}.`,
    },
    {
      name: "refresh",
      act: (c, place) => refreshChange(app, c.get("caller"), place, rerun),
      said: () => "Planned again.",
    },
  ];
  for (const { name, act, said } of steps)
    post(`${PROPOSAL}/${name}`, "flags:read", async (c, fields, place): Promise<Done | Page> => {
      const etag = textOrNull(fields, "etag");
      const why = textOf(fields, "why").trim() || undefined;
      try {
        const change = await act(c, place, { etag: etag === "" ? null : etag, why });
        return { to: pathTo(PROPOSAL, place), text: said(change) };
      } catch (error) {
        if (!(error instanceof AppError) || !STATUSES.has(error.code)) throw error;
        return { ...(await show(c, place, error)), status: STATUSES.get(error.code)! };
      }
    });
}

/** The statuses of refusals that show the change again. */
const STATUSES: ReadonlyMap<string, 403 | 409 | 428> = new Map([
  ["conflict", 409],
  ["outdated", 409],
  ["unapproved", 428],
  ["unconfirmed", 428],
] as const);

/** Throws `invalid`. */
function statusIn(text: string | undefined): ProposalView["status"] | undefined {
  if (!text) return undefined;
  const status = PROPOSAL_STATUSES.find((each) => each === text);
  if (!status) throw new AppError("invalid", `a status is one of ${PROPOSAL_STATUSES.join(", ")}`);
  return status;
}

/** Reads the cursor at the end of the page before. Throws `invalid`. */
function cursorIn(text: string | undefined) {
  if (!text) return undefined;
  const [, createdAt, id] = /^(\d{1,15})\.([\w-]+)$/.exec(text) ?? [];
  if (id === undefined) throw new AppError("invalid", "the address of this page is not complete");
  return { createdAt: Number(createdAt), id };
}
