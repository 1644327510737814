import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createFlagdFiles } from "../../../src/http/flags/flagd/files.ts";
import { createFlagdSource } from "../../../src/http/flags/flagd/source.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { eventually } from "../../support/eventually.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const { report } = openServices(app);
await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
const source = createFlagdSource(app, report, { maxStale: null, threads: null });
const site = createSite({ flagdSource: async () => source }, { ...siteOptions(app), report });
const place = { project: "shop", environment: "live" };
const set = (flag: string, patch: FlagPatch) => plantFlag(app, { ...place, flag }, patch);
const tokenFor = async (name: string) =>
  (await createToken(app, OPERATOR, { name, scopes: ["flags:sync"], ...place })).token;
const token = await tokenFor("live");
const OWN = "application/vnd.formflag+json";
const LIVE = "/flagd/v1/shop/live.json";

const ask = async (path: string, accept: string, secret = token) =>
  site.fetch(
    new Request(`http://site.test${path}`, { headers: { authorization: `Bearer ${secret}`, accept } }),
    () => "198.51.100.7",
  );
const tagOf = async () => (await ask(LIVE, OWN)).headers.get("etag");

/** Reads a stream: the tags of its events, and whether it is over. */
async function follow(path = LIVE, secret = token) {
  const answer = await ask(path, "text/event-stream", secret);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const state = { tags: [] as string[], isOver: false, cancel: () => reader.cancel() };
  const reader = answer.body!.getReader();
  void (async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const [, data] = /^event: change\ndata: (.+)\n\n$/.exec(Buffer.from(part.value).toString()) ?? [];
      // Others are heartbeats.
      if (data !== undefined) state.tags.push((JSON.parse(data) as { etag: string }).etag);
    }
    state.isOver = true;
  })();
  return state;
}

describe("the stream of an environment's changes", () => {
  test("names the tag of its file at once, and again after a change, and no other", async () => {
    await set("sale", { enabled: true });
    const stream = await follow();
    await eventually("the first event", () => stream.tags.length === 1);
    expect(stream.tags).toEqual([(await tagOf())!]);
    await plantFlag(app, { project: "shop", environment: "develop", flag: "sale" }, { enabled: true });
    await set("sale", { enabled: false });
    const tag = (await tagOf())!;
    await eventually("the change", () => stream.tags.length === 2);
    expect(stream.tags[1]).toBe(tag);
    await stream.cancel();
    await eventually("its place", () => source.streams() === 0);
  });

  test("has an event when a flag expires", async () => {
    await set("ends", { enabled: true, expiredAt: new Date(app.clock.now + 60_000).toISOString() });
    const stream = await follow();
    await eventually("the first event", () => stream.tags.length === 1);
    app.clock.now += 60_000;
    await eventually("the expiry", () => stream.tags.length === 2);
    expect(stream.tags[1]).toBe((await tagOf())!);
    await stream.cancel();
  });

  test("ends when its token is revoked, and when the server stops", async () => {
    const [gone, stays] = [await follow(LIVE, await tokenFor("gone")), await follow()];
    await revokeToken(app, OPERATOR, "gone");
    await eventually("the end of the stream", () => gone.isOver);
    expect(stays.isOver).toBe(false);
    source.close();
    await eventually("the end of the other", () => stays.isOver);
  });

  test("is refused as its file is", async () => {
    const wrong = await ask(LIVE, "text/event-stream", `ff_${"0".repeat(40)}`);
    expect(wrong.status).toBe(401);
    expect((await ask("/flagd/v1/shop/develop.json", "text/event-stream")).status).toBe(403);
  });
});

describe("the address without an environment", () => {
  test("is that of the one that the token reads", async () => {
    const [named, own] = await Promise.all([ask(LIVE, OWN), ask("/flagd/v1.json", OWN)]);
    expect([own.status, await own.text()]).toEqual([200, await named.text()]);
    const stream = await follow("/flagd/v1.json");
    await eventually("the first event", () => stream.tags.length === 1);
    await stream.cancel();
  });

  test("says that a token which reads several has to name one", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "all", scopes: ["flags:read"] });
    const answer = await ask("/flagd/v1.json", OWN, token);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: {
          code: "invalid",
          message: "the token reads several environments: select one, such as shop/production",
        },
      },
    ]);
  });
});

test("the file for the providers of this product has all that they evaluate as the server does", async () => {
  await setSegment(app, OPERATOR, { ...place, segment: "lan" }, { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] });
  await set("near", {
    enabled: true,
    variants: { on: true, off: false },
    defaultVariant: "off",
    targeting: { if: [{ $ref: "lan" }, "on"] },
    payload: [1],
  });
  await set("resting", { enabled: false });
  type File = { flags: Record<string, object>; $evaluators?: object };
  const [own, flagd] = await Promise.all([ask(LIVE, OWN), ask(LIVE, "application/json")]);
  expect([own, flagd].map(({ headers }) => headers.get("x-formflag-omitted"))).toEqual(["0", "1"]);
  const file = (await own.json()) as File;
  expect(file.flags["near.payload"]).toEqual({
    state: "ENABLED",
    variants: { payload: [1] },
    formflag: { payloadOf: "near" },
  });
  expect(file.flags["resting"]).toMatchObject({ formflag: { isOff: true } });
  expect(file.$evaluators).toEqual({ lan: { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] } });
  expect(((await flagd.json()) as File).flags["near"]).toBeUndefined();
});

test("a file that cannot be made once is made for the next reader", async () => {
  let failures = 2;
  const files = createFlagdFiles(app, ({ text }) => {
    failures -= 1;
    if (failures >= 0) throw new Error("no memory");
    return text;
  });
  for (const reader of ["flagd", "formflag"] as const)
    expect(await files.find("shop/live", reader).catch(String)).toBe("Error: no memory");
  const made = await files.find("shop/live", "flagd");
  expect(made).toContain('"scope":"shop/live"');
  expect(await files.find("shop/live", "flagd")).toBe(made);
});
