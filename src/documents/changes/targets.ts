import type { Caller } from "../../access/caller.ts";
import { type Plan, change } from "../../access/door.ts";
import { requireScope } from "../../access/rights.ts";
import { isoTime } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import type { Outgoing } from "../../delivery/outgoing.ts";
import {
  createWebhookSecret,
  maskTarget,
  noSuchTarget,
  parseTarget,
  targetId,
} from "../../delivery/target.ts";
import { getProject } from "../../projects/projects.ts";
import type { ProposalsApp } from "../store.ts";
import { PROPOSAL_LIMITS } from "./proposal.ts";
import type { ProjectTarget, ProposalChange } from "./proposal-change.ts";

/**
 * Adds a webhook for the proposals of a project. Returns its secret, which is not shown again. Throws `invalid`
 * for anything but the URL of a webhook and for a URL that `outgoing.check` refuses, `conflict` for too many,
 * `forbidden`.
 */
export async function addProjectTarget(
  app: ProposalsApp,
  caller: Caller,
  project: string,
  text: string,
  outgoing: Outgoing,
): Promise<{ id: string; secret: string }> {
  requireScope(caller, "admin", { project });
  const target = parseTarget(text);
  if (target.kind !== "webhook")
    throw new AppError("invalid", "changes are sent to webhooks, not to a chat service");
  await getProject(app, project);
  // A plan must not wait for a name service.
  await outgoing.check(target);
  type Added = { id: string; secret: string };
  return change(app, caller, async ({ at }): Promise<Plan<ProposalChange, Added>> => {
    requireScope(caller, "admin", { project });
    if ((await app.store.proposals.targets(project)).length >= PROPOSAL_LIMITS.targets)
      throw new AppError(
        "conflict",
        `project "${project}" has ${PROPOSAL_LIMITS.targets} targets, the most there may be`,
        { reason: "target-limit" },
      );
    const [id, secret] = [targetId(app.random), createWebhookSecret(app.random)];
    const added: ProjectTarget = { id, project, url: target.url, secret, createdAt: at };
    return { changes: [{ change: "insertProjectTarget", project, target: added }], result: { id, secret } };
  });
}

/** The webhooks of a project, oldest first, with masked URLs. Throws `not_found`, `forbidden`. */
export async function listProjectTargets(app: ProposalsApp, caller: Caller, project: string) {
  requireScope(caller, "admin", { project });
  return (await app.store.proposals.targets(project)).map(({ id, url, createdAt }) => ({
    id,
    project,
    kind: "webhook",
    target: maskTarget({ kind: "webhook", url }),
    on: ["changes" as const],
    createdAt: isoTime(createdAt),
  }));
}

/** Deletes a webhook of a project; what waits for it is not sent. Throws `not_found`, `forbidden`. */
export function deleteProjectTarget(
  app: ProposalsApp,
  caller: Caller,
  project: string,
  id: string,
): Promise<void> {
  requireScope(caller, "admin", { project });
  return change(app, caller, async (): Promise<Plan<ProposalChange, void>> => {
    if (!(await app.store.proposals.targets(project)).some((target) => target.id === id))
      throw noSuchTarget(id);
    return { changes: [{ change: "deleteProjectTarget", project, id }], result: undefined };
  });
}
