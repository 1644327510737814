/** An entry such as `https://*.example.com:8443`: the scheme, then a domain of two labels or `localhost` with its port. */
const WILDCARD = /^(https?:\/\/)\*\.((?:localhost|[^*.:]+(?:\.[^*.:]+)+)(?::\d+)?)$/;
/** The labels that take the place of `*`, in the ASCII form in which browsers send a host (RFC 5890). */
const SUBDOMAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * Whether an `Origin` header (RFC 6454, 7) names one of the allowed origins. An entry is an origin, or
 * `https://*.example.com`, which stands for every subdomain at any depth with the same scheme and port, and not for
 * example.com itself. An empty list allows no origin here: callers for whom it means any origin check that first.
 */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  const sent = origin.toLowerCase();
  return allowed.some((entry) => entry === sent || isSubdomainOrigin(sent, entry));
}

function isSubdomainOrigin(origin: string, entry: string): boolean {
  const { scheme, domain } = parseWildcard(entry) ?? {};
  if (scheme === undefined || domain === undefined) return false;
  if (!origin.startsWith(scheme) || !origin.endsWith(`.${domain}`)) return false;
  return SUBDOMAIN.test(origin.slice(scheme.length, -domain.length - 1));
}

/**
 * Whether a text can be an allowed origin: an origin exactly as browsers send it, or `https://*.example.com`. The domain
 * of a wildcard has at least two labels or is `localhost`, since `https://*.com` would allow nearly everybody, and it is
 * not an IP address.
 */
export function isOriginPattern(text: string): boolean {
  if (!text.includes("*")) return isOrigin(text);
  const { scheme, domain } = parseWildcard(text) ?? {};
  // With a label in front, the URL parser takes an IP address for a malformed domain.
  return isOrigin(`${scheme}${domain}`) && isOrigin(`${scheme}a.${domain}`);
}

function isOrigin(text: string): boolean {
  return parseUrl(text)?.origin === text;
}

/** Undefined for anything but a wildcard above a domain of two labels or `localhost`. */
function parseWildcard(entry: string): { scheme: string; domain: string } | undefined {
  const [, scheme, domain] = WILDCARD.exec(entry) ?? [];
  return scheme === undefined || domain === undefined ? undefined : { scheme, domain };
}

/** Characters of an address that is parsed, and of one with other characters than ASCII. */
const MAX_URL = 65_536;
const MAX_UNICODE_URL = 2048;

/**
 * An address as the URL standard parses it; null for any other text, and for a long one: the parser normalizes the host, in
 * time quadratic in the marks on one of its characters.
 */
export function parseUrl(text: string, base?: string): URL | null {
  const most = /^[\0-\x7f]*$/.test(text) ? MAX_URL : MAX_UNICODE_URL;
  return text.length > most ? null : URL.parse(text, base);
}
