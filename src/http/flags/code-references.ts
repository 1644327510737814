import { Hono } from "hono";
import type { Caller } from "../../access/caller.ts";
import { requireScope } from "../../access/rights.ts";
import { createTokenFinder } from "../../access/token-finder.ts";
import { tokenCaller } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import { formatBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { describeUpload } from "../../flags/code/code-reference.ts";
import { uploadReferences } from "../../flags/code/code-references.ts";
import type { Client } from "../address.ts";
import { createFailureCount } from "../auth.ts";
import { openBody, readAll, refuseAbandoned } from "../body.ts";
import { type Report, showError } from "../errors.ts";
import { headerValue } from "../headers.ts";
import { MAX_CODE_BODY } from "../../operations/limits.ts";
import { CODE_REFS_PATH } from "../paths.ts";
import { preflight } from "../preflight.ts";
import type { Guard } from "../rate-limit.ts";
import { NO_SNIFF } from "../security.ts";

export type CodeReferencesService = {
  /** Answers POST with an upload. */
  upload: (request: Request, client: () => Client) => Promise<Response>;
  /** The same answers, and those to preflight requests, as a Hono app, which gets the client as a binding. */
  routes: Hono<{ Bindings: { client: Client } }>;
};

const HEADERS = {
  ...NO_SNIFF,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After",
  "Cache-Control": "no-store",
} as const;
const PREFLIGHT = {
  methods: "GET, HEAD, POST, OPTIONS",
  headers: "x-project-key, x-environment-key, x-api-key, content-type, if-none-match",
};

/** The upload of code references with the keys of an environment and a token for its project. */
export function createCodeReferencesService(app: App, report: Report, guard?: Guard): CodeReferencesService {
  const countFailure = createFailureCount(app.now);
  const findToken = createTokenFinder(app.watch, app.store);

  const identify = async (request: Request, client: () => Client): Promise<Caller> => {
    try {
      const secret = request.headers.get("x-api-key");
      if (!secret)
        throw new AppError("unauthenticated", "a token is missing: send it as x-api-key", {
          reason: "token-unknown",
        });
      return await tokenCaller(app, secret, findToken, { hasConfirmed: () => false });
    } catch (error) {
      countFailure(error, client);
      throw error;
    }
  };

  const upload: CodeReferencesService["upload"] = async (request, client) => {
    const body = openBody(request);
    let leave: (() => void) | undefined;
    try {
      leave = guard?.(client);
      const caller = await identify(request, client);
      const project = await projectOf(app, request);
      requireScope(caller, "flags:refs", { project });
      requireJson(request);
      const json = await readAll(request, MAX_CODE_BODY, tooLarge, () => body);
      await refuseAbandoned(request);
      const message = describeUpload(await uploadReferences(app, caller, project, json));
      return Response.json({ success: true, message }, { headers: HEADERS });
    } catch (error) {
      const { status, message, headers } = showError(error, report, request);
      const connection = (await body.drain()) ? {} : { Connection: "close" };
      return Response.json(
        { error: true, errorMessage: message, message },
        { status, headers: { ...HEADERS, ...headers, ...connection } },
      );
    } finally {
      leave?.();
    }
  };

  const routes: CodeReferencesService["routes"] = new Hono();
  routes.post(CODE_REFS_PATH, (c) => upload(c.req.raw, () => c.env.client));
  routes.options(CODE_REFS_PATH, (c) => preflight(c.req.raw, HEADERS, PREFLIGHT));
  return { upload, routes };
}

/** The project of the environment that the two keys select. Throws `invalid` without a key, `unauthenticated`. */
async function projectOf({ store }: App, { headers }: Request): Promise<string> {
  const projectKey = headers.get("x-project-key");
  const environmentKey = headers.get("x-environment-key");
  if (!projectKey || !environmentKey) {
    const [missing, name] = projectKey ? ["environment", "x-environment-key"] : ["project", "x-project-key"];
    throw new AppError("invalid", `the ${missing} key is missing in the headers: send it as ${name}`);
  }
  const project = await store.flags.projectOf(projectKey, environmentKey);
  if (project !== undefined) return project;
  throw new AppError(
    "unauthenticated",
    "the project key and the environment key select nothing: check them in the project",
  );
}

function requireJson({ headers }: Request): void {
  if (headerValue(headers.get("content-type") ?? "") !== "application/json")
    throw new AppError("unsupported", "code references are sent as Content-Type: application/json");
}

function tooLarge(): AppError {
  return new AppError("too_large", `an upload of code references has at most ${formatBytes(MAX_CODE_BODY)}`);
}
