import { GRANT_SCOPES, type GrantScope } from "./grant.ts";
import { type OAuthClient, allowsRedirect } from "./client.ts";
import { type OAuthError, refusal, wrongTarget } from "./refusal.ts";

/** A request for authorization that can be answered (RFC 6749, 4.1.1; RFC 7636; RFC 8707). */
export type AuthorizationRequest = {
  client: OAuthClient;
  redirect: string;
  state: string | null;
  challenge: string;
  resource: string;
  /** The existing scopes that the client asks for; every one if it names none. */
  scopes: readonly GrantScope[];
};

/** The parameters of a request, each once. Throws `invalid_request` for one that is sent twice. */
export function parametersIn(query: URLSearchParams): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of query) {
    if (found.has(name)) throw refusal("invalid_request", "a parameter is sent twice");
    found.set(name, value);
  }
  return found;
}

/** A parameter that has to be there. Throws `invalid_request`. */
export function needed(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name) ?? "";
  if (value === "") throw refusal("invalid_request", `the parameter ${name} is missing`);
  return value;
}

/** The address to which the answer to a request goes. Throws `invalid_redirect_uri` and `invalid_request`, whose answers must not go anywhere. */
export function redirectIn(parameters: ReadonlyMap<string, string>, client: OAuthClient): string {
  const [only, ...others] = client.redirects;
  const asked =
    others.length === 0 ? (parameters.get("redirect_uri") ?? only!) : needed(parameters, "redirect_uri");
  if (allowsRedirect(client, asked)) return asked;
  throw refusal("invalid_redirect_uri", "the client asks to be answered at an address that is not its own");
}

/**
 * The rest of a request whose client and redirect are known, for a resource of this server. Throws the refusals that the
 * client is told.
 */
export function requestIn(
  parameters: ReadonlyMap<string, string>,
  client: OAuthClient,
  redirect: string,
  resource: string,
): AuthorizationRequest {
  if (needed(parameters, "response_type") !== "code")
    throw refusal("unsupported_response_type", "the response_type has to be code");
  const challenge = parameters.get("code_challenge") ?? "";
  // Without a method it is `plain` (RFC 7636, 4.3).
  if (parameters.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
    throw refusal("invalid_request", "a code_challenge with the code_challenge_method S256 is required");
  if ((parameters.get("resource") ?? resource) !== resource) throw wrongTarget(resource);
  const words = (parameters.get("scope") ?? "").split(" ");
  const asked = GRANT_SCOPES.filter((scope) => words.includes(scope));
  return {
    client,
    redirect,
    state: parameters.get("state") ?? null,
    challenge,
    resource,
    scopes: asked.length > 0 ? asked : GRANT_SCOPES,
  };
}

/** The address at which a client gets an answer (RFC 6749, 4.1.2; RFC 9207). */
export function answerTo(
  redirect: string,
  answer: { state: string | null; iss: string } & (
    | { code: string }
    | { error: OAuthError; error_description?: string }
  ),
): string {
  const sent = new URLSearchParams(
    Object.entries(answer).filter((pair): pair is [string, string] => pair[1] !== null),
  );
  return `${redirect}${redirect.includes("?") ? "&" : "?"}${sent.toString()}`;
}
