import { createAddressList, normalise } from "../base/network.ts";

/** IPv4, and the part of IPv6 from which global unicast addresses are assigned (RFC 4291, 2.4). */
const GLOBAL = ["0.0.0.0/0", "2000::/3"];

/**
 * Parts of {@link GLOBAL} that IANA's registries of special-purpose addresses (RFC 6890) list as not globally
 * reachable, that are deprecated, or that are multicast.
 */
const SPECIAL = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Teredo, benchmarking and other protocol assignments.
  "2001::/23",
  "2001:db8::/32",
  // 6to4, which leads to any IPv4 address.
  "2002::/16",
  "3fff::/20",
];

/**
 * Returns a function that checks whether a connection to an address is allowed: a global one, or one in the `permitted`
 * addresses and CIDR ranges. An IPv4-mapped IPv6 address counts as the IPv4 address. An address with a zone
 * (`fe80::1%eth0`) and any other text is not allowed.
 */
export function createAddressPolicy(permitted: readonly string[]): (address: string) => boolean {
  let check: ((address: string) => boolean) | undefined;
  return (address) => !address.includes("%") && (check ??= createCheck(permitted))(normalise(address));
}

function createCheck(permitted: readonly string[]): (address: string) => boolean {
  const isGlobal = createAddressList(GLOBAL);
  const isSpecial = createAddressList(SPECIAL);
  const isPermitted = createAddressList(permitted);
  return (address) => isPermitted(address) || (isGlobal(address) && !isSpecial(address));
}
