import { AppError } from "../../base/errors.ts";

/** The addresses of a server, as far as it knows them. */
export type Own = {
  /** The addresses that browsers use, such as that of `--public-url`. */
  urls: readonly string[];
  /** Whether only this machine reaches it: no proxy passes other names on to it. */
  isLocal: boolean;
};

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Throws `forbidden` for a request that a page of another origin may have sent, and on this machine for one to another name,
 * which is how a page gets around its origin (DNS rebinding).
 */
export function requireOwnAddress(request: Request, { urls, isLocal }: Own): void {
  const host = hostOf(request.headers.get("host"));
  if (isLocal && (host === null || !LOOPBACK.has(host.hostname)))
    throw new AppError("forbidden", "this is not an address of this server", {
      reason: "foreign-host",
      hint: "use localhost, or start it with its public address",
    });
  const origin = request.headers.get("origin");
  if (origin === null) return;
  const sender = URL.parse(origin);
  const isKnown = urls.some((url) => new URL(url).origin === sender?.origin);
  if (isKnown || (sender !== null && host !== null && isOfHost(sender, host))) return;
  throw new AppError("forbidden", "this request comes from a page of another origin", {
    reason: "foreign-origin",
  });
}

/** Whether an origin is the address that was called: one of this machine, or a bare address, which no name can be bound to. */
function isOfHost(sender: URL, host: URL): boolean {
  if (!/^https?:$/.test(sender.protocol)) return false;
  const own = URL.parse(`${sender.protocol}//${host.host}`);
  if (own === null || own.port !== sender.port) return false;
  if (LOOPBACK.has(own.hostname)) return LOOPBACK.has(sender.hostname);
  return own.hostname === sender.hostname && /^(\[.+\]|\d+\.\d+\.\d+\.\d+)$/.test(own.hostname);
}

/** The host of a request with its port; null for none. */
function hostOf(header: string | null): URL | null {
  return header === null || /[/@\\?#\s]/.test(header) ? null : URL.parse(`http://${header}`);
}
