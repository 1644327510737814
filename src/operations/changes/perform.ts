import { NO_BROWSER } from "../../access/session.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { parseDuration } from "../../base/units.ts";
import type { Rerun } from "../../documents/changes/found.ts";
import { projectOf } from "../../documents/changes/planning.ts";
import { bypassing, proposeChange } from "../../documents/changes/proposals.ts";
import {
  PROPOSAL_LIMITS,
  type ProposalView,
  type ProposedOperation,
} from "../../documents/changes/proposal.ts";
import type { Deployment } from "../deployment.ts";
import type { Call, Operation } from "../operation.ts";
import { PROPOSABLE, keyOf } from "./proposable.ts";

/** The way of a call around its operation: a proposal of it for some time, such as `14d`, or a bypass of approvals. */
export type Detour = { propose: string } | { bypass: true };

/** A call of an operation that can be proposed. It does not depend on where it runs, or on the headers sent with it. */
function proposableCall(call: Pick<Call, "app" | "caller" | "names" | "query" | "body">): Call {
  // Whether mail can be sent is said where the change is made.
  const deployment = {
    sendsMail: async () => true,
    knowsUrl: async () => true,
  } as Partial<Deployment> as Deployment;
  return { ...call, deployment, sender: NO_BROWSER, tag: () => {} };
}

/** Runs proposed operations on an app. */
export function rerunOn(app: App): Rerun {
  return async ({ operation, names, query, body }, caller) => {
    const found = PROPOSABLE.get(operation);
    if (!found)
      throw new AppError("unsupported", `this formflag does not know the operation ${operation}`, {
        reason: "change-unknown",
      });
    return found.run(proposableCall({ app, caller, names, query, body }));
  };
}

const NOT_PROPOSABLE = "this operation cannot be proposed";
const NO_BYPASS = "this operation bypasses no approvals";

/**
 * Proposes an operation, or runs it without approvals. Returns the proposal, or the answer of the operation.
 * Throws `invalid` for an operation that cannot be proposed, and what the operation throws.
 */
export async function performBy(
  detour: Detour,
  operation: Operation,
  call: Call,
): Promise<{ change: ProposalView } | { value: unknown }> {
  const bypasses = "bypass" in detour;
  if (!operation.proposes)
    throw new AppError("invalid", bypasses ? NO_BYPASS : NOT_PROPOSABLE, {
      reason: bypasses ? "bypass-unneeded" : "not-proposable",
      hint: "changes of flags, segments, schedules, ramps and experiments can, and promote, rollback, import and apply",
    });
  const { app, caller, names, query, body } = call;
  const proposed: ProposedOperation = { operation: keyOf(operation), names, query, body };
  const project = projectOf(names, body);
  if (bypasses) {
    const review = bypassing(app, caller, proposed);
    return { value: await operation.run({ ...call, caller: { ...caller, review } }) };
  }
  const lasts = lastsIn(detour.propose);
  return proposeChange(app, caller, proposed, { project, lasts }, (_, reviewed) =>
    operation.run({ ...call, caller: reviewed }),
  );
}

/** A proposal with the address of its page. */
export async function withPage({ pageUrl }: Call["deployment"], change: ProposalView): Promise<ProposalView> {
  const { project, id } = change;
  return { ...change, url: await pageUrl(`/projects/${project}/changes/${id}`) };
}

/** The time that a proposal stays open, in milliseconds. Throws `invalid`. */
function lastsIn(text: string): number {
  const ms = (parseDuration(text.trim()) ?? Number.NaN) * 1000;
  if (ms >= PROPOSAL_LIMITS.leastMs && ms <= PROPOSAL_LIMITS.mostMs) return ms;
  throw new AppError("invalid", `a change is proposed for a time from 1s to 90d, such as 14d, not ${text}`, {
    reason: "propose-time",
  });
}
