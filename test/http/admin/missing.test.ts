import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { createEnvironment } from "../../../src/flags/environments.ts";
import { createForm } from "../../../src/forms/forms.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { errorOf, expectError, fresh, path, addressOf, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ask, operations } = await openAdmin();

/** A valid body for the last word of an address, or of the one before it, of each operation that takes no empty one. */
const BODIES: Record<string, object> = {
  projects: { name: "Shop" },
  "/flags": { flags: { nothing: {} } },
  environments: { locked: true },
  targets: { enabled: true },
  users: { role: "viewer" },
  members: { role: "viewer" },
  segments: { rule: true },
  people: { context: {} },
  ramp: { variant: "on", to: [1, 100], every: 86_400 },
};

describe("what is not there", () => {
  test.each(
    operations
      .filter(({ path, method }) => path.includes("{") && method !== "POST")
      .map(({ path, method }) => {
        const query = method === "DELETE" && path.endsWith("/code-refs") ? "?branch=main" : "";
        return [method, `${addressOf(path)}${query}`] as const;
      }),
  )("is a 404 for %s %s", async (method, path) => {
    const [before, last] = path.split("/").slice(-2);
    const answer = await ask(path, {
      method,
      ...((method === "PATCH" || method === "PUT") && {
        body: BODIES[`/${last}`] ?? BODIES[last!] ?? BODIES[before!] ?? {},
      }),
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
    const { slug } = await createProject(app, OPERATOR, { slug: fresh() });
    const from = { slug: "a", from: "nothing" };
    await expectError(
      await ask(path("projects", slug, "environments"), { body: from }),
      404,
      "not_found",
      "nothing",
    );
  });
});

test("a guessed address names the nearest operation", async () => {
  const hintAt = async (path: string) =>
    ((await (await ask(path)).json()) as { error: { hint: string } }).error.hint;
  expect(await hintAt("/flags")).toContain(
    "/api/admin/v1/projects/<project>/environments/<environment>/flags;",
  );
  expect(await hintAt("/project/shop")).toContain("GET, PATCH, DELETE /api/admin/v1/projects/<project>;");
  expect(await hintAt("/forms/contact/submission")).toContain("/api/admin/v1/forms/<form>/submissions;");
  expect(await hintAt(`/${"a/".repeat(2000)}`)).toBe("GET /openapi.json lists the operations");
});

describe("what is there already", () => {
  test("is a 409 that names it", async () => {
    const slug = fresh();
    const { slug: project } = await createProject(app, OPERATOR, { slug });
    await createForm(app, OPERATOR, { slug, project });
    await createToken(app, OPERATOR, { name: slug, scopes: ["read"] });
    await createEnvironment(app, OPERATOR, project, { slug });
    await expectError(await ask("/projects", { body: { slug } }), 409, "conflict", slug);
    await expectError(await ask("/forms", { body: { slug, project } }), 409, "conflict", slug);
    await expectError(await ask("/tokens", { body: { name: slug } }), 409, "conflict", slug);
    await expectError(
      await ask(path("projects", project, "environments"), { body: { slug } }),
      409,
      "conflict",
      slug,
    );
  });
});
