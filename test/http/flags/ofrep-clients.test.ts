import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { createOfrepService } from "../../../src/http/flags/ofrep.ts";
import { createGuard } from "../../../src/http/rate-limit.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { plantFlag } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";

/**
 * What the OpenFeature providers of each language need of a body, as their parsers read it. The TypeScript providers are
 * run themselves: test/binary/sdk.test.ts.
 */
type Answer = { status: number; body: Record<string, unknown> };
type Needs = Record<string, (answer: Answer) => boolean>;

const isText = (value: unknown) => typeof value === "string";
const isTextIfThere = (value: unknown) => value === undefined || value === null || isText(value);
const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const hasScalars = (metadata: unknown) => isObject(metadata) && Object.values(metadata).every(isScalar);
const REASONS = new Set<unknown>([
  "STATIC",
  "DEFAULT",
  "TARGETING_MATCH",
  "SPLIT",
  "DISABLED",
  "CACHED",
  "STALE",
  "UNKNOWN",
]);
const CODES = new Set<unknown>([
  "FLAG_NOT_FOUND",
  "PARSE_ERROR",
  "TARGETING_KEY_MISSING",
  "INVALID_CONTEXT",
  "GENERAL",
]);
const isCode = (value: unknown) => value === undefined || CODES.has(value);

/** The providers that send a request for each flag. */
const OF_ONE: Needs = {
  // Jackson fills fields of texts; the metadata of every answer is copied into a map, which takes no null.
  "Java: metadata without null": ({ body }) => hasScalars(body["metadata"]),
  "Java: texts": ({ body }) =>
    ["key", "variant", "reason", "errorCode", "errorDetails"].every((name) => isTextIfThere(body[name])),
  // `data["reason"]` is a name of an enumeration, and `data["variant"]` is read also where there is no value.
  "Python: a known reason and a variant": ({ status, body }) =>
    status !== 200 || (REASONS.has(body["reason"]) && isText(body["variant"])),
  "Python: errorDetails, and a known code": ({ status, body }) =>
    status !== 400 || (isText(body["errorDetails"]) && isCode(body["errorCode"])),
  "Go: metadata is a map": ({ body }) => isObject(body["metadata"]),
  "Go: texts": ({ body }) => ["reason", "variant", "errorDetails"].every((name) => isTextIfThere(body[name])),
  ".NET: texts": ({ body }) => ["reason", "variant"].every((name) => isTextIfThere(body[name])),
  "Ruby and PHP: key, reason and variant": ({ status, body }) =>
    status !== 200 || ["key", "reason", "variant"].every((name) => isText(body[name])),
  "PHP: key, errorCode and errorDetails": ({ status, body }) =>
    status !== 400 || ["key", "errorCode", "errorDetails"].every((name) => isText(body[name])),
  "the protocol: errorDetails of every error": ({ status, body }) =>
    status === 200 || isText(body["errorDetails"]),
  "the protocol: the code of a flag that is missing": ({ status, body }) =>
    status !== 404 || body["errorCode"] === "FLAG_NOT_FOUND",
};

/** The providers that fetch all flags. */
const OF_ALL: Needs = {
  "Kotlin and Swift: a list of flags": ({ status, body }) => status !== 200 || Array.isArray(body["flags"]),
  "Kotlin: a known code": ({ body }) => isCode(body["errorCode"]),
  "the protocol: the code of a bad request": ({ status, body }) =>
    status !== 400 || isText(body["errorCode"]),
  "the protocol: errorDetails of every error": ({ status, body }) =>
    status === 200 || isText(body["errorDetails"]),
  "flagd: metadata": ({ body }) => hasScalars(body["metadata"]),
};

/** The same providers, of each flag in their list. */
const OF_EACH: Needs = {
  "Kotlin: a key": ({ body }) => isText(body["key"]),
  "Kotlin and Swift: metadata of scalars": ({ body }) => hasScalars(body["metadata"]),
  "Kotlin: a known code": ({ body }) => isCode(body["errorCode"]),
  "the protocol: a value, no value, or an error": ({ body }) =>
    "errorCode" in body
      ? isText(body["errorDetails"]) && !("value" in body)
      : REASONS.has(body["reason"]) && isText(body["variant"]),
};

const unmet = (needs: Needs, answer: Answer) =>
  Object.entries(needs).flatMap(([need, isMet]) => (isMet(answer) ? [] : [need]));

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });
const ALL = "/ofrep/v1/evaluate/flags";
const project = await createProject(app, OPERATOR, { slug: "shop", environments: ["develop"] });
const KEYS = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
const set = (flag: string, patch: FlagPatch) =>
  plantFlag(app, { project: "shop", environment: "develop", flag }, patch);

const variants = { red: "#f00", green: "#0f0" };
await set("plain-on", { enabled: true, payload: { a: 1 } });
await set("plain-off", { payload: 1 });
await set("ended", { enabled: true, expiredAt: new Date(app.clock.now - 1).toISOString() });
await set("fixed", { enabled: true, variants, defaultVariant: "red", metadata: { team: "web", size: 1.5 } });
await set("ruled", {
  enabled: true,
  variants,
  targeting: { if: [{ "==": [{ var: "plan" }, "pro"] }, "green"] },
});
await set("no-default", { enabled: true, variants });
await set("off", { enabled: false, variants, defaultVariant: "red" });
await set("rolled", {
  enabled: true,
  payload: 1,
  variants: { on: true, off: false },
  defaultVariant: "off",
  targeting: {
    fractional: [
      ["on", 50],
      ["off", 50],
    ],
  },
});
await set("broken", { enabled: true, variants, targeting: { if: [{ $ref: "missing" }, "red"] } });
await set("stray", { enabled: true, variants, targeting: { if: [true, "blue"] } });
const FLAGS = ["plain-on", "plain-off", "ended", "fixed", "ruled", "no-default", "off", "rolled", "broken"];
const KEYS_OF_FLAGS = [...FLAGS, "stray", "plain-on.payload", "plain-off.payload", "rolled.payload", "none"];

const { token: admin } = await createToken(app, OPERATOR, { name: "admin" });

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const request = new Request(`http://site.test${path}`, {
    method: "POST",
    headers: KEYS,
    body: "{}",
    ...init,
  });
  return read(await site.fetch(request, () => "198.51.100.7"));
}
async function read(answer: Response): Promise<Answer> {
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

const CONTEXTS = [{}, { targetingKey: "u1" }, { targetingKey: "u2", plan: "pro" }, { targetingKey: null }];

describe("every answer about one flag is read by the providers of each language:", () => {
  test.each(KEYS_OF_FLAGS)("%s", async (key) => {
    for (const context of CONTEXTS) {
      const answer = await ask(`${ALL}/${key}`, { body: JSON.stringify({ context }) });
      expect([answer, unmet(OF_ONE, answer)]).toEqual([answer, []]);
    }
  });
});

describe("every answer about all flags is read by the providers of each language:", () => {
  test.each(CONTEXTS)("%j", async (context) => {
    const answer = await ask(ALL, { body: JSON.stringify({ context }) });
    expect(unmet(OF_ALL, answer)).toEqual([]);
    const flags = answer.body["flags"] as Answer["body"][];
    const kinds = new Set(flags.map((body) => ("errorCode" in body ? "error" : "value" in body)));
    expect(kinds).toEqual(new Set([true, false, "error"]));
    for (const body of flags) expect([body, unmet(OF_EACH, { status: 200, body })]).toEqual([body, []]);
  });

  test("an environment without flags", async () => {
    const empty = await createProject(app, OPERATOR, { slug: "empty", environments: ["develop"] });
    const headers = { "x-project-key": empty.key, "x-environment-key": empty.environments[0]!.key };
    const answer = await ask(ALL, { headers });
    expect([answer.body["flags"], unmet(OF_ALL, answer)]).toEqual([[], []]);
  });
});

describe("every refusal is read by the providers of each language:", () => {
  const tooLong = JSON.stringify({ context: { a: "x".repeat(2 ** 21) } });
  test.each<[what: string, status: number, init: RequestInit]>([
    ["broken JSON", 400, { body: "{" }],
    ["a list", 400, { body: "[]" }],
    ["no body", 400, { body: null }],
    ["a context that is none", 400, { body: '{"context":1}' }],
    ["a targetingKey that is a number", 400, { body: '{"context":{"targetingKey":1}}' }],
    ["a body that is too large", 413, { body: tooLong }],
    ["a compressed body", 415, { headers: { ...KEYS, "content-encoding": "gzip" } }],
    ["no keys", 401, { headers: {} }],
    ["a token that is none", 401, { headers: { authorization: "Bearer x" } }],
    ["a token for something else", 403, { headers: { authorization: `Bearer ${admin}` } }],
    ["another method", 405, { method: "PUT" }],
  ])("%s", async (_, status, init) => {
    const one = await ask(`${ALL}/fixed`, init);
    const all = await ask(ALL, init);
    expect([one.status, unmet(OF_ONE, one)]).toEqual([status, []]);
    expect([all.status, unmet(OF_ALL, all)]).toEqual([status, []]);
    expect(one.body["key"]).toBe("fixed");
  });

  test("too many requests, a database that does not answer, and a bug", async () => {
    const guard = createGuard(app.now, { concurrent: 0, rate: null });
    const failing = (error: Error) => ({
      ...app,
      watch: {
        ...app.watch,
        staleFor: () => {
          throw error;
        },
      },
    });
    const stale = { ...app, watch: { ...app.watch, staleFor: () => 5000 } };
    const report = { ...services.report, error: () => {} };
    for (const [status, service] of [
      [429, createOfrepService(app, report, { guard })],
      [503, createOfrepService(stale, report, { maxStale: 0 })],
      [500, createOfrepService(failing(new TypeError("a bug")), report)],
    ] as const) {
      const request = () =>
        new Request(`http://site.test${ALL}`, { method: "POST", headers: KEYS, body: "{}" });
      const client = () => clientAt("198.51.100.7");
      const one = await read(await service.evaluateOne(request(), "fixed", client));
      const all = await read(await service.evaluateAll(request(), client));
      expect([one.status, unmet(OF_ONE, one), all.status, unmet(OF_ALL, all)]).toEqual([
        status,
        [],
        status,
        [],
      ]);
      service.close();
    }
  });
});

test("a targetingKey that is null counts as missing, as PHP and Ruby send it", async () => {
  for (const key of KEYS_OF_FLAGS) {
    const path = `${ALL}/${key}`;
    const missing = await ask(path, { body: '{"context":{"plan":"pro"}}' });
    expect(await ask(path, { body: '{"context":{"targetingKey":null,"plan":"pro"}}' })).toEqual(missing);
  }
});
