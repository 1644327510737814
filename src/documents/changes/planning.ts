import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import { sha256 } from "../../base/sum.ts";
import { describeLocks, lockError } from "../../projects/locks.ts";
import { requireNeedsAfter, turnedOffAfter } from "../needs-after.ts";
import type { SetupChange } from "../setup.ts";
import type { ProposalsApp } from "../store.ts";
import type { Rerun } from "./found.ts";
import { PROPOSAL_LIMITS, type ProposedDifference, type ProposedOperation } from "./proposal.ts";
import { differencesOf } from "./proposed-differences.ts";

/** The changes that an operation makes, or would make. */
export type Planned = {
  /** A hash of the operation, its input, its changes and the version of the setup. */
  plan: string;
  changes: ProposedDifference[];
  /** The locked environments that it changes, by slug. */
  locked: string[];
  /** Sentences about what else follows: `turns off 3 more: search, sale, banner`. */
  warnings: string[];
};

type Seen = Planned & { version: number; locks: Map<string, Set<string>> };

/** The differences in the answer of an operation that lists them itself; null for any other. */
type Listed = (value: unknown) => ProposedDifference[] | null;

/** The changes that an operation would make now. Throws what the operation throws, but for locks and approvals. */
export async function planOperation(
  app: ProposalsApp,
  caller: Caller,
  operation: ProposedOperation,
  rerun: Rerun,
  listed: Listed,
): Promise<Seen> {
  let found: { changes: readonly SetupChange[]; version: number } | undefined;
  const locks = new Map<string, Set<string>>();
  const value = await rerun(operation, {
    ...caller,
    async verify() {
      locks.clear();
      await caller.verify();
    },
    review: {
      isReviewed: false,
      admit: () => {},
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
  const locked = [...locks.values()].flatMap((slugs) => [...slugs]);
  const plan = sha256(JSON.stringify(inOrder([...input, changes, version])));
  const warnings = await turnedOffAfter(app, found.changes);
  return { plan, changes, warnings, locked: [...new Set(locked)].toSorted(), version, locks };
}

/**
 * Makes planned changes, if the operation would still make the same ones from the same setup. Throws `conflict` with
 * the reason `plan-differs` if not, `unconfirmed` and `forbidden` for locked environments, `unapproved`.
 */
export async function applyPlan(
  app: ProposalsApp,
  caller: Caller,
  operation: ProposedOperation,
  plan: string,
  rerun: Rerun,
  listed: Listed,
): Promise<Planned> {
  const seen = await planOperation(app, caller, operation, rerun, listed);
  if (seen.plan !== plan) throw differs();
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
      admit: null,
      meetLocks: () => {},
      note: () => null,
      settle: async (changes, { version }) => {
        if (version !== seen.version) throw differs();
        return changes;
      },
    },
  });
  return seen;
}

function differs(): AppError {
  return new AppError("conflict", "the plan is not of this change, or the setup has changed since", {
    reason: "plan-differs",
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
