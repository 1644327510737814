import type { EnvironmentKeys } from "../../access/place.ts";
import { APPLICATION_SCOPES, type Scope } from "../../access/scope.ts";
import type { FoundToken } from "../../access/store.ts";
import { authenticate } from "../../access/tokens.ts";
import type { App } from "../../app.ts";
import type { Find } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import { isAllowedOrigin } from "../../base/origins.ts";
import type { Client } from "../address.ts";
import { createFailureCount } from "../auth.ts";
import type { ThreadCounts } from "../rate-limit.ts";

/** The token of an application, for one environment; `isBrowser` is true for a browser key. */
export type Application = { keys: EnvironmentKeys; hash: string; name: string; isBrowser: boolean };

export type IdentifyApplication = (
  request: Request,
  secret: () => string,
  client: () => Client,
) => Promise<Application>;

/**
 * Identifies the application that sends a secret. Throws `unauthenticated`, `forbidden` for another scope and for a page whose
 * origin is not allowed, `rate_limited` after too many wrong secrets.
 */
export function createIdentifyApplication(
  app: App,
  findToken: Find<FoundToken>,
  threads: ThreadCounts,
  scopes: readonly Scope[] = APPLICATION_SCOPES,
): IdentifyApplication {
  const countFailure = createFailureCount(app.now, threads);
  return async (request, secret, client) => {
    try {
      const token = await authenticate(app, secret(), findToken);
      if (!isForApplication(token, scopes)) {
        throw new AppError("forbidden", `the token "${token.name}" lacks the scope flags:evaluate`, {
          reason: "evaluate-alone",
        });
      }
      checkOrigin(token, request);
      const { keys, hash, name } = token;
      return { keys, hash, name, isBrowser: token.scopes.includes("flags:browser") };
    } catch (error) {
      countFailure(error, client);
      throw error;
    }
  };
}

/** Whether a token is for the applications of an environment. */
export function isForApplication(
  token: FoundToken,
  scopes: readonly Scope[] = APPLICATION_SCOPES,
): token is FoundToken & { keys: EnvironmentKeys } {
  return token.keys !== undefined && scopes.some((scope) => token.scopes.includes(scope));
}

/** A request without an origin passes: browsers send one with every POST, and other clients could send any. */
function checkOrigin({ allowedOrigins }: FoundToken, { headers }: Request): void {
  const origin = headers.get("origin");
  if (allowedOrigins === undefined || origin === null || isAllowedOrigin(origin, allowedOrigins)) return;
  throw new AppError("forbidden", `this browser key is not for pages of ${origin.slice(0, 200)}`, {
    reason: "origin-not-allowed",
  });
}
