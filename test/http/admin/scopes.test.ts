import { describe, expect, test } from "bun:test";
import { LONE_SCOPES, SCOPES } from "../../../src/access/scope.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { ROOT, SUFFICE, bearer, openWorld } from "../../support/postgres/world.ts";

const LAST = "DELETE /projects/{project}";
/** What a reset of a password ends. */
const SIGNED_IN = new Set(["DELETE /sessions/{session}", "DELETE /grants/{grant}"]);

const world = await openWorld();
const { app, operations, tokens, ask, everything } = world;

/** Expects every operation to be refused alike, and to leave everything as it was. */
async function expectRefused(
  which: typeof operations,
  headers: Record<string, string>,
  status: 401 | 403,
  query = "",
): Promise<void> {
  const before = await everything();
  const code = status === 401 ? "unauthenticated" : "forbidden";
  for (const operation of which) {
    const answer = await ask({ ...operation, address: operation.address + query }, headers);
    const { error } = (await answer.json()) as { error: { code: string; message: string; hint: unknown } };
    expect([operation.name, answer.status, error.code]).toEqual([operation.name, status, code]);
    expect(Object.keys(error)).toEqual(["code", "reason", "message", "hint"]);
    if (operation.method !== "GET") continue;
    const head = await ask({ ...operation, method: "HEAD" }, headers);
    expect([operation.name, head.status]).toEqual([operation.name, status]);
  }
  expect(await everything()).toBe(before);
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

  test("without a token", () => expectRefused(operations, {}, 401));

  // Each is tried on every sixth operation, so that each operation meets three of them.
  const wrong: [what: string, headers: Record<string, string>, query?: string][] = [
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
  ];
  test.each(wrong.map(([what, headers, query], index) => ({ what, headers, query, index })))(
    "with $what",
    async ({ headers, query, index }) => {
      const some = operations.filter((_, at) => at % 6 === index % 6);
      await expectRefused(some, headers, 401, query);
    },
  );

  test("with a token from the moment on at which it expires", async () => {
    const expiresAt = new Date(app.now() + 1000).toISOString();
    const { token } = await createToken(app, OPERATOR, { name: "expires", expiresAt });
    app.clock.now += 999;
    const read = { method: "GET", address: `${ROOT}/tokens` };
    expect((await ask(read, bearer(token))).status).toBe(200);
    app.clock.now += 1;
    await expectRefused(operations, bearer(token), 401);
  });

  test("with a token that was revoked, also when another one has its name", async () => {
    const { token } = await createToken(app, OPERATOR, { name: "revoked" });
    const revoke = { method: "DELETE", address: `${ROOT}/tokens/revoked` };
    expect((await ask(revoke, bearer(token))).status).toBe(204);
    await expectRefused(operations, bearer(token), 401);
    await createToken(app, OPERATOR, { name: "revoked" });
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
    const before = await everything();
    for (const { method, needed, address, success } of operations) {
      if (method !== "GET" || !SUFFICE[needed].includes("read")) continue;
      const headers = {
        ...bearer(tokens.read),
        "x-http-method-override": "DELETE",
        "x-http-method": "DELETE",
      };
      expect((await ask({ method, address }, headers)).status).toBe(success);
    }
    expect(await everything()).toBe(before);
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
      .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
      // A form takes its feeds with it, whose address is as long.
      .toSorted(
        (a, b) => Number(a.name === "DELETE /forms/{form}") - Number(b.name === "DELETE /forms/{form}"),
      )
      .toSorted((a, b) => Number(SIGNED_IN.has(b.name)) - Number(SIGNED_IN.has(a.name)))
      // A project takes its forms with it.
      .toSorted((a, b) => Number(a.name === LAST) - Number(b.name === LAST));
    // Those are for the readers of flags.
    expect(within.length > 0).toBe(!LONE_SCOPES.some((each) => each === scope));
    for (const operation of within) {
      const before = await everything();
      const answer = await ask(operation, bearer(tokens[scope]));
      expect([operation.name, answer.status]).toEqual([operation.name, operation.success]);
      await answer.arrayBuffer();
      const changes =
        operation.method !== "GET" &&
        !/\/(backups|evaluate|links|(mail|\{target\})\/test)$/.test(operation.name) &&
        // A segment in which nothing is pending.
        !operation.name.endsWith("/segments/{segment}/approve") &&
        // Dry runs here, and a user without a second factor or session.
        !["POST /apply", "POST /plans", "POST /submissions/purge", "POST /users/{user}/reset"].includes(
          operation.name,
        );
      expect([operation.name, (await everything()) !== before]).toEqual([operation.name, changes]);
    }
    expect(reported).toEqual([]);
  });
});

test("none of this was a bug to report", () => {
  expect(world.reported).toEqual([]);
});
