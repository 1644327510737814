import type { Caller } from "../access/caller.ts";
import { hasScopeSomewhere, requireScope, requireScopeAt, requireScopeWithin } from "../access/rights.ts";
import type { Call, Operation, Query, Unchecked } from "./operation.ts";
import { MAX_ADMIN_BODY } from "./limits.ts";
import { bodyTooLarge } from "./results.ts";

/** Input of an operation before it is checked, by a caller in this process. */
export type Given = {
  names?: Readonly<Record<string, string>> | undefined;
  query?: Query | undefined;
  /** A value of JSON, or the text of one or of JSON lines. */
  body?: unknown;
  /** The operation only acts on a resource at that revision. */
  revision?: number | null | undefined;
  /** The etag of a proposed change, in place of a revision. */
  etag?: string | undefined;
};

/** The caller of an operation, and the names of the resource. */
type Place = {
  caller: Caller;
  names: Readonly<Record<string, string>>;
  /** The environment that the query names. */
  environment?: string | undefined;
};

/**
 * Requires that the caller holds the scope of an operation in its place. Throws `forbidden`, and `not_found` for a project that
 * the caller does not see.
 */
function requirePlace(
  { scope, place }: Pick<Operation, "scope" | "place">,
  { caller, names, environment }: Place,
): void {
  if (scope === null) return;
  if (place === "seen" || place === "form") return requireScopeAt(caller, scope, names);
  if (place === "within") return requireScopeWithin(caller, scope, names["project"]!);
  const inEnvironment = place === "environment" ? (names["environment"] ?? environment) : undefined;
  requireScope(caller, scope, { project: names["project"], environment: inEnvironment });
}

/**
 * The same, which lets callers pass that the operation admits for what they `ask`. With null, while that is not read, it lets
 * those pass that it may admit.
 */
export async function requireAdmitted(
  operation: Pick<Operation, "scope" | "place" | "admits" | "other">,
  place: Place,
  ask: (() => Unchecked | Promise<Unchecked>) | null,
): Promise<void> {
  const { admits, other } = operation;
  try {
    requirePlace(operation, place);
  } catch (error) {
    if (!admits || (other && !hasScopeSomewhere(place.caller, other))) throw error;
    if (ask !== null && !(await admits(await ask()))) throw error;
  }
}

/** Input of an operation, checked as a server checks it. Schemas are loaded only for what needs one. Throws `invalid`, `too_large`. */
export async function checkedInput(
  operation: Operation,
  { names = {}, query, body, revision, etag }: Given,
): Promise<Pick<Call, "names" | "query" | "body" | "ifMatch">> {
  const tag = etag ?? revision ?? undefined;
  return {
    names,
    query: await queryOf(operation, query),
    body: await bodyOf(operation, body),
    ifMatch: tag === undefined ? undefined : `"${tag}"`,
  };
}

async function queryOf(operation: Operation, query: Query = {}): Promise<unknown> {
  const { defaults, schemas } = operation;
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) return defaults;
  if (operation.isPlainQuery?.(given)) return { ...(defaults as object), ...given };
  const [{ query: schema }, { checkQuery }] = await Promise.all([schemas(), import("./schema/check.ts")]);
  return schema && checkQuery(schema, given);
}

async function bodyOf(operation: Operation, body: unknown): Promise<unknown> {
  if (body === undefined || operation.isPlain?.(body)) return body;
  const { maxBody = MAX_ADMIN_BODY, schemas } = operation;
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  if (bytes.byteLength > maxBody) throw bodyTooLarge(maxBody);
  if (typeof body === "string") return body;
  const [{ body: schema }, { checkBody }] = await Promise.all([schemas(), import("./schema/check.ts")]);
  return schema ? checkBody(schema, bytes, operation) : bytes;
}
