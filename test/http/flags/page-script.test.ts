import { expect, test } from "bun:test";
import { createSite } from "../../../src/http/site.ts";
import { readKeptScripts } from "../../../src/http/flags/kept-scripts.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";

const app = openTestApp();
const site = createSite(openServices(app), siteOptions(app));
const get = async (path: string, headers: Record<string, string> = {}) =>
  site.fetch(new Request(`http://site.test${path}`, { headers }), () => "198.51.100.7");

const hashOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);

test("the script of pages has at most 2,048 bytes compressed", async () => {
  const answer = await get("/v1/flags.js", { "accept-encoding": "gzip, br" });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.byteLength).toBeLessThanOrEqual(2048);
  const text = await (await get("/v1/flags.js")).text();
  expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
  for (const word of ["innerHTML", "document.cookie", "eval("]) expect(text).not.toContain(word);
});

test("the script of drafts has at most 1,024 bytes compressed, and is for any page", async () => {
  const answer = await get("/v1/draft.js", { "accept-encoding": "gzip" });
  expect(answer.headers.toJSON()).toMatchObject({
    "content-encoding": "gzip",
    "content-type": "text/javascript; charset=utf-8",
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=3600",
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.byteLength).toBeLessThanOrEqual(1024);
  const text = await (await get("/v1/draft.js")).text();
  expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
  for (const word of ["innerHTML", "document.cookie", "eval(", "fetch("]) expect(text).not.toContain(word);
  const etag = answer.headers.get("etag")!;
  expect((await get("/v1/draft.js", { "if-none-match": etag })).status).toBe(304);
});

test("the script of pages is for any page, an hour at an address that stays, for good at that of its hash", async () => {
  const answer = await get("/v1/flags.js");
  const common = {
    "content-type": "text/javascript; charset=utf-8",
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
  };
  expect(answer.headers.toJSON()).toMatchObject({ ...common, "cache-control": "public, max-age=3600" });
  const text = await answer.text();
  const etag = answer.headers.get("etag")!;
  expect((await get("/v1/flags.js", { "if-none-match": etag })).status).toBe(304);
  const pinned = await get(`/v1/flags.${hashOf(text)}.js`);
  const caching = { "cache-control": "public, max-age=31536000, immutable" };
  expect(pinned.headers.toJSON()).toMatchObject({ ...common, ...caching });
  expect(await pinned.text()).toBe(text);
  expect((await get("/v1/flags.0123456789abcdef.js")).status).toBe(404);
});

test("a pinned script of every release keeps its bytes, and the present one is kept for later releases", async () => {
  const kept = readKeptScripts();
  const present = await (await get("/v1/flags.js")).text();
  if (!Object.values(kept).includes(present))
    throw new Error("the script of pages has changed: run bun scripts/keep-script.ts, and commit the file");
  // The first one that pages could pin.
  expect(Object.keys(kept)).toContain("flags.517a2d14eed9fcf7.js");
  for (const [name, text] of Object.entries(kept)) {
    const answer = await get(`/v1/${name}`);
    expect([name, answer.status, await answer.text()]).toEqual([name, 200, text]);
    expect(hashOf(text)).toBe(name.split(".")[1]!);
    expect(answer.headers.get("cache-control")).toContain("immutable");
  }
});
