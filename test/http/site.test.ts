import { describe, expect, test } from "bun:test";
import { createToken } from "../../src/access/tokens.ts";
import { createForm } from "../../src/forms/forms.ts";
import { createAddressList } from "../../src/http/address.ts";
import type { Report } from "../../src/http/errors.ts";
import { type MetricsOptions, createMetricsApp } from "../../src/http/operation/exposition.ts";
import { createMetrics } from "../../src/http/operation/metrics.ts";
import type { RequestRecord } from "../../src/http/request-record.ts";
import { type Services, type SiteOptions, createSite } from "../../src/http/site.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp, siteOptions } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";

const app = openTestApp();
const services = openServices(app);
const BASE = "http://site.test";
const PEER = "198.51.100.7";
const { forms, flags, admin } = services;

function openSite(placed: Services, trusted: string[] = [], options: Partial<SiteOptions> = {}) {
  const records: RequestRecord[] = [];
  const site = createSite(placed, {
    ...siteOptions(app),
    isTrustedProxy: createAddressList(trusted),
    log: (record) => void records.push(record),
    report: services.report,
    ...options,
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

const ANY = {
  service: "operation",
  ms: expect.any(Number),
  id: expect.any(String),
  client: expect.any(Function),
} as const;

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
      { ...ANY, method: "GET", route: "/healthz", status: 200 },
      { ...ANY, method: "POST", route: "/*", status: 404 },
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
      200, 200, 405, 404, 400, 200, 200, 404, 404, 404, 200, 400, 404, 404,
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

describe("a request's id", () => {
  test.each(["abc-1", "4bf92f3577b34da6a3ce929d0e0e4736", "a/b:c+d=e.f_g", "x".repeat(128)])(
    "that the sender gave is in the answer and the log: %s",
    async (id) => {
      const { ask, askHot, records } = openSite({ forms, flags, admin });
      const headers = { "x-request-id": id };
      for (const path of ["/healthz", "/nothing", "/v1/thanks", "/api/v1/flags", "/api/admin/v1/projects"])
        expect((await ask(path, { headers })).headers.get("x-request-id")).toBe(id);
      expect(
        (await askHot("/api/v1/flags", "", "/api/v1/flags", { headers })).headers.get("x-request-id"),
      ).toBe(id);
      expect(new Set(records.map((record) => record.id))).toEqual(new Set([id]));
    },
  );

  test.each(["", "a b", 'a"b', "<b>", "x".repeat(129), "é"])(
    "that could break a line of the log is replaced: %j",
    async (id) => {
      const { ask, records } = openSite({});
      const given = (await ask("/healthz", { headers: { "x-request-id": id } })).headers.get("x-request-id");
      expect(given).toMatch(/^[0-9a-f-]{36}$/);
      expect(records[0]!.id).toBe(given!);
    },
  );

  test("is another one for each request that brings none", async () => {
    const { askHot, records } = openSite({ flags });
    for (let count = 0; count < 3; count += 1) await askHot("/api/v1/flags", "", "/api/v1/flags");
    expect(new Set(records.map(({ id }) => id)).size).toBe(3);
  });
});

describe("a base path", () => {
  const { ask, site, records } = openSite({ forms, flags, admin }, [], { basePath: "/a/b" });

  test("stands before every address", async () => {
    const statuses = async (base: string) =>
      Promise.all(
        ["/v1/thanks", "/api/v1/flags", "/api/admin/v1/projects", "/openapi.json"].map(
          async (path) => (await ask(`${base}${path}`)).status,
        ),
      );
    expect(await statuses("/a/b")).toEqual([200, 400, 401, 200]);
    expect(await statuses("")).toEqual([404, 404, 404, 404]);
    expect(await statuses("/a/bc")).toEqual([404, 404, 404, 404]);
    expect(site.hot.map(({ path }) => path)).toEqual([
      "/a/b/healthz",
      "/a/b/v1/s/:form_key",
      "/a/b/api/v1/flags",
      "/a/b/api/v1/flags/:slug",
    ]);
  });

  test("is no part of what the log calls a route", () => {
    expect(new Set(records.map(({ route }) => route))).toEqual(
      new Set(["/v1/thanks", "/api/v1/flags", "/api/admin/v1/projects", "/openapi.json", "/*"]),
    );
  });

  test("is asked for or not by who watches the process", async () => {
    for (const path of ["/healthz", "/a/b/healthz", "/readyz", "/a/b/readyz"])
      expect((await ask(path)).status).toBe(200);
  });

  test("has JSON errors under its /api/ too", async () => {
    const answer = await ask("/a/b/api/nothing", { headers: { accept: "text/html" } });
    expect(await answer.json()).toMatchObject({ error: true, code: 404 });
  });
});

test("every answer names the seconds for which browsers shall use HTTPS only, where that is set", async () => {
  const header = "strict-transport-security";
  const secure = openSite({ flags }, [], { hsts: 600 });
  expect((await secure.ask("/healthz")).headers.get(header)).toBe("max-age=600");
  expect((await secure.askHot("/api/v1/flags", "", "/api/v1/flags")).headers.get(header)).toBe("max-age=600");
  expect((await openSite({}).ask("/healthz")).headers.get(header)).toBeNull();
});

describe("the metrics", () => {
  const counted = createMetrics();
  const report: Report = { ...services.report, refused: (reason) => counted.refused("operation", reason) };
  const about = { version: "1.2.3", commit: "abc" };
  const place = (openTo: MetricsOptions["openTo"]) =>
    openSite(
      {
        flags,
        metrics: async () =>
          createMetricsApp(app, { metrics: counted, report, about, openTo, streams: () => 7 }),
      },
      ["10.0.0.1"],
      { log: counted.request, forwardedIgnored: counted.forwardedIgnored },
    );
  type From = { peer?: string; openTo?: MetricsOptions["openTo"]; host?: string };
  const read = async (init?: RequestInit, from: From = {}) => {
    const { peer = "127.0.0.1", openTo = "local", host = "localhost:8787" } = from;
    const request = new Request(`http://${host}/metrics`, init);
    const answer = await place(openTo).site.fetch(request, () => peer);
    return { status: answer.status, text: await answer.text() };
  };

  test("are open to this machine, but not to what a proxy on it passes on", async () => {
    for (const host of ["localhost:8787", "127.0.0.1", "[::1]:1"])
      expect((await read({}, { host })).status).toBe(200);
    expect((await read({}, { peer: "::1" })).status).toBe(200);
    for (const name of ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"])
      expect((await read({ headers: { [name]: "127.0.0.1" } })).status).toBe(401);
    expect((await read({}, { peer: PEER })).status).toBe(401);
    const forwarded = { headers: { "x-forwarded-for": "127.0.0.1" } };
    expect((await read(forwarded, { peer: "10.0.0.1" })).status).toBe(401);
  });

  test("are not open to a page in a browser on this machine, whose site has a name for it", async () => {
    for (const host of ["attacker.example", "127.0.0.1.attacker.example", "192.0.2.1"])
      expect((await read({}, { host })).status).toBe(401);
  });

  test("are open to nobody where a proxy is to be expected", async () => {
    expect((await read({}, { openTo: "none" })).status).toBe(401);
  });

  test("are read from elsewhere with a token of the scope read", async () => {
    for (const [scope, status] of [
      ["read", 200],
      ["admin", 200],
      ["flags:read", 403],
      ["forms:write", 403],
    ] as const) {
      const { token } = await createToken(app, {
        name: `metrics-${scope.replace(":", "-")}`,
        scopes: [scope],
      });
      const headers = { authorization: `Bearer ${token}` };
      expect((await read({ headers }, { peer: PEER })).status).toBe(status);
    }
    const headers = { authorization: "Bearer nonsense" };
    expect((await read({ headers }, { peer: PEER })).status).toBe(401);
  });

  test("are open at an address of their own", async () => {
    expect((await read({}, { peer: PEER, openTo: "all", host: "metrics.example" })).status).toBe(200);
  });

  test("count requests by route and status, refusals by reason, and proxies that are not trusted", async () => {
    const { ask, askHot } = place("local");
    await askHot("/api/v1/flags", "", "/api/v1/flags");
    await askHot("/api/v1/flags", "", "/api/v1/flags");
    const before = counted.forwarded();
    await ask("/nothing", { headers: { "x-forwarded-for": "192.0.2.1" } });
    const { text } = await read();
    const labels = 'service="flags",route="/api/v1/flags",status="400"';
    expect(text).toContain(`formflag_http_request_duration_seconds_bucket{${labels},le="+Inf"} 2\n`);
    expect(text).toContain(`formflag_http_request_duration_seconds_count{${labels}} 2\n`);
    expect(text).toMatch(/^formflag_refused_total\{service="operation",reason="unauthenticated"\} [1-9]/m);
    expect(text).toContain(`formflag_forwarded_ignored_total ${before + 1}\n`);
    expect(text).toContain('formflag_build_info{version="1.2.3",commit="abc"} 1\n');
    expect(text).toMatch(/^formflag_commit_writes_count [1-9]/m);
    expect(text).toMatch(/^formflag_stored_bytes\{kind="database"\} [1-9]/m);
  });

  test("are text of which every line is a comment or a sample", async () => {
    const { text } = await read();
    for (const line of text.trimEnd().split("\n").filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [0-9.e+-]+)$/);
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
        expect(await statusOf("::ffff:a00:1", "::ffff:cb00:7109")).toBe(403);
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

test("an answer about health says whether the sender that a proxy names counts", async () => {
  const { ask, askHot } = openSite({}, [PEER]);
  const header = "x-formflag-forwarded";
  const init = { headers: { "x-forwarded-for": "203.0.113.9" } };
  for (const get of [
    ask,
    (path: string, ...rest: [RequestInit, string]) => askHot(path, "", path, ...rest),
  ]) {
    expect((await get("/healthz", init, PEER)).headers.get(header)).toBe("trusted");
    expect((await get("/healthz", init, "198.51.100.8")).headers.get(header)).toBe("ignored");
    expect((await get("/healthz", {}, PEER)).headers.get(header)).toBeNull();
  }
});

test("a database that does not answer is a 503 at /healthz and /readyz", async () => {
  const closed = openTestApp();
  const { report, reported } = openServices(closed);
  const site = createSite({}, { ...siteOptions(closed), report });
  await closed.store.close();
  for (const path of ["/healthz", "/readyz"]) {
    const answer = await site.fetch(new Request(`${BASE}${path}`), () => PEER);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: true, code: 503 });
  }
  expect(reported).toHaveLength(2);
});

test("readiness is checked once a second, however often it is read", async () => {
  const app = openTestApp();
  let checks = 0;
  const ready = app.store.ready.bind(app.store);
  const counted = { ...app, store: { ...app.store, ready: () => ((checks += 1), ready()) } };
  const site = createSite({}, { ...siteOptions(counted), report: openServices(app).report });
  const read = async () => (await site.fetch(new Request(`${BASE}/readyz`), () => PEER)).status;
  expect(new Set(await Promise.all(Array.from({ length: 100 }, read)))).toEqual(new Set([200]));
  expect(checks).toBe(1);

  await app.store.close();
  await eventually("the next check", async () => (await read()) === 503);
  expect(checks).toBe(2);
});

test("none of the rest was a bug to report", () => {
  expect(services.reported).toEqual([]);
});
