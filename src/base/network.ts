/** Imported on demand, so that a server starts sooner. */
const net = () => process.getBuiltinModule("node:net");

/** Returns a function that checks whether a normalised address lies in one of these addresses and CIDR ranges. */
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
    // The first 96 bits of an IPv4-mapped IPv6 address are a fixed prefix.
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

/**
 * Writes an address in its one canonical form: IPv6 as in RFC 5952, and an IPv4-mapped IPv6 address such as
 * `::ffff:192.0.2.1` or `::ffff:c000:201` as IPv4 (RFC 4291, 2.5.5.2). Any other text is returned unchanged.
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

/** An address in its canonical form, without the zone of a link-local one; null for any other text. */
export function wholeAddress(address: string): string | null {
  const text = normalise(address).replace(/%.*$/s, "");
  return net().isIP(text) === 0 ? null : text;
}

/**
 * The first 24 bits of an IPv4 address, or the first 48 of an IPv6 address, which are one site or a large part of a
 * provider: `192.0.2.0`, `2001:db8:1::`. Null for any other text.
 */
export function truncateAddress(address: string): string | null {
  const text = wholeAddress(address);
  if (text === null) return null;
  if (!text.includes(":")) return text.replace(/\d+$/, "0");
  const [head = "", tail] = text.split("::");
  const groups = (part = "") => (part === "" ? [] : part.split(":"));
  const [front, back] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return normalise(`${[...front, ...zeros, ...back].slice(0, 3).join(":")}::`);
}

/** Whether the host of a URL always resolves to this machine (RFC 6761, 6.3). */
export function isLoopbackHost(host: string): boolean {
  return /^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(host);
}
