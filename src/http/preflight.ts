/**
 * The answer to a CORS preflight request: https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function preflight(
  cors: Record<string, string>,
  { methods, headers }: { methods: string; headers: string },
): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers": headers,
      "Access-Control-Max-Age": "86400",
    },
  });
}
