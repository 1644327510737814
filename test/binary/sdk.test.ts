import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { type Provider, ProviderEvents, OpenFeature as WebOpenFeature } from "@openfeature/web-sdk";
import { EventSource } from "eventsource";
import { eventually } from "../support/eventually.ts";
import { onData } from "../support/commands.ts";
import { startServer } from "../support/executable.ts";

type Project = { key: string; environments: { slug: string; key: string }[] };

const server = await startServer();
const commands = onData(server.data);
const project = await commands.json<Project>("projects", "create", "shop");
const keys: [string, string][] = [
  ["x-project-key", project.key],
  ["x-environment-key", project.environments.find(({ slug }) => slug === "develop")!.key],
];
const { token } = await commands.json<{ token: string }>(
  "tokens",
  "create",
  "app",
  "--scope",
  "flags:evaluate",
  "-p",
  "shop",
  "-e",
  "develop",
);
const bearer: [string, string][] = [["authorization", `Bearer ${token}`]];
const set = (flag: string, ...more: string[]) =>
  commands.run("flags", "set", flag, "-p", "shop", "-e", "develop", ...more);
const send = (method: string, path: string, body: object) =>
  fetch(`${server.url}/api/admin/v1/projects/shop/environments/develop/${path}`, {
    method,
    headers: { authorization: `Bearer ${admin.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const patch = (flag: string, body: object) => send("PATCH", `flags/${flag}`, body);
const admin = await commands.json<{ token: string }>("tokens", "create", "admin");

await set("checkout", "--on", "--payload", '{"color":"green"}');
await set("killed", "--off", "--payload", "1");
await set("sale", "--on");
await patch("theme", {
  enabled: true,
  variants: { plain: "plain", fancy: "fancy" },
  defaultVariant: "plain",
  targeting: { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "fancy"] },
});
await patch("limit", { enabled: true, variants: { low: 1.5, high: 99 }, defaultVariant: "high" });
// Of a file, because a rule that cannot be evaluated is refused elsewhere.
await send("POST", "flagd", {
  flags: {
    broken: { state: "ENABLED", variants: { a: true }, targeting: { if: [{ $ref: "missing" }, "a"] } },
  },
});

describe.each([
  ["the two keys", keys],
  ["a token for the environment", bearer],
])("the OpenFeature SDK for servers, with %s", (name, headers) => {
  const provider = new OFREPProvider({ baseUrl: server.url, headers });
  const client = OpenFeature.getClient(name);
  beforeAll(() => OpenFeature.setProviderAndWait(name, provider));

  test("reads plain flags and their payloads", async () => {
    expect(await client.getBooleanDetails("checkout", false)).toMatchObject({
      value: true,
      variant: "on",
      reason: "STATIC",
    });
    expect(await client.getObjectValue("checkout.payload", {})).toEqual({ color: "green" });
    expect((await client.getBooleanDetails("checkout", false)).flagMetadata).toMatchObject({
      updatedAt: expect.any(String),
    });
  });

  test("never reads a flag that is off as true, whatever its default is", async () => {
    expect(await client.getBooleanValue("killed", true)).toBe(false);
  });

  test("reads variants by the context", async () => {
    expect(
      await client.getStringValue("theme", "none", { targetingKey: "u", email: "ann@example.com" }),
    ).toBe("fancy");
    expect(await client.getStringValue("theme", "none", { targetingKey: "u" })).toBe("plain");
    expect(await client.getNumberValue("limit", 0)).toBe(99);
  });

  test("falls back to its default, and says why", async () => {
    const details = async (flag: string) => client.getBooleanDetails(flag, true);
    expect(await details("missing")).toMatchObject({ value: true, errorCode: "FLAG_NOT_FOUND" });
    expect(await details("broken")).toMatchObject({ value: true, errorCode: "PARSE_ERROR" });
    expect(await client.getStringDetails("limit", "x")).toMatchObject({
      value: "x",
      errorCode: "TYPE_MISMATCH",
    });
  });
});

describe("the OpenFeature SDK for browsers", () => {
  // A browser has one; this runtime does not.
  Object.assign(globalThis, { EventSource });
  const provider = new OFREPWebProvider({ baseUrl: server.url, headers: keys, changeDetection: "sse" });
  const client = WebOpenFeature.getClient();
  beforeAll(async () => {
    await WebOpenFeature.setContext({ targetingKey: "u" });
    // Its types leave out what they mean to be undefined.
    await WebOpenFeature.setProviderAndWait(provider as Provider);
  });
  afterAll(() => WebOpenFeature.close());

  test("reads every flag at once", () => {
    expect(client.getBooleanValue("checkout", false)).toBe(true);
    expect(client.getBooleanValue("killed", true)).toBe(false);
    expect(client.getObjectValue("checkout.payload", {})).toEqual({ color: "green" });
    expect(client.getStringValue("theme", "none")).toBe("plain");
  });

  test("reads anew for another context", async () => {
    await WebOpenFeature.setContext({ targetingKey: "u", email: "ann@example.com" });
    expect(client.getStringValue("theme", "none")).toBe("fancy");
    await WebOpenFeature.setContext({ targetingKey: "u" });
    expect(client.getStringValue("theme", "none")).toBe("plain");
  });

  test("hears of a change that a command makes", async () => {
    let changes = 0;
    expect(client.getBooleanValue("sale", false)).toBe(true);
    client.addHandler(ProviderEvents.ConfigurationChanged, () => void (changes += 1));
    await set("sale", "--off");
    await eventually("the change", () => !client.getBooleanValue("sale", true));
    expect(changes).toBeGreaterThan(0);
  });
});
