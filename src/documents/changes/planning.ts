import type { Caller } from "../../access/caller.ts";
import { isActor } from "../../access/review/current-rights.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { dashedKey } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { sha256 } from "../../base/sum.ts";
import { requireNeedsAfter } from "../../flags/requires/after.ts";
import { describeLocks, lockError } from "../../projects/locks.ts";
import { type TurnedOff, turnedOffAfter, turnedOffSentences } from "../needs-after.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import type { Rerun } from "./found.ts";
import {
  PROPOSAL_LIMITS,
  type ProposalView,
  type ProposedDifference,
  type ProposedOperation,
  approvalsNeeded,
} from "./proposal.ts";
import { proposeChange } from "./proposals.ts";
import { approvedIn, differencesOf } from "./proposed-differences.ts";
import { view } from "./views.ts";

/** The changes that an operation makes, or would make. */
export type Planned = {
  /** A hash of the operation, its input, its changes and the version of the setup. */
  plan: string;
  changes: ProposedDifference[];
  /** The locked environments that it changes, by slug. */
  locked: string[];
  turnsOff: TurnedOff[];
  /** Sentences about what else follows: `turns off 3 more: search, sale, banner`. */
  warnings: string[];
  /** Approvals of people that the changes need, so that they are proposed; 0 if they are made. */
  approvals: number;
};

/** A call that is planned. With `propose`, its changes are proposed also where they need no approvals. */
export type PlannedCall = { operation: ProposedOperation; propose: boolean; rerun: Rerun; listed: Listed };

type Seen = Planned & { version: number; locks: Map<string, Set<string>>; isEmpty: boolean };

/** The differences in the answer of an operation that lists them itself; null for any other. */
type Listed = (value: unknown) => ProposedDifference[] | null;

/** The changes that an operation would make now. Throws what the operation throws, but for locks and approvals. */
export async function planOperation(
  app: ProposalsApp,
  caller: Caller,
  { operation, propose, rerun, listed }: PlannedCall,
): Promise<Seen> {
  let found: { changes: readonly SetupChange[]; version: number } | undefined;
  const locks = new Map<string, Set<string>>();
  let isProposed = propose;
  const value = await rerun(operation, {
    ...caller,
    async verify() {
      locks.clear();
      isProposed = propose;
      await caller.verify();
    },
    review: {
      isReviewed: false,
      admit: () => void (isProposed = true),
      meetLocks: (project, slugs) =>
        void locks.set(project, new Set([...(locks.get(project) ?? []), ...slugs])),
      note: () => null,
      settle: async (changes, { version }) => {
        found = { changes: changes as readonly SetupChange[], version };
        return null;
      },
    },
  });
  if (!found) throw new AppError("invalid", "this call would change nothing, whatever is stored");
  if (found.changes.length > PROPOSAL_LIMITS.planned)
    throw new AppError("too_large", `a plan has at most ${PROPOSAL_LIMITS.planned} changes`);
  await requireNeedsAfter(app.store, found.changes);
  const { project = "" } = operation.names;
  const changes = listed(value) ?? (await differencesOf(app, project, found.changes));
  const { version } = found;
  const input = [operation.operation, operation.names, operation.query ?? null, operation.body ?? null];
  const isEmpty = found.changes.length === 0;
  if (isEmpty) isProposed = false;
  // A person who approves has seen the environments that are locked.
  const locked = isProposed ? [] : [...locks.values()].flatMap((slugs) => [...slugs]);
  const plan = sha256(JSON.stringify(inOrder([...input, changes, version, ...(propose ? ["propose"] : [])])));
  const turnsOff = await turnedOffAfter(app, found.changes);
  const warnings = turnedOffSentences(turnsOff, found.changes);
  const approvals = isProposed ? await approvalsOf(app, operation, found.changes) : 0;
  if (approvals > 0)
    warnings.push(
      `needs ${approvals === 1 ? "an approval" : `${approvals} approvals`}: people get it as a proposal`,
    );
  return {
    plan,
    changes,
    turnsOff,
    warnings,
    locked: [...new Set(locked)].toSorted(),
    approvals,
    version,
    locks,
    isEmpty,
  };
}

/** The approvals that changes need as a proposal. Throws `invalid` for those of several projects. */
async function approvalsOf(
  app: ProposalsApp,
  { names, body }: ProposedOperation,
  changes: readonly SetupChange[],
): Promise<number> {
  const project = projectOf(names, body);
  const approved = await approvedIn(app, { project, names }, changes);
  return approvalsNeeded(approved, (await app.store.projects.find(project)) ?? { environments: [] });
}

/**
 * Makes planned changes, or proposes them if they need approvals, if the operation would still make the same ones from
 * the same setup. One plan makes one proposal, which its author gets again for the same call and reason. Throws `conflict` with
 * the reason `plan-differs` if not, `unconfirmed` and `forbidden` for locked environments.
 */
export async function applyPlan(
  app: ProposalsApp,
  caller: Caller,
  plan: string,
  call: PlannedCall,
): Promise<Planned & { change?: ProposalView }> {
  const proposed = async () => {
    const change = await proposedBy(app, caller, call.operation, plan);
    if (!change) return null;
    const { differences: changes, needed: approvals } = change;
    return { plan, changes, turnsOff: [], locked: [], warnings: [], approvals, change };
  };
  const before = await proposed();
  if (before) return before;
  try {
    return await makePlanned(app, caller, plan, call);
  } catch (error) {
    // The same call may have come twice at once, of which the other was first.
    const made = error instanceof AppError && error.reason === PLAN_DIFFERS && (await proposed());
    if (!made) throw error;
    return made;
  }
}

/** The same for a plan that has made no proposal yet. */
async function makePlanned(
  app: ProposalsApp,
  caller: Caller,
  plan: string,
  call: PlannedCall,
): Promise<Planned & { change?: ProposalView }> {
  const { operation, rerun } = call;
  const seen = await planOperation(app, caller, call);
  if (seen.plan !== plan) throw differs();
  if (seen.approvals > 0) {
    const project = projectOf(operation.names, operation.body);
    const planned = { id: idOf(plan), requireAt: (version: number) => requireSame(version, seen.version) };
    const open = { project, lasts: PROPOSAL_LIMITS.defaultMs, planned };
    const proposed = await proposeChange(app, caller, operation, open, rerun);
    if ("change" in proposed) return { ...seen, change: proposed.change };
  }
  const unconfirmed: string[] = [];
  for (const [project, slugs] of seen.locks) {
    for (const environment of slugs) requireScope(caller, "flags:locked", { project, environment });
    const open = [...slugs].filter((slug) => !caller.hasConfirmed(slug));
    if (open.length > 0) unconfirmed.push(describeLocks(project, open));
  }
  if (unconfirmed.length > 0) throw lockError(unconfirmed);
  await rerun(operation, {
    ...caller,
    review: {
      isReviewed: false,
      // Nothing to approve, where nothing changes.
      admit: seen.isEmpty ? () => {} : null,
      meetLocks: () => {},
      note: () => null,
      settle: async (changes, { version }) => {
        requireSame(version, seen.version);
        return changes;
      },
    },
  });
  return seen;
}

function requireSame(version: number, planned: number): void {
  if (version !== planned) throw differs();
}

/** The proposal that a plan has made, by the same caller with the same call; undefined if it has made none. */
async function proposedBy(
  app: ProposalsApp,
  caller: Caller,
  operation: ProposedOperation,
  plan: string,
): Promise<ProposalView | undefined> {
  const project = operation.names["project"] ?? projectIn(operation.body);
  const found = project === undefined ? undefined : await app.store.proposals.find(project, idOf(plan));
  if (!found) return undefined;
  const isOwn =
    found.via === (caller.via ?? null) && (await isActor(app, caller, { ...found, name: found.who }));
  // As it is stored: without what is undefined.
  const called = JSON.parse(JSON.stringify(operation)) as ProposedOperation;
  const isSame = found.why === (caller.why ?? null) && Bun.deepEquals(found.operation, called);
  if (!isOwn || !isSame) throw differs();
  return view(app, caller, found);
}

/** The id of the proposal that a plan makes. */
function idOf(plan: string): string {
  let round = 0;
  return dashedKey((length) => Buffer.from(sha256(`${plan} ${(round += 1)}`), "hex").subarray(0, length));
}

/** The project that the names or the document of a call name. Throws `invalid` for a document with several. */
export function projectOf(names: ProposedOperation["names"], body: unknown): string {
  const project = names["project"] ?? projectIn(body);
  if (project !== undefined) return project;
  throw new AppError(
    "invalid",
    "a document that is proposed, or bypasses approvals, has one project, and no forms beside it",
    { reason: "document-projects" },
  );
}

/** The one project of a document; undefined if it has another number of them, or forms beside it. */
function projectIn(body: unknown): string | undefined {
  const { document } = body as { document?: { projects?: object; forms?: object } };
  const [project, other] = Object.keys(document?.projects ?? {});
  return other === undefined && document?.forms === undefined ? project : undefined;
}

const PLAN_DIFFERS = "plan-differs";

function differs(): AppError {
  return new AppError("conflict", "the plan is not of this change, or the setup has changed since", {
    reason: PLAN_DIFFERS,
    hint: "plan the change again, and look at what it would change now",
  });
}

/** A JSON value whose objects have their names in order, so that equal values have one text. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, inOrder(member)]);
}
