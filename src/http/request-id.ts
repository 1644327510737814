/** What a request is called in the log and in its answer: https://http.dev/x-request-id. */
export const REQUEST_ID = "X-Request-Id";

/** Ids of requests that were asked for before they were answered. */
const given = new WeakMap<Request, string>();

/** The id that the sender gave a request, where a log can hold it. */
export function sentRequestId(request: Request): string | null {
  const sent = request.headers.get(REQUEST_ID);
  return sent !== null && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : null;
}

/** The id that the sender gave a request, or a new one. */
export function requestId(request: Request): string {
  return sentRequestId(request) ?? given.get(request) ?? crypto.randomUUID();
}

/** As `requestId`, of a request that is not answered yet: its answer will carry the same. */
export function earlyRequestId(request: Request): string {
  const id = requestId(request);
  given.set(request, id);
  return id;
}
