import { afterEach, describe, expect, test } from "bun:test";
import { Hono } from "hono/quick";
import { createToken } from "../../src/access/tokens.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { createForm } from "../../src/forms/forms.ts";
import { AppError } from "../../src/base/errors.ts";
import type { DashboardEnv } from "../../src/http/dashboard/dashboard-env.ts";
import type { Services } from "../../src/http/services.ts";
import { createProject } from "../../src/projects/projects.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { openSites } from "../support/site.ts";

const { app, services, openSite } = openSites();
const { forms, flags, admin } = services;
// Forms are in it, whatever other projects the tests make.
await createProject(app, OPERATOR, { slug: "default" });
// None of what is asked here may be a bug. What has to be reported is asked of other services.
afterEach(() => expect(services.reported.splice(0)).toEqual([]));

const SITES: [what: string, services: Services][] = [
  ["all services", { forms, flags, admin }],
  ["only forms", { forms }],
  ["only flags", { flags }],
  ["only the admin API", { admin }],
  ["no service", {}],
];

const ANY = {
  ms: expect.any(Number),
  id: expect.any(String),
  isRead: false,
  isFailure: false,
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

  test("points from a guessed address to that of a service it has", async () => {
    const GUESSES = [
      ["/v1/s/", "forms", "/v1/s/<form key>"],
      ["/s/abc", "forms", "/v1/s/<form key>"],
      ["/v1/forms/abc", "forms", "/v1/s/<form key>"],
      ["/f/abc", "forms", "/v1/f/<form key>"],
      ["/api/v1/flag/nc", "flags", "/api/v1/flags/<slug>"],
      ["/api/flags/nc", "flags", "/api/v1/flags/<slug>"],
      ["/docs", "admin", "/openapi.json"],
      ["/api/projects", "admin", "/api/admin/v1"],
      ["/health", null, "/healthz"],
    ] as const;
    for (const [path, service, address] of GUESSES) {
      const isThere = service === null || service in placed;
      const { message } = (await (await ask(path)).json()) as { message: string };
      expect([path, message.includes(address)]).toEqual([path, isThere]);
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
      ...(placed.flags && "codeReferences" in placed ? ["/api/v1/flags/code-refs"] : []),
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
    const form = await createForm(app, OPERATOR, { slug: "logged" });
    const project = await createProject(app, OPERATOR, { slug: "logged" });
    const { token } = await createToken(app, OPERATOR, { name: "logged" });
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

  test("is made for a read of flags that succeeds only where such reads are logged", async () => {
    const { key, environments } = await createProject(app, OPERATOR, { slug: "read" });
    const keys = { "x-project-key": key, "x-environment-key": environments[0]!.key };
    for (const logsReads of [true, false]) {
      const { ask, records } = openSite({ flags }, [], { logsReads });
      const idOf = async (path: string, headers: Record<string, string>) =>
        (await ask(path, { headers })).headers.get("x-request-id");
      expect((await idOf("/api/v1/flags", keys)) !== null).toBe(logsReads);
      expect(await idOf("/api/v1/flags", { ...keys, "x-request-id": "mine" })).toBe("mine");
      expect(await idOf("/api/v1/flags/none", keys)).toMatch(/^[0-9a-f-]{36}$/);
      expect(records.map(({ isRead }) => isRead)).toEqual(logsReads ? [true, true, false] : [false]);
    }
  });

  test("is another one for each request that brings none", async () => {
    const { askHot, records } = openSite({ flags });
    for (let count = 0; count < 3; count += 1) await askHot("/api/v1/flags", "", "/api/v1/flags");
    expect(new Set(records.map(({ id }) => id)).size).toBe(3);
  });
});

describe("a base path", () => {
  const openBased = () => openSite({ forms, flags, admin }, [], { basePath: "/a/b" });
  const ADDRESSES = ["/v1/thanks", "/api/v1/flags", "/api/admin/v1/projects", "/openapi.json"];
  const { ask, site } = openBased();

  test("stands before every address", async () => {
    const statuses = async (base: string) =>
      Promise.all(ADDRESSES.map(async (path) => (await ask(`${base}${path}`)).status));
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

  test("that only the public URL has may be missing, if the proxy takes it away", async () => {
    const { ask } = openSite({ forms, flags, admin }, [], { basePath: "/a/b", isBaseOptional: true });
    for (const base of ["/a/b", "", "/"])
      expect(await Promise.all(ADDRESSES.map(async (path) => (await ask(`${base}${path}`)).status))).toEqual([
        200, 400, 401, 200,
      ]);
  });

  test("is no part of what the log calls a route", async () => {
    const { ask, records } = openBased();
    for (const base of ["/a/b", "", "/a/bc"]) for (const path of ADDRESSES) await ask(`${base}${path}`);
    expect(new Set(records.map(({ route }) => route))).toEqual(new Set([...ADDRESSES, "/*"]));
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

describe("an address with a slash at its end, or two in a row", () => {
  test.each(["", "/formflag"])("reaches the same services under the base path %j", async (basePath) => {
    const { ask } = openSite({ forms, flags, admin, ofrep: services.ofrep }, [], { basePath });
    const project = await createProject(app, OPERATOR, {
      slug: `slash${basePath.length}`,
      environments: ["develop"],
    });
    const keys = {
      "x-project-key": project.key,
      "x-environment-key": project.environments[0]!.key,
    };
    const place = { project: project.slug, environment: "develop", flag: "search" };
    await setFlag(app, OPERATOR, place, { enabled: true });
    const evaluated = { method: "POST", headers: keys, body: "{}" };
    for (const base of [`${basePath}/`, `/${basePath}//`]) {
      const one = await ask(`${base}/ofrep/v1/evaluate/flags/search`, evaluated);
      expect([one.status, await one.json()]).toEqual([200, expect.objectContaining({ value: true })]);
      expect((await ask(`${base}/ofrep/v1/evaluate/flags`, evaluated)).status).toBe(200);
      const read = await ask(`${base}/api/v1/flags/search`, { headers: keys });
      expect(await read.json()).toMatchObject({ enabled: true });
    }
    const { key } = await createForm(app, OPERATOR, { slug: `slash${basePath.length}` });
    const body = new URLSearchParams({ name: "Ann" });
    expect((await ask(`${basePath}//v1/s/${key}?mode=rest`, { method: "POST", body })).status).toBe(200);
    expect((await ask(`${basePath}/v1/s/${key}/?mode=rest`, { method: "POST", body })).status).toBe(200);
    for (const path of ["/api/v1/flags//search", "/api/v1/flags/search/", "/api//v1/flags"])
      expect((await ask(`${basePath}${path}`, { headers: keys })).status).toBe(200);
    const withoutSlug = await ask(`${basePath}/api/v1/flags/`, { headers: keys });
    expect([withoutSlug.status, await withoutSlug.json()]).toEqual([
      400,
      { error: expect.stringContaining("flag slug is missing") },
    ]);
  });
});

test("every answer names the seconds for which browsers shall use HTTPS only, where that is set", async () => {
  const header = "strict-transport-security";
  const secure = openSite({ flags }, [], { hsts: 600 });
  expect((await secure.ask("/healthz")).headers.get(header)).toBe("max-age=600");
  expect((await secure.askHot("/api/v1/flags", "", "/api/v1/flags")).headers.get(header)).toBe("max-age=600");
  expect((await openSite({}).ask("/healthz")).headers.get(header)).toBeNull();
});

describe("a sender behind a proxy", () => {
  const BLOCKED = "203.0.113.9";
  const PROXY = "10.0.0.1";

  for (const hot of [false, true]) {
    describe(hot ? "through the server's own router" : "through the site", () => {
      async function statusOf(peer: string, forwardedFor?: string): Promise<number> {
        const { ask, askHot } = openSite({ forms }, ["10.0.0.0/8"]);
        const slug = `proxied-${crypto.randomUUID()}`;
        const { key } = await createForm(app, OPERATOR, { slug, blockedSenders: [BLOCKED] });
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

test("A dashboard that cannot be loaded now is unavailable, and the API beside it answers", async () => {
  const { services, openSite } = openSites();
  let isLocked = true;
  const dashboard = async () => {
    if (isLocked) throw new AppError("unavailable", "the database is locked", { retryAfter: 1 });
    return new Hono<DashboardEnv>().get("/dashboard", (c) => c.text("hello"));
  };
  const { ask } = openSite({ admin: services.admin, dashboard });
  const refused = await ask("/dashboard");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(refused.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(refused.headers.get("cache-control")).toBe("no-store");
  expect(await refused.json()).toEqual({ error: true, code: 503, message: "the database is locked" });
  expect((await ask("/api/admin/v1/projects")).status).toBe(401);
  expect((await ask("/")).headers.get("location")).toBe("/dashboard");
  isLocked = false;
  expect(await (await ask("/dashboard")).text()).toBe("hello");
  expect(services.reported.map(String)).toEqual(["AppError: the database is locked"]);
});

test("An object storage that refuses the credentials of the server is unavailable, without details", async () => {
  const { services, openSite } = openSites();
  const dashboard = async () => {
    throw new AppError("forbidden", "the object storage refuses the credentials", {
      reason: "storage-credentials",
    });
  };
  const refused = await openSite({ admin: services.admin, dashboard }).ask("/dashboard");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await refused.json()).toMatchObject({ message: "the object storage is unavailable" });
  expect(services.reported.map(String)).toEqual(["AppError: the object storage is unavailable"]);
});
