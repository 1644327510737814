import { isObject } from "../../base/json.ts";
import { GRANT_LIMITS } from "../limits.ts";
import { refusal } from "./refusal.ts";

/** A client of the authorization server: an assistant, as it describes itself. */
export type OAuthClient = {
  id: string;
  /** One line; the host of its id, or "An assistant", if it has none. */
  name: string;
  redirects: readonly string[];
};

/** The client that metadata describe (RFC 7591, 2). Throws `invalid_client_metadata`, `invalid_redirect_uri`. */
export function clientIn(metadata: unknown): Omit<OAuthClient, "id"> {
  if (!isObject(metadata)) throw wrong("the metadata of a client are an object");
  const { client_name: name, redirect_uris: redirects, token_endpoint_auth_method: method } = metadata;
  if (method !== undefined && method !== "none")
    throw wrong("a client has no secret here: its token_endpoint_auth_method is none");
  for (const [field, needed] of [
    ["grant_types", "authorization_code"],
    ["response_types", "code"],
  ] as const) {
    const list = metadata[field];
    if (list !== undefined && !(Array.isArray(list) && list.includes(needed)))
      throw wrong(`${field} has to hold ${needed}`);
  }
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > GRANT_LIMITS.redirects)
    throw refusal("invalid_redirect_uri", `redirect_uris are 1 to ${GRANT_LIMITS.redirects} addresses`);
  const checked = redirects.map((each) => {
    if (typeof each !== "string" || !isRedirect(each))
      throw refusal(
        "invalid_redirect_uri",
        "a redirect has https and a plain host, or http on this machine, or a scheme of an app such as com.example.app, and no fragment",
      );
    return each;
  });
  return { name: typeof name === "string" ? lineOf(name) : "", redirects: checked };
}

function wrong(message: string) {
  return refusal("invalid_client_metadata", message);
}

/** A name of a stranger's choosing in one line, without characters that people do not see. */
function lineOf(text: string): string {
  const line = text.slice(0, 1000).replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ");
  return line.trim().slice(0, GRANT_LIMITS.clientName).toWellFormed();
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Schemes of editors and assistants that do not follow the rule for schemes of apps (RFC 8252, 7.1). */
const OLD_SCHEMES: ReadonlySet<string> = new Set([
  "claude",
  "cursor",
  "vscode",
  "vscode-insiders",
  "windsurf",
  "zed",
]);

/** Whether a scheme is one of an app: a domain name in reverse, such as `com.example.app`, or a known one. */
function isOfApp(scheme: string): boolean {
  return OLD_SCHEMES.has(scheme) || (scheme.includes(".") && isName(scheme));
}

/** Whether a host is a name or an address. URLs may have hosts such as `*`, or with `;`, which mean something in a policy of pages. */
function isPlainHost(host: string): boolean {
  return /^\[[a-f\d:.]+\]$/.test(host) || isName(host);
}

function isName(text: string): boolean {
  return text.split(".").every((label) => /^[a-z\d_-]+$/.test(label));
}

/** Parameters of an answer, which the address that it is sent to must not have. */
const OF_ANSWERS = ["code", "state", "iss", "error"];

/** Whether codes may be sent to an address: by https, by http to this machine, or to an app by its own scheme (RFC 8252, 7). */
function isRedirect(text: string): boolean {
  if (text.length > GRANT_LIMITS.redirect || !/^[!-~]+$/.test(text) || text.includes("#")) return false;
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (OF_ANSWERS.some((name) => url.searchParams.has(name))) return false;
  if (url.protocol === "https:") return isPlainHost(url.hostname);
  if (url.protocol === "http:") return LOOPBACK.has(url.hostname);
  return isOfApp(url.protocol.slice(0, -1));
}

/**
 * Whether a client may be sent back to an address: the client names it, letter by letter. On this
 * machine only the port may differ (RFC 8252, 7.3).
 */
export function allowsRedirect({ redirects }: Pick<OAuthClient, "redirects">, asked: string): boolean {
  if (!isRedirect(asked)) return false;
  if (redirects.includes(asked)) return true;
  const loopback = portless(asked);
  return loopback !== null && redirects.some((each) => portless(each) === loopback);
}

/** An address of this machine by http without its port; null for any other. */
function portless(text: string): string | null {
  const [, start, rest] =
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/.exec(text) ?? [];
  return start === undefined ? null : `${start}${rest}`;
}

/** The host of an address, or the scheme of one of an app, for people. */
export function hostOfRedirect(redirect: string): string {
  const url = new URL(redirect);
  if (url.protocol === "https:") return url.host;
  return url.protocol === "http:" ? `this machine (${url.host})` : `an app (${url.protocol})`;
}

/** Whether the id of a client is the address of its document. */
export function isDocumentId(id: string): boolean {
  return /^https:\/\//i.test(id);
}

/**
 * The address of a document that is the id of a client: https, with a path, and written as a URL parser writes it. Throws
 * `invalid_client`. https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export function documentUrl(id: string): URL {
  const url = id.length > GRANT_LIMITS.clientId ? null : URL.parse(id);
  const isPlain =
    url !== null &&
    url.protocol === "https:" &&
    url.href === id &&
    url.pathname !== "/" &&
    url.username === "" &&
    url.password === "" &&
    !id.includes("#");
  if (isPlain) return url;
  throw refusal("invalid_client", "the id of a client is an address with https and a path, and no fragment");
}

/** The client that a document at an address describes. Throws `invalid_client` unless it names this address. */
export function clientOfDocument(id: string, document: unknown): OAuthClient {
  if (!isObject(document) || document["client_id"] !== id)
    throw refusal("invalid_client", "the document of the client does not name this client");
  const client = clientIn(document);
  return { id, ...client, name: client.name || new URL(id).host };
}
