/** Loaded when first needed: a server starts sooner without it. */
const net = () => process.getBuiltinModule("node:net");

/** Tells whether an address lies in one of a list of addresses and CIDR ranges. */
export function createAddressList(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false;
  const { BlockList, isIP } = net();
  const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split("/") as [string, string | undefined];
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
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

/**
 * The address of the client behind trusted proxies: the rightmost of `X-Forwarded-For` that no trusted proxy has.
 * What an untrusted peer claims does not count.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  isTrusted: (address: string) => boolean,
): string {
  let client = normalise(peer);
  const hops = forwardedFor ? forwardedFor.split(",") : [];
  while (isTrusted(client) && hops.length > 0) {
    // One that cannot be read is nobody we trust: it stands for itself.
    client = normalise(withoutPort(hops.pop()!.trim()));
  }
  return client;
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

/** `192.0.2.1:4711`, `[2001:db8::1]:4711` and quotes are what some proxies write. */
function withoutPort(hop: string): string {
  const match = /^"?(?:\[([0-9a-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?"?$/.exec(hop);
  return match?.[1] ?? match?.[2] ?? hop;
}

/** An IPv4 address that came over an IPv6 socket is an IPv4 address. */
export function normalise(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address;
}
