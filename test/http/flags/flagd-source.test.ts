import { FlagdCore } from "@openfeature/flagd-core";
import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import type { Scope } from "../../../src/access/scope.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { readsOfFlags } from "../../../src/flags/reads/flag-reads.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createSite } from "../../../src/http/site.ts";
import { setSource } from "../../../src/memberships/sources.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
await createProject(app, OPERATOR, { slug: "bank", environments: ["live"] });
const place = { project: "shop", environment: "live" };
const set = (flag: string, patch: FlagPatch) => plantFlag(app, { ...place, flag }, patch);
const LIVE = "/flagd/v1/shop/live.json";

let count = 0;
const tokenWith = async (scope: Scope, at: { project?: string; environment?: string } = place) =>
  (await createToken(app, OPERATOR, { name: `t${(count += 1)}`, scopes: [scope], ...at })).token;
const sync = await tokenWith("flags:sync");

type Headers = Record<string, string>;
function ask(path: string, headers: Headers = {}, method = "GET") {
  const all = { authorization: `Bearer ${sync}`, ...headers };
  return site.fetch(new Request(`http://site.test${path}`, { method, headers: all }), () => "198.51.100.7");
}
type File = { flags: Record<string, { state: string }>; metadata: Record<string, unknown> };
const read = async (headers: Headers = {}) => (await (await ask(LIVE, headers)).json()) as File;

await setSegment(
  app,
  OPERATOR,
  { ...place, segment: "staff" },
  { ends_with: [{ var: "email" }, "@example.com"] },
);
await set("plain", { enabled: true, payload: { color: "green" } });
await set("resting", { payload: 1 });
await set("share", {
  enabled: true,
  variants: { on: true, off: false },
  defaultVariant: "off",
  targeting: {
    if: [
      { $ref: "staff" },
      "on",
      {
        fractional: [
          ["on", 30],
          ["off", 70],
        ],
      },
    ],
  },
});
await set("colors", {
  enabled: true,
  variants: { red: "#f00", green: "#0f0" },
  defaultVariant: "red",
  targeting: { if: [{ in: [{ var: "country" }, ["AT", "DE"]] }, "green"] },
});
await set("ruled-off", { enabled: false, variants: { a: 1 }, defaultVariant: "a" });

describe("flagd's file of an environment", () => {
  test("is evaluated by flagd's engine as this server evaluates the flags", async () => {
    const core = new FlagdCore();
    core.setConfigurations(await (await ask(LIVE)).text());
    const own = await tokenWith("flags:evaluate");
    for (let user = 0; user < 60; user += 1) {
      const context = {
        targetingKey: `u${user}`,
        email: `u${user}@example.${user % 3 === 0 ? "com" : "net"}`,
        country: user % 2 === 0 ? "AT" : "US",
      };
      const answer = await site.fetch(
        new Request("http://site.test/ofrep/v1/evaluate/flags", {
          method: "POST",
          headers: { "x-api-key": own },
          body: JSON.stringify({ context }),
        }),
        () => "198.51.100.7",
      );
      const { flags } = (await answer.json()) as {
        flags: { key: string; value?: unknown; reason: string }[];
      };
      const ours = flags.flatMap(({ key, value, reason }) =>
        reason === "DISABLED" && value === undefined ? [] : [[key, value]],
      );
      const theirs = core.resolveAll(context).map(({ flagKey, value }) => [flagKey, value]);
      expect(Object.fromEntries(theirs)).toEqual(Object.fromEntries(ours));
    }
  });

  test("names its place, and is not sent again while nothing changed, in any encoding", async () => {
    const answer = await ask(LIVE);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache",
      vary: "Accept, Accept-Encoding",
      "x-formflag-omitted": "0",
      etag: expect.stringMatching(/^W\/"/),
    });
    const text = await answer.text();
    expect((JSON.parse(text) as File).metadata).toEqual({ flagSetId: "shop/live", scope: "shop/live" });
    const etag = answer.headers.get("etag")!;
    const packed = await ask(LIVE, { "accept-encoding": "br, gzip;q=0.5" });
    expect([packed.headers.get("content-encoding"), packed.headers.get("etag")]).toEqual(["gzip", etag]);
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.arrayBuffer()))).toBe(text);
    expect((await ask(LIVE, { "accept-encoding": "gzip;q=0" })).headers.get("content-encoding")).toBeNull();
    const same = await ask(LIVE, { "if-none-match": etag });
    expect([same.status, await same.text(), same.headers.get("etag")]).toEqual([304, "", etag]);
    await set("plain", { enabled: false });
    const changed = await ask(LIVE, { "if-none-match": etag });
    expect([changed.status, changed.headers.get("etag") === etag]).toEqual([200, false]);
    await set("plain", { enabled: true });
    const head = await ask(LIVE, {}, "HEAD");
    const { byteLength } = await (await ask(LIVE)).arrayBuffer();
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(byteLength)]);
  });

  test("has an expired flag off from its moment on", async () => {
    const expiredAt = new Date(app.clock.now + 60_000).toISOString();
    await set("ends", { enabled: true, payload: 2, expiredAt });
    await set("ends-ruled", { enabled: true, variants: { a: 1 }, defaultVariant: "a", expiredAt });
    const first = await ask(LIVE);
    const etag = first.headers.get("etag")!;
    app.clock.now += 59_999;
    expect((await ask(LIVE, { "if-none-match": etag })).status).toBe(304);
    app.clock.now += 1;
    const { flags } = await read({ "if-none-match": etag });
    expect(flags["ends"]).toMatchObject({ state: "ENABLED", defaultVariant: "off" });
    expect([flags["ends.payload"]!.state, flags["ends-ruled"]!.state]).toEqual(["DISABLED", "DISABLED"]);
  });

  test("leaves out flags that depend on members of a form, and says how many", async () => {
    // In an environment of its own: other tests read all flags of the first.
    const place = { project: "shop", environment: "develop" };
    const set = (flag: string, patch: FlagPatch) => plantFlag(app, { ...place, flag }, patch);
    const form = await createForm(app, OPERATOR, { slug: "beta", project: "shop" });
    await setSource(app, OPERATOR, { ...place, segment: "beta" }, { form: form.slug, field: "email" }, null);
    await setSegment(app, OPERATOR, { ...place, segment: "early" }, { or: [{ $ref: "beta" }, false] });
    const of = (segment: string) => ({
      enabled: true,
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { if: [{ $ref: segment }, "on"] },
    });
    await set("for-beta", of("beta"));
    await set("for-early", of("early"));
    await setSegment(
      app,
      OPERATOR,
      { ...place, segment: "inside" },
      { in_cidr: [{ var: "ip" }, "10.0.0.0/8"] },
    );
    await setSegment(
      app,
      OPERATOR,
      { ...place, segment: "near" },
      { or: [{ $ref: "inside" }, { in: [{ var: "id" }, ["a"]] }] },
    );
    await set("for-near", of("near"));
    await set("for-matches", {
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { if: [{ matches: [{ var: "email" }, "@example[.]com$"] }, "on"] },
    });
    await set("half", {
      enabled: true,
      payload: { color: "blue" },
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: {
        fractional: [
          ["on", 50],
          ["off", 50],
        ],
      },
    });
    const answer = await ask("/flagd/v1/shop/develop.json", {
      authorization: `Bearer ${await tokenWith("flags:sync", place)}`,
    });
    expect(answer.headers.get("x-formflag-omitted")).toBe("5");
    const file = await answer.text();
    expect(file).toContain('"half":');
    for (const absent of [
      "half.payload",
      "for-beta",
      "for-early",
      '"beta"',
      '"early"',
      "for-near",
      "matches",
      '"near"',
      "in_cidr",
    ])
      expect(file).not.toContain(absent);
  });
});

describe("who may read it", () => {
  const statusWith = async (path: string, token: string | null) =>
    (await ask(path, { authorization: token === null ? "" : `Bearer ${token}` })).status;

  test("is a token of that environment, of its rules or with more rights", async () => {
    for (const [scope, at] of [
      ["flags:sync"],
      ["flags:read"],
      ["flags:write", { project: "shop" }],
      ["read", {}],
      ["admin", {}],
    ] as const)
      expect([scope, await statusWith(LIVE, await tokenWith(scope, at))]).toEqual([scope, 200]);
  });

  test("is nobody else: a place that exists is refused like one that does not", async () => {
    expect(await statusWith(LIVE, null)).toBe(401);
    expect(await statusWith(LIVE, "wrong")).toBe(401);
    expect(await statusWith(LIVE, await tokenWith("flags:evaluate"))).toBe(403);
    expect(await statusWith(LIVE, await tokenWith("forms:read", {}))).toBe(403);
    const messages = new Set<string>();
    for (const path of ["shop/develop", "shop/none", "bank/live", "none/none"]) {
      const answer = await ask(`/flagd/v1/${path}.json`);
      expect(answer.status).toBe(403);
      messages.add(await answer.text());
    }
    expect(messages.size).toBe(1);
    const admin = await tokenWith("admin", {});
    for (const path of ["shop/none.json", "none/live.json", "shop/live", "shop/live.yaml"])
      expect([path, await statusWith(`/flagd/v1/${path}`, admin)]).toEqual([path, 404]);
  });

  test("is no token that was revoked, and no other method", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "gone", scopes: ["flags:sync"], ...place });
    expect(await statusWith(LIVE, token)).toBe(200);
    await revokeToken(app, OPERATOR, "gone");
    expect(await statusWith(LIVE, token)).toBe(401);
    const put = await ask(LIVE, {}, "PUT");
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});

describe("counts of reads", () => {
  const post = (body: unknown, headers: Headers = {}, path = LIVE) =>
    site.fetch(
      new Request(`http://site.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${sync}`, "Idempotency-Key": "one", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
      () => "198.51.100.7",
    );
  const readsOf = async (flag: string) => {
    const [found] = await readsOfFlags(app, OPERATOR, { project: "shop", flag });
    return found && [found.reads, found.readAt, found.environments[0]!.by.map((each) => each.reads)];
  };

  test("are those of flags and variants that there are, each once", async () => {
    const at = new Date(app.clock.now).toISOString();
    const reads = {
      share: { on: 3, off: 4, "": 1, none: 50 },
      "plain.payload": { payload: 2, "": 1 },
      none: { on: 1 },
      __proto__: { on: 1 },
    };
    for (let times = 0; times < 2; times += 1) {
      const answer = await post({ reads });
      expect([answer.status, await answer.text()]).toEqual([204, ""]);
    }
    expect(await readsOf("share")).toEqual([8, at, [8]]);
    expect(await readsOf("plain")).toEqual([0, at, [3]]);
    expect(await readsOf("none")).toBeUndefined();
    await post({ reads: { share: { on: 1 } } }, { "Idempotency-Key": "two" }, "/flagd/v1.json");
    expect(await readsOf("share")).toEqual([9, at, [9]]);
  });

  test("are refused where they are something else, or the token may not read the flags", async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, { on: 1 }]));
    const refusals: [unknown, Headers, number][] = [
      ["{", {}, 400],
      ["", {}, 400],
      [{ reads: [] }, {}, 400],
      [{ reads: { share: 1 } }, {}, 400],
      [{ reads: { share: { on: 0 } } }, {}, 400],
      [{ reads: { share: { on: 1e10 } } }, {}, 400],
      [{ reads: { share: { on: "1" } } }, {}, 400],
      [{ reads: {} }, { "Idempotency-Key": "" }, 400],
      [{ reads: many }, {}, 413],
      [" ".repeat(300_000), {}, 413],
      [{ reads: {} }, { authorization: "Bearer ff_none" }, 401],
      [{ reads: {} }, { authorization: `Bearer ${await tokenWith("flags:evaluate")}` }, 403],
    ];
    for (const [body, headers, status] of refusals)
      expect([body, (await post(body, headers)).status]).toEqual([body, status]);
    expect((await post({ reads: {} }, {}, "/flagd/v1/shop/develop.json")).status).toBe(403);
  });
});
