import { describe, expect, test } from "bun:test";
import { SCOPES } from "../../../src/access/scope.ts";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { errorOf, expectError, fresh, addressOf, NEEDED, SENDS, openAdmin } from "../../support/admin.ts";
import { clientAt, placeOf } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { bearer, ROOT, SUFFICE } from "../../support/postgres/world.ts";

const { app, admin, ADMIN, ask, operations } = await openAdmin();

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
    const { token: revoked } = await createToken(app, OPERATOR, { name: "revoked" });
    await revokeToken(app, OPERATOR, "revoked");
    const expiresAt = new Date(app.now() + 1000).toISOString();
    const { token: expired } = await createToken(app, OPERATOR, { name: "expired", expiresAt });
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
      const [project, place] = [fresh(), placeOf(scope)];
      await createProject(app, OPERATOR, { slug: project, environments: ["develop"] });
      const bound = place.project === undefined ? place : { ...place, project };
      const { token } = await createToken(app, OPERATOR, { name, scopes: [scope], ...bound });
      for (const { method, path } of operations) {
        const needed = NEEDED[`${method} ${path.replace(ROOT, "")}`]!;
        // No body is valid, so that nothing is made.
        const body = SENDS.has(method) ? { "no such setting": 1 } : undefined;
        // A token with a place reaches nothing else.
        const own = bound.project === undefined ? path : path.replace("{project}", bound.project);
        const answer = await ask(addressOf(own), { method, token, body });
        const operation = `${method} ${path}`;
        if (SUFFICE[needed].includes(scope)) {
          expect([operation, [200, 400, 404, 415].includes(answer.status)]).toEqual([operation, true]);
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
    const { token } = await createToken(app, OPERATOR, {
      name: fresh(),
      scopes: ["flags:read", "forms:read"],
    });
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
