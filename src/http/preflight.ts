/** Characters of `Access-Control-Request-Headers` up to which its names are allowed. */
const MAX_NAMES = 4096;

/** The name of a header: https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The answer to a CORS preflight request: https://fetch.spec.whatwg.org/#http-cors-protocol. Allows the headers that the
 * page asks for too, since scripts on it add their own to each request, such as `traceparent` and `baggage`. `methods` and
 * `headers` are what the address reads, each with `, ` between them.
 */
export function preflight(
  request: Request,
  cors: Record<string, string>,
  { methods, headers }: { methods: string; headers: string },
): Response {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const names = asked.length > MAX_NAMES ? [] : asked.toLowerCase().split(",");
  const added = names.map((each) => each.trim()).filter((each) => NAME.test(each));
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": [...new Set([...headers.split(", "), ...added])].join(", "),
      "Access-Control-Max-Age": "86400",
    },
  });
}
