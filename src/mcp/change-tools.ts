import { readWhy } from "../access/why.ts";
import { AppError } from "../base/errors.ts";
import { plans } from "../operations/changes/plans.ts";
import { keyOf } from "../operations/changes/proposable.ts";
import { documents } from "../operations/documents.ts";
import { experiments } from "../operations/experiments.ts";
import { flags } from "../operations/flags.ts";
import { history } from "../operations/history.ts";
import type { Operation } from "../operations/operation.ts";
import { promotion } from "../operations/promotion.ts";
import { ramps } from "../operations/ramps.ts";
import type { Answer } from "./answers.ts";
import type { Api } from "./api.ts";
import { RAMP_FIELDS, type ArgumentName, type Args } from "./arguments.ts";
import { type Tool, toolOf } from "./tool.ts";

/** The arguments of every change, besides `why`. */
const TWO_CALLS: readonly ArgumentName[] = ["propose", "dryRun", "plan", "confirm"];

const HOW =
  "Two calls: the first changes nothing and answers plan and changes; show these to the person, then send the same arguments with dryRun false and plan. Where approvals are needed, the second makes a proposal.";

/** A failure that names what the call would change. */
export class Refused extends Error {
  readonly error: AppError;
  readonly more: Record<string, unknown>;

  constructor(error: AppError, more: Record<string, unknown>) {
    super(error.message);
    this.error = error;
    this.more = more;
  }
}

/** A call of an operation that changes something. */
type Called = { operation: Operation; names?: Record<string, string>; body: unknown };

async function perform(
  api: Api,
  { operation, ...call }: Called,
  { why, propose, dryRun = true, plan, confirm = "" }: Args,
): Promise<Answer> {
  if (!dryRun && plan === undefined)
    throw new AppError("invalid", "a change needs the plan of a dry run", {
      hint: "call it with dryRun true and the same arguments, then again with dryRun false and the plan of the answer",
    });
  const body = { operation: keyOf(operation), ...call, ...(propose && { propose }) };
  const dry = () => api(plans.make, { body });
  readWhy(why ?? "");
  if (dryRun) return { value: await dry() };
  const named = confirm.split(",").map((each) => each.trim());
  try {
    const { change, ...made } = await api(plans.make, { why, body: { ...body, plan, confirm: named } });
    // The first call may have had another reason.
    return { value: change ? { applied: false, change } : { ...made, why: why?.trim() } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, reason } = error;
    if (reason === "plan-differs")
      throw new AppError(code, message, {
        hint: "call it with dryRun true again, and look at what it would change now",
      });
    if (reason !== "environment-locked") throw inTermsOfTools(error);
    const { changes, locked } = await dry();
    const names = locked.join(",");
    const hint = `ask the person, then send the same call with confirm: ${JSON.stringify(names)}`;
    throw new Refused(new AppError(code, message, { hint }), { confirm: names, locked, changes });
  }
}

/** An error whose hint names a header, in the terms of tools. */
function inTermsOfTools(error: AppError): AppError {
  const { code, message, reason } = error;
  if (reason === "document-unconfirmed")
    return new AppError(code, message, { hint: "a person can do that with formflag apply" });
  return error;
}

export const CHANGE_TOOLS: readonly Tool[] = [
  toolOf(flags.set, {
    title: "Change a flag",
    description: `Creates a flag, or changes it in one environment: on or off, payload, variants, rules. All environments share description, owner, tags, colours and permanent. ${HOW}`,
    required: ["project", "environment", "flag", "patch", "why"],
    takes: ["ramp", ...TWO_CALLS],
    own: {
      ramp: { description: `Makes the change go out by a ramp, which turns the flag on. ${RAMP_FIELDS}` },
    },
    isChange: true,
    run: (api, { project, environment, flag, patch, ramp, ...rest }, operation) => {
      const names = { project, environment, flag };
      if (ramp === undefined) return perform(api, { operation, names, body: patch }, rest);
      return perform(api, { operation: ramps.start, names, body: { ...ramp, patch } }, rest);
    },
  }),
  toolOf(history.rollback, {
    title: "Roll back a flag",
    description: `Sets a flag in an environment to what it was after a revision of its history (to), or without one before its newest change. ${HOW}`,
    required: ["project", "environment", "flag", "why"],
    takes: ["to", ...TWO_CALLS],
    own: { to: { type: "integer", minimum: 1, description: "A revision of flags_history." } },
    isChange: true,
    run: (api, { project, environment, flag, to, ...rest }, operation) => {
      const body = to === undefined ? {} : { to };
      return perform(api, { operation, names: { project, environment, flag }, body }, rest);
    },
  }),
  toolOf(promotion.promote, {
    title: "Promote flags",
    description: `Copies the values of flags from one environment to another. ${HOW}`,
    required: ["project", "from", "why"],
    takes: ["to", "environment", "flags", ...TWO_CALLS],
    own: {
      to: { type: "string", minLength: 1, maxLength: 200, description: "Slug of the environment to change." },
      environment: { description: "The same as to." },
    },
    isChange: true,
    run: async (api, { project, from, to, environment, flags: slugs, ...rest }, operation) => {
      const target = environment ?? to;
      if (target === undefined) throw new AppError("invalid", "the argument to is missing");
      if (to !== undefined && to !== target)
        throw new AppError("invalid", "to and environment name two environments: leave out one");
      const body = { from, ...(slugs !== undefined && { flags: slugs }) };
      return perform(api, { operation, names: { project, environment: String(target) }, body }, rest);
    },
  }),
  toolOf(ramps.start, {
    title: "Start a ramp",
    description: `Raises the share of users who get a variant of a flag, step by step, and stops if a guard fires. ${HOW}`,
    required: ["project", "environment", "flag", "ramp", "why"],
    takes: TWO_CALLS,
    isChange: true,
    run: (api, { project, environment, flag, ramp, ...rest }, operation) =>
      perform(api, { operation, names: { project, environment, flag }, body: ramp }, rest),
  }),
  toolOf(experiments.start, {
    title: "Start an experiment",
    description: `Starts an experiment that is a draft: splits the users of its flag between variants, and counts. ${HOW}`,
    required: ["project", "environment", "experiment", "why"],
    takes: TWO_CALLS,
    isChange: true,
    run: (api, { project, environment, experiment, ...rest }, operation) =>
      perform(api, { operation, names: { project, environment, experiment }, body: undefined }, rest),
  }),
  toolOf(documents.apply, {
    title: "Apply a document",
    description: `Makes environments, segments, flags and forms what a document says, all of it or nothing. It deletes no submissions. ${HOW}`,
    required: ["document", "why"],
    takes: ["prune", ...TWO_CALLS],
    scopes: ["admin"],
    isChange: true,
    run: (api, { document, prune = false, ...rest }, operation) =>
      perform(api, { operation, body: { document, prune } }, rest),
  }),
];
