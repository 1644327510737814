import { describe, expect, test } from "bun:test";
import { createAddressList } from "../../src/base/network.ts";
import { findClient, isLoopback, networkOf } from "../../src/http/address.ts";

describe("the address of a client", () => {
  const isTrusted = createAddressList(["10.0.0.0/8", "127.0.0.1", "fd00::/8"]);
  const client = (peer: string, forwardedFor: string | null) =>
    findClient(peer, forwardedFor, isTrusted).address;

  test("is the peer's when nothing was forwarded", () => {
    expect(client("203.0.113.9", null)).toBe("203.0.113.9");
    expect(client("10.0.0.1", null)).toBe("10.0.0.1");
    expect(client("10.0.0.1", "")).toBe("10.0.0.1");
  });

  test("is the peer's whatever an untrusted peer claims", () => {
    expect(client("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
    expect(client("203.0.113.9", "127.0.0.1, 10.0.0.1")).toBe("203.0.113.9");
    expect(findClient("10.0.0.1", "198.51.100.1", () => false).address).toBe("10.0.0.1");
  });

  test.each<[peer: string, forwardedFor: string | null, isLocal: boolean]>([
    ["127.0.0.1", null, true],
    ["127.0.0.2", "198.51.100.1", true],
    ["::1", "127.0.0.1", true],
    ["198.51.100.1", null, false],
    ["127.0.0.1", "198.51.100.1", false],
    ["127.0.0.1", "127.0.0.1", false],
    ["127.0.0.1", "", false],
    ["10.0.0.1", "127.0.0.1", false],
    ["10.0.0.1", "::1", false],
  ])("is this machine's only where no trusted proxy forwards it: %s, %j", (peer, forwardedFor, isLocal) => {
    expect(findClient(peer, forwardedFor, isTrusted).isLocal).toBe(isLocal);
  });

  test("is the one that a trusted proxy forwards for", () => {
    expect(client("10.0.0.1", "198.51.100.1")).toBe("198.51.100.1");
    expect(client("10.0.0.1", "  2001:db8::1  ")).toBe("2001:db8::1");
    expect(client("fd00::1", "198.51.100.1")).toBe("198.51.100.1");
  });

  test("is the rightmost that no trusted proxy has, not one the client put before it", () => {
    expect(client("10.0.0.1", "127.0.0.1, 198.51.100.1")).toBe("198.51.100.1");
    expect(client("10.0.0.1", "192.0.2.7, 198.51.100.1, 10.0.0.3, 10.0.0.2")).toBe("198.51.100.1");
  });

  test("is the first hop when every hop is a trusted proxy", () => {
    expect(client("10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3");
  });

  test.each(["unknown", "_hidden", "", "not an address", "999.1.1.1", "198.51.100.1; DROP TABLE"])(
    "is the hop as it stands, and never that of a proxy, where it reads %j",
    (hop) => {
      expect(client("10.0.0.1", `198.51.100.1, ${hop}`)).toBe(hop);
      expect(client("10.0.0.1", `198.51.100.1, ${hop}, 10.0.0.2`)).toBe(hop);
    },
  );

  test.each(["192.0.2.9:4444", '"192.0.2.9"', '"192.0.2.9:4444"'])("is read from %j too", (hop) => {
    expect(client("10.0.0.1", hop)).toBe("192.0.2.9");
  });

  test.each(["[2001:db8::1]", "[2001:db8::1]:4444", '"[2001:db8::1]:4444"'])("is read from %j too", (hop) => {
    expect(client("10.0.0.1", hop)).toBe("2001:db8::1");
  });

  test("is an IPv4 address also when it came over an IPv6 socket", () => {
    expect(client("::ffff:203.0.113.9", null)).toBe("203.0.113.9");
    expect(client("::ffff:10.0.0.1", "::FFFF:198.51.100.1")).toBe("198.51.100.1");
  });

  test.each([
    ["::ffff:203.0.113.51", "203.0.113.51"],
    ["::ffff:cb00:7133", "203.0.113.51"],
    ["::FFFF:CB00:7133", "203.0.113.51"],
    ["0:0:0:0:0:ffff:cb00:7133", "203.0.113.51"],
    ["0000:0000:0000:0000:0000:FFFF:203.0.113.51", "203.0.113.51"],
    ["::ffff:0:1", "0.0.0.1"],
    ["::ffff:cb00:7133%eth0", "203.0.113.51"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["FE80::1%eth0", "fe80::1%eth0"],
    ["::cb00:7133", "::cb00:7133"],
    ["64:ff9b::203.0.113.51", "64:ff9b::cb00:7133"],
    ["1::ffff:cb00:7133", "1::ffff:cb00:7133"],
  ])("has one text however it is written: %s is %s", (written, text) => {
    expect(client(written, null)).toBe(text);
    expect(client("10.0.0.1", `127.0.0.1, ${written}`)).toBe(text);
    expect(client("::ffff:a00:1", `[${written}]:443`)).toBe(
      written.includes("%") ? `[${written}]:443` : text,
    );
  });

  test("is the peer's when that is no address", () => {
    expect(client("", "198.51.100.1")).toBe("");
  });
});

test("loopback is 127.0.0.0/8 and ::1", () => {
  for (const address of ["127.0.0.1", "127.255.0.1", "::1"]) expect(isLoopback(address)).toBe(true);
  for (const address of ["128.0.0.1", "::2", "10.0.0.1", ""]) expect(isLoopback(address)).toBe(false);
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1:2:3:4:5:6", "0:0:1:2::/64"],
  ["1::", "1:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["unknown", "unknown"],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
