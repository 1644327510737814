import { Database } from "bun:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { createAssignmentSource } from "../../../src/experiments/assignment.ts";
import { createExperiment } from "../../../src/experiments/experiments.ts";
import { startExperiment } from "../../../src/experiments/lifecycle.ts";
import { startRamp } from "../../../src/flags/ramps/ramps.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createSite } from "../../../src/http/site.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt, openServices, openTestApp, siteOptions } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const services = openServices(app);
const site = createSite(services, { ...siteOptions(app), report: services.report });

await createProject(app, OPERATOR, { slug: "shop", environments: ["live", "test", "busy", "crowd"] });
const place = { project: "shop", environment: "live" };
await setFlag(app, OPERATOR, { ...place, flag: "hero" }, { enabled: true, browser: true });
const tokenOf = async (name: string, more: object) =>
  (await createToken(app, OPERATOR, { name, scopes: ["flags:browser"], ...place, ...more })).token;
const key = await tokenOf("site", {});
const elsewhere = await tokenOf("elsewhere", { environment: "test" });
const limited = await tokenOf("limited", { allowedOrigins: ["https://shop.example.com"] });
const server = await tokenOf("server", { scopes: ["flags:evaluate"] });
const reader = await tokenOf("reader", { scopes: ["flags:read"] });

async function post(
  body: unknown,
  headers: Record<string, string> = {},
  path = "/v1/events",
  from = "198.51.100.7",
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request(`http://site.test${path}`, { method: "POST", headers, body: text });
  const answer = await site.fetch(request, () => from);
  return { status: answer.status, json: await answer.json(), headers: answer.headers };
}
const ofPage = (body: unknown, headers: Record<string, string> = {}) =>
  post(body, { "x-api-key": key, ...headers });
const ofServer = (body: unknown, headers: Record<string, string> = {}) =>
  post(body, { authorization: `Bearer ${server}`, ...headers });

async function assignmentOf(token: string, targetingKey = "u1"): Promise<string> {
  const request = new Request("http://site.test/ofrep/v1/evaluate/flags", {
    method: "POST",
    headers: { "x-api-key": token },
    body: JSON.stringify({ context: { targetingKey } }),
  });
  const answer = await site.fetch(request, () => "198.51.100.7");
  return answer.headers.get("x-formflag-assignment")!;
}
const assignments = await createAssignmentSource(app)();
/** The flags of an assignment. */
const readAssignment = (text: string) => assignments.read(text, app.now())!.variants.map(([flag]) => flag);
const assignment = await assignmentOf(key);
const foreign = await assignmentOf(elsewhere);
const repeat = (count: number) => Array.from({ length: count }, (_, index) => `event-${index}`);
const EVENT = { event: "signup", targetingKey: "u1" };

describe("a page", () => {
  test("sends exposures and events with its browser key in a header or the address, of any content type", async () => {
    const body = { assignment, exposures: ["hero"], events: ["signup"] };
    const counted = { accepted: 0, ignored: 2 };
    expect(await ofPage(body)).toMatchObject({ status: 200, json: counted });
    const { status, json, headers } = await post(
      body,
      { "content-type": "text/plain" },
      `/v1/events?key=${key}`,
    );
    expect([status, json]).toEqual([200, counted]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(await ofPage({ assignment })).toMatchObject({ status: 200, json: { accepted: 0, ignored: 0 } });
    // As a server sends them, with the wrong key.
    const refused = await ofPage({ events: [{ event: "signup", targetingKey: "u1" }] });
    expect(refused.json).toMatchObject({ message: expect.stringContaining("the assignment is missing") });
  });

  test.each<[string, unknown]>([
    ["no assignment", { events: ["signup"] }],
    ["one that was changed", { assignment: `${assignment.slice(0, -1)}A`, events: ["signup"] }],
    ["one of another environment", { assignment: foreign, events: ["signup"] }],
    ["101 entries", { assignment, events: repeat(101) }],
    ["a name with a space", { assignment, events: ["sign up"] }],
    ["an empty name", { assignment, events: [""] }],
    ["a name of 101 characters", { assignment, events: ["a".repeat(101)] }],
    ["a name that is a number", { assignment, events: [1] }],
    ["a list instead of an object", []],
    ["a member that it does not have", { assignment, event: "signup" }],
    ["no JSON", "{"],
    ["brackets", "[".repeat(16_000)],
  ])("is refused with %s", async (_, body) => {
    const { status, json } = await ofPage(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: true, code: 400, message: expect.stringMatching(/\S/) });
  });

  test("sends 100 entries and 16 KB, and no more", async () => {
    expect(await ofPage({ assignment, events: repeat(100) })).toMatchObject({ status: 200 });
    const text = JSON.stringify({ assignment });
    expect((await ofPage(text + " ".repeat(16_384 - text.length))).status).toBe(200);
    expect((await ofPage(text + " ".repeat(16_385 - text.length))).status).toBe(413);
  });

  test("of an origin that is not allowed is refused", async () => {
    const from = (origin: string) => post({ assignment }, { "x-api-key": limited, origin });
    expect((await from("https://shop.example.com")).status).toBe(200);
    expect((await from("https://example.com")).status).toBe(403);
  });
});

describe("a server", () => {
  test("sends exposures and events of visitors by their targeting keys", async () => {
    const events = [{ exposure: "hero", variant: "b", targetingKey: "u1" }, EVENT];
    expect(await ofServer({ events })).toMatchObject({ status: 200, json: { accepted: 0, ignored: 2 } });
  });

  test.each<[string, object]>([
    ["no targetingKey", { event: "signup" }],
    ["an event and an exposure", { ...EVENT, exposure: "hero", variant: "b" }],
    ["neither", { targetingKey: "u1" }],
    ["an exposure without its variant", { exposure: "hero", targetingKey: "u1" }],
    ["a variant without an exposure", { ...EVENT, variant: "b" }],
    ["a name with a slash", { event: "a/b", targetingKey: "u1" }],
    ["another member", { ...EVENT, value: 1 }],
    ["no object", ["signup"]],
  ])("is told the index of an entry with %s, and nothing is counted", async (_, entry) => {
    const { status, json } = await ofServer({ events: [EVENT, entry] });
    expect(status).toBe(400);
    expect(json).toMatchObject({ errors: [{ index: 1, message: expect.stringMatching(/\S/) }] });
  });

  test("sends 1 to 1,000 entries", async () => {
    const many = (count: number) => ({ events: Array.from({ length: count }, () => EVENT) });
    expect((await ofServer(many(0))).status).toBe(400);
    expect(await ofServer(many(1000))).toMatchObject({ json: { accepted: 0, ignored: 1000 } });
    expect((await ofServer(many(1001))).status).toBe(400);
  });

  test("that repeats an idempotency key gets the first answer, and 422 with other events", async () => {
    const once = { "idempotency-key": "one" };
    const first = await ofServer({ events: [EVENT, EVENT] }, once);
    const again = await ofServer({ events: [EVENT, EVENT] }, once);
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
    expect(again.headers.get("access-control-expose-headers")).toContain("Idempotent-Replayed");
    expect((await ofServer({ events: [EVENT] }, once)).status).toBe(422);
    app.clock.now += 86_400_000;
    expect((await ofServer({ events: [EVENT] }, once)).status).toBe(200);
    app.clock.now -= 86_400_000;
  });
});

test("a page leaves no idempotency key by events that nothing counts, however many it sends", async () => {
  using db = new Database(join(app.directory, "formflag.db"), { readonly: true });
  const keys = () => db.query("SELECT count(*) FROM idempotency_keys").values()[0]![0];
  const before = keys();
  for (let at = 0; at < 3; at += 1) {
    const sent = await ofPage({ assignment, events: ["nothing"] }, { "idempotency-key": `page-${at}` });
    expect([sent.status, sent.json]).toEqual([200, { accepted: 0, ignored: 1 }]);
  }
  expect(keys()).toBe(before);
});

test("visitors of a running experiment are counted, from pages and from servers", async () => {
  // In an environment of its own: elsewhere nothing is counted.
  const busy = { project: "shop", environment: "busy" };
  await setFlag(app, OPERATOR, { ...busy, flag: "hero" }, { enabled: true, browser: true });
  const [page, application] = [
    await tokenOf("busy", busy),
    await tokenOf("busy-server", { ...busy, scopes: ["flags:evaluate"] }),
  ];
  const at = { ...busy, experiment: "try" };
  await createExperiment(app, OPERATOR, at, { flag: "hero", metrics: ["event:signup"] });
  await startExperiment(app, OPERATOR, at);
  const mine = await assignmentOf(page, "visitor");
  const counted = { accepted: 2, ignored: 1 };
  const ofPageBody = { assignment: mine, exposures: ["hero"], events: ["signup", "other"] };
  expect(await ofPage(ofPageBody, { "x-api-key": page })).toMatchObject({ status: 200, json: counted });
  const exposure = { exposure: "hero", variant: "on", targetingKey: "another" };
  const events = [
    exposure,
    { event: "signup", targetingKey: "another" },
    { event: "no", targetingKey: "another" },
  ];
  const once = { authorization: `Bearer ${application}`, "idempotency-key": "counted" };
  for (const _ of ["first", "again"])
    expect(await ofServer({ events }, once)).toMatchObject({ json: counted });
  const counts = (await app.store.measurements.counts({ ...busy, flag: "hero" }))!;
  const sum = (of: (each: (typeof counts.variants)[string]) => number) =>
    Object.values(counts.variants).reduce((all, each) => all + of(each), 0);
  expect(sum(({ visitors }) => visitors)).toBe(2);
  expect(sum(({ conversions }) => conversions["event:signup"]!)).toBe(2);
});

test("visitors of more flags than an assignment holds are counted by those that an experiment or a ramp holds", async () => {
  const crowd = { project: "shop", environment: "crowd" };
  const flags = Array.from({ length: 150 }, (_, index) => `flag-of-a-page-${index}`);
  for (const flag of flags)
    await setFlag(app, OPERATOR, { ...crowd, flag }, { enabled: true, browser: true });
  const [ramped, seen, tried] = [flags[3]!, flags[5]!, flags[140]!];
  const page = await tokenOf("crowd", crowd);
  expect(readAssignment(await assignmentOf(page))).toEqual([]);
  const ramp = { ...crowd, flag: ramped };
  await setFlag(app, OPERATOR, ramp, { variants: { on: true, off: false }, defaultVariant: "off" });
  await startRamp(app, OPERATOR, ramp, { variant: "on", to: [10, 20], every: 86_400_000 });
  const at = { ...crowd, experiment: "try" };
  await createExperiment(app, OPERATOR, at, { flag: tried, metrics: ["event:signup"] });
  await startExperiment(app, OPERATOR, at);
  const mine = await assignmentOf(page, "visitor");
  expect([mine.length <= 4096, readAssignment(mine)]).toEqual([true, [tried, ramped]]);
  const body = { assignment: mine, exposures: [tried, seen], events: ["signup"] };
  expect((await ofPage(body, { "x-api-key": page })).json).toEqual({ accepted: 2, ignored: 1 });
});

describe("/v1/events", () => {
  test("is refused without a token that is good for it", async () => {
    const events = { events: [EVENT] };
    expect((await post(events)).status).toBe(401);
    expect((await post(events, { "x-api-key": "ff_nothing" })).status).toBe(401);
    expect((await post(events, { "x-api-key": reader })).status).toBe(403);
    expect((await post(events, {}, `/v1/events?key=${server}`)).status).toBe(403);
    const gone = await tokenOf("gone", {});
    await revokeToken(app, OPERATOR, "gone");
    expect((await post({ assignment }, { "x-api-key": gone })).status).toBe(401);
  });

  test("takes POST, and says so to browsers that ask before", async () => {
    const ask = async (method: string) =>
      site.fetch(new Request("http://site.test/v1/events", { method }), () => "198.51.100.7");
    const preflight = await ask("OPTIONS");
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const answer = await ask(method);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
  });

  test("refuses a compressed body", async () => {
    expect((await ofServer("{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test("limits how often a client may ask", async () => {
    const wrong = () => post({}, { "x-api-key": "ff_wrong" }, "/v1/events", "198.51.100.8");
    let last = await wrong();
    for (let count = 0; count < 100 && last.status === 401; count += 1) last = await wrong();
    expect(last.status).toBe(429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(clientAt("198.51.100.7").isLocal).toBe(false);
  });
});
