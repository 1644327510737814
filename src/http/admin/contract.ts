import type { MiddlewareHandler } from "hono";
import { describeRoute, resolver, validator } from "hono-openapi";
import * as z from "zod/mini";
import en from "zod/v4/locales/en.js";
import type { Scope } from "../../access/scope.ts";
import { MAX_WHY } from "../../access/why.ts";
import { AppError } from "../../base/errors.ts";
import { MAX_JSON_LEVELS, findInexactInTurns, inexactMessage, isDeeper } from "../../base/json.ts";
import { parseInTurns } from "../../base/json-turns.ts";
import { pathOf } from "../../documents/document.ts";
import { CONFIRM, type OperationPlace, requires, WHY } from "../auth.ts";
import { MAX_ADMIN_BODY } from "../limits.ts";
import { ShapeError, parseShape } from "./shape.ts";

z.config(en());

const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    /** The case within a code that has several, such as `form-exists`. */
    reason: z.nullable(z.string()),
    message: z.string(),
    hint: z.nullable(z.string()),
  }),
});

const FAILURES: Record<number, string> = {
  400: "The request is not valid.",
  401: "The token is missing, unknown, revoked or expired.",
  403: "The token lacks the scope, or is limited to another project or environment.",
  404: "Something named does not exist.",
  409: "It exists already, is ambiguous, or is not at the revision that If-Match names.",
  413: "The body is too large.",
  415: "The Content-Type of the body is not application/json.",
  428: "An environment that would change is locked, or a change of a form deletes submissions, and X-Confirm does not name it.",
  429: "Too many wrong tokens came from this address: wait as long as Retry-After says.",
  500: "A bug in formflag.",
  503: "The database is locked or its disk is full: try again.",
};

type Described = {
  tag: string;
  summary: string;
  /** What a token needs to hold. */
  scope: Scope;
  status?: 200 | 201 | 204;
  /** Schema of an answer in JSON. An answer without it has no body, or one of the types in `media`. */
  schema?: z.ZodMiniType;
  media?: string[];
  /** Whether it takes X-Confirm for locked environments, or for a form. Default: where the scope allows changes. */
  confirms?: boolean | "form";
  /** Whether it takes X-Why for the history. Default: where the scope allows changes. */
  explains?: boolean;
  /** Where the project and environment are named that the token must be good for. Default: the path. */
  place?: OperationPlace;
  /** Schema of each line where the body is JSON lines. */
  lines?: z.ZodMiniType;
  /** Most bytes of the request body. */
  maxBody?: number;
};

const FORM_CONFIRMATION = {
  name: CONFIRM,
  in: "header" as const,
  description:
    "The slug of the form, or `*`: confirms that submissions are kept for less than a day, or for a shorter time than some are stored already.",
  schema: { type: "string" as const },
};

/** Scopes whose operations may change an environment. */
const CHANGES: ReadonlySet<Scope> = new Set(["flags:write", "admin"] as const);

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

/** Describes a route in the OpenAPI document and lets only callers with its scope pass. */
export function route({
  tag,
  summary,
  scope,
  status = 200,
  schema,
  media = [],
  confirms = CHANGES.has(scope) && tag !== "tokens",
  explains = CHANGES.has(scope) && tag !== "tokens",
  place = "path",
  lines,
  maxBody = MAX_ADMIN_BODY,
}: Described) {
  const content = {
    ...(schema && { "application/json": { schema: resolver(schema) } }),
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
    ],
    description: `Needs the scope \`${scope}\`.`,
    ...(lines && { requestBody: { required: true, content: { [JSON_LINES]: { schema: resolver(lines) } } } }),
    responses: { [status]: { description: summary, content }, ...Object.fromEntries(failures) },
  });
  // The library finds the description on the middleware itself, under a symbol.
  return Object.assign(requires(scope, { place, maxBody }), described);
}

/**
 * Checks the JSON body of a request. Throws `invalid` with the first fault and its path, `unsupported` for another
 * content type than JSON, which the library would take for an empty body. Paths inside the field `whole` start there.
 * Numbers that a double cannot hold exactly are refused, unless they may be `rounded`.
 */
export function jsonBody<S extends z.ZodMiniType>(
  schema: S,
  { whole, rounded = false }: { whole?: string; rounded?: boolean } = {},
) {
  const checkBody: MiddlewareHandler = async (c, next) => {
    requireJson(c.req.header("content-type"));
    if (isDeeper(new Uint8Array(await c.req.arrayBuffer()), MAX_JSON_LEVELS))
      throw new AppError("invalid", `the body has more than ${MAX_JSON_LEVELS} levels`);
    const text = await c.req.text();
    const body = await parsedInTurns(text);
    const inexact = rounded ? undefined : await findInexactInTurns(text);
    if (inexact)
      throw new AppError("invalid", `${placeOf(inexact.steps, whole)}: ${inexactMessage(inexact.source)}`, {
        hint: "write it as a text, in quotes",
      });
    const data = await parseShape(schema, body).catch((error: unknown) => {
      if (error instanceof ShapeError) throw refusal(error.issues, whole);
      throw error;
    });
    c.req.addValidatedData("json", data as object);
    return next();
  };
  return Object.assign(checkBody, validator("json", schema));
}

/** Throws `invalid` for what is not JSON. */
async function parsedInTurns(text: string): Promise<unknown> {
  try {
    return await parseInTurns(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new AppError("invalid", "the body is not valid JSON", { cause });
  }
}

const JSON_LINES = "application/jsonl";

/** Throws `unsupported` for a body that is sent as another content type than JSON lines. */
export function requireLines(contentType = ""): void {
  if (!/^application\/(jsonl|x-ndjson)\b/i.test(contentType))
    throw new AppError("unsupported", `the body has to be sent as Content-Type: ${JSON_LINES}`);
}

/** Describes a JSON body that the operation itself checks. Throws `unsupported` for another content type. */
export function describedBody<S extends z.ZodMiniType>(schema: S) {
  const describeOnly: MiddlewareHandler = (c, next) => {
    requireJson(c.req.header("content-type"));
    return next();
  };
  return Object.assign(describeOnly, validator("json", schema));
}

function requireJson(contentType: string | undefined): void {
  if (/^application\/json\b/i.test(contentType ?? "")) return;
  throw new AppError("unsupported", "the body has to be sent as Content-Type: application/json");
}

/** Checks the query of a request. Throws `invalid`. */
export function query<S extends z.ZodMiniType>(schema: S) {
  return validator("query", schema, (result) => refuse(result));
}

/** The revision that `If-Match` names (RFC 9110, 13.1.1); null where it names none. Throws `invalid`. */
export function revisionOf(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch.trim() === "*") return null;
  const revision = /^"(\d{1,15})"$/.exec(ifMatch.trim())?.[1];
  if (revision === undefined)
    throw new AppError("invalid", `If-Match ${ifMatch} does not name a revision: it looks like "12"`);
  return Number(revision);
}

/** The header that names the revision of a resource, for `If-Match` later. */
export function etagHeader({ revision }: { revision: number }): { ETag: string } {
  return { ETag: `"${revision}"` };
}

type Issue = {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
  /** The faults in a key of a record. */
  issues?: readonly Issue[];
};

/** A fault may list every name that is not known. */
const MAX_MESSAGE = 2000;

function refuse(result: { success: true } | { success: false; error: readonly Issue[] }): void {
  if (!result.success) throw refusal(result.error);
}

/** The error `invalid` with the first fault. */
function refusal([issue]: readonly Issue[], whole?: string): AppError {
  const steps = issue?.path?.map((step) => String(typeof step === "object" ? step.key : step)) ?? [];
  const path = placeOf(steps, whole);
  const message = issue?.issues?.[0]?.message ?? issue?.message ?? "the request is not valid";
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return new AppError("invalid", path === "" || shown.startsWith(path) ? shown : `${path}: ${shown}`);
}

function placeOf(steps: string[], whole?: string): string {
  return steps[0] === whole ? pathOf(...steps.slice(1)) : steps.join(".");
}
