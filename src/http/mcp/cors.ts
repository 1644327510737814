import { isAllowedOrigin } from "../../base/origins.ts";
import { preflight } from "../preflight.ts";

/** Headers of requests of assistants; a preflight allows what the page asks for too. */
const SENT = "authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name";

/** Headers of answers that a page needs: where to sign in (RFC 9728, 5.1), and when to try again. */
const READ = "WWW-Authenticate, Retry-After";

/** Whether the page of a request is of one of the websites whose pages may be assistants. */
export function isPageOf({ headers }: Request, origins: readonly string[]): boolean {
  const origin = headers.get("origin");
  return origin !== null && isAllowedOrigin(origin, origins);
}

/**
 * The answer to a request, which pages of `origins` may read, or to a preflight of theirs. `methods` as the header names them.
 * It allows no cookies, on which no answer depends.
 */
export async function readableBy(
  origins: readonly string[],
  request: Request,
  methods: string,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  if (!isPageOf(request, origins)) return answer();
  const cors = { "Access-Control-Allow-Origin": request.headers.get("origin")!, Vary: "Origin" };
  if (request.method === "OPTIONS") return preflight(request, cors, { methods, headers: SENT });
  const given = await answer();
  const headers = { ...cors, "Access-Control-Expose-Headers": READ };
  for (const [name, value] of Object.entries(headers)) given.headers.set(name, value);
  return given;
}
