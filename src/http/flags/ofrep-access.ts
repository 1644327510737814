import type { FoundToken } from "../../access/store.ts";
import type { App } from "../../app.ts";
import type { Find } from "../../base/changes.ts";
import { AppError } from "../../base/errors.ts";
import type { Client } from "../address.ts";
import { bearerToken } from "../auth.ts";
import type { ThreadCounts } from "../rate-limit.ts";
import { createIdentifyApplication } from "./application.ts";
import type { FlagSet, createFlagSets } from "./ofrep-flags.ts";
import type { Reader } from "./ofrep-tickets.ts";

/** An identified reader with the flags that it may evaluate, and the name of its token if it has one. */
export type Access = { flags: FlagSet; reader: Reader; isBrowser: boolean; token: string | null };

/**
 * Finds the flags that a request may evaluate: by the two keys of an environment, or by a token for one. Throws
 * `unauthenticated`, `forbidden` as {@link createIdentifyApplication}, `rate_limited` after too many wrong ones.
 */
export function createIdentify(
  app: App,
  findFlags: ReturnType<typeof createFlagSets>,
  findToken: Find<FoundToken>,
  threads: ThreadCounts,
) {
  const identifyApplication = createIdentifyApplication(app, findToken, threads);
  const wrong = "the keys or the token select no environment";

  const ofToken = async (request: Request, secret: () => string, client: () => Client): Promise<Access> => {
    const { keys, hash, name, isBrowser } = await identifyApplication(request, secret, client);
    const { projectKey, environmentKey } = keys;
    const isOther =
      (request.headers.get("x-project-key") ?? projectKey) !== projectKey ||
      (request.headers.get("x-environment-key") ?? environmentKey) !== environmentKey;
    if (isOther)
      throw new AppError("unauthenticated", "the token is not for the environment that the keys select");
    return { ...(await ofReader({ keys, tokenHash: hash })), isBrowser, token: name };
  };
  const requireFlags = (reader: Reader, flags: FlagSet | undefined): Access => {
    if (!flags) throw new AppError("unauthenticated", wrong);
    return { flags, reader, isBrowser: false, token: null };
  };
  const ofReader = (reader: Reader): Access | Promise<Access> => {
    const flags = findFlags(reader.keys.projectKey, reader.keys.environmentKey);
    return flags instanceof Promise
      ? flags.then((flags) => requireFlags(reader, flags))
      : requireFlags(reader, flags);
  };

  return (request: Request, client: () => Client): Access | Promise<Access> => {
    const authorization = request.headers.get("authorization");
    const apiKey = request.headers.get("x-api-key");
    if (authorization !== null || apiKey !== null)
      return ofToken(request, () => apiKey ?? bearerToken(authorization ?? undefined), client);
    const projectKey = request.headers.get("x-project-key");
    const environmentKey = request.headers.get("x-environment-key");
    if (projectKey && environmentKey)
      return ofReader({ keys: { projectKey, environmentKey }, tokenHash: null });
    throw new AppError(
      "unauthenticated",
      "send x-project-key and x-environment-key, or a token with the scope flags:evaluate",
    );
  };
}
