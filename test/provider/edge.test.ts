import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { FormflagEdge } from "../../src/provider/edge.ts";
import { bootstrap, snapshot } from "../../src/provider/ssr.ts";
import { eventually } from "../support/eventually.ts";
import { startShopServer } from "../support/shop-server.ts";

const shop = await startShopServer();
const { token } = await shop.tokenFor("flags:sync");
const open = (options: object = {}) => new FormflagEdge({ url: shop.url, token, ...options });
const variants = { on: true, off: false };
await shop.set("sale", { enabled: true });
await shop.set("share", {
  enabled: true,
  variants,
  defaultVariant: "off",
  targeting: {
    fractional: [
      ["on", 50],
      ["off", 50],
    ],
  },
});

describe("the provider for the edge", () => {
  test("evaluates at once after a load, and does nothing by itself", async () => {
    const flags = open();
    const before = shop.requests.length;
    expect(flags.evaluate("sale")).toMatchObject({ errorCode: "PROVIDER_NOT_READY", metadata: {} });
    expect(await flags.load()).toBe(true);
    expect(flags.evaluate("sale")).toMatchObject({ value: true, variant: "on", reason: "STATIC" });
    expect(flags.evaluate("none").errorCode).toBe("FLAG_NOT_FOUND");
    expect(Object.keys(flags.evaluateAll({ targetingKey: "u1" }))).toEqual(
      expect.arrayContaining(["sale", "share"]),
    );
    expect(shop.requests.length - before).toBe(1);
  });

  test("has one request at a time, and none within the age that a load allows", async () => {
    const flags = open();
    const before = shop.requests.length;
    expect(await Promise.all([flags.load(), flags.load(), flags.load()])).toEqual([true, true, true]);
    expect(await flags.load({ maxAge: 60_000 })).toBe(true);
    expect(shop.requests.length - before).toBe(1);
    await flags.load();
    expect(shop.requests.at(-1)!.headers.get("if-none-match")).toMatch(/^W\/"/);
    await shop.set("sale", { enabled: false });
    await flags.load();
    expect(flags.evaluate("sale").value).toBe(false);
    await shop.set("sale", { enabled: true });
  });

  test("keeps its flags, or has those of the storage, while the server does not answer in time", async () => {
    const storage = new Map<string, string>();
    const before = open({ storage, timeout: 300 });
    await eventually("a load in time", () => before.load());
    shop.answerWith(() => new Promise(() => {}));
    expect(await before.load()).toBe(false);
    expect([before.evaluate("sale").value, before.error?.message]).toEqual([true, expect.any(String)]);
    const restarted = open({ storage, timeout: 300 });
    expect(await Promise.all([restarted.load(), restarted.load()])).toEqual([false, false]);
    expect(restarted.evaluate("sale").value).toBe(true);
    const other = open({ storage, timeout: 300, token: `${token}x` });
    expect([await other.load(), other.evaluate("sale").errorCode]).toEqual([false, "PROVIDER_NOT_READY"]);
    shop.answerWith((request, pass) => pass(request));
    await eventually("another load in time", () => restarted.load());
    expect(restarted.error).toBeNull();
  });

  test("sends its token nowhere else, and says where the flags have moved", async () => {
    shop.answerWith((request, pass) =>
      request.url.endsWith("/flagd/v1.json") ? Response.redirect(`${shop.url}/elsewhere`) : pass(request),
    );
    const flags = open();
    expect([await flags.load(), flags.error?.message]).toEqual([false, expect.stringContaining("302")]);
    expect(shop.paths()).not.toContain("/elsewhere");
    shop.answerWith((request, pass) => pass(request));
  });
});

describe("the flags of a rendered page", () => {
  test("are an element that no value can end", async () => {
    await shop.set("text", {
      enabled: true,
      variants: { a: "</script><script>alert(1)</script><!--" },
      defaultVariant: "a",
    });
    const flags = open();
    await flags.load();
    const html = bootstrap(flags, { targetingKey: "<u1>" });
    expect(html.match(/<[^>]*>/g)).toEqual(['<script type="application/json" id="formflag">', "</script>"]);
    const json = JSON.parse(html.replaceAll(/^<[^>]*>|<[^>]*>$/g, "")) as ReturnType<typeof snapshot>;
    expect(json).toEqual(snapshot(flags, { targetingKey: "<u1>" }));
    expect(json.flags["text"]!.value).toContain("</script>");
    expect(html).not.toContain("u1");
  });

  test("are those that are named, for a context in any order", async () => {
    const flags = open();
    await flags.load();
    const first = snapshot(flags, { targetingKey: "u1", plan: "pro" }, ["sale", "none"]);
    expect(Object.keys(first.flags)).toEqual(["sale"]);
    expect(snapshot(flags, { plan: "pro", targetingKey: "u1" }, ["sale"])).toEqual(first);
    expect(snapshot(flags, { targetingKey: "u2" }).for).not.toBe(first.for);
  });
});

test.each([
  ["edge", 9.1],
  ["web", 5],
])("the part %s has at most %s kB, minified and compressed", async (name, limit) => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../src/provider", `${name}.ts`)],
    target: "browser",
    minify: true,
    external: ["@openfeature/*"],
  });
  const size = Bun.gzipSync(await outputs[0]!.arrayBuffer()).byteLength;
  expect(size).toBeLessThanOrEqual(limit * 1000);
});
