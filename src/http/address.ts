/** Loaded when first needed: a server starts sooner without it. */
const net = () => process.getBuiltinModule("node:net");

/** Whether an address, as {@link normalise} writes it, lies in one of a list of addresses and CIDR ranges. */
export function createAddressList(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false;
  const { BlockList, isIP } = net();
  const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  for (const range of ranges) {
    const [given, bits] = range.split("/") as [string, string | undefined];
    const address = normalise(given);
    const isMapped = isIP(given) !== isIP(address);
    if (bits === undefined) list.addAddress(address, familyOf(address));
    // The first 96 bits of an IPv4 address in an IPv6 one are the same for all.
    else if (isMapped && Number(bits) >= 96) list.addSubnet(address, Number(bits) - 96, "ipv4");
    else list.addSubnet(given, Number(bits), familyOf(given));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** Whether a text is an address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = net().isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** The sender of a request. */
export type Client = {
  address: string;
  /** Whether the peer itself is this machine: an address that a trusted proxy forwards never is, whatever it says. */
  isLocal: boolean;
};

/**
 * The client behind trusted proxies: its address is the rightmost of `X-Forwarded-For` that no trusted proxy has. What an
 * untrusted peer claims does not count.
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
    // One that cannot be read is nobody we trust: it stands for itself.
    client = normalise(withoutPort(hops.pop()!.trim()));
  }
  return { address: client, isLocal };
}

/** What a client is counted as where something is limited: its network, or null for this machine, which is not limited. */
export function limitedAs({ address, isLocal }: Client): string | null {
  return isLocal ? null : networkOf(address);
}

/**
 * What counts as one sender: an IPv4 address, or the /64 network of an IPv6 address, which is what one household or
 * machine gets (RFC 6177) and can pick 2^64 addresses from.
 */
export function networkOf(address: string): string {
  if (net().isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [front, back] = [groups(head), groups(tail ?? "")];
  // An IPv4 address at the end stands for two groups.
  const missing = 8 - front.length - back.length - (address.includes(".") ? 1 : 0);
  const all = tail === undefined ? front : [...front, ...Array.from({ length: missing }, () => "0"), ...back];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}

/** Whether a host name, as a URL has it, means this machine wherever it is looked up (RFC 6761, 6.3). */
export function isLoopbackHost(host: string): boolean {
  return /^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` and quotes are what some proxies write. */
function withoutPort(hop: string): string {
  const match = /^"?(?:\[([0-9a-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?"?$/.exec(hop);
  return match?.[1] ?? match?.[2] ?? hop;
}

/**
 * One text for each address: IPv6 as RFC 5952 writes it, and the IPv4 address in place of the IPv6 one that it has on an
 * IPv6 socket, `::ffff:192.0.2.1` or `::ffff:c000:201` (RFC 4291, 2.5.5.2). What is no address stays as it is.
 */
export function normalise(address: string): string {
  if (!address.includes(":") || net().isIP(address) !== 6) return address;
  const [bare = "", ...zone] = address.split("%");
  const text = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text);
  if (!mapped) return [text, ...zone].join("%");
  const bytes = mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
  return bytes.join(".");
}
