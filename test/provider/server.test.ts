import { afterEach, describe, expect, test } from "bun:test";
import { OpenFeature, ProviderEvents, ProviderStatus } from "@openfeature/server-sdk";
import { FormflagProvider } from "../../src/provider/server.ts";
import { eventually } from "../support/eventually.ts";
import { startShopServer } from "../support/shop-server.ts";

const shop = await startShopServer();
const { token } = await shop.tokenFor("flags:sync");
const evaluating = await shop.tokenFor("flags:evaluate");
const context = { targetingKey: "user-42", email: "ann@example.com", ip: "10.1.2.3" };

await shop.setSegment("lan", { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] });
await shop.set("plain", { enabled: true, payload: { color: "green" } });
await shop.set("resting", { enabled: false, payload: 1 });
await shop.set("near", {
  enabled: true,
  variants: { on: true, off: false },
  defaultVariant: "off",
  targeting: {
    if: [
      { $ref: "lan" },
      "on",
      {
        fractional: [
          ["on", 30],
          ["off", 70],
        ],
      },
    ],
  },
  payload: [1, 2],
});
await shop.set("theme", {
  enabled: true,
  variants: { plain: "plain", fancy: "fancy" },
  defaultVariant: "plain",
  targeting: { if: [{ matches: [{ var: "email" }, "@example\\.com$"] }, "fancy"] },
});
await shop.set("limit", { enabled: true, variants: { low: 1.5, high: 99 }, defaultVariant: "high" });
await shop.set("quiet", { enabled: false, variants: { a: "A" }, defaultVariant: "a" });
await shop.set("sale", { enabled: true });

let domains = 0;
/** A provider in a domain of its own, with the events that it has. */
function open(options: Partial<ConstructorParameters<typeof FormflagProvider>[0]> = {}) {
  const domain = `d${(domains += 1)}`;
  const provider = new FormflagProvider({ url: shop.url, token, ...options });
  const client = OpenFeature.getClient(domain);
  const heard: string[] = [];
  const changed: string[][] = [];
  for (const [name, event] of Object.entries(ProviderEvents))
    if (name !== "ContextChanged")
      client.addHandler(event as ProviderEvents.Ready, () => void heard.push(name));
  client.addHandler(
    ProviderEvents.ConfigurationChanged,
    (details) => void changed.push([...details!.flagsChanged!]),
  );
  return { provider, client, heard, changed, start: () => OpenFeature.setProviderAndWait(domain, provider) };
}
afterEach(() => OpenFeature.clearProviders());

describe("the provider for servers", () => {
  test("is ready after one request, and asks no more for flags that do not change", async () => {
    const { token } = await shop.tokenFor("flags:sync");
    const accepted = () =>
      shop.requests
        .filter(({ headers }) => headers.get("authorization") === `Bearer ${token}`)
        .map(({ headers }) => headers.get("accept"));
    const { start, client, heard } = open({ token });
    await start();
    expect(client.providerStatus).toBe(ProviderStatus.READY);
    expect(await client.getBooleanValue("plain", false)).toBe(true);
    await eventually("the stream", () => accepted().length === 2);
    expect(accepted()).toEqual(["application/vnd.formflag+json", "text/event-stream"]);
    expect(heard).toEqual(["Ready"]);
    expect(shop.requests.every(({ url }) => !url.includes(token))).toBe(true);
  });

  test("evaluates all flags and payloads as the server does", async () => {
    const { start, provider } = open();
    await start();
    for (let user = 0; user < 40; user += 1) {
      const each = {
        targetingKey: `u${user}`,
        email: `u@example.${user % 2 ? "com" : "net"}`,
        ip: `${user}.0.0.1`,
      };
      const answer = await fetch(`${shop.url}/ofrep/v1/evaluate/flags`, {
        method: "POST",
        headers: { authorization: `Bearer ${evaluating.token}` },
        body: JSON.stringify({ context: each }),
      });
      type Flag = { key: string; value?: unknown; variant?: string; reason: string };
      const { flags } = (await answer.json()) as { flags: Flag[] };
      const theirs = flags.map(({ key, value, variant, reason }) => [
        key,
        { value, variant: variant || undefined, reason },
      ]);
      const ours = Object.entries(provider.evaluateAll(each)).map(([key, { value, variant, reason }]) => [
        key,
        { value, variant, reason },
      ]);
      expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    }
  });

  test("gives the default of the code where there is no value of its type, and says why", async () => {
    const { start, client } = open();
    await start();
    expect(await client.getStringDetails("quiet", "x")).toMatchObject({ value: "x", reason: "DISABLED" });
    expect(await client.getBooleanDetails("none", true)).toMatchObject({
      value: true,
      errorCode: "FLAG_NOT_FOUND",
    });
    expect(await client.getBooleanDetails("limit", true)).toMatchObject({
      value: true,
      errorCode: "TYPE_MISMATCH",
    });
    expect(await client.getObjectValue("near.payload", [], context)).toEqual([1, 2]);
    expect(await client.getStringValue("theme", "x", { ...context, at: new Date() })).toBe("fancy");
  });

  test("hears of changes, and names the flags that may evaluate to something else", async () => {
    const { start, client, changed } = open();
    await start();
    await shop.set("sale", { enabled: false });
    await eventually("the change", () => changed.length === 1);
    expect(await client.getBooleanValue("sale", true)).toBe(false);
    await shop.setSegment("lan", { in_cidr: [{ var: "ip" }, "192.168.0.0/16"] });
    await eventually("the change of the segment", () => changed.length === 2);
    expect(changed.map((each) => each.toSorted())).toEqual([["sale"], ["near", "near.payload"]]);
    await shop.setSegment("lan", { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] });
    await shop.set("sale", { enabled: true });
    await eventually("the last change", () => changed.flat().filter((each) => each === "sale").length === 2);
  });

  test("names its environment where the token reads several", async () => {
    const reader = (await shop.tokenFor("flags:read")).token;
    const { start, client } = open({ token: reader, project: "shop", environment: "live" });
    await start();
    expect(await client.getBooleanValue("plain", false)).toBe(true);
    expect(shop.paths()).toContain("/flagd/v1/shop/live.json");
    expect(() => new FormflagProvider({ url: shop.url, token, project: "shop" })).toThrow("go together");
    expect(() => new FormflagProvider({ url: "ftp://x", token })).toThrow("no address of a server");
  });

  test("sends the events of users, each once", async () => {
    const { start, client } = open();
    await start();
    const bodies: string[] = [];
    let isFirst = true;
    shop.answerWith(async (request, pass) => {
      if (!request.url.endsWith("/v1/events")) return pass(request);
      const [mine, theirs] = [request.clone(), request];
      bodies.push(`${mine.headers.get("idempotency-key")} ${await mine.text()}`);
      if (isFirst) return ((isFirst = false), new Response(null, { status: 503 }));
      const answer = await pass(theirs);
      expect(answer.status).toBe(200);
      return answer;
    });
    client.track("signup", { targetingKey: "u1" });
    client.track("no such name!", { targetingKey: "u1" });
    client.track("signup", {});
    await eventually("the first attempt", () => bodies.length === 1);
    client.track("signup", { targetingKey: "u2" });
    await OpenFeature.clearProviders();
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies.slice(1).map((each) => JSON.parse(each.slice(37)) as object)).toEqual([
      { events: [{ event: "signup", targetingKey: "u1" }] },
      { events: [{ event: "signup", targetingKey: "u2" }] },
    ]);
    shop.answerWith((request, pass) => pass(request));
  });
});

test("the reads of a provider are reported, each once, with nothing about users, unless that is turned off", async () => {
  await shop.set("read", { enabled: true, payload: 1 });
  const reports: string[] = [];
  shop.answerWith(async (request, pass) => {
    if (request.method !== "POST") return pass(request);
    const text = await request.clone().text();
    const answer = await pass(request);
    // The answer to the first one is lost.
    return reports.push(text) === 1 ? new Response(null, { status: 502 }) : answer;
  });
  for (const reportReads of [undefined, false]) {
    const { start, client, provider } = open({ reportReads });
    await start();
    for (let count = 0; count < 3; count += 1) await client.getBooleanValue("read", false, context);
    await client.getNumberValue("read.payload", 0, context);
    await client.getBooleanValue("none", false, context);
    provider.evaluateAll(context);
    await provider.onClose();
    await provider.onClose();
  }
  const report = { reads: { read: { on: 3 }, "read.payload": { payload: 1 } } };
  expect(reports.map((each) => JSON.parse(each) as object)).toEqual([report, report]);
  expect(await shop.readsOf("read")).toBe(3);
  shop.answerWith((request, pass) => pass(request));
});

describe("a start without the server", () => {
  test("has the flags of the storage, then says that they are stale, and becomes ready by itself", async () => {
    const storage = new Map<string, string>();
    const before = open({ storage });
    await before.start();
    await eventually("the stored flags", () => storage.size === 1);
    await before.provider.onClose();
    await shop.stop();
    const { start, client, heard, changed } = open({ storage });
    await start();
    expect(await client.getBooleanValue("plain", false)).toBe(true);
    await eventually("stale", () => client.providerStatus === ProviderStatus.STALE);
    shop.start();
    await shop.set("plain", { enabled: false });
    await eventually("ready", () => client.providerStatus === ProviderStatus.READY);
    expect(await client.getBooleanValue("plain", true)).toBe(false);
    expect(heard.filter((each) => each !== "ConfigurationChanged")).toEqual(["Ready", "Stale", "Ready"]);
    expect(changed.flat().toSorted()).toEqual(["plain", "plain.payload"]);
    await shop.set("plain", { enabled: true });
  });

  test("has the defaults of the code if nothing is stored, within its time, also if the server is frozen", async () => {
    const held = Promise.withResolvers();
    shop.answerWith(() => held.promise.then(() => new Response("later", { status: 503 })));
    const storage = { get: () => new Promise<never>(() => {}), set: () => {} };
    const { start, client } = open({ timeout: 300, storage });
    await start();
    expect(await client.getBooleanDetails("plain", false)).toMatchObject({
      value: false,
      errorCode: "PROVIDER_NOT_READY",
    });
    await eventually("stale", () => client.providerStatus === ProviderStatus.STALE);
    shop.answerWith((request, pass) => pass(request));
    held.resolve(undefined);
    await eventually("ready", () => client.providerStatus === ProviderStatus.READY);
    expect(await client.getBooleanValue("plain", false)).toBe(true);
  });

  test("fails with a wrong token, and says so", async () => {
    const { start, client } = open({ token: `ff_${"0".repeat(40)}` });
    const failure = await start().catch(String);
    expect(failure).toContain("the server of flags answered 401: this token is not known here");
    await eventually("the error", () => client.providerStatus === ProviderStatus.ERROR);
  });
});

describe("a server that fails later", () => {
  test("takes no flag away, whatever it answers, and no change is missed", async () => {
    const { start, client, heard } = open();
    await start();
    await eventually("the stream", () => shop.requests.at(-1)!.headers.get("accept") === "text/event-stream");
    await shop.stop();
    shop.answerWith(() => new Response("<h1>It works!</h1>", { headers: { "content-type": "text/html" } }));
    shop.start();
    await eventually("stale", () => client.providerStatus === ProviderStatus.STALE);
    expect(await client.getBooleanValue("sale", false)).toBe(true);
    await shop.set("sale", { enabled: false });
    shop.answerWith((request, pass) => pass(request));
    await eventually("ready", () => client.providerStatus === ProviderStatus.READY);
    expect(await client.getBooleanValue("sale", true)).toBe(false);
    expect(heard).toContain("ConfigurationChanged");
    await shop.set("sale", { enabled: true });
  });

  test("ends the provider's flags no sooner by revoking its token, which is an error", async () => {
    const gone = await shop.tokenFor("flags:sync");
    const { start, client } = open({ token: gone.token });
    await start();
    await gone.revoke();
    await eventually("the error", () => client.providerStatus === ProviderStatus.ERROR);
    expect(await client.getBooleanValue("plain", false)).toBe(true);
  });

  test("is heard of if it is silent, and is asked again", async () => {
    let isFirst = true;
    shop.answerWith((request, pass) => {
      if (request.headers.get("accept") !== "text/event-stream" || !isFirst) return pass(request);
      isFirst = false;
      const event = Buffer.from('event: change\ndata: {"etag":"none"}\n\n');
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(event) }), {
        headers: { "content-type": "text/event-stream" },
      });
    });
    const { start, client, heard } = open({ silence: 100 });
    await start();
    await eventually("stale", () => heard.includes("Stale"));
    await eventually("ready", () => client.providerStatus === ProviderStatus.READY);
    shop.answerWith((request, pass) => pass(request));
  });
});

describe("a flag that an experiment measures", () => {
  test("has the users counted who got a variant in this process, each once, and none who match a condition", async () => {
    await shop.set("hero", {
      enabled: true,
      variants: { a: "A", b: "B" },
      defaultVariant: "a",
      targeting: { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "b"] },
    });
    const { start, client } = open();
    await start();
    const bodies: string[] = [];
    shop.answerWith(async (request, pass) => {
      if (request.url.endsWith("/v1/events")) bodies.push(await request.clone().text());
      return pass(request);
    });
    await shop.startExperiment("hero");
    await eventually("a counted user", async () => {
      await client.getStringValue("hero", "x", { targetingKey: "u1", email: "u1@example.net" });
      return bodies.length > 0;
    });
    await client.getStringValue("hero", "x", { targetingKey: "u2", email: "u2@example.com" });
    await client.getStringValue("hero", "x", { email: "u3@example.net" });
    client.track("signup", { targetingKey: "u1" });
    await OpenFeature.clearProviders();
    const sent = bodies.flatMap((each) => (JSON.parse(each) as { events: object[] }).events);
    expect(sent).toEqual([
      { exposure: "hero", variant: expect.stringMatching(/^[ab]$/), targetingKey: "u1" },
      { event: "signup", targetingKey: "u1" },
    ]);
    expect(await shop.measured("hero")).toEqual([1, 1]);
    shop.answerWith((request, pass) => pass(request));
  });
});
