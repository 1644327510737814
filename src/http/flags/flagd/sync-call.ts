import type { Caller } from "../../../access/caller.ts";
import { AppError, type ErrorCode } from "../../../base/errors.ts";
import { type Call, STATUS, type Status } from "./grpc.ts";
import { selectorIn } from "./messages.ts";

/** How every token begins. */
const TOKEN_PREFIX = "ff_";

/**
 * The token and the environment that a call names; the environment is empty if it names none. Throws `unauthenticated`,
 * `invalid`.
 */
export function askedBy({ metadata, message }: Call): { secret: string; scope: string } {
  const field = selectorIn(message);
  if (field === undefined) throw new AppError("invalid", "the message is not one of flagd.sync.v1");
  // The providers of some languages can send no metadata, and have a token as selector.
  const selectors = [metadata("flagd-selector"), field];
  const bearer = /^Bearer +(\S+) *$/i.exec(metadata("authorization"))?.[1];
  const secret = bearer ?? selectors.find((each) => each.startsWith(TOKEN_PREFIX));
  if (secret === undefined) {
    throw new AppError(
      "unauthenticated",
      "a token is missing: send it as metadata authorization, Bearer <token>, or as the selector",
    );
  }
  const selector = selectors.find((each) => each !== "" && !each.startsWith(TOKEN_PREFIX)) ?? "";
  const scope = selector.replace(/^flagSetId=/, "");
  if (scope !== "" && !/^[^/\s]+\/[^/\s]+$/.test(scope))
    throw new AppError("invalid", "the selector names no environment: it looks like shop/production");
  return { secret, scope };
}

/** The environment of a token that is limited to one. Throws `invalid`. */
export function onlyPlaceOf({ grants }: Caller): string {
  const [grant, ...others] = grants;
  const { project, environments = [] } = grant ?? {};
  if (others.length === 0 && project !== undefined && environments.length === 1)
    return `${project}/${environments[0]}`;
  throw new AppError("invalid", "the token reads several environments: select one, such as shop/production");
}

const STATUSES: Partial<Record<ErrorCode, Status>> = {
  invalid: STATUS.INVALID_ARGUMENT,
  unauthenticated: STATUS.UNAUTHENTICATED,
  forbidden: STATUS.PERMISSION_DENIED,
  not_found: STATUS.NOT_FOUND,
  rate_limited: STATUS.RESOURCE_EXHAUSTED,
  unavailable: STATUS.UNAVAILABLE,
};

/** The status that an error is answered with; undefined for one that is a bug. */
export function statusOf(error: unknown): Status | undefined {
  return error instanceof AppError ? STATUSES[error.code] : undefined;
}
