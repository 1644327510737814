import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { AppError } from "../../base/errors.ts";
import { applyPlan, planOperation } from "../../documents/changes/planning.ts";
import type {
  ProposalView,
  ProposedDifference,
  ProposedOperation,
} from "../../documents/changes/proposal.ts";
import { getProposal } from "../../documents/changes/views.ts";
import { documents } from "../documents.ts";
import { noun } from "../operation.ts";
import { rerunOn, withPage } from "./perform.ts";
import { PROPOSABLE, keyOf } from "./proposable.ts";

const APPLY = keyOf(documents.apply);

/** Changes in two calls: the first returns what would change, the second changes that and nothing else. */
export const plans = noun("changes", () => import("../schema/plans-schema.ts"), {
  make: {
    method: "POST",
    path: "/plans",
    summary: "Plan a change; with its `plan`, make or propose it, if it would still change the same",
    scope: "flags:write",
    place: "seen",
    confirms: false,
    run: async ({ app, caller, deployment, body: { plan, confirm = [], propose = false, ...called } }) => {
      const operation = await checked(caller, called);
      const acting = { ...caller, hasConfirmed: (slug: string) => confirm.includes(slug) };
      const rerun = rerunOn(app);
      const listed = (value: unknown) =>
        operation.operation === APPLY ? (value as { changes: ProposedDifference[] }).changes : null;
      const call = { operation, propose, rerun, listed };
      const seen = ({ id, project }: ProposalView) =>
        getProposal(app, caller, { project, change: id }, rerun);
      const planned =
        plan === undefined
          ? await planOperation(app, acting, call)
          : await applyPlan(app, acting, plan, call);
      const { plan: hash, changes, locked, turnsOff, warnings, approvals } = planned;
      const proposed = "change" in planned ? planned.change : undefined;
      const change = proposed && (await withPage(deployment, await seen(proposed)));
      const applied = plan !== undefined && change === undefined;
      const more = turnsOff.length > 0 && { turnsOff };
      return { applied, plan: hash, changes, locked, warnings, ...more, approvals, change };
    },
  },
});

type Called = {
  operation: string;
  names?: Record<string, string> | undefined;
  body?: unknown;
};

/** The operation with its input as its schemas read it. Throws `invalid`, `forbidden`. */
async function checked(caller: Caller, { operation, names = {}, body }: Called): Promise<ProposedOperation> {
  const found = PROPOSABLE.get(operation);
  if (found?.tool === undefined)
    throw new AppError("invalid", `${operation} is no operation that can be planned`, {
      hint: `these can: ${[...PROPOSABLE].flatMap(([key, { tool }]) => (tool === undefined ? [] : [key])).join("; ")}`,
    });
  const wanted = [...found.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  for (const name of wanted)
    if (names[name] === undefined) throw new AppError("invalid", `names.${name} is missing`);
  const { project, environment } = names;
  if (found.place === "environment" && found.scope !== null)
    requireScope(caller, found.scope, { project, environment });
  const [schemas, { checkBody }] = await Promise.all([found.schemas(), import("../schema/check.ts")]);
  const json = Buffer.from(JSON.stringify(body ?? {}));
  const given = Object.fromEntries(wanted.map((name) => [name, names[name]!]));
  return {
    operation,
    names: given,
    query: found.defaults,
    body: schemas.body && (await checkBody(schemas.body, json, found)),
  };
}
