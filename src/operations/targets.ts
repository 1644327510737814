import { parseTarget } from "../delivery/target.ts";
import {
  addTarget,
  deleteTarget,
  getTarget,
  listTargets,
  mayUseNoticeTarget,
  rotateSecret,
  setTarget,
} from "../forms/targets.ts";
import { testTarget } from "../forms/target-test.ts";
import { formIn } from "./form-query.ts";
import { type Unchecked, noun } from "./operation.ts";
import { mailWarnings, updated } from "./results.ts";

const OF_FORM = "/forms/:form/targets";
const ONE = "/targets/:target";

/** Lets callers read or change targets of projects by the scopes of flags. */
const other = (scope: "flags:read" | "flags:write") => ({
  other: scope,
  admits: ({ app, caller, names }: Unchecked) => mayUseNoticeTarget(app, caller, scope, names["target"]!),
});

export const targets = noun("targets", () => import("./schema/targets-schema.ts"), {
  list: {
    method: "GET",
    path: OF_FORM,
    summary: "List the targets of a form, oldest first, with masked URLs",
    scope: "forms:read",
    place: "form",
    defaults: {},
    run: async ({ app, caller, names, query }) => ({
      targets: await listTargets(app, caller, formIn(names, query)),
    }),
  },
  add: {
    method: "POST",
    path: OF_FORM,
    summary: "Add a target to a form; the secret of a webhook is shown once",
    scope: "forms:write",
    place: "form",
    status: 201,
    defaults: {},
    run: async ({ app, deployment, caller, names, query, body: { target, ...given } }) => {
      const outgoing = await deployment.outgoing();
      const added = await addTarget(app, caller, formIn(names, query), target, outgoing, given);
      return { ...added, ...(await mailWarnings(deployment, parseTarget(target).kind === "mail")) };
    },
  },
  get: {
    method: "GET",
    path: ONE,
    summary: "Get a target, with a masked URL",
    scope: "forms:read",
    ...other("flags:read"),
    place: "form",
    run: ({ app, caller, names }) => getTarget(app, caller, names.target),
  },
  set: {
    method: "PATCH",
    path: ONE,
    summary: "Enable or disable a target, or give it another URL or request",
    scope: "forms:write",
    ...other("flags:write"),
    place: "form",
    run: async ({ app, deployment, caller, names, body }) => {
      const { target, result } = await setTarget(app, caller, names.target, body, deployment.outgoing);
      return updated(target, result);
    },
  },
  delete: {
    method: "DELETE",
    path: ONE,
    summary: "Delete a target",
    scope: "forms:write",
    ...other("flags:write"),
    place: "form",
    run: ({ app, caller, names }) => deleteTarget(app, caller, names.target),
  },
  test: {
    method: "POST",
    path: `${ONE}/test`,
    summary: "Send a sample to a target and show the request and the answer",
    scope: "forms:write",
    ...other("flags:write"),
    place: "form",
    run: async ({ app, deployment, caller, names }) => {
      const outgoing = await deployment.outgoing();
      const { code, error, outcome, request } = await testTarget(app, caller, names.target, outgoing);
      return { code, error, outcome, request };
    },
  },
  rotate: {
    method: "POST",
    path: `${ONE}/rotate`,
    summary: "Give a webhook a new secret, which is shown once",
    scope: "forms:write",
    ...other("flags:write"),
    place: "form",
    run: ({ app, caller, names, body }) => rotateSecret(app, caller, names.target, body.overlap),
  },
});
