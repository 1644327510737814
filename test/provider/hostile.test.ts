import { describe, expect, test } from "bun:test";
import { FormflagEdge } from "../../src/provider/edge.ts";
import { FormflagProvider } from "../../src/provider/server.ts";
import { eventually } from "../support/eventually.ts";
import { startShopServer } from "../support/shop-server.ts";

const shop = await startShopServer();
const { token } = await shop.tokenFor("flags:sync");
await shop.set("sale", { enabled: true });
const open = (options: object = {}) => new FormflagEdge({ url: shop.url, token, ...options });

const cyclic: Record<string, unknown> = { targetingKey: "u1" };
cyclic["self"] = cyclic;
const throwing = {
  get plan() {
    throw new Error("no plan");
  },
};

test.each([
  ["refers to itself", cyclic],
  ["throws", throwing],
  ["has a time and what JSON has not", { at: new Date(), size: 1n }],
])("a context that %s is an error with a code, and not one that is thrown", async (_, context) => {
  const flags = open();
  await flags.load();
  expect(flags.evaluate("sale", context)).toMatchObject({ reason: "ERROR", errorCode: "INVALID_CONTEXT" });
});

test("a payload whose flag is missing is an error with a code", async () => {
  const definition = { state: "ENABLED", variants: { payload: 1 }, formflag: { payloadOf: "a" } };
  shop.answerWith(() => Response.json({ flags: { "a.payload": definition } }));
  const flags = open();
  await flags.load();
  expect(flags.evaluate("a.payload")).toMatchObject({ reason: "ERROR", errorCode: "FLAG_NOT_FOUND" });
  shop.answerWith((request, pass) => pass(request));
});

describe("a storage that never answers", () => {
  const never = () => new Promise<never>(() => {});

  test("holds up no load beyond its time", async () => {
    const flags = open({ timeout: 300, storage: { get: never, set: never } });
    shop.answerWith(() => new Response(null, { status: 502 }));
    expect([await flags.load(), flags.error?.message]).toEqual([false, expect.stringContaining("502")]);
    shop.answerWith((request, pass) => pass(request));
    await eventually("a load in time", () => flags.load());
    expect(flags.evaluate("sale").value).toBe(true);
  });

  test("is given the newest flags once it answers, and not all those in between", async () => {
    let release = () => {};
    const given: string[] = [];
    const set = async (_: string, text: string) => {
      given.push(/"number (\d)"/.exec(text)![1]!);
      await new Promise<void>((resolve) => (release = resolve));
    };
    const flags = open({ storage: { get: () => null, set } });
    for (const description of ["1", "2", "3"]) {
      await shop.set("sale", { description: `number ${description}` });
      await flags.load();
    }
    expect(given).toEqual(["1"]);
    release();
    await Bun.sleep(0);
    expect(given).toEqual(["1", "3"]);
  });
});

test("a provider that was closed while the server was away sends the events after it is opened again", async () => {
  const provider = new FormflagProvider({ url: shop.url, token });
  await provider.initialize();
  let status = 503;
  const sent: string[] = [];
  shop.answerWith(async (request, pass) => {
    if (request.method !== "POST") return pass(request);
    sent.push(await request.text());
    return new Response(null, { status });
  });
  provider.track("signup", { targetingKey: "u1" });
  await provider.onClose();
  expect(sent).toHaveLength(1);
  status = 202;
  await provider.initialize();
  provider.track("signup", { targetingKey: "u2" });
  await eventually("the events", () => ["u1", "u2"].every((user) => sent.slice(1).join().includes(user)));
  await provider.onClose();
});

test("a provider is closed within its time where the server does not take its events", async () => {
  const provider = new FormflagProvider({ url: shop.url, token, timeout: 100 });
  await provider.initialize();
  shop.answerWith((request, pass) => (request.method === "POST" ? new Promise(() => {}) : pass(request)));
  provider.track("signup", { targetingKey: "u1" });
  await provider.onClose();
  shop.answerWith((request, pass) => pass(request));
});
