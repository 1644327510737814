import { describe, expect, test } from "bun:test";
import { createAddressList, isAddressRange, truncateAddress, wholeAddress } from "../../src/base/network.ts";

describe("a list of addresses", () => {
  const includes = createAddressList(["192.0.2.1", "198.51.100.0/24", "2001:db8::/32", "::1"]);

  test.each(["192.0.2.1", "198.51.100.0", "198.51.100.255", "2001:db8:1::5", "::1", "0:0:0:0:0:0:0:1"])(
    "includes %s",
    (address) => {
      expect(includes(address)).toBe(true);
    },
  );

  test.each(["192.0.2.2", "198.51.101.0", "2001:db9::1", "::2", "", "nonsense", "198.51.100.0/24"])(
    "does not include %j",
    (address) => {
      expect(includes(address)).toBe(false);
    },
  );

  test.each([
    "::ffff:192.0.2.1",
    "::ffff:c000:201",
    "::ffff:192.0.2.0/120",
    "::ffff:0:0/96",
    "::FFFF:C000:201/128",
  ])("may hold IPv4 addresses as those of IPv6 sockets: %s", (range) => {
    expect(isAddressRange(range)).toBe(true);
    const includes = createAddressList([range]);
    expect(includes("192.0.2.1")).toBe(true);
    expect(includes("2001:db8::1")).toBe(false);
    expect(includes("203.0.113.9")).toBe(range.endsWith("/96"));
  });

  test("may hold everything or nothing", () => {
    expect(createAddressList(["0.0.0.0/0"])("203.0.113.9")).toBe(true);
    expect(createAddressList(["203.0.113.9/32"])("203.0.113.9")).toBe(true);
    expect(createAddressList([])("203.0.113.9")).toBe(false);
  });
});

test.each(["10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "10.0.0.1/32", "::1", "fd00::/8", "::/0", "::1/128"])(
  "%s is an address range",
  (text) => {
    expect(isAddressRange(text)).toBe(true);
    createAddressList([text]);
  },
);

test.each([
  "",
  "/",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0.0/x",
  "10.0.0/8",
  "10.0.0.0/8/8",
  "::/129",
  "host",
  "10.0.0.0/-1",
])("%j is no address range", (text) => {
  expect(isAddressRange(text)).toBe(false);
});

test.each([
  ["203.0.113.57", "203.0.113.57", "203.0.113.0"],
  ["::ffff:203.0.113.57", "203.0.113.57", "203.0.113.0"],
  ["2001:DB8:1:2::3", "2001:db8:1:2::3", "2001:db8:1::"],
  ["2001:db8::1", "2001:db8::1", "2001:db8::"],
  ["::1", "::1", "::"],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", "1:2:3::"],
  ["fe80::1%eth0", "fe80::1", "fe80::"],
  ["unknown", null, null],
  ["203.0.113.57:80", null, null],
])("%s is recorded as %s, and shortened as %s", (address, whole, truncated) => {
  expect([wholeAddress(address), truncateAddress(address)]).toEqual([whole, truncated]);
});
