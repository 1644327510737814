import { expect, test } from "bun:test";
import { createSendPolicy, checkTarget, type SendPolicy } from "../../src/send/route.ts";
import { errorOf, reasonOf } from "../support/refusals.ts";

const policy = createSendPolicy(["10.1.0.0/16"], () => 0);

const check = (url: string, more: Partial<SendPolicy> = {}, timeoutMs?: number) =>
  checkTarget({ ...policy, ...more }, { kind: "webhook", url }, timeoutMs);

const resolvesTo = (...addresses: string[]) => ({ resolve: () => Promise.resolve(addresses) });

test("a target is accepted where every address is global or permitted", async () => {
  await check("https://example.com/", resolvesTo("1.1.1.1", "2606:4700::1111", "10.1.2.3"));
  await check("https://1.1.1.1/");
  await check("https://[2606:4700::1111]/");
  await check("http://10.1.2.3:8080/");
});

test.each([
  ["https://example.com/secret", ["1.1.1.1", "10.2.0.1"]],
  ["https://example.com/secret", ["::1"]],
  ["https://169.254.169.254/secret", []],
  ["https://0x7f.1/secret", []],
  ["https://[::ffff:7f00:1]/secret", []],
  ["https://localhost/secret", ["127.0.0.1"]],
])("a target is refused where one is not: %s with %j", async (url, addresses) => {
  const checking = check(url, resolvesTo(...addresses));
  expect(await reasonOf(checking)).toBe("invalid target-not-public");
  const { hostname } = new URL(url);
  expect(await errorOf(checking)).toBe(
    `invalid: ${hostname} ${addresses.length > 0 ? "has an address that is" : "is"} neither public nor permitted by the operator of this server`,
  );
});

test("the names of the system are resolved", async () => {
  expect(await reasonOf(check("https://localhost/"))).toBe("invalid target-not-public");
  await check("https://localhost/", { isAllowed: (address) => address === "127.0.0.1" || address === "::1" });
});

test.each([
  ["does not exist", () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" })), "ENOTFOUND"],
  ["has no address", () => Promise.resolve([]), "no address"],
  ["is not answered for", () => new Promise<never>(() => {}), "no answer"],
])("a target is refused whose name %s", async (_, resolve, why) => {
  const checking = check("https://example.com/", { resolve }, 20);
  expect(await reasonOf(checking)).toBe("invalid target-unresolved");
  expect(await errorOf(checking)).toBe(
    `invalid: the name example.com cannot be resolved (${why}): check its spelling`,
  );
});
