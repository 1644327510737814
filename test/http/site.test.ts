import { describe, expect, test } from "bun:test";
import { createForm } from "../../src/forms.ts";
import { createAddressList } from "../../src/http/address.ts";
import { createSite, type RequestRecord, type Services } from "../../src/http/site.ts";
import { createProject } from "../../src/projects.ts";
import { createToken } from "../../src/tokens.ts";
import { openServices, openTestApp } from "../support/app.ts";

const app = openTestApp();
const services = openServices(app);
const BASE = "http://site.test";
const PEER = "198.51.100.7";
const { forms, flags, admin } = services;

function openSite(placed: Services, trusted: string[] = []) {
  const records: RequestRecord[] = [];
  const site = createSite(placed, {
    app,
    isTrustedProxy: createAddressList(trusted),
    log: (record) => void records.push(record),
    report: (error) => void services.reported.push(error),
  });
  const ask = async (path: string, init?: RequestInit, peer = PEER) =>
    site.fetch(new Request(`${BASE}${path}`, init), () => peer);
  /** The same request through the paths that a server routes by itself. */
  const askHot = async (route: string, parameter: string, path: string, init?: RequestInit, peer = PEER) =>
    site.hot
      .find((each) => each.path === route)!
      .handle(new Request(`${BASE}${path}`, init), parameter, () => peer);
  return { records, ask, askHot, site };
}

const SITES: [what: string, services: Services][] = [
  ["all services", { forms, flags, admin }],
  ["only forms", { forms }],
  ["only flags", { flags }],
  ["only the admin API", { admin }],
  ["no service", {}],
];

describe.each(SITES)("an address with %s", (_what, placed) => {
  const { ask, site } = openSite(placed);

  test("says that it is healthy", async () => {
    const answer = await ask("/healthz");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: "ok" });
    expect((await ask("/healthz", { method: "HEAD" })).status).toBe(200);
  });

  test("has nothing at an unknown address, as JSON", async () => {
    for (const accept of ["application/json", "*/*"]) {
      const answer = await ask("/nothing/here", { headers: { accept } });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: true, code: 404, message: expect.any(String) });
    }
    expect((await ask("/")).status).toBe(404);
    expect((await ask("/nothing", { method: "POST", body: "x" })).status).toBe(404);
  });

  test("shows a browser a page where it has forms, JSON otherwise and always under /api/", async () => {
    const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
    const answer = await ask("/nothing/<b>here</b>", browser);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toStartWith(placed.forms ? "text/html" : "application/json");
    if (placed.forms) {
      expect(await answer.text()).not.toContain("<b>here");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    }
    for (const path of ["/api/", "/api/nothing", "/api/v1/nothing"]) {
      const api = await ask(path, browser);
      expect(api.status).toBe(404);
      expect(await api.json()).toMatchObject({ error: true });
    }
  });

  test("serves only what was placed there", async () => {
    const statuses = {
      forms: (await ask("/v1/thanks")).status,
      flags: (await ask("/api/v1/flags")).status,
      admin: (await ask("/api/admin/v1/projects")).status,
      document: (await ask("/openapi.json")).status,
    };
    expect(statuses).toEqual({
      forms: placed.forms ? 200 : 404,
      flags: placed.flags ? 400 : 404,
      admin: placed.admin ? 401 : 404,
      document: placed.admin ? 200 : 404,
    });
    expect(site.hot.map((each) => each.path)).toEqual([
      "/healthz",
      ...(placed.forms ? ["/v1/s/:form_key"] : []),
      ...(placed.flags ? ["/api/v1/flags", "/api/v1/flags/:slug"] : []),
    ]);
  });

  test("logs each request once", async () => {
    const { ask, records } = openSite(placed);
    await ask("/healthz");
    await ask("/nothing/here", { method: "POST" });
    expect(records).toEqual([
      { method: "GET", route: "/healthz", status: 200, ms: expect.any(Number) },
      { method: "POST", route: expect.stringContaining("*"), status: 404, ms: expect.any(Number) },
    ]);
  });
});

describe("the log", () => {
  test("never has a form key, a project key, a token or a field value", async () => {
    const { ask, askHot, records } = openSite({ forms, flags, admin });
    const form = await createForm(app, { slug: "logged" });
    const project = await createProject(app, { slug: "logged" });
    const { token } = await createToken(app, { name: "logged" });
    const value = "secret-value-1234";
    const keys = { "x-project-key": project.key, "x-environment-key": project.environments[0]!.key };
    const post = () => ({
      method: "POST",
      headers: { "content-type": "application/json", referer: `https://example.com/${value}` },
      body: JSON.stringify({ [value]: value }),
    });
    const authorization = `Bearer ${token}`;

    const submitPath = `/v1/s/${form.key}?mode=rest&${value}=${value}`;
    const answers = [
      await ask(submitPath, post()),
      await askHot("/v1/s/:form_key", form.key, submitPath, post()),
      await ask(`/v1/s/${form.key}`),
      await ask(`/v1/s/${form.key}/${value}`, post()),
      await ask(`/v1/error?message=${value}`),
      await ask("/api/v1/flags", { headers: keys }),
      await askHot("/api/v1/flags", "", "/api/v1/flags", { headers: keys }),
      await askHot("/api/v1/flags/:slug", value, `/api/v1/flags/${value}`, { headers: keys }),
      await ask(`/api/v1/flags/${value}`, { headers: keys }),
      await ask(`/api/v1/${project.key}`),
      await ask(`/api/admin/v1/forms/${form.key}`, { headers: { authorization } }),
      await ask(`/api/admin/v1/forms/${form.key}/submissions?before=${value}`, {
        headers: { authorization },
      }),
      await ask(`/api/admin/v1/${token}`, { headers: { authorization } }),
      await ask(`/${token}`),
    ];

    expect(answers.map((answer) => answer.status)).toEqual([
      200, 200, 405, 404, 200, 200, 200, 404, 404, 404, 200, 400, 404, 404,
    ]);
    expect(records.map((record) => record.status)).toEqual(answers.map((answer) => answer.status));
    const text = JSON.stringify(records);
    for (const secret of [form.key, project.key, keys["x-environment-key"], token, value]) {
      expect(text).not.toContain(secret);
    }
    expect(records.slice(0, 2).map((record) => record.route)).toEqual(["/v1/s/:form_key", "/v1/s/:form_key"]);
    expect(records.slice(7, 9).map((record) => record.route)).toEqual([
      "/api/v1/flags/:slug",
      "/api/v1/flags/:slug",
    ]);
    expect(records[10]!.route).toBe("/api/admin/v1/forms/:form");
  });
});

describe("a sender behind a proxy", () => {
  const BLOCKED = "203.0.113.9";
  const PROXY = "10.0.0.1";

  for (const hot of [false, true]) {
    describe(hot ? "through the server's own router" : "through the site", () => {
      async function statusOf(peer: string, forwardedFor?: string): Promise<number> {
        const { ask, askHot } = openSite({ forms }, ["10.0.0.0/8"]);
        const slug = `proxied-${crypto.randomUUID()}`;
        const { key } = await createForm(app, { slug, blockedSenders: [BLOCKED] });
        const init = {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
          },
          body: '{"a":1}',
        };
        const path = `/v1/s/${key}?mode=rest`;
        const answer = await (hot ? askHot("/v1/s/:form_key", key, path, init, peer) : ask(path, init, peer));
        return answer.status;
      }

      test("is known by what a trusted proxy forwards", async () => {
        expect(await statusOf(PROXY, BLOCKED)).toBe(403);
        expect(await statusOf(PROXY, `192.0.2.1, ${BLOCKED}`)).toBe(403);
        expect(await statusOf(PROXY, "192.0.2.1")).toBe(200);
        expect(await statusOf(PROXY, `${BLOCKED}, 192.0.2.1`)).toBe(200);
      });

      test("is the peer where that is no trusted proxy", async () => {
        expect(await statusOf(BLOCKED)).toBe(403);
        expect(await statusOf(BLOCKED, "192.0.2.1")).toBe(403);
        expect(await statusOf("192.0.2.1", BLOCKED)).toBe(200);
      });
    });
  }
});

test("a database that does not answer is a 503 at /healthz", async () => {
  const closed = openTestApp();
  const reported: unknown[] = [];
  const site = createSite(
    {},
    { app: closed, isTrustedProxy: () => false, log: () => {}, report: (error) => void reported.push(error) },
  );
  await closed.store.close();
  const answer = await site.fetch(new Request(`${BASE}/healthz`), () => PEER);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: true, code: 503 });
  expect(reported).toHaveLength(1);
});

test("none of the rest was a bug to report", () => {
  expect(services.reported).toEqual([]);
});
