import { describe, expect, test } from "bun:test";
import { SCOPES, type Scope } from "../../src/access/scope.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createForm } from "../../src/forms/forms.ts";
import type { Submission } from "../../src/forms/submission.ts";
import { storeSubmission } from "../../src/forms/submissions.ts";
import { MAX_ADMIN_BODY } from "../../src/http/limits.ts";
import { createEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { stageText } from "../contracts/blobs.ts";
import { clientAt, openServices, openTestApp, placeOf } from "../support/app.ts";

const app = openTestApp();
const { reported, ...services } = openServices(app);
const admin = await services.admin();
const ROOT = "/api/admin/v1";

const { token: ADMIN } = await createToken(app, { name: "admin" });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Asked = { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> };

/** Asks the admin API; a body that is no text is sent as JSON. */
async function ask(
  path: string,
  { method, token = ADMIN, body, headers = {} }: Asked = {},
): Promise<Response> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return admin.request(path.startsWith("/openapi") ? path : `${ROOT}${path}`, {
    method: method ?? (text === undefined ? "GET" : "POST"),
    headers: {
      ...(token === null ? {} : bearer(token)),
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
}

/** The error of an answer, after checking that it has the one shape there is. */
async function errorOf(answer: Response): Promise<{ code: string; message: string; hint: string | null }> {
  expect(answer.headers.get("content-type")).toStartWith("application/json");
  const body = (await answer.json()) as { error: { code: string; message: string; hint: string | null } };
  expect(Object.keys(body)).toEqual(["error"]);
  expect(Object.keys(body.error)).toEqual(["code", "message", "hint"]);
  return body.error;
}

async function expectError(
  answer: Response,
  status: number,
  code: string,
  ...words: string[]
): Promise<void> {
  const error = await errorOf(answer);
  expect([answer.status, error.code]).toEqual([status, code]);
  for (const word of words) expect(error.message).toContain(word);
}

let names = 0;
const fresh = () => `name-${(names += 1)}`;
const path = (...parts: string[]) => parts.map((part) => `/${encodeURIComponent(part)}`).join("");

type Schema = { $ref?: string; type?: unknown; properties?: Record<string, Schema> };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, { type: string; scheme: string }> };
};

const document = (await (await ask("/openapi.json", { token: null })).json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
/** An operation's address with every parameter filled in by a name that nothing has. */
const addressOf = (template: string) => template.replace(ROOT, "").replaceAll(/\{\w+\}/g, "nothing");

/** What each operation needs, written down a second time on purpose. */
const NEEDED: Record<string, Scope> = {
  "GET /projects": "flags:read",
  "POST /projects": "admin",
  "GET /projects/{project}": "flags:read",
  "DELETE /projects/{project}": "admin",
  "GET /projects/{project}/environments": "flags:read",
  "POST /projects/{project}/environments": "admin",
  "GET /projects/{project}/environments/{environment}": "flags:read",
  "DELETE /projects/{project}/environments/{environment}": "admin",
  "PATCH /projects/{project}/environments/{environment}": "admin",
  "POST /projects/{project}/environments/{environment}/promote": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/rollback": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/scheduled": "flags:write",
  "GET /projects/{project}/scheduled": "flags:read",
  "DELETE /projects/{project}/environments/{environment}/scheduled/{scheduled}": "flags:write",
  "GET /projects/{project}/history": "flags:read",
  "GET /projects/{project}/flags/{flag}/history": "flags:read",
  "GET /projects/{project}/environments/{environment}/flags": "flags:read",
  "GET /projects/{project}/environments/{environment}/flags/{flag}": "flags:read",
  "PATCH /projects/{project}/environments/{environment}/flags/{flag}": "flags:write",
  "POST /projects/{project}/environments/{environment}/flags/{flag}/evaluate": "flags:read",
  "DELETE /projects/{project}/flags/{flag}": "flags:write",
  "GET /projects/{project}/stale": "flags:read",
  "GET /projects/{project}/environments/{environment}/flagd": "flags:read",
  "POST /projects/{project}/environments/{environment}/flagd": "flags:write",
  "GET /projects/{project}/environments/{environment}/segments": "flags:read",
  "GET /projects/{project}/environments/{environment}/segments/{segment}": "flags:read",
  "PUT /projects/{project}/environments/{environment}/segments/{segment}": "flags:write",
  "DELETE /projects/{project}/environments/{environment}/segments/{segment}": "flags:write",
  "GET /forms": "forms:read",
  "POST /forms": "forms:write",
  "GET /forms/{form}": "forms:read",
  "PATCH /forms/{form}": "forms:write",
  "DELETE /forms/{form}": "forms:write",
  "GET /forms/{form}/submissions": "forms:read",
  "GET /forms/{form}/submissions/export": "forms:read",
  "GET /submissions/{id}": "forms:read",
  "DELETE /submissions/{id}": "forms:write",
  "GET /submissions/{id}/files/{file}": "forms:read",
  "GET /export": "read",
  "POST /apply": "read",
  "GET /tokens": "admin",
  "POST /tokens": "admin",
  "DELETE /tokens/{name}": "admin",
};

/** The methods that send something. */
const SENDS = new Set(["POST", "PATCH", "PUT"]);

const SUFFICE: Record<Scope, Scope[]> = {
  admin: ["admin"],
  read: ["admin", "read"],
  "flags:read": ["admin", "read", "flags:read", "flags:write", "flags:locked"],
  "flags:write": ["admin", "flags:write", "flags:locked"],
  "flags:locked": ["admin", "flags:locked"],
  "flags:evaluate": ["admin", "flags:evaluate"],
  "forms:read": ["admin", "read", "forms:read", "forms:write"],
  "forms:write": ["admin", "forms:write"],
};

describe("the OpenAPI document", () => {
  test("is OpenAPI 3.1, named and versioned, and served without a token", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: "formflag admin API", version: "test" });
  });

  test("has every operation there is, and no other", () => {
    const listed = operations.map(({ method, path }) => `${method} ${path.replace(ROOT, "")}`);
    expect(listed.toSorted()).toEqual(Object.keys(NEEDED).toSorted());
  });

  test("secures every operation by a bearer token", () => {
    const { securitySchemes } = document.components;
    for (const { operation } of operations) {
      const security = operation.security ?? document.security;
      expect(security.length).toBeGreaterThan(0);
      for (const requirement of security) {
        const schemes = Object.keys(requirement).map((name) => securitySchemes[name]);
        expect(schemes).toEqual([{ type: "http", scheme: "bearer" }]);
      }
    }
  });

  test("gives each operation an id of its own, a summary, a tag, its scope and described responses", () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    for (const { method, path, operation } of operations) {
      expect(operation.summary).toMatch(/^[A-Z]/);
      expect(operation.tags).toHaveLength(1);
      expect(operation.description).toContain(`\`${NEEDED[`${method} ${path.replace(ROOT, "")}`]}\``);
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => status.startsWith("2"))).toHaveLength(1);
      for (const status of ["400", "401", "403", "404"]) expect(statuses).toContain(status);
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe("");
    }
  });

  test("declares exactly the parameters that stand in each path", () => {
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`).toSorted()).toEqual(
        (path.match(/\{\w+\}/g) ?? []).toSorted(),
      );
      for (const parameter of inPath) expect(parameter.required).toBe(true);
      for (const { schema } of operation.parameters ?? []) expect(schema).toBeObject();
    }
  });

  test("has a schema for each body that is sent or answered as JSON", () => {
    for (const { method, operation } of operations) {
      const sent = operation.requestBody?.content["application/json"]?.schema;
      expect([operation.operationId, sent?.properties !== undefined]).toEqual([
        operation.operationId,
        SENDS.has(method),
      ]);
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (status === "204") expect(content).toEqual({});
        const json = content["application/json"];
        if (json) expect(json.schema?.type).toBe("object");
      }
    }
  });

  test("refers to nothing that it does not hold", () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer] of references) {
      let found: unknown = document;
      for (const step of pointer!.split("/")) found = (found as Record<string, unknown>)[step];
      expect(found).toBeObject();
    }
  });
});

describe("wrong tokens", () => {
  const login = (client: string, token: string) =>
    admin.request(`${ROOT}/projects`, { headers: bearer(token) }, { client: clientAt(client) });

  test("make an address wait after twenty in a minute, but never one with a right token", async () => {
    for (let count = 0; count < 20; count += 1)
      expect((await login("203.0.113.5", "ff_wrong")).status).toBe(401);
    const answer = await login("203.0.113.5", "ff_wrong");
    expect(answer.headers.get("retry-after")).toBe("60");
    await expectError(answer, 429, "rate_limited", "too many wrong tokens");
    expect((await login("203.0.113.5", ADMIN)).status).toBe(200);
    expect((await login("203.0.113.6", "ff_wrong")).status).toBe(401);
    app.clock.now += 60_000;
    expect((await login("203.0.113.5", "ff_wrong")).status).toBe(401);
  });

  test("never make this machine wait", async () => {
    for (let count = 0; count < 30; count += 1)
      expect((await login("127.0.0.1", "ff_wrong")).status).toBe(401);
  });
});

describe("each operation", () => {
  const refused = async (method: string, address: string, headers: Record<string, string>) => {
    const answer = await ask(address, { method, token: null, headers });
    expect([method, address, answer.status]).toEqual([method, address, 401]);
    expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
    expect(await errorOf(answer)).toMatchObject({ code: "unauthenticated" });
  };

  test("is closed without a token, with a malformed one, and to any other scheme", async () => {
    for (const { method, path } of operations) {
      await refused(method, addressOf(path), {});
      for (const authorization of [
        "Bearer",
        "Bearer ",
        `Basic ${btoa(`admin:${ADMIN}`)}`,
        ADMIN,
        `Bearer ${ADMIN} x`,
      ]) {
        await refused(method, addressOf(path), { authorization });
      }
    }
  });

  test("is closed with a token that is unknown, revoked or expired", async () => {
    const { token: revoked } = await createToken(app, { name: "revoked" });
    await app.store.tokens.delete("revoked");
    const expiresAt = new Date(app.now() + 1000).toISOString();
    const { token: expired } = await createToken(app, { name: "expired", expiresAt });
    expect((await ask("/projects", { token: expired })).status).toBe(200);
    app.clock.now += 1000;
    for (const { method, path } of operations) {
      for (const token of [`${ADMIN}x`, "ff_", revoked, expired]) {
        await refused(method, addressOf(path), bearer(token));
      }
    }
  });

  for (const scope of SCOPES) {
    test(`is open to the scope ${scope} where that suffices, and answers 403 elsewhere`, async () => {
      const name = fresh();
      const { project = fresh(), ...place } = placeOf(scope);
      await createProject(app, { slug: project, environments: ["develop"] });
      const bound = scope === "flags:evaluate" ? { project, ...place } : {};
      const { token } = await createToken(app, { name, scopes: [scope], ...bound });
      for (const { method, path } of operations) {
        const needed = NEEDED[`${method} ${path.replace(ROOT, "")}`]!;
        // No body is valid, so that nothing is made.
        const body = SENDS.has(method) ? { "no such setting": 1 } : undefined;
        const answer = await ask(addressOf(path), { method, token, body });
        const operation = `${method} ${path}`;
        if (SUFFICE[needed].includes(scope)) {
          expect([operation, [200, 400, 404].includes(answer.status)]).toEqual([operation, true]);
        } else {
          expect([operation, answer.status]).toEqual([operation, 403]);
          const { code, message, hint } = await errorOf(answer);
          expect(code).toBe("forbidden");
          expect(message).toContain(needed);
          expect(hint).toContain(scope);
        }
      }
    });
  }

  test("is open to several scopes that suffice together", async () => {
    const { token } = await createToken(app, { name: fresh(), scopes: ["flags:read", "forms:read"] });
    for (const path of ["/projects", "/forms"]) expect((await ask(path, { token })).status).toBe(200);
  });

  test("cannot be reached as the machine's operator over HTTP", async () => {
    for (const name of ["operator", "x-operator", "authorization"]) {
      await refused("GET", "/tokens", { [name]: "operator" });
    }
    const asOperator = await admin.request(`${ROOT}/tokens`, {}, { operator: () => "ann" });
    expect(asOperator.status).toBe(200);
  });

  test("is never kept by a cache", async () => {
    expect((await ask("/projects")).headers.get("cache-control")).toBe("no-store");
    expect((await ask("/projects/nothing")).headers.get("cache-control")).toBe("no-store");
  });
});

test("an address or method that is not there is a 404 for callers and a 401 for strangers", async () => {
  for (const [method, path] of [
    ["GET", "/nothing"],
    ["PUT", "/projects"],
    ["POST", "/projects/a"],
    ["GET", ""],
    ["GET", "/"],
  ] as const) {
    const answer = await ask(path, { method });
    const { code, hint } = await errorOf(answer);
    expect([method, path, answer.status, code]).toEqual([method, path, 404, "not_found"]);
    expect(hint).toContain("/openapi.json");
    expect((await ask(path, { method, token: null })).status).toBe(401);
  }
});

describe("a body", () => {
  const openPlace = async () => {
    const { slug } = await createProject(app, { slug: fresh(), environments: ["develop"] });
    return path("projects", slug, "environments", "develop", "flags", "flag");
  };

  test.each(["{", "", "nonsense", '{"slug":"a",}', "\u0000"])(
    "that is no JSON (%j) is a 400",
    async (body) => {
      const answer = await ask("/projects", { method: "POST", body });
      await expectError(answer, 400, "invalid", "JSON");
    },
  );

  test.each(["[]", "null", "1", '"text"'])("that is JSON but no object (%s) is a 400", async (body) => {
    await expectError(await ask("/projects", { method: "POST", body }), 400, "invalid");
  });

  test("of more than 1 MiB is a 413, whether it says its length or not", async () => {
    const body = JSON.stringify({ slug: fresh(), name: "x".repeat(MAX_ADMIN_BODY) });
    await expectError(await ask("/projects", { body }), 413, "too_large", "1 MB");
    const length = { "content-length": String(body.length) };
    await expectError(await ask("/projects", { body, headers: length }), 413, "too_large", "1 MB");
    const address = await openPlace();
    await expectError(await ask(address, { method: "PATCH", body }), 413, "too_large");
  });

  test("of exactly 1 MiB is read", async () => {
    const body = `{"slug":"${fresh()}"}`.padEnd(MAX_ADMIN_BODY, " ");
    expect(Buffer.byteLength(body)).toBe(1_048_576);
    expect((await ask("/projects", { body })).status).toBe(201);
  });

  test("of a stranger is refused before it is read", async () => {
    const answer = await ask("/projects", { token: null, body: "x".repeat(MAX_ADMIN_BODY + 1) });
    expect(answer.status).toBe(401);
  });

  test("nested as deeply as it gets is a 400, never a 500", async () => {
    const address = await openPlace();
    for (const depth of [65, 1000, 100_000, 500_000]) {
      for (const deep of [
        "[".repeat(depth) + "]".repeat(depth),
        `${'{"a":'.repeat(Math.min(depth, 150_000))}1${"}".repeat(Math.min(depth, 150_000))}`,
      ]) {
        const answer = await ask(address, { method: "PATCH", body: `{"payload":${deep}}` });
        await expectError(answer, 400, "invalid");
        await expectError(await ask("/projects", { body: `{"slug":${deep}}` }), 400, "invalid");
        await expectError(await ask("/projects", { body: `{"slug":"a","more":${deep}}` }), 400, "invalid");
      }
    }
  });

  test("that is not said to be JSON is refused, not taken as an empty one", async () => {
    const address = await openPlace();
    for (const type of ["application/x-www-form-urlencoded", "text/plain"]) {
      const headers = { "content-type": type };
      const answer = await ask(address, { method: "PATCH", body: '{"enabled":true}', headers });
      expect([type, [400, 415].includes(answer.status)]).toEqual([type, true]);
      await errorOf(answer);
    }
    expect((await ask(address)).status).toBe(404);
  });

  const cases: [method: string, path: string, body: unknown, field: string, ...words: string[]][] = [
    ["POST", "/projects", {}, "slug", "needs a name"],
    ["POST", "/projects", { slug: 1 }, "slug", "needs a name"],
    ["POST", "/projects", { slug: "-a" }, "slug", "starting with a letter or digit"],
    ["POST", "/projects", { slug: "a", name: "" }, "name", "empty"],
    ["POST", "/projects", { slug: "a", environments: ["x", "x"] }, "environments", "twice"],
    ["POST", "/projects", { slug: "a", environments: ["ok", "n o"] }, "environments.1", "1 to 150"],
    ["POST", "/projects", { slug: "a", key: "mine" }, "key"],
    ["POST", "/projects/p/environments", { slug: "" }, "slug", "1 to 150"],
    ["POST", "/projects/p/environments", { slug: "a", from: "!" }, "from", "1 to 150"],
    ["POST", "/projects/p/environments", { slug: "a", form: "typo" }, "form"],
    ["PATCH", "/projects/p/environments/e/flags/f", { enabled: "yes" }, "enabled", "true or false"],
    [
      "PATCH",
      "/projects/p/environments/e/flags/f",
      { expiredAt: "soon" },
      "expiredAt",
      "2027-01-31T12:00:00Z",
    ],
    ["PATCH", "/projects/p/environments/e/flags/f", { description: "x".repeat(2001) }, "description", "2000"],
    ["PATCH", "/projects/p/environments/e/flags/f", { payload: "x".repeat(300_000) }, "payload", "256 KB"],
    ["PATCH", "/projects/p/environments/e/flags/f", { slug: "other" }, "slug"],
    ["PATCH", "/projects/p/environments/e/flags/-f", {}, "flag", "1 to 150"],
    ["PATCH", "/projects/p/environments/e/flags/preview", {}, "flag", "reserved"],
    ["POST", "/forms", { slug: "a/b" }, "slug", "1 to 150"],
    ["POST", "/forms", { slug: "a", uploads: "on" }, "uploads", "boolean"],
    ["POST", "/forms", { slug: "a", successUrl: "/thanks" }, "successUrl", "https://"],
    ["POST", "/forms", { slug: "a", errorUrl: "javascript:alert(1)" }, "errorUrl", "https://"],
    [
      "POST",
      "/forms",
      { slug: "a", allowedOrigins: ["https://a.example/path"] },
      "allowedOrigins.0",
      "https://",
    ],
    ["POST", "/forms", { slug: "a", blockedSenders: ["nobody"] }, "blockedSenders.0", "203.0.113.0/24"],
    ["POST", "/forms", { slug: "a", rateLimit: { count: 0, seconds: 1 } }, "rateLimit.count", "1"],
    ["PATCH", "/forms/f", { maxFileSize: 0 }, "maxFileSize", "at least 1 byte"],
    ["PATCH", "/forms/f", { maxFileSize: 1e15 }, "maxFileSize", "10 GB"],
    ["PATCH", "/forms/f", { maxFileSize: 1.5 }, "maxFileSize"],
    ["PATCH", "/forms/f", { maxFiles: 101 }, "maxFiles", "100"],
    ["PATCH", "/forms/f", { key: "mine" }, "key"],
    ["POST", "/tokens", { name: "a b" }, "name", "1 to 150"],
    ["POST", "/tokens", { name: "a", scopes: [] }, "scopes", "at least one"],
    ["POST", "/tokens", { name: "a", scopes: ["write"] }, "scopes.0", "flags:write"],
    ["POST", "/tokens", { name: "a", expiresAt: "90d" }, "expiresAt", "2027-01-31T12:00:00Z"],
    ["POST", "/tokens", { name: "a", expiresAt: "2020-01-01T00:00:00Z" }, "expire", "future"],
    ["POST", "/tokens", { name: "a", token: "mine" }, "token"],
  ];
  test.each(cases)(
    "%s %s with %j is a 400 that says what is wrong with %s",
    async (method, path, body, ...words) => {
      await expectError(await ask(path, { method, body }), 400, "invalid", ...words);
    },
  );
});

describe("a query", () => {
  test.each(["0", "1001", "-1", "1.5", "many", ""])(
    "with the limit %j is a 400 that names it",
    async (limit) => {
      await expectError(await ask(`/forms/f/submissions?limit=${limit}`), 400, "invalid", "limit");
    },
  );

  test("with a setting that it does not have is a 400 that names it", async () => {
    await expectError(await ask("/forms/f/submissions?page=2"), 400, "invalid", "page");
    await expectError(await ask("/forms/f/submissions/export?form=a"), 400, "invalid", "form");
  });

  test("with a format that there is not is a 400 that says which there are", async () => {
    await expectError(
      await ask("/forms/f/submissions/export?format=xml"),
      400,
      "invalid",
      "format",
      "jsonl",
      "csv",
    );
  });
});

describe("what is not there", () => {
  test.each(
    operations
      .filter(({ path, method }) => path.includes("{") && method !== "POST")
      .map(({ path, method }) => [method, addressOf(path)] as const),
  )("is a 404 for %s %s", async (method, path) => {
    const answer = await ask(path, {
      method,
      ...(method === "PATCH" && { body: path.endsWith("/environments/nothing") ? { locked: true } : {} }),
      ...(method === "PUT" && { body: { rule: true } }),
    });
    const { code, message } = await errorOf(answer);
    expect([answer.status, code]).toEqual([404, "not_found"]);
    expect(message).toContain("nothing");
  });

  test("is a 404 for what is to be made in it, or from it", async () => {
    await expectError(
      await ask("/projects/nothing/environments", { body: { slug: "a" } }),
      404,
      "not_found",
      "nothing",
    );
    const { slug } = await createProject(app, { slug: fresh() });
    const from = { slug: "a", from: "nothing" };
    await expectError(
      await ask(path("projects", slug, "environments"), { body: from }),
      404,
      "not_found",
      "nothing",
    );
  });
});

describe("what is there already", () => {
  test("is a 409 that names it", async () => {
    const slug = fresh();
    const { slug: project } = await createProject(app, { slug });
    await createForm(app, { slug });
    await createToken(app, { name: slug, scopes: ["read"] });
    await createEnvironment(app, project, { slug });
    await expectError(await ask("/projects", { body: { slug } }), 409, "conflict", slug);
    await expectError(await ask("/forms", { body: { slug } }), 409, "conflict", slug);
    await expectError(await ask("/tokens", { body: { name: slug } }), 409, "conflict", slug);
    await expectError(
      await ask(path("projects", project, "environments"), { body: { slug } }),
      409,
      "conflict",
      slug,
    );
  });
});

describe("projects, environments and flags", () => {
  const key = expect.stringMatching(/^[a-z0-9]{4}(-[a-z0-9]{4}){2}$/);

  test("are made, shown, listed and deleted", async () => {
    const slug = fresh();
    const made = await ask("/projects", { body: { slug, name: "Shop" } });
    expect(made.status).toBe(201);
    const { result, ...project } = (await made.json()) as {
      result: string;
      environments: { slug: string }[];
    };
    expect(result).toBe("created");
    expect(project as unknown).toEqual({
      slug,
      name: "Shop",
      key,
      environments: ["develop", "production", "staging"].map((slug) => ({
        slug,
        name: slug,
        key,
        locked: false,
      })),
    });
    expect(await (await ask(path("projects", slug))).json()).toEqual(project);
    const { projects } = (await (await ask("/projects")).json()) as { projects: unknown[] };
    expect(projects).toContainEqual(project);
    const environments = path("projects", slug, "environments");
    expect(await (await ask(environments)).json()).toEqual({ environments: project.environments });

    const added = await ask(environments, { body: { slug: "qa", name: "QA", from: "develop" } });
    expect(added.status).toBe(201);
    const environment = { slug: "qa", name: "QA", key, locked: false };
    expect(await added.json()).toEqual({ ...environment, result: "created" });
    expect(await (await ask(`${environments}/qa`)).json()).toEqual(environment);
    const gone = await ask(`${environments}/qa`, { method: "DELETE" });
    expect([gone.status, await gone.text()]).toEqual([204, ""]);
    expect((await ask(`${environments}/qa`)).status).toBe(404);

    expect((await ask(path("projects", slug), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("projects", slug))).status).toBe(404);
  });

  test("may have no environment to begin with", async () => {
    const made = await ask("/projects", { body: { slug: fresh(), environments: [] } });
    expect(await made.json()).toMatchObject({ environments: [] });
  });

  test("have flags that are created, updated and unchanged by a PATCH", async () => {
    const { slug } = await createProject(app, { slug: fresh(), environments: ["develop", "staging"] });
    const flags = path("projects", slug, "environments", "develop", "flags");
    const at = new Date(app.now()).toISOString();
    const flag = {
      slug: "beta",
      enabled: false,
      payload: {},
      expiredAt: null,
      description: "",
      createdAt: at,
      updatedAt: at,
      revision: expect.any(Number),
    };
    const patch = async (body: unknown) => {
      const answer = await ask(`${flags}/beta`, { method: "PATCH", body });
      expect(answer.status).toBe(200);
      return answer.json();
    };
    expect(await patch({})).toEqual({ ...flag, result: "created" });
    const changed = { ...flag, enabled: true, payload: null, expiredAt: "2030-01-01T00:00:00.000Z" };
    const body = { enabled: true, payload: null, expiredAt: "2030-01-01T01:00:00+01:00" };
    expect(await patch(body)).toEqual({ ...changed, result: "updated" });
    expect(await patch(body)).toEqual({ ...changed, result: "unchanged" });
    expect(await (await ask(`${flags}/beta`)).json()).toEqual(changed);
    expect(await (await ask(flags)).json()).toEqual({ flags: [changed], next: null });
    const staging = path("projects", slug, "environments", "staging", "flags");
    expect(await (await ask(staging)).json()).toEqual({ flags: [flag], next: null });
    expect((await ask(path("projects", slug, "flags", "beta"), { method: "DELETE" })).status).toBe(204);
    expect(await (await ask(flags)).json()).toEqual({ flags: [], next: null });
  });
});

describe("forms", () => {
  test("are made, shown by slug and key, changed, listed and deleted", async () => {
    const slug = fresh();
    const made = await ask("/forms", { body: { slug } });
    expect(made.status).toBe(201);
    const { result, ...form } = (await made.json()) as { result: string; key: string };
    expect(result).toBe("created");
    expect(form as unknown).toEqual({
      slug,
      name: slug,
      key: expect.stringMatching(/^[A-Za-z0-9_-]{20,}$/),
      url: `/v1/s/${form.key}`,
      enabled: true,
      uploads: false,
      successUrl: null,
      errorUrl: null,
      allowedOrigins: [],
      blockedSenders: [],
      rateLimit: null,
      maxFileSize: 1_048_576,
      maxFiles: 5,
      createdAt: new Date(app.now()).toISOString(),
      updatedAt: new Date(app.now()).toISOString(),
    });
    for (const name of [slug, form.key]) expect(await (await ask(path("forms", name))).json()).toEqual(form);

    const settings = {
      name: "Contact",
      enabled: false,
      uploads: true,
      successUrl: "https://example.com/thanks?a=b",
      errorUrl: "http://localhost:8000/error",
      allowedOrigins: ["https://example.com"],
      blockedSenders: ["203.0.113.0/24", "2001:db8::1"],
      rateLimit: { count: 5, seconds: 60 },
      maxFileSize: 10_485_760,
      maxFiles: 1,
    };
    const patch = async (body: unknown) => (await ask(path("forms", slug), { method: "PATCH", body })).json();
    expect(await patch(settings)).toEqual({ ...form, ...settings, result: "updated" });
    expect(await patch(settings)).toMatchObject({ result: "unchanged" });
    expect(await patch({})).toMatchObject({ result: "unchanged" });
    const reset = { successUrl: null, errorUrl: null, rateLimit: null, maxFileSize: null, maxFiles: null };
    expect(await patch(reset)).toMatchObject({
      successUrl: null,
      rateLimit: null,
      maxFileSize: 1_048_576,
      maxFiles: 5,
    });

    const { forms } = (await (await ask("/forms")).json()) as { forms: { slug: string }[] };
    expect(forms.map((each) => each.slug)).toContain(slug);
    expect((await ask(path("forms", form.key), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("forms", slug))).status).toBe(404);
  });
});

describe("tokens", () => {
  test("are shown with their secret once, listed without it, and revoked", async () => {
    const name = fresh();
    const made = await ask("/tokens", {
      body: { name, scopes: ["read"], expiresAt: "2030-01-01T00:00:00Z" },
    });
    expect(made.status).toBe(201);
    const { token, result, ...shown } = (await made.json()) as { token: string; result: string };
    expect(result).toBe("created");
    expect(shown as unknown).toEqual({
      name,
      scopes: ["read"],
      createdAt: new Date(app.now()).toISOString(),
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    const listed = await (await ask("/tokens")).text();
    expect((JSON.parse(listed) as { tokens: unknown[] }).tokens).toContainEqual(shown);
    expect(listed).not.toContain(token);
    expect((await ask("/projects", { token })).status).toBe(200);
    expect((await ask(path("tokens", name), { method: "DELETE" })).status).toBe(204);
    expect((await ask("/projects", { token })).status).toBe(401);
  });
});

describe("submissions", () => {
  const openForm = () => createForm(app, { slug: fresh(), uploads: true });
  type Form = Awaited<ReturnType<typeof openForm>>;

  async function submit(form: Form, data: unknown, ...files: string[]): Promise<string> {
    const staged = files.map(async (name) => ({
      field: "file",
      name,
      type: "text/html",
      blob: await stageText(app.blobs, `bytes of ${name}`),
    }));
    return storeSubmission(app, form, { data: JSON.stringify(data), files: await Promise.all(staged) });
  }

  type Page = { submissions: Submission[]; next: string | null; total: number };
  const pageOf = async (form: Form, query: string) =>
    (await (await ask(`${path("forms", form.slug, "submissions")}${query}`)).json()) as Page;

  test("are shown and deleted", async () => {
    const form = await openForm();
    const id = await submit(form, { name: "Ada", n: 1 }, "a.txt");
    expect(await (await ask(path("submissions", id))).json()).toEqual({
      id,
      form: form.slug,
      data: { name: "Ada", n: 1 },
      files: [
        {
          field: "file",
          name: "a.txt",
          type: "text/html",
          size: 14,
          sha256: new Bun.CryptoHasher("sha256").update("bytes of a.txt").digest("hex"),
        },
      ],
      createdAt: new Date(app.now()).toISOString(),
    });
    expect((await ask(path("submissions", id), { method: "DELETE" })).status).toBe(204);
    expect((await ask(path("submissions", id))).status).toBe(404);
    expect((await ask(path("submissions", id, "files", "1"))).status).toBe(404);
  });

  test("are listed newest first in pages, by next and before", async () => {
    const form = await openForm();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift(await submit(form, { count }));
    expect((await pageOf(form, "")).submissions.map((each) => each.id)).toEqual(ids);
    const walked: string[] = [];
    const nexts: (string | null)[] = [];
    let query = "?limit=2";
    for (let page = await pageOf(form, query); ; page = await pageOf(form, query)) {
      walked.push(...page.submissions.map((each) => each.id));
      nexts.push(page.next);
      if (page.next === null) break;
      query = `?limit=2&before=${page.next}`;
    }
    expect(walked).toEqual(ids);
    expect(nexts).toEqual([ids[1]!, ids[3]!, null]);
    expect(await pageOf(form, "?limit=5")).toMatchObject({ next: null });
    expect(await pageOf(form, `?before=${ids[4]!}`)).toEqual({ submissions: [], next: null, total: 5 });
    expect((await pageOf(await openForm(), "")) as unknown).toEqual({
      submissions: [],
      next: null,
      total: 0,
    });
  });

  describe("exported", () => {
    const exportOf = (form: Form, query = "") =>
      ask(`${path("forms", form.slug, "submissions", "export")}${query}`);

    test("as JSON lines are what each is by itself, newest first", async () => {
      const form = await openForm();
      const ids = [await submit(form, { a: "two\nlines" }), await submit(form, { b: [1, null] }, "x.txt")];
      for (const query of ["", "?format=jsonl"]) {
        const answer = await exportOf(form, query);
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toStartWith("application/jsonl");
        expect(answer.headers.get("content-disposition")).toContain(`filename="${form.slug}.jsonl"`);
        expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
        const text = await answer.text();
        expect(text).toEndWith("\n");
        const expected = await Promise.all(
          ids.toReversed().map(async (id) => (await ask(path("submissions", id))).json()),
        );
        expect(
          text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        ).toEqual(expected);
      }
    });

    test("as CSV have the fields in first-seen order, quoted and harmless", async () => {
      const form = await openForm();
      const at = new Date(app.now()).toISOString();
      const first = await submit(form, { name: "=1+1", note: 'say "hi", twice', "=field": null });
      const second = await submit(form, { note: "two\nlines", extra: [1, "b"], n: -2 }, "+a.txt", "b,c.txt");
      const answer = await exportOf(form, "?format=csv");
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toContain(`filename="${form.slug}.csv"`);
      expect(await answer.text()).toBe(
        [
          `id,createdAt,"note","extra","n","name","'=field",files`,
          `${second},${at},"two\nlines","[1,""b""]",-2,,,"'+a.txt; b,c.txt"`,
          `${first},${at},"say ""hi"", twice",,,"'=1+1",,`,
          "",
        ].join("\r\n"),
      );
    });

    test("as CSV keep fields named like what an object has, and those named like a column", async () => {
      const form = await openForm();
      const id = await submit(form, { id: "mine", toString: "text" });
      const empty = await submit(form, { other: 1 });
      const at = new Date(app.now()).toISOString();
      const text = await (await exportOf(form, "?format=csv")).text();
      expect(text).toBe(
        [
          'id,createdAt,"other","id","toString",files',
          `${empty},${at},1,,,`,
          `${id},${at},,"mine","text",`,
          "",
        ].join("\r\n"),
      );
    });

    test("are nothing, or only a head, where there are none", async () => {
      const form = await openForm();
      expect(await (await exportOf(form)).text()).toBe("");
      expect(await (await exportOf(form, "?format=csv")).text()).toBe("id,createdAt,files\r\n");
      expect((await exportOf(form)).headers.get("x-total-count")).toBe("0");
    });

    test("are all there, also when they are more than the database is asked for at once", async () => {
      const form = await openForm();
      await Promise.all(Array.from({ length: 1203 }, (_, index) => submit(form, { index })));
      const answer = await exportOf(form);
      expect(answer.headers.get("x-total-count")).toBe("1203");
      const lines = (await answer.text()).trimEnd().split("\n");
      expect(new Set(lines).size).toBe(1203);
      const csv = await (await exportOf(form, "?format=csv")).text();
      expect(csv.split("\r\n")).toHaveLength(1205);
    });

    test("as CSV have a thousand fields as columns, and further ones together in one as JSON", async () => {
      const form = await createForm(app, { slug: "wide" });
      for (let post = 0; post < 6; post += 1) {
        const fields = Array.from({ length: 200 }, (_, index) => [`field-${post}-${index}`, 1]);
        await storeSubmission(app, form, { data: JSON.stringify(Object.fromEntries(fields)), files: [] });
      }
      const answer = await exportOf(form, "?format=csv");
      const [head, ...lines] = (await answer.text()).trimEnd().split("\r\n");
      expect(head!.split(",")).toHaveLength(2 + 1000 + 2);
      expect(head).toEndWith(',"field-1-199",otherFields,files');
      expect(lines).toHaveLength(6);
      const oldest = lines.at(-1);
      const others = Array.from({ length: 200 }, (_, index) => `""field-0-${index}"":1`);
      expect(oldest).toEndWith(`,"{${others.join(",")}}",`);
      expect((await (await exportOf(form, "?format=jsonl")).text()).trim().split("\n")).toHaveLength(6);
    });
  });

  describe("with files", () => {
    test("are downloaded as what no browser shows or runs", async () => {
      const id = await submit(await openForm(), {}, "page.html");
      for (const file of ["1", "page.html"]) {
        const answer = await ask(path("submissions", id, "files", file));
        expect(answer.status).toBe(200);
        expect(await answer.text()).toBe("bytes of page.html");
        const headers = Object.fromEntries(answer.headers);
        expect(headers).toMatchObject({
          "content-type": "application/octet-stream",
          "content-length": "18",
          "content-disposition": `attachment; filename="page.html"; filename*=UTF-8''page.html`,
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        });
        expect(headers["content-security-policy"]).toContain("default-src 'none'");
        expect(headers["content-security-policy"]).toContain("sandbox");
      }
    });

    test.each([
      ["Lebenslauf ä.pdf", "Lebenslauf _.pdf", "Lebenslauf%20%C3%A4.pdf"],
      ["日本.txt", "__.txt", "%E6%97%A5%E6%9C%AC.txt"],
      ['a"b\\c%41.txt', "a_b_c_41.txt", "a%22b%5Cc%2541.txt"],
      ["it's (1)*.txt", "it's (1)*.txt", "it%27s%20%281%29%2A.txt"],
      ["a\r\nX-Evil: 1", "a__X-Evil: 1", "a%0D%0AX-Evil%3A%201"],
      ["../../etc/passwd", "../../etc/passwd", "..%2F..%2Fetc%2Fpasswd"],
    ])("named %j keep their name, with a fallback in ASCII", async (name, ascii, encoded) => {
      const id = await submit(await openForm(), {}, name);
      const answer = await ask(path("submissions", id, "files", "1"));
      expect(answer.headers.get("content-disposition")).toBe(
        `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
      );
      expect(answer.headers.get("x-evil")).toBeNull();
      expect(await answer.text()).toBe(`bytes of ${name}`);
    });

    test("of one name are a 409 by that name that lists the numbers", async () => {
      const id = await submit(await openForm(), {}, "same.txt", "other.txt", "same.txt");
      const answer = await ask(path("submissions", id, "files", "same.txt"));
      const { code, hint } = await errorOf(answer);
      expect([answer.status, code]).toEqual([409, "conflict"]);
      expect(hint).toContain("1, 3");
      expect((await ask(path("submissions", id, "files", "3"))).status).toBe(200);
      expect((await ask(path("submissions", id, "files", "4"))).status).toBe(404);
    });

    test("that were removed by hand are a 404 that says so", async () => {
      const id = await submit(await openForm(), {}, "a.txt");
      await app.blobs.delete([`${id}.1`]);
      await expectError(await ask(path("submissions", id, "files", "1")), 404, "not_found", "missing");
    });
  });
});

test("a bug, or a database that does not answer, is no more than an internal error", async () => {
  const broken = openTestApp();
  const { reported, ...services } = openServices(broken);
  const admin = await services.admin();
  const { token } = await createToken(broken, { name: "t" });
  await broken.store.close();
  const answer = await admin.request(`${ROOT}/projects`, { headers: bearer(token) });
  expect(answer.status).toBeGreaterThanOrEqual(500);
  const { message } = await errorOf(answer);
  expect(message).not.toMatch(/closed|stack|at .*\.ts|SELECT/);
  expect(reported).toHaveLength(1);
});

test("nothing else of all this was a bug to report", () => {
  expect(reported).toEqual([]);
});
