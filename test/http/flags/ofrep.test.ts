import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { setClock } from "../../../src/base/clock.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { importFlags } from "../../../src/flags/imports.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { createGuard } from "../../../src/http/rate-limit.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { turnsOf } from "../../support/records/turns.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
const ALL = "/ofrep/v1/evaluate/flags";

const project = await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "production"] });
const keyOf = (environment: string) => project.environments.find(({ slug }) => slug === environment)!.key;
const KEYS = { "x-project-key": project.key, "x-environment-key": keyOf("develop") };
const set = (flag: string, patch: FlagPatch, environment = "develop") =>
  plantFlag(app, { project: "shop", environment, flag }, patch);

type Answer = { status: number; body: Record<string, unknown>; headers: Headers };

async function ask(path: string, init: RequestInit = {}, peer = "198.51.100.7"): Promise<Answer> {
  const request = new Request(`http://site.test${path}`, {
    method: "POST",
    headers: KEYS,
    body: "{}",
    ...init,
  });
  const answer = await site.fetch(request, () => peer);
  const text = await answer.text();
  return {
    status: answer.status,
    body: text === "" ? {} : (JSON.parse(text) as Answer["body"]),
    headers: answer.headers,
  };
}
const evaluate = async (key: string, context: object = {}, headers: Record<string, string> = {}) =>
  ask(`${ALL}/${encodeURIComponent(key)}`, {
    body: JSON.stringify({ context }),
    headers: { ...KEYS, ...headers },
  });
const evaluateAll = async (context: object = {}, headers: Record<string, string> = {}) =>
  ask(ALL, { body: JSON.stringify({ context }), headers: { ...KEYS, ...headers } });

await set("on", { enabled: true, payload: { color: "green" }, description: "Said" });
await set("off", { payload: 1 });
await set("bare", { enabled: true });
await set("ends", { enabled: true, expiredAt: new Date(app.clock.now + 60_000).toISOString() });
await set("colors", {
  enabled: true,
  variants: { red: "#f00", green: "#0f0" },
  defaultVariant: "red",
  targeting: { if: [{ ends_with: [{ var: "email" }, "@example.com"] }, "green"] },
  metadata: { team: "web" },
});
await set("adults", {
  enabled: true,
  variants: { on: true, off: false },
  defaultVariant: "off",
  targeting: {
    if: [
      { ">=": [{ var: "age" }, 18] },
      "on",
      { in: ["admin", { var: "groups" }] },
      "on",
      { ends_with: [{ var: "email" }, "@example.com"] },
      "on",
    ],
  },
});
await set("nothing", { enabled: true, variants: { a: 1, b: 2 } });
await set("broken", { enabled: true, variants: { a: 1 }, targeting: { if: [{ $ref: "missing" }, "a"] } });
await set("stray", {
  enabled: true,
  variants: { a: 1 },
  defaultVariant: "a",
  targeting: { if: [true, "z"] },
});
await set("resting", { enabled: false, variants: { a: 1 }, defaultVariant: "a" });

const bound = await createToken(app, OPERATOR, {
  name: "bound",
  scopes: ["flags:evaluate"],
  project: "shop",
  environment: "develop",
});
const admin = await createToken(app, OPERATOR, { name: "admin" });

describe("a plain flag", () => {
  const updatedAt = new Date(app.clock.now).toISOString();

  test("that is on is true", async () => {
    expect(await evaluate("on")).toMatchObject({ status: 200 });
    expect((await evaluate("on")).body).toEqual({
      key: "on",
      value: true,
      variant: "on",
      reason: "STATIC",
      metadata: { description: "Said", updatedAt },
    });
  });

  test("that is off is false, not absent: a reader's own default could be true", async () => {
    expect((await evaluate("off")).body).toMatchObject({ value: false, variant: "off", reason: "DISABLED" });
  });

  test("has the payload that is set as a flag of its own, which has no value while it is off", async () => {
    const { body } = await evaluate("on.payload");
    expect(body).toMatchObject({
      key: "on.payload",
      value: { color: "green" },
      variant: "payload",
      reason: "STATIC",
    });
    const { status, body: bare } = await evaluate("bare.payload");
    expect([status, bare["errorCode"]]).toEqual([404, "FLAG_NOT_FOUND"]);
    const off = await evaluate("off.payload");
    expect([off.status, off.body["reason"], "value" in off.body]).toEqual([200, "DISABLED", false]);
  });

  test("is off once it has expired, and says when", async () => {
    const before = (await evaluate("ends")).body;
    expect(before).toMatchObject({
      value: true,
      metadata: { expiredAt: new Date(app.clock.now + 60_000).toISOString() },
    });
    app.clock.now += 60_000;
    expect((await evaluate("ends")).body).toMatchObject({ value: false, reason: "DISABLED" });
    app.clock.now -= 60_000;
  });
});

describe("a flag with variants", () => {
  test("is what its rule says of the context, and carries its own metadata alone", async () => {
    expect((await evaluate("colors", { targetingKey: "u", email: "ann@example.com" })).body).toEqual({
      key: "colors",
      value: "#0f0",
      variant: "green",
      reason: "TARGETING_MATCH",
      metadata: { team: "web" },
    });
    expect((await evaluate("colors")).body).toMatchObject({
      value: "#f00",
      variant: "red",
      reason: "DEFAULT",
    });
  });

  test("is decided by the next condition where an attribute has a type that a condition does not compare", async () => {
    const context = { age: "unknown", groups: 5, email: "x@example.com" };
    const expected = { key: "adults", value: true, variant: "on", reason: "TARGETING_MATCH" };
    expect(await evaluate("adults", context)).toMatchObject({ status: 200, body: expected });
    const { flags } = (await evaluateAll(context)).body as { flags: object[] };
    expect(flags).toContainEqual(expect.objectContaining(expected));
  });

  test("has no value without a default, or while it is off", async () => {
    for (const [key, reason] of [
      ["nothing", "DEFAULT"],
      ["resting", "DISABLED"],
    ] as const) {
      const { status, body } = await evaluate(key);
      expect([status, body]).toEqual([200, { key, reason, variant: "", metadata: {} }]);
    }
  });

  test("with a rule that cannot be parsed, or that yields no variant, is a 400 that says so", async () => {
    expect(await evaluate("broken")).toMatchObject({
      status: 400,
      body: { key: "broken", errorCode: "PARSE_ERROR" },
    });
    expect(await evaluate("stray")).toMatchObject({
      status: 400,
      body: { key: "stray", errorCode: "GENERAL" },
    });
  });

  test("is evaluated by a segment as soon as there is one", async () => {
    const place = { project: "shop", environment: "develop", segment: "later" };
    await set("waiting", { enabled: true, variants: { a: 1 }, targeting: { if: [{ $ref: "later" }, "a"] } });
    expect((await evaluate("waiting")).body).toMatchObject({ errorCode: "PARSE_ERROR" });
    await setSegment(app, OPERATOR, place, { "==": [{ var: "a" }, 1] });
    expect((await evaluate("waiting", { a: 1 })).body).toMatchObject({ value: 1 });
    await setSegment(app, OPERATOR, place, false);
    expect((await evaluate("waiting", { a: 1 })).body).toMatchObject({ reason: "DEFAULT" });
  });
});

describe("the payload of a flag with variants", () => {
  const context = (targetingKey: string) => ({ targetingKey });
  const fractional = [
    ["on", 10],
    ["off", 90],
  ];

  test("is served to those who get true, also while a share of the users does", async () => {
    await set("rolled", { enabled: true, payload: { color: "green" } });
    await set("rolled", {
      variants: { on: true, off: false },
      defaultVariant: "off",
      targeting: { fractional },
    });
    const users = Array.from({ length: 50 }, (_, index) => context(`user-${index}`));
    const served: boolean[] = [];
    for (const user of users) {
      const [own, payload] = [await evaluate("rolled", user), await evaluate("rolled.payload", user)];
      expect([payload.status, payload.body["value"], payload.body["reason"]]).toEqual(
        own.body["value"] === true
          ? [200, { color: "green" }, "TARGETING_MATCH"]
          : [200, undefined, "DEFAULT"],
      );
      served.push(own.body["value"] === true);
    }
    expect(new Set(served)).toEqual(new Set([true, false]));
    await set("rolled", { enabled: false });
    expect((await evaluate("rolled.payload", users[served.indexOf(true)])).body).toMatchObject({
      reason: "DISABLED",
    });
  });

  test("fails where the rule of the flag does", async () => {
    await set("failing", {
      enabled: true,
      payload: 1,
      variants: { on: true, off: false },
      targeting: { if: [{ $ref: "missing" }, "on"] },
    });
    expect(await evaluate("failing.payload")).toMatchObject({
      status: 400,
      body: { key: "failing.payload", errorCode: "PARSE_ERROR" },
    });
  });
});

describe("all flags", () => {
  test("are each what they are alone, failures too", async () => {
    const context = { targetingKey: "u", email: "ann@example.com" };
    const { status, body } = await evaluateAll(context);
    expect(status).toBe(200);
    const flags = body["flags"] as { key: string }[];
    const keys = flags.map(({ key }) => key);
    expect(keys).toContain("on.payload");
    expect(keys).not.toContain("bare.payload");
    for (const flag of flags)
      expect(flag).toEqual((await evaluate(flag.key, context)).body as { key: string });
  });

  test("are not sent again while the answer is the same, however the tag is written", async () => {
    const etag = (await evaluateAll()).headers.get("etag")!;
    for (const known of [etag, `W/${etag}`, `"x", W/${etag}`, "*"]) {
      const again = await evaluateAll({}, { "if-none-match": known });
      expect([again.status, again.body, again.headers.get("etag")]).toEqual([304, {}, etag]);
    }
    expect((await evaluateAll({}, { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("have another tag for another context, after a change, and once one has expired", async () => {
    const etag = (await evaluateAll()).headers.get("etag")!;
    const changed = async (context = {}) =>
      (await evaluateAll(context, { "if-none-match": etag })).status === 200;
    expect(await changed()).toBe(false);
    expect(await changed({ email: "ann@example.com" })).toBe(true);
    app.clock.now += 60_000;
    expect(await changed()).toBe(true);
    app.clock.now -= 60_000;
    await set("on", { payload: 2 });
    expect(await changed()).toBe(true);
    await set("on", { payload: { color: "green" } });
  });
});

describe("a request for all flags", () => {
  const KEYS_OF_MANY = { ...KEYS, "x-environment-key": keyOf("production") };
  const count = 500;
  const ask = async (context: object) => {
    const { body } = await evaluateAll(context, KEYS_OF_MANY);
    const flags = body["flags"] as { errorCode?: string; errorDetails?: string; value?: unknown }[];
    const failed = flags.filter(({ errorCode }) => errorCode !== undefined);
    expect(flags.filter(({ value }) => value === 1 || value === 2).length + failed.length).toBe(count);
    return failed;
  };

  test("has one budget for all of their rules, which ordinary ones do not exhaust", async () => {
    const targeting = { fractional: [{ var: "email" }, ["a", 50], ["b", 50]] };
    const flags = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `share-${index}`,
        { state: "ENABLED", variants: { a: 1, b: 2 }, defaultVariant: "a", targeting },
      ]),
    );
    const place = { project: "shop", environment: "production" };
    await importFlags(app, OPERATOR, place, { flags }, false);
    for (const email of ["ann@example.com", "x".repeat(1000)]) expect(await ask({ email })).toEqual([]);

    const failed = await ask({ email: "x".repeat(60_000) });
    expect(failed.length).toBeGreaterThan(count / 2);
    expect(failed.length).toBeLessThan(count);
    const errorDetails = "the rules of this request take more than 200000 operations";
    expect(failed.at(-1)).toMatchObject({ errorCode: "GENERAL", errorDetails });
    expect(await ask({ email: "ann@example.com" })).toEqual([]);
    expect((await evaluate("share-0", { email: "x".repeat(60_000) }, KEYS_OF_MANY)).status).toBe(200);
  });
});

describe("who asks", () => {
  test("names an environment by two keys, or by a token for it", async () => {
    const tokens: Record<string, string>[] = [
      { authorization: `Bearer ${bound.token}` },
      { "x-api-key": bound.token },
      { "x-api-key": bound.token, ...KEYS },
    ];
    for (const headers of tokens) {
      const { status, body } = await ask(`${ALL}/on`, { headers });
      expect([status, body["value"]]).toEqual([200, true]);
    }
  });

  test.each<[what: string, headers: Record<string, string>]>([
    ["nothing", {}],
    ["one key", { "x-project-key": project.key }],
    ["keys of nothing", { "x-project-key": "a", "x-environment-key": "b" }],
    ["keys that do not belong together", { ...KEYS, "x-project-key": "aaaa-aaaa-aaaa" }],
    ["a token that is none", { "x-api-key": "nonsense" }],
    [
      "a token, and keys of another environment",
      { ...KEYS, "x-environment-key": keyOf("production"), "x-api-key": bound.token },
    ],
    ["no bearer token", { authorization: "Basic YTpi" }],
  ])("is refused with 401, whatever tag comes along: with %s", async (_, headers) => {
    for (const path of [ALL, `${ALL}/on`]) {
      const { status, body } = await ask(path, { headers: { ...headers, "if-none-match": "*" } });
      expect([status, typeof body["errorDetails"]]).toEqual([401, "string"]);
    }
  });

  test("is refused with 403 for a token that is for something else", async () => {
    expect((await ask(ALL, { headers: { authorization: `Bearer ${admin.token}` } })).status).toBe(403);
  });

  test("is refused with 429 and a time to wait past the limit", async () => {
    const guard = createGuard(app.now, { concurrent: 9, rate: { count: 1, seconds: 60 } });
    const limited = createOfrepService(app, services.report, { guard });
    const request = () =>
      new Request(`http://site.test${ALL}/on`, { method: "POST", headers: KEYS, body: "{}" });
    expect((await limited.evaluateOne(request(), "on", () => clientAt("198.51.100.7"))).status).toBe(200);
    const refused = await limited.evaluateOne(request(), "on", () => clientAt("198.51.100.7"));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  test("is refused with 429 while as many of its requests are under way as may be", async () => {
    const guard = createGuard(app.now, { concurrent: 1, rate: null });
    const limited = createOfrepService(app, services.report, { guard });
    const post = async (body: string | ReadableStream, client = "198.51.100.7") => {
      const request = new Request(`http://site.test${ALL}`, { method: "POST", headers: KEYS, body });
      return (await limited.evaluateAll(request, () => clientAt(client))).status;
    };
    let rest!: ReadableStreamDefaultController;
    const slow = post(new ReadableStream({ start: (controller) => void (rest = controller) }));
    expect([await post("{}"), await post("{}", "198.51.100.8")]).toEqual([429, 200]);
    rest.enqueue(Buffer.from("{}"));
    rest.close();
    expect([await slow, await post("{}"), await post("[]"), await post("{}")]).toEqual([200, 200, 400, 200]);
  });

  test("gets no large answer where its token is revoked while that is being made", async () => {
    const payload = "x".repeat(200_000);
    const place = { project: "shop", environment: "production" };
    for (let index = 0; index < 20; index += 1)
      await plantFlag(app, { ...place, flag: `large-${index}` }, { enabled: true, payload });
    const { token } = await createToken(app, OPERATOR, {
      name: "short-lived",
      scopes: ["flags:evaluate"],
      ...place,
    });
    let revoked: Promise<unknown> | undefined;
    const service = createOfrepService(app, services.report, {
      noteRead: () => void (revoked ??= revokeToken(app, OPERATOR, "short-lived")),
    });
    const headers = { "x-api-key": token };
    const request = new Request(`http://site.test${ALL}`, { method: "POST", headers, body: "{}" });
    const answer = await service.evaluateAll(request, () => clientAt("198.51.100.7"));
    await revoked;
    expect([answer.status, (await answer.text()).length < 1000]).toEqual([401, true]);
    service.close();
  });

  test("waits while readers that take nothing hold as much as large answers may", async () => {
    const { key, environments } = await createProject(app, OPERATOR, {
      slug: "large",
      environments: ["live"],
    });
    const place = { project: "large", environment: "live" };
    for (let index = 0; index < 60; index += 1)
      await plantFlag(app, { ...place, flag: `f${index}` }, { enabled: true, payload: "x".repeat(230_000) });
    const headers = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    const read = async (tag?: string) =>
      site.fetch(
        new Request(`http://site.test${ALL}`, {
          method: "POST",
          headers: tag === undefined ? headers : { ...headers, "if-none-match": tag },
          body: "{}",
        }),
        () => "198.51.100.7",
      );
    const answers = await Promise.all(Array.from({ length: 15 }, () => read()));
    const sent = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([sent.length, refused.length]).toEqual([9, 6]);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(await refused[0]!.json()).toMatchObject({
      errorDetails: "too many large answers are on their way",
    });
    expect((await sent[0]!.text()).length).toBeGreaterThan(60 * 230_000);
    const again = await read(sent[0]!.headers.get("etag")!);
    expect(again.status).toBe(304);
    for (const each of sent.slice(1)) await each.body!.cancel();
    const later = await Promise.all(Array.from({ length: 9 }, () => read()));
    expect(later.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
    for (const each of later) await each.body!.cancel();
  });

  test("waits after twenty wrong tokens in a minute", async () => {
    const peer = "198.51.100.99";
    for (let count = 0; count < 20; count += 1)
      expect((await ask(ALL, { headers: { "x-api-key": `wrong-${count}` } }, peer)).status).toBe(401);
    expect((await ask(ALL, { headers: { "x-api-key": "wrong" } }, peer)).status).toBe(429);
    expect((await ask(ALL, { headers: { "x-api-key": bound.token } }, peer)).status).toBe(200);
  });
});

describe("a request", () => {
  test.each<[what: string, body: string | null, status: number, errorCode: string | null]>([
    ["no body", null, 400, "PARSE_ERROR"],
    ["an empty object", "{}", 200, null],
    ["a context without a targeting key", '{"context":{}}', 200, null],
    ["a context without its name", '{"targetingKey":"ann"}', 400, "INVALID_CONTEXT"],
    ["something else beside the context", '{"context":{},"more":1}', 200, null],
    ["broken JSON", '{"context":', 400, "PARSE_ERROR"],
    ["broken UTF-8", "\u00ff", 200, null],
    ["a list", "[]", 400, "INVALID_CONTEXT"],
    ["a context that is a text", '{"context":"a"}', 400, "INVALID_CONTEXT"],
    ["a targeting key that is a number", '{"context":{"targetingKey":1}}', 400, "INVALID_CONTEXT"],
    [
      "a context as deep as the sea",
      `{"context":${'{"a":'.repeat(50)}1${"}".repeat(50)}}`,
      400,
      "INVALID_CONTEXT",
    ],
    ["a targeting key of 1 KiB", `{"context":{"targetingKey":"${"x".repeat(1024)}"}}`, 200, null],
    [
      "a targeting key of more than 1 KiB",
      `{"context":{"targetingKey":"${"x".repeat(1022)}é€"}}`,
      400,
      "INVALID_CONTEXT",
    ],
    ["a list too long in the context", `{"context":{"a":[${"1,".repeat(2000)}1]}}`, 400, "INVALID_CONTEXT"],
    ["a context of 100 KB", `{"context":{"a":"${"x".repeat(100_000)}"}}`, 413, "GENERAL"],
  ])("with %s", async (what, text, status, errorCode) => {
    const body = what === "broken UTF-8" ? new Uint8Array([0x7b, 0xff, 0x7d]) : text;
    const expected =
      what === "broken UTF-8" ? ([400, "PARSE_ERROR"] as const) : ([status, errorCode] as const);
    const one = await ask(`${ALL}/on`, { body });
    expect([one.status, one.body["errorCode"] ?? null, one.body["key"]]).toEqual([...expected, "on"]);
    const all = await ask(ALL, { body });
    expect([all.status, all.body["errorCode"] ?? null, "key" in all.body]).toEqual([...expected, false]);
  });

  test("for a flag that is not there is a 404", async () => {
    for (const key of ["missing", "missing.payload", "colors.payload", "a/b", "__proto__"]) {
      const { status, body } = await evaluate(key);
      expect([status, body]).toEqual([
        404,
        { key, errorCode: "FLAG_NOT_FOUND", errorDetails: expect.any(String), metadata: {} },
      ]);
    }
  });

  test("for something else below /ofrep, or with another method, is answered in JSON", async () => {
    for (const path of ["/ofrep/", "/ofrep/v1/configuration", `${ALL}/a/b`]) {
      const { status, body } = await ask(path);
      expect([status, Object.keys(body)]).toEqual([404, ["errorDetails", "metadata"]]);
    }
    for (const path of [ALL, `${ALL}/on`]) {
      const { status, headers, body } = await ask(path, { method: "GET", headers: { accept: "text/html" } });
      expect([status, headers.get("allow"), typeof body["errorDetails"]]).toEqual([
        405,
        "POST, OPTIONS",
        "string",
      ]);
    }
  });

  test("may come from a page of any origin, and such a page sees tag and waiting time, on refusals too", async () => {
    const preflight = await ask(ALL, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get("access-control-allow-headers")!.split(", ");
    for (const name of [
      "content-type",
      "x-project-key",
      "x-environment-key",
      "authorization",
      "x-api-key",
      "if-none-match",
    ])
      expect(allowed).toContain(name);
    for (const { headers } of [
      preflight,
      await evaluateAll(),
      await ask(ALL, { headers: {} }),
      await evaluate("missing"),
    ]) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe("ETag, Retry-After, X-Formflag-Assignment");
    }
  });
});

test("none of this was a bug to report", () => {
  expect(services.reported).toEqual([]);
});

test("the first evaluation of many rules lets other requests take their turns", async () => {
  const many = await createProject(app, OPERATOR, { slug: "many", environments: ["live"] });
  const value = Array.from({ length: 200 }, (_, index) => ({ "===": [{ var: "a" }, `v${index}`] }));
  const variants = { on: true, off: false };
  const targeting = { if: [{ or: value }, "on"] };
  for (let index = 0; index < 30; index += 1) {
    const place = { project: "many", environment: "live", flag: `f${index}` };
    await plantFlag(app, place, { enabled: true, variants, defaultVariant: "off", targeting });
  }
  const headers = { "x-project-key": many.key, "x-environment-key": many.environments[0]!.key };
  const context = { a: "v199" };
  // Each look at the clock finds that the turn is over, however fast the machine is.
  let now = 0;
  setClock({ steady: () => (now += 1000) });
  const { result, turns } = await turnsOf(() => evaluateAll(context, headers));
  setClock();
  const { body } = result;
  expect((body["flags"] as { value: boolean }[]).map((flag) => flag.value)).toEqual(Array(30).fill(true));
  expect(turns).toBeGreaterThan(15);
});
