import type { MiddlewareHandler } from "hono";
import { describeRoute, resolver, validator } from "hono-openapi";
import * as z from "zod/mini";
import type { Scope } from "../../access/scope.ts";
import { proposalSchema } from "../../documents/changes/proposal-schema.ts";
import { MAX_WHY } from "../../access/why.ts";
import type { Operation, Schemas } from "../../operations/operation.ts";
import { errorSchema } from "../../operations/schema/shared-schema.ts";
import { BYPASS, CONFIRM, PROPOSE, WHY } from "../auth.ts";

export const JSON_LINES = "application/jsonl";

const FAILURES: Record<number, string> = {
  400: "The request is not valid.",
  401: "The token is missing, unknown, revoked or expired.",
  403: "The token lacks the scope, or is limited to another project or environment.",
  404: "Something named does not exist.",
  409: "It exists already, is ambiguous, or is not at the revision that If-Match names.",
  413: "The body is too large.",
  415: "The Content-Type of the body is not application/json.",
  428: "An environment that would change needs approvals, or is locked, or a change of a form deletes submissions, and X-Confirm does not name it.",
  429: "Too many wrong tokens came from this address: wait as long as Retry-After says.",
  500: "A bug in formflag.",
  503: "The database is locked or its disk is full: try again.",
};

const FORM_CONFIRMATION = {
  name: CONFIRM,
  in: "header" as const,
  description:
    "The slug of the form, or `*`: confirms that submissions are kept for less than a day, or for a shorter time than some are stored already.",
  schema: { type: "string" as const },
};

/** Scopes whose operations may change an environment. */
const CHANGES: ReadonlySet<Scope | null> = new Set(["flags:write", "admin"] as const);

const CONFIRMATION = {
  name: CONFIRM,
  in: "header" as const,
  description:
    "The environments to change although they are locked, with commas, or `*`. The token needs the scope `flags:locked`.",
  schema: { type: "string" as const },
};

const REASON = {
  name: WHY,
  in: "header" as const,
  description: `Why the change is made, for the history: UTF-8 in percent-encoding, at most ${MAX_WHY} characters.`,
  schema: { type: "string" as const },
};

const PROPOSAL = [
  {
    name: PROPOSE,
    in: "header" as const,
    description:
      "Proposes the change, for a time from 1s to 90d such as `14d`, in place of making it: the answer is 202 with the change.",
    schema: { type: "string" as const },
  },
  {
    name: BYPASS,
    in: "header" as const,
    description: `\`true\` makes the change without the approvals that it needs: with the scope \`admin\`, and ${WHY}.`,
    schema: { type: "string" as const },
  },
];

const PROPOSED = { "application/json": { schema: resolver(z.object({ change: proposalSchema })) } };

/** Status of the answer to a call that succeeds. */
export function successOf({ status, media }: Operation, { output }: Schemas): 200 | 201 | 204 {
  return status ?? (output || media ? 200 : 204);
}

/** Handlers that describe an operation in the OpenAPI document, and do nothing else. */
export function describeOperation(operation: Operation, schemas: Schemas): MiddlewareHandler[] {
  const { tag, summary, scope, other, isOpen = false, media = [] } = operation;
  const changes = scope !== null && CHANGES.has(scope) && tag !== "tokens";
  const { confirms = changes, explains = changes } = operation;
  const { query, body, upload, lines, output } = schemas;
  const content = {
    ...(output && { "application/json": { schema: resolver(output) } }),
    ...Object.fromEntries(media.map((type) => [type, {}])),
  };
  const failure = { "application/json": { schema: resolver(errorSchema) } };
  const failures = Object.entries(FAILURES).map(([code, description]) => [
    code,
    { description, content: failure },
  ]);
  const described = describeRoute({
    tags: [tag],
    summary,
    parameters: [
      ...(confirms ? [confirms === "form" ? FORM_CONFIRMATION : CONFIRMATION] : []),
      ...(explains ? [REASON] : []),
      ...(operation.proposes ? PROPOSAL : []),
    ],
    description: isOpen
      ? "Needs no token."
      : scope === null
        ? "Needs a token with any scope."
        : `Needs the scope \`${scope}\`${other === undefined ? "" : `, or for notices of a project \`${other}\``}.`,
    ...(isOpen && { security: [] }),
    ...(lines && { requestBody: { required: true, content: { [JSON_LINES]: { schema: resolver(lines) } } } }),
    responses: {
      [successOf(operation, schemas)]: { description: summary, content },
      ...(operation.proposes && { 202: { description: `Proposed, with ${PROPOSE}`, content: PROPOSED } }),
      ...Object.fromEntries(failures),
    },
  });
  const json = body ?? upload;
  const checks = [query && validator("query", query), json && validator("json", json)];
  // The library finds a description on the handler itself, under a symbol.
  return [described, ...checks.filter((check) => check !== undefined)].map((each) =>
    Object.assign<MiddlewareHandler, object>((_, next) => next(), each),
  );
}
