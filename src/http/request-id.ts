/** Header with the id of a request, which the log and the answer carry: https://http.dev/x-request-id. */
import { clock } from "../base/clock.ts";
export const REQUEST_ID = "X-Request-Id";

/** Ids that were logged before their request was answered. */
const early = new WeakMap<Request, string>();

/** The id that the sender gave a request; null without one, or for one that is unsafe to log. */
export function sentRequestId(request: Request): string | null {
  const sent = request.headers.get(REQUEST_ID);
  return sent !== null && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : null;
}

/** The id that the sender gave a request, or a new one. */
export function requestId(request: Request): string {
  return sentRequestId(request) ?? early.get(request) ?? clock.uuid();
}

/** As `requestId`, for a request that is not answered yet: its answer carries the same id. */
export function earlyRequestId(request: Request): string {
  const id = requestId(request);
  early.set(request, id);
  return id;
}
