import { describe, expect, test } from "bun:test";
import type { Scope } from "../../../src/access/scope.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { clientAt } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { ROOT, SUFFICE, bearer, openWorld } from "../../support/postgres/world.ts";

const PLACED = ["flags:read", "flags:write", "flags:locked"] as const satisfies Scope[];

/** What acts on more than one environment. */
const ON_EVERY_ENVIRONMENT = [
  "GET /projects/{project}",
  "GET /projects/{project}/environments",
  "GET /projects/{project}/manifest",
  "GET /projects/{project}/targets",
  "POST /projects/{project}/targets",
  "GET /projects/{project}/changes/{change}",
  "PATCH /projects/{project}/flags",
  "PATCH /projects/{project}/flags/{flag}",
  "GET /projects/{project}/people",
  "GET /projects/{project}/people/{person}",
  "PUT /projects/{project}/people/{person}",
  "DELETE /projects/{project}/people/{person}",
  "DELETE /projects/{project}/flags/{flag}",
  "GET /projects/{project}/flags/{flag}/cleanup",
  "POST /projects/{project}/history/undo",
  "GET /projects/{project}/code-refs",
  "PUT /projects/{project}/code-refs",
  "DELETE /projects/{project}/code-refs",
  "DELETE /projects/{project}/feedback/{feedback}",
];
/** What acts on one environment where the query names it. */
const NARROWED = new Set([
  "GET /projects/{project}/history",
  "GET /projects/{project}/flags/{flag}/history",
  "GET /projects/{project}/scheduled",
  "GET /projects/{project}/ramps",
  "GET /projects/{project}/stale",
  "GET /projects/{project}/reads",
  "GET /projects/{project}/flags/{flag}/feedback",
  "GET /projects/{project}/flags/{flag}/ratings",
  "DELETE /projects/{project}/flags/{flag}/feedback",
]);
/** What lists the projects that the token sees, or has its place in the body. */
const SEEN = new Set(["GET /projects", "POST /plans"]);
/** What reads an environment beside the one of its path. */
const PROMOTE = "POST /projects/{project}/environments/{environment}/promote";

const PLACES = [
  { what: "a project", place: { project: "shop" }, beyond: [] as string[] },
  {
    what: "an environment",
    place: { project: "shop", environment: "develop" },
    beyond: [...ON_EVERY_ENVIRONMENT, PROMOTE],
  },
];

/** The world, another project with the same names in it, and a token limited to a place. */
async function openWith(scope: Scope, place: { project: string; environment?: string }) {
  const world = await openWorld();
  await createProject(world.app, OPERATOR, { slug: "other", environments: ["develop", "staging"] });
  const { token } = await createToken(world.app, OPERATOR, { name: "placed", scopes: [scope], ...place });
  return { ...world, token };
}

describe.each(PLACES)("a token limited to $what", ({ place, beyond }) => {
  const isForEnvironment = place.environment !== undefined;
  const query = (name: string) => (isForEnvironment && NARROWED.has(name) ? "?environment=develop" : "");

  test.each([...PLACED])("does there all that its scope %s suffices for", async (scope) => {
    const { operations, ask, token, reported } = await openWith(scope, place);
    const order = ["GET", "POST", "PATCH", "PUT", "DELETE"];
    const within = operations
      .filter(({ needed, name }) => SUFFICE[needed].includes(scope) && !beyond.includes(name))
      // What holds something goes after what it holds.
      .toSorted((a, b) => b.name.length - a.name.length)
      .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    expect(within.length).toBeGreaterThan(10);
    for (const operation of within) {
      const address = operation.address + query(operation.name);
      const answer = await ask({ ...operation, address }, bearer(token));
      expect([operation.name, answer.status]).toEqual([operation.name, operation.success]);
      await answer.arrayBuffer();
    }
    expect(reported).toEqual([]);
  });

  test("does nothing elsewhere: not in another project, another environment or all of them", async () => {
    const { operations, addressOf, ask, token, everything } = await openWith("flags:locked", place);
    const before = await everything();
    for (const operation of operations) {
      const { name, path } = operation;
      const inOther = addressOf(path, { project: "other" });
      const inStaging = addressOf(path, { environment: "staging" });
      const addresses = [
        ...(path.includes("{project}") ? [inOther, `${inOther}?environment=develop`] : []),
        ...(isForEnvironment && path.includes("{environment}")
          ? [inStaging, `${inStaging}?environment=develop`]
          : []),
        ...(isForEnvironment && NARROWED.has(name)
          ? [operation.address, `${operation.address}?environment=staging`]
          : []),
        ...(beyond.includes(name) || !(path.includes("{project}") || SEEN.has(name))
          ? [operation.address, `${operation.address}?environment=develop&project=shop`]
          : []),
      ];
      for (const address of addresses) {
        const answer = await ask({ ...operation, address }, bearer(token));
        expect([operation.method, address, answer.status]).toEqual([operation.method, address, 403]);
        await answer.arrayBuffer();
      }
    }
    expect(await everything()).toBe(before);
  });

  test("evaluates nothing over OFREP", async () => {
    const { ofrep, token } = await openWith("flags:locked", place);
    const service = await ofrep();
    const request = new Request("http://localhost/", {
      method: "POST",
      body: "{}",
      headers: { ...bearer(token), "content-type": "application/json" },
    });
    expect((await service.evaluateAll(request, () => clientAt("127.0.0.1"))).status).toBe(403);
  });

  test("is gone with its place", async () => {
    const { app, ask, token } = await openWith("flags:read", place);
    if (place.environment === undefined) await deleteProject(app, OPERATOR, place.project);
    else await deleteEnvironment(app, OPERATOR, place.project, place.environment);
    const answer = await ask({ method: "GET", address: `${ROOT}/projects/shop/history` }, bearer(token));
    expect(answer.status).toBe(401);
    expect((await app.store.tokens.list()).map(({ name }) => name)).not.toContain("placed");
  });
});

test("an environment that a query names twice is not read", async () => {
  const { ask, token } = await openWith("flags:read", { project: "shop", environment: "develop" });
  const address = `${ROOT}/projects/shop/history?environment=develop&environment=staging`;
  expect((await ask({ method: "GET", address }, bearer(token))).status).toBe(400);
});

describe("a token is not made", () => {
  const make = async (body: object) => {
    const { ask, tokens, app } = await openWorld();
    const before = await app.store.tokens.list();
    const answer = await ask(
      { method: "POST", address: `${ROOT}/tokens`, body: { name: "made", ...body } },
      bearer(tokens.admin),
    );
    expect(await app.store.tokens.list()).toEqual(before);
    const { error } = (await answer.json()) as { error: { message: string } };
    return [answer.status, error.message];
  };

  test.each([[undefined], ["admin"], ["read"], ["forms:read"], ["forms:write"]])(
    "limited to an environment with the scope %s",
    async (scope) => {
      const scopes = scope === undefined ? {} : { scopes: ["flags:read", scope] };
      const message = `the scope ${scope ?? "admin"} cannot be limited to an environment`;
      expect(await make({ ...scopes, project: "shop", environment: "develop" })).toEqual([400, message]);
    },
  );

  test("for an environment without its project, or a place that does not exist", async () => {
    const scopes = ["flags:read"];
    expect((await make({ scopes, environment: "develop" }))[0]).toBe(400);
    expect((await make({ scopes, project: "nothing" }))[0]).toBe(404);
    expect((await make({ scopes, project: "shop", environment: "nothing" }))[0]).toBe(404);
    expect((await make({ scopes: ["flags:evaluate"], project: "shop" }))[0]).toBe(400);
  });

  test("for code references without a project, or for one environment", async () => {
    for (const scopes of [["flags:refs"], ["flags:read", "flags:refs"]])
      for (const place of [{}, { project: "shop", environment: "develop" }])
        expect((await make({ scopes, ...place }))[0]).toBe(400);
  });
});
