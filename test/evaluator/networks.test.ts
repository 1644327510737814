import { describe, expect, test } from "bun:test";
import { addressOf, networkOf, Networks } from "../../src/evaluator/networks.ts";

const has = (network: string, address: string) =>
  new Networks([networkOf(network)!]).has(addressOf(address)!);

describe("a network", () => {
  test.each([
    ["10.0.0.0/8", "10.255.0.1", "11.0.0.1"],
    ["192.168.1.7", "192.168.1.7", "192.168.1.8"],
    ["192.168.1.129/25", "192.168.1.200", "192.168.1.1"],
    ["2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"],
    ["10.0.0.0/8", "::ffff:10.1.2.3", "::10.1.2.3"],
    ["::ffff:10.0.0.0/104", "10.1.2.3", "11.1.2.3"],
    ["0.0.0.0/0", "1.2.3.4", "2001:db8::1"],
  ])("%s has %s and not %s", (network, inside, outside) => {
    expect([has(network, inside), has(network, outside)]).toEqual([true, false]);
  });

  test.each([
    "10.0.0.0/33",
    "10.0.0/8",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "::/129",
    "::1::",
    "1:2",
    "",
    "10.0.0.256",
    "01.2.3.4",
    "1.2.3.4.",
    "10.0.0.0/",
  ])("%s is none", (text) => expect(networkOf(text)).toBeUndefined());
});
