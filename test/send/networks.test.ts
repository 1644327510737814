import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createAddressPolicy } from "../../src/send/networks.ts";

const isAllowed = createAddressPolicy([]);

describe("a connection is allowed to", () => {
  test.each([
    "1.0.0.0",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    // The registry lists these as globally reachable.
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
  ])("the global IPv4 address %s", (address) => {
    expect(isAllowed(address)).toBe(true);
  });

  test.each([
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2001:ffff::1",
    "2003::1",
    "2606:4700:4700::1111",
    "2620:4f:8000::1",
    "3fff:1000::1",
    "3ffe:ffff::1",
    "2000::1",
  ])("the global IPv6 address %s", (address) => {
    expect(isAllowed(address)).toBe(true);
  });

  test("a global IPv4 address that is written as IPv6", () => {
    expect(isAllowed("::ffff:1.1.1.1")).toBe(true);
    expect(isAllowed("::ffff:101:101")).toBe(true);
  });
});

describe("a connection is refused to", () => {
  test.each([
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.9",
    "192.0.0.170",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
  ])("the special IPv4 address %s, also written as IPv6", (address) => {
    expect(isAllowed(address)).toBe(false);
    expect(isAllowed(`::ffff:${address}`)).toBe(false);
  });

  test.each([
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["IPv4-compatible", "::7f00:1"],
    ["IPv4-compatible", "::8.8.8.8"],
    ["translated", "::ffff:0:8.8.8.8"],
    ["translated by NAT64", "64:ff9b::8.8.8.8"],
    ["translated by local NAT64", "64:ff9b:1::a00:1"],
    ["discard-only", "100::1"],
    ["below global unicast", "1fff:ffff::1"],
    ["Teredo", "2001::1"],
    ["benchmarking", "2001:2::1"],
    ["ORCHIDv2", "2001:20::1"],
    ["a protocol assignment", "2001:1ff:ffff::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["documentation", "3fff:fff:ffff::1"],
    ["6to4", "2002:7f00:1::1"],
    ["above global unicast", "4000::1"],
    ["segment routing", "5f00::1"],
    ["unique local", "fc00::1"],
    ["unique local", "fdff::1"],
    ["link-local", "fe80::1"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
  ])("the %s IPv6 address %s", (_, address) => {
    expect(isAllowed(address)).toBe(false);
  });

  test.each([
    "",
    "example.com",
    "1.1.1",
    "1.1.1.1%eth0",
    "2606:4700::1%eth0",
    "[2606:4700::1]",
    "1.1.1.1:80",
    "1.1.1.1/32",
  ])("%j, which is no plain address", (text) => {
    expect(isAllowed(text)).toBe(false);
  });
});

describe("the operator can permit", () => {
  test("a network, and nothing beside it", () => {
    const isAllowed = createAddressPolicy(["192.168.1.0/24", "fd00::/8", "10.0.0.7"]);
    for (const address of ["192.168.1.5", "::ffff:192.168.1.5", "fd12::1", "10.0.0.7", "1.1.1.1"]) {
      expect(isAllowed(address)).toBe(true);
    }
    for (const address of ["192.168.2.5", "fc00::1", "10.0.0.8", "127.0.0.1", "::1"]) {
      expect(isAllowed(address)).toBe(false);
    }
  });

  test("no address with a zone, which could mean another interface", () => {
    const isAllowed = createAddressPolicy(["fe80::/10", "::/0", "0.0.0.0/0"]);
    expect(isAllowed("fe80::1")).toBe(true);
    expect(isAllowed("fe80::1%eth0")).toBe(false);
    expect(isAllowed("::ffff:127.0.0.1%1")).toBe(false);
  });
});

test("IPv6 outside of 2000::/3 is refused altogether", () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, (groups) => {
      fc.pre(groups[0]! >> 13 !== 1 && groups.slice(0, 5).some((group) => group !== 0));
      return !isAllowed(groups.map((group) => group.toString(16)).join(":"));
    }),
  );
});
