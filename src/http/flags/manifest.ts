import { type Context, Hono } from "hono";
import type { Caller } from "../../access/caller.ts";
import { hasScope, requireScope } from "../../access/rights.ts";
import { createTokenFinder } from "../../access/token-finder.ts";
import { tokenCaller } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import { AppError } from "../../base/errors.ts";
import { MAX_JSON_LEVELS, findInexact, inexactMessage, isDeeper, isObject } from "../../base/json.ts";
import { isoTime } from "../../base/clock.ts";
import { utf8Text } from "../../base/bytes.ts";
import { findFlagSlugFault, MAX_DESCRIPTION } from "../../flags/limits.ts";
import { MANIFEST_TYPES, type ManifestType, isOfType } from "../../flags/manifest/manifest.ts";
import {
  type StoredManifestFlag,
  createFromManifest,
  describeFromManifest,
  projectManifest,
} from "../../flags/manifest/manifests.ts";
import { MAX_ADMIN_BODY } from "../../operations/limits.ts";
import { bodyTooLarge } from "../../operations/results.ts";
import { type AdminEnv, bearerToken, createFailureCount } from "../auth.ts";
import { readAll } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { MANIFEST_PATH } from "../paths.ts";

const CAPABILITIES = "X-Manifest-Capabilities";

type Fault = { field: string; message: string };

/** A request whose fields are wrong. */
class Faults extends AppError {
  readonly faults: Fault[];

  constructor(faults: Fault[]) {
    super("invalid", faults.map(({ message }) => message).join("; "));
    this.faults = faults;
  }
}

/**
 * The manifest of the OpenFeature command line, of the project that a token is limited to:
 * https://github.com/open-feature/cli/blob/main/api/v0/sync.yaml
 */
export function createManifestRoutes(app: App, report: Report): Hono<AdminEnv> {
  const findToken = createTokenFinder(app.watch, app.store);
  const countFailure = createFailureCount(app.now);

  const identify = async (c: Context<AdminEnv>): Promise<{ caller: Caller; project: string }> => {
    const client = c.env?.client;
    try {
      const secret = bearerToken(c.req.header("authorization"));
      const about = { hasConfirmed: () => false, address: client?.address };
      const caller = await tokenCaller(app, secret, findToken, { ...about, why: undefined });
      const [project, ...others] = new Set(caller.grants.map((grant) => grant.project));
      if (project === undefined || others.length > 0)
        throw new AppError("forbidden", "a manifest is that of one project: the token must be limited to it");
      requireScope(caller, "flags:read", { project });
      return { caller, project };
    } catch (error) {
      if (client) countFailure(error, () => client);
      throw error;
    }
  };
  type Answered = { status?: 200 | 201; value: unknown };
  const answer =
    (run: (c: Context<AdminEnv>, caller: Caller, project: string) => Promise<Answered>) =>
    async (c: Context<AdminEnv>): Promise<Response> => {
      try {
        const { caller, project } = await identify(c);
        const { value, status = 200 } = await run(c, caller, project);
        const can = hasScope(caller, "flags:write", { project }) ? "read,write" : "read";
        return Response.json(value, { status, headers: { ...HEADERS, [CAPABILITIES]: can } });
      } catch (error) {
        return refused(error, c.req.raw);
      }
    };
  const refused = (error: unknown, request: Request): Response => {
    const { status, message, headers } = showError(error, report, request);
    if (status === 401) headers["WWW-Authenticate"] = 'Bearer realm="formflag"';
    const details = error instanceof Faults ? error.faults : [];
    return Response.json(
      { error: { message, status, details } },
      { status, headers: { ...HEADERS, ...headers } },
    );
  };

  const routes = new Hono<AdminEnv>();
  routes.get(
    MANIFEST_PATH,
    answer(async (_, __, project) => ({ value: { flags: await projectManifest(app, project) } })),
  );
  routes.post(
    `${MANIFEST_PATH}/flags`,
    answer(async (c, caller, project) => {
      requireScope(caller, "flags:write", { project });
      const flag = newFlagIn(await bodyOf(c));
      const created = createFromManifest(app, caller, project, flag).catch((error: unknown) => {
        // The key and the description are sound: the value is too large, or nested too deep.
        if (!(error instanceof AppError) || error.code !== "invalid") throw error;
        throw new Faults([{ field: "defaultValue", message: error.message }]);
      });
      return { status: 201, value: view(await created) };
    }),
  );
  routes.put(
    `${MANIFEST_PATH}/flags/:key`,
    answer(async (c, caller, project) => {
      requireScope(caller, "flags:write", { project });
      const changed = changeIn(await bodyOf(c), c.req.param("key")!);
      return { value: view(await describeFromManifest(app, caller, project, changed)) };
    }),
  );
  routes.delete(
    `${MANIFEST_PATH}/flags/:key`,
    answer(async () => {
      throw new AppError(
        "forbidden",
        "the manifest of a repository deletes no flag: formflag flags archive does",
      );
    }),
  );
  return refusingOthers(routes);
}

/** `routes`, with an answer to the other methods of their addresses. */
function refusingOthers(routes: Hono<AdminEnv>): Hono<AdminEnv> {
  for (const [path, allowed] of Object.entries(METHODS)) routes.all(path, () => wrongMethod(allowed));
  return routes;
}

const METHODS = {
  [MANIFEST_PATH]: "GET, HEAD",
  [`${MANIFEST_PATH}/flags`]: "POST",
  [`${MANIFEST_PATH}/flags/:key`]: "PUT",
};

function wrongMethod(allowed: string): Response {
  const error = { message: `this address takes ${allowed}`, status: 405, details: [] };
  return Response.json({ error }, { status: 405, headers: { ...HEADERS, Allow: allowed } });
}

const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

function view({ flag, updatedAt }: StoredManifestFlag) {
  return { flag, updatedAt: isoTime(updatedAt) };
}

/** Throws `invalid`, `too_large`, {@link Faults} for a number that parsing would change. */
async function bodyOf(c: Context<AdminEnv>): Promise<Record<string, unknown>> {
  const bytes = await readAll(c.req.raw, MAX_ADMIN_BODY, () => bodyTooLarge(MAX_ADMIN_BODY));
  if (isDeeper(bytes, MAX_JSON_LEVELS))
    throw new AppError("invalid", `the body has more than ${MAX_JSON_LEVELS} levels`);
  const text = utf8Text(bytes, "the body");
  const inexact = findInexact(text);
  if (inexact) {
    const [field = ""] = inexact.steps;
    throw new Faults([{ field, message: `${inexact.steps.join(".")}: ${inexactMessage(inexact.source)}` }]);
  }
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError("invalid", "the body is not a JSON object");
}

/** Unknown fields that a refusal names. */
const MAX_UNKNOWN = 10;

const FIELDS: ReadonlySet<string> = new Set(["key", "name", "type", "description", "defaultValue"]);

/** The faults of fields that both a new flag and a change have. */
function sharedFaults(body: Record<string, unknown>): Fault[] {
  const { type, description, name } = body;
  const faults = Object.keys(body)
    .filter((field) => !FIELDS.has(field))
    .slice(0, MAX_UNKNOWN)
    .map((field) => ({ field, message: `a flag has no field ${field.slice(0, 100)}` }));
  if (!MANIFEST_TYPES.some((each) => each === type))
    faults.push({ field: "type", message: `type is one of ${MANIFEST_TYPES.join(", ")}` });
  if (description != null && (typeof description !== "string" || description.length > MAX_DESCRIPTION))
    faults.push({
      field: "description",
      message: `description is a text of at most ${MAX_DESCRIPTION} characters`,
    });
  if (name !== undefined && typeof name !== "string")
    faults.push({ field: "name", message: "name is a text" });
  return faults;
}

function newFlagIn(body: Record<string, unknown>) {
  const { key, type, description, defaultValue } = body;
  const faults = sharedFaults(body);
  const slugFault = typeof key === "string" ? findFlagSlugFault(key) : "key is a text";
  if (slugFault !== undefined) faults.unshift({ field: "key", message: slugFault });
  const isKnown = MANIFEST_TYPES.some((each) => each === type);
  if (isKnown && !isOfType(type as ManifestType, defaultValue))
    faults.push({ field: "defaultValue", message: `defaultValue is of the type ${String(type)}` });
  if (faults.length > 0) throw new Faults(faults);
  const text = (description as string | null | undefined) ?? "";
  return { key: key as string, type: type as ManifestType, description: text, defaultValue };
}

function changeIn(body: Record<string, unknown>, key: string) {
  const faults = sharedFaults(body);
  if (body["key"] !== undefined && body["key"] !== key)
    faults.unshift({ field: "key", message: "key is that of the address" });
  if (faults.length > 0) throw new Faults(faults);
  const description = body["description"] as string | null | undefined;
  return { key, type: body["type"] as ManifestType, description: description === null ? "" : description };
}
