import { normalise } from "../base/network.ts";

/** Imported on demand, so that a server starts sooner. */
const net = () => process.getBuiltinModule("node:net");

/** The sender of a request. */
export type Client = {
  address: string;
  /** Whether the peer is this machine; never true for an address that a trusted proxy forwards. */
  isLocal: boolean;
};

/**
 * The client behind trusted proxies: its address is the rightmost in `X-Forwarded-For` that is not a trusted proxy. The
 * header of an untrusted peer is ignored.
 */
export function findClient(
  peer: string,
  forwardedFor: string | null,
  isTrusted: (address: string) => boolean,
): Client {
  let client = normalise(peer);
  const isLocal = isLoopback(client) && (forwardedFor === null || !isTrusted(client));
  const hops = forwardedFor ? forwardedFor.split(",") : [];
  while (isTrusted(client) && hops.length > 0) {
    // A hop that is not an address is not trusted, and is used as it is.
    client = normalise(withoutPort(hops.pop()!.trim()));
  }
  return { address: client, isLocal };
}

/** The network under which a client counts for limits; null for this machine, which has no limits. */
export function limitKey({ address, isLocal }: Client): string | null {
  return isLocal ? null : networkOf(address);
}

/**
 * The network that counts as one sender: an IPv4 address, or the /64 network of an IPv6 address, since a household or
 * machine gets at least a /64 and can pick any of its 2^64 addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  if (net().isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [front, back] = [groups(head), groups(tail ?? "")];
  // An IPv4 address at the end takes the place of two groups.
  const missing = 8 - front.length - back.length - (address.includes(".") ? 1 : 0);
  const all = tail === undefined ? front : [...front, ...Array.from({ length: missing }, () => "0"), ...back];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** Removes the port and quotes that some proxies write: `192.0.2.1:4711`, `"[2001:db8::1]:4711"`. */
function withoutPort(hop: string): string {
  const match = /^"?(?:\[([0-9a-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?"?$/.exec(hop);
  return match?.[1] ?? match?.[2] ?? hop;
}
