import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { reasonOf } from "../../support/refusals.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
const ALL = "/ofrep/v1/evaluate/flags";

await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
const place = { project: "shop", environment: "live" };
const set = (flag: string, patch: FlagPatch) => plantFlag(app, { ...place, flag }, patch);
const BROWSER = { scopes: ["flags:browser" as const], ...place };
const { token: key } = await createToken(app, OPERATOR, { name: "site", ...BROWSER });
const limited = { name: "limited", ...BROWSER, allowedOrigins: ["https://shop.example.com"] };
const { token: limitedKey } = await createToken(app, OPERATOR, limited);

await set("hero", { enabled: true, browser: true, payload: { text: "Hello" } });
await set("secret", { enabled: true, payload: 1 });

async function post(path: string, headers: Record<string, string>, context: object = { targetingKey: "u1" }) {
  const body = JSON.stringify({ context });
  const request = new Request(`http://site.test${path}`, { method: "POST", headers, body });
  const answer = await site.fetch(request, () => "198.51.100.7");
  const text = await answer.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: answer.status, headers: answer.headers, json };
}

describe("a browser key", () => {
  test("evaluates the flags that are for browsers; others do not exist for it", async () => {
    const all = await post(ALL, { "x-api-key": key });
    const keys = (all.json["flags"] as { key: string }[]).map((flag) => flag.key);
    expect(keys.toSorted()).toEqual(["hero", "hero.payload"]);
    expect((await post(`${ALL}/hero`, { "x-api-key": key })).json).toMatchObject({ value: true });
    for (const hidden of ["secret", "secret.payload", "none"]) {
      const { status, json } = await post(`${ALL}/${hidden}`, { "x-api-key": key });
      expect(status).toBe(404);
      expect(json).toMatchObject({ errorCode: "FLAG_NOT_FOUND" });
    }
  });

  test("stops seeing a flag in the next request once it is not for browsers", async () => {
    await set("brief", { enabled: true, browser: true });
    expect((await post(`${ALL}/brief`, { "x-api-key": key })).status).toBe(200);
    await set("brief", { browser: false });
    expect((await post(`${ALL}/brief`, { "x-api-key": key })).status).toBe(404);
  });

  test("reads no name of a flag that is not for browsers, also where it needs one, which a token reads", async () => {
    await set("secret-sale", { browser: false });
    await set("open-sale", { browser: true });
    await set("banner", { enabled: true, browser: true, payload: 1, requires: [{ flag: "secret-sale" }] });
    await set("notice", { enabled: true, browser: true, requires: [{ flag: "open-sale" }] });
    const all = await post(ALL, { "x-api-key": key });
    const one = await post(`${ALL}/banner`, { "x-api-key": key });
    expect(one.json).toMatchObject({ key: "banner", value: false, reason: "DISABLED" });
    expect(JSON.stringify([all.json, one.json])).not.toContain("secret-sale");
    const shown = await post(`${ALL}/notice`, { "x-api-key": key });
    expect(shown.json["metadata"]).toMatchObject({ prerequisite: "open-sale" });
    const { token } = await createToken(app, OPERATOR, { name: "app", scopes: ["flags:evaluate"], ...place });
    const known = await post(ALL, { authorization: `Bearer ${token}` });
    for (const shownAs of [
      await post(`${ALL}/banner`, { authorization: `Bearer ${token}` }),
      { json: (known.json["flags"] as Record<string, unknown>[]).find((flag) => flag["key"] === "banner")! },
    ])
      expect(shownAs.json).toMatchObject({ reason: "DISABLED", metadata: { prerequisite: "secret-sale" } });
    for (const flag of ["banner", "notice", "open-sale"]) await set(flag, { browser: false });
  });

  test("is refused for a page of an origin that is not allowed", async () => {
    const statusFor = async (headers: Record<string, string>) =>
      (await post(ALL, { "x-api-key": limitedKey, ...headers })).status;
    expect(await statusFor({ origin: "https://shop.example.com" })).toBe(200);
    expect(await statusFor({})).toBe(200);
    for (const origin of ["https://example.com", "http://shop.example.com", "null"])
      expect(await statusFor({ origin })).toBe(403);
    const { json } = await post(ALL, { "x-api-key": limitedKey, origin: "https://example.com" });
    expect(json["errorDetails"]).toBe("this browser key is not for pages of https://example.com");
    const { status } = await post(ALL, { "x-api-key": key, origin: "https://any.example" });
    expect(status).toBe(200);
  });

  test("is good for no other service", async () => {
    const headers = { authorization: `Bearer ${key}`, "x-api-key": key };
    for (const path of [
      "/api/admin/v1/projects",
      "/api/admin/v1/projects/shop/environments/live/flags/hero",
    ]) {
      const request = new Request(`http://site.test${path}`, { headers });
      expect((await site.fetch(request, () => "198.51.100.7")).status).toBe(403);
    }
    const upload = new Request("http://site.test/api/v1/code-refs", { method: "POST", headers, body: "{}" });
    expect((await site.fetch(upload, () => "198.51.100.7")).status).toBeGreaterThanOrEqual(400);
  });

  test("needs an environment, excludes other scopes, and alone has origins", async () => {
    const make = (more: object) => reasonOf(createToken(app, OPERATOR, { name: "no", ...BROWSER, ...more }));
    expect(await make({ environment: undefined })).toStartWith("invalid browser-alone");
    expect(await make({ scopes: ["flags:browser", "flags:read"] })).toStartWith("invalid browser-alone");
    const read = { scopes: ["flags:read"], allowedOrigins: ["https://example.com"] };
    expect(await make(read)).toBe("invalid");
  });
});
