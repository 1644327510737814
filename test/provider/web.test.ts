import { join } from "node:path";
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { ClientProviderStatus, OpenFeature, type Provider } from "@openfeature/web-sdk";
import { FormflagEdge } from "../../src/provider/edge.ts";
import { snapshot } from "../../src/provider/ssr.ts";
import { eventually } from "../support/eventually.ts";
import { startShopServer } from "../support/shop-server.ts";

/** Its types are those of pages, which this file has not. */
const { FormflagWebProvider } = (await import(join(import.meta.dir, "../../src/provider/web.ts"))) as {
  FormflagWebProvider: new (options: object) => Provider;
};

const shop = await startShopServer();
const page = await shop.tokenFor("flags:browser");
const rules = await shop.tokenFor("flags:sync");
await shop.set("plan", {
  enabled: true,
  browser: true,
  variants: { free: "free", paid: "paid" },
  defaultVariant: "free",
  targeting: { if: [{ "==": [{ var: "plan" }, "paid"] }, "paid"] },
});
const [ann, ben] = [
  { targetingKey: "ann", plan: "paid" },
  { targetingKey: "ben", plan: "free" },
];

const globals = globalThis as Record<string, unknown>;
let paint = () => {};
/** The parts of a page that the provider uses; `text` is that of an element with the id of the bootstrap. */
function openPage(text: string | null): void {
  globals["document"] = {
    visibilityState: "visible",
    querySelector: () => (text === null ? null : { textContent: text }),
    addEventListener: () => {},
    removeEventListener: () => {},
  };
  globals["requestAnimationFrame"] = (run: () => void) => void (paint = run);
  globals["addEventListener"] = globals["removeEventListener"] = () => {};
}

let domains = 0;
async function open(provider: Provider, context: object) {
  const domain = `w${(domains += 1)}`;
  await OpenFeature.setContext(domain, { ...context });
  await OpenFeature.setProviderAndWait(domain, provider);
  return { domain, client: OpenFeature.getClient(domain) };
}
afterEach(async () => {
  await OpenFeature.clearProviders();
  for (const name of ["document", "requestAnimationFrame", "addEventListener", "removeEventListener"])
    delete globals[name];
});

describe("the provider for pages", () => {
  test("has the values of the last context, whichever is answered last, and wherever the first paint comes", async () => {
    const server = new FormflagEdge({ url: shop.url, token: rules.token });
    await server.load();
    openPage(null);
    const asked: string[] = [];
    shop.answerWith(async (request, pass) => {
      if (new URL(request.url).pathname.startsWith("/ofrep/v1/evaluate"))
        asked.push(await request.clone().text());
      return pass(request);
    });
    const provider = new FormflagWebProvider({
      url: shop.url,
      token: page.token,
      bootstrap: snapshot(server, ann),
      storage: null,
    });
    const { client, domain } = await open(provider, ann);
    expect(client.getStringValue("plan", "none")).toBe("paid");
    await OpenFeature.setContext(domain, { ...ben });
    expect(client.getStringValue("plan", "none")).toBe("free");
    paint();
    await eventually("what the paint asks for", () => asked.length > 0);
    await fetch(`${shop.url}/healthz`);
    // The stream of events, which opens meanwhile, makes it ask for the same once more.
    expect([...new Set(asked)]).toEqual([JSON.stringify({ context: ben })]);
    expect(client.getStringValue("plan", "none")).toBe("free");
    const waiting = Promise.withResolvers<void>();
    shop.answerWith(async (request, pass) => {
      if ((await request.clone().text()).includes("ben")) await waiting.promise;
      return pass(request);
    });
    await OpenFeature.setContext(domain, { ...ann });
    const late = OpenFeature.setContext(domain, { ...ben });
    await OpenFeature.setContext(domain, { ...ann });
    waiting.resolve();
    await late;
    expect(client.getStringValue("plan", "none")).toBe("paid");
    shop.answerWith((request, pass) => pass(request));
  });

  test.each([["a text"], ["{}"], ["null"], ['{"flags":null,"for":""}']])(
    "starts without values where an element or the storage has %s",
    async (text) => {
      openPage(text);
      const storage = { getItem: () => text, setItem: () => {} };
      shop.answerWith(() => new Response(null, { status: 502 }));
      const provider = new FormflagWebProvider({ url: shop.url, token: page.token, storage });
      const { client } = await open(provider, ann);
      expect([client.getStringValue("plan", "none"), client.providerStatus]).toEqual([
        "none",
        expect.any(String),
      ]);
      expect(client.providerStatus).not.toBe(ClientProviderStatus.NOT_READY);
      shop.answerWith((request, pass) => pass(request));
    },
  );
});

test("a page whose stream is lost asks whether the server is there: it is stale, then ready although nothing changed", async () => {
  const streams: { readyState: number; onerror: () => void; close: () => void }[] = [];
  class FakeStream {
    readyState = 1;
    onerror = () => {};
    close = () => {};
    constructor() {
      streams.push(this);
    }
  }
  const own = globalThis.EventSource;
  Object.assign(globalThis, { EventSource: FakeStream });
  const provider = new FormflagWebProvider({ url: shop.url, token: page.token, storage: null });
  const { client } = await open(provider, ann);
  shop.answerWith(() => new Response(null, { status: 502 }));
  const timers = spyOn(globalThis, "setTimeout");
  streams[0]!.readyState = 0;
  streams[0]!.onerror();
  const [ask, ms] = timers.mock.calls.at(-1) as [() => void, number];
  timers.mockRestore();
  expect(ms).toBeWithin(5000, 10_001);
  ask();
  await eventually("stale", () => client.providerStatus === ClientProviderStatus.STALE);
  expect(client.getStringValue("plan", "none")).toBe("paid");
  shop.answerWith((request, pass) => pass(request));
  await eventually("ready", () => client.providerStatus === ClientProviderStatus.READY);
  Object.assign(globalThis, { EventSource: own });
});
