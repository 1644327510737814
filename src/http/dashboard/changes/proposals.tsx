import type { AppError } from "../../../base/errors.ts";
import type { ProposalView } from "../../../documents/changes/proposal.ts";
import { changes as operations } from "../../../operations/changes/changes.ts";
import { getProject } from "../../../projects/projects.ts";
import type { DashboardContext } from "../dashboard-env.ts";
import { textOrNull } from "../fields.ts";
import { PROPOSAL } from "../notice-pages.ts";
import { type ParametersOf, pathTo } from "../paths.ts";
import type { Dashboard } from "../routes.ts";
import { proposalPage } from "./proposal-page.tsx";

/** Reviews and other steps of a proposal, and what is said of it afterwards. */
const STEPS = [
  [
    "approve",
    ({ status }: ProposalView) => (status === "approved" ? "Approved: it can be applied." : "Approved."),
  ],
  ["reject", () => "Rejected."],
  ["withdraw", () => "Withdrawn."],
  ["apply", ({ summary }: ProposalView) => `Applied: ${summary}.`],
  ["refresh", () => "Planned again."],
] as const;

export function proposalRoutes({ app, get, post, act, perform }: Dashboard) {
  const show = async (
    c: DashboardContext,
    names: ParametersOf<typeof PROPOSAL>,
    error: AppError | null = null,
  ) => {
    const [{ environments }, { change: proposal }] = await Promise.all([
      getProject(app, names.project),
      perform(c, operations.get, { names }),
    ]);
    return proposalPage({ environments, proposal, error });
  };

  get(PROPOSAL, "flags:read", (c, place) => show(c, place));
  for (const [name, said] of STEPS)
    post(
      `${PROPOSAL}/${name}`,
      "flags:read",
      act({
        operation: operations[name],
        input: ({ fields, names }) => ({
          names,
          etag: textOrNull(fields, "etag") ?? undefined,
          ...(name === "reject" && { body: { why: textOrNull(fields, "why") } }),
        }),
        done: ({ change }, { names }) => ({ to: pathTo(PROPOSAL, names), text: said(change) }),
        again: async ({ c, names }, _, error) => {
          const status = error.code === "unapproved" || error.code === "unconfirmed" ? 428 : 409;
          return { ...(await show(c, names, error)), status };
        },
        at: { conflict: "", outdated: "", unapproved: "", unconfirmed: "" },
      }),
    );
}
