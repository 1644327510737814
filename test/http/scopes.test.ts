import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createForm } from "../../src/forms.ts";
import { createProject } from "../../src/projects.ts";
import { storeSubmission } from "../../src/submissions.ts";
import { SCOPES, createToken, type Scope } from "../../src/tokens.ts";
import { stageText } from "../contracts/blobs.ts";
import { openServices, openTestApp, placeOf } from "../support/app.ts";

const ROOT = "/api/admin/v1";

/** Who may do what a scope is needed for, written down a second time on purpose. */
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

/** What each operation that takes a body is sent: valid, and a change. */
const BODIES: Record<string, unknown> = {
  "POST /projects": { slug: "made" },
  "POST /projects/{project}/environments": { slug: "made" },
  "PATCH /projects/{project}/environments/{environment}/flags/{flag}": { enabled: true },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/evaluate": { context: {} },
  "PUT /projects/{project}/environments/{environment}/segments/{segment}": { rule: true },
  "POST /projects/{project}/environments/{environment}/flagd": {
    flags: { made: { state: "DISABLED", variants: { a: 1 } } },
  },
  "PATCH /projects/{project}/environments/{environment}": { locked: true },
  "POST /projects/{project}/environments/{environment}/promote": { from: "staging" },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/rollback": { to: 3 },
  "POST /projects/{project}/environments/{environment}/flags/{flag}/scheduled": {
    at: "2999-01-01T00:00:00Z",
    patch: { enabled: true },
  },
  "POST /forms": { slug: "made" },
  "PATCH /forms/{form}": { enabled: false },
  "POST /apply": { document: { forms: { applied: {} } }, dryRun: true },
  "POST /tokens": { name: "made", scopes: ["admin"] },
};

type Operation = { description: string; responses: Record<string, unknown> };

/** An inbox and a project with one of everything, and every operation on things that are there. */
async function openWorld() {
  const app = openTestApp();
  const { reported, ...services } = openServices(app);
  const admin = await services.admin();
  await createProject(app, { slug: "shop", environments: ["develop", "staging"] });
  const by = { who: "ann", at: app.now() };
  const sale = { project: "shop", environment: "develop", flag: "sale" };
  // Revision 3, to which a rollback can go.
  await app.store.flags.set(sale, {}, by);
  await app.store.flags.set(sale, { description: "d" }, by);
  await app.store.flags.set({ ...sale, environment: "staging" }, { payload: 1 }, by);
  await app.store.scheduled.insert("shop", {
    ...sale,
    id: "planned",
    patch: { enabled: true },
    at: app.now() + 1000,
    createdAt: app.now(),
    who: "ann",
  });
  await app.store.segments.set({ project: "shop", environment: "develop", segment: "staff" }, "false", {
    who: "ann",
    at: app.now(),
  });
  const form = await createForm(app, { slug: "contact", uploads: true });
  const blob = await stageText(app.blobs, "bytes");
  const files = [{ field: "file", name: "a.txt", type: "text/plain", blob }];
  const id = await storeSubmission(app, form, { data: '{"name":"Ada"}', files });
  await createToken(app, { name: "victim" });
  const tokens = {} as Record<Scope, string>;
  for (const scope of SCOPES) {
    tokens[scope] = (
      await createToken(app, { name: `only-${scope.replace(":", "-")}`, scopes: [scope], ...placeOf(scope) })
    ).token;
  }

  const names = {
    project: "shop",
    environment: "develop",
    flag: "sale",
    segment: "staff",
    scheduled: "planned",
    form: "contact",
    id,
    file: "1",
  };
  const addressOf = (path: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ({ ...names, name: "victim" })[name] ?? name);
  const document = (await (await admin.request("/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, { description, responses }]) => {
      const method = verb.toUpperCase();
      const name = `${method} ${path.replace(ROOT, "")}`;
      const needed = /`(\S+)`/.exec(description)?.[1] as Scope;
      const success = Number(Object.keys(responses).find((status) => status.startsWith("2")));
      return { name, method, needed, success, address: addressOf(path), body: BODIES[name] };
    }),
  );

  const ask = (
    { method, address, body }: { method: string; address: string; body?: unknown },
    headers: Record<string, string>,
  ) =>
    admin.request(address, {
      method,
      // Among all that is done, the environment is locked too.
      headers: {
        "x-confirm": "*",
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const database = new Database(join(app.directory, "formflag.db"), { readonly: true });
  /** Every row and every file there is. */
  const everything = () => {
    const tables = database.query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table'",
    );
    const rows = tables.all().map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).values()]);
    const files = readdirSync(join(app.directory, "uploads"), { recursive: true });
    return JSON.stringify([rows, files.map(String).toSorted((a, b) => (a < b ? -1 : 1))]);
  };
  return { app, reported, operations, tokens, ask, everything };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const world = await openWorld();
const { app, operations, tokens, ask, everything } = world;

/** Expects every operation to be refused alike, and to leave everything as it was. */
async function expectRefused(
  which: typeof operations,
  headers: Record<string, string>,
  status: 401 | 403,
  query = "",
): Promise<void> {
  const before = everything();
  const code = status === 401 ? "unauthenticated" : "forbidden";
  for (const operation of which) {
    const answer = await ask({ ...operation, address: operation.address + query }, headers);
    const { error } = (await answer.json()) as { error: { code: string; message: string; hint: unknown } };
    expect([operation.name, answer.status, error.code]).toEqual([operation.name, status, code]);
    expect(Object.keys(error)).toEqual(["code", "message", "hint"]);
    if (operation.method !== "GET") continue;
    const head = await ask({ ...operation, method: "HEAD" }, headers);
    expect([operation.name, head.status]).toEqual([operation.name, status]);
  }
  expect(everything()).toBe(before);
}

test("every operation of the document has its scope, and a body here where it takes one", () => {
  expect(operations.length).toBeGreaterThan(20);
  for (const { name, method, needed, success, body } of operations) {
    expect(SCOPES).toContain(needed);
    expect([name, success]).toEqual([name, expect.any(Number)]);
    expect([name, body !== undefined]).toEqual([name, ["POST", "PATCH", "PUT"].includes(method)]);
  }
});

describe("nothing is answered or changed", () => {
  const token = tokens.admin;
  const sha256 = new Bun.CryptoHasher("sha256").update(token).digest("hex");

  test.each<[what: string, headers: Record<string, string>, query?: string]>([
    ["no token", {}],
    ["an empty one", { authorization: "" }],
    ["no white space before it", { authorization: `Bearer${token}` }],
    ["a tab before it", { authorization: `Bearer\t${token}` }],
    ["a comma before it", { authorization: `Bearer ,${token}` }],
    ["a colon before it", { authorization: `Bearer: ${token}` }],
    ["quotes around it", { authorization: `Bearer "${token}"` }],
    ["a second one behind it", { authorization: `Bearer ${token}, Bearer ${token}` }],
    ["another scheme", { authorization: `Token ${token}` }],
    ["another scheme before it", { authorization: `Basic Bearer ${token}` }],
    ["the token elsewhere", { cookie: `token=${token}`, "x-api-key": token, "proxy-authorization": token }],
    ["the token in the query", {}, `?token=${token}&access_token=${token}`],
    ["the token's hash, as it is stored", bearer(sha256)],
    ["the token in upper case", bearer(token.toUpperCase())],
    ["all but the last letter of it", bearer(token.slice(0, -1))],
    ["the token's name", bearer("only-admin")],
    ["a wildcard", bearer("%")],
    ["SQL", bearer("'OR'1'='1")],
    ["a hundred thousand letters", bearer("x".repeat(100_000))],
  ])("with %s", async (_, headers, query) => {
    await expectRefused(operations, headers, 401, query);
  });

  test("with a token from the moment on at which it expires", async () => {
    const expiresAt = new Date(app.now() + 1000).toISOString();
    const { token } = await createToken(app, { name: "expires", expiresAt });
    app.clock.now += 999;
    const read = { method: "GET", address: `${ROOT}/tokens` };
    expect((await ask(read, bearer(token))).status).toBe(200);
    app.clock.now += 1;
    await expectRefused(operations, bearer(token), 401);
  });

  test("with a token that was revoked, also when another one has its name", async () => {
    const { token } = await createToken(app, { name: "revoked" });
    const revoke = { method: "DELETE", address: `${ROOT}/tokens/revoked` };
    expect((await ask(revoke, bearer(token))).status).toBe(204);
    await expectRefused(operations, bearer(token), 401);
    await createToken(app, { name: "revoked" });
    await expectRefused(operations, bearer(token), 401);
  });

  test.each(SCOPES.filter((scope) => scope !== "admin"))(
    "that the scope %s does not suffice for",
    async (scope) => {
      const beyond = operations.filter(({ needed }) => !SUFFICE[needed].includes(scope));
      expect(beyond.length).toBeGreaterThan(0);
      await expectRefused(beyond, bearer(tokens[scope]), 403);
      // The scope counts, not what else is wrong with the request.
      const broken = beyond.map((operation) => ({ ...operation, body: operation.body && { wrong: 1 } }));
      await expectRefused(broken, bearer(tokens[scope]), 403);
      await expectRefused(beyond, { ...bearer(tokens[scope]), "x-scopes": "admin" }, 403, "?scope=admin");
    },
  );

  test("by a header or a query that names another method", async () => {
    const before = everything();
    for (const { method, needed, address, success } of operations) {
      if (method !== "GET" || !SUFFICE[needed].includes("read")) continue;
      const headers = {
        ...bearer(tokens.read),
        "x-http-method-override": "DELETE",
        "x-http-method": "DELETE",
      };
      expect((await ask({ method, address }, headers)).status).toBe(success);
    }
    expect(everything()).toBe(before);
  });
});

test("a refusal for want of a token is never kept by a cache either", async () => {
  const answer = await ask({ method: "GET", address: `${ROOT}/projects` }, {});
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

describe("the scope", () => {
  test.each([...SCOPES])("%s does all that it suffices for", async (scope) => {
    const { operations, tokens, ask, everything, reported } = await openWorld();
    // What holds something goes after what it holds.
    const order = ["GET", "POST", "PATCH", "DELETE"];
    const within = operations
      .filter(({ needed }) => SUFFICE[needed].includes(scope))
      .toSorted((a, b) => b.name.length - a.name.length)
      .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    // That one is for OFREP alone.
    expect(within.length > 0).toBe(scope !== "flags:evaluate");
    for (const operation of within) {
      const before = everything();
      const answer = await ask(operation, bearer(tokens[scope]));
      expect([operation.name, answer.status]).toEqual([operation.name, operation.success]);
      await answer.arrayBuffer();
      const changes =
        operation.method !== "GET" &&
        !operation.name.endsWith("/evaluate") &&
        operation.name !== "POST /apply";
      expect([operation.name, everything() !== before]).toEqual([operation.name, changes]);
    }
    expect(reported).toEqual([]);
  });
});

test("none of this was a bug to report", () => {
  expect(world.reported).toEqual([]);
});
