import { describe, expect, test } from "bun:test";
import { MAX_PAYLOAD } from "../../src/flags/limits.ts";
import { OPERATIONS } from "../../src/operations/all.ts";
import { ADMIN_PATH, addressOf } from "../../src/operations/operation.ts";
import { flags } from "../../src/operations/flags.ts";
import { checkBody, checkQuery } from "../../src/operations/schema/check.ts";
import { openServices, openTestApp } from "../support/app.ts";
import { openApiOf } from "../support/records/openapi.ts";

const admin = await openServices(openTestApp()).admin();
const each = OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

test("every operation is in the OpenAPI document, which has no other", async () => {
  const { paths } = await openApiOf(admin);
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = OPERATIONS.map(
    ({ method, path }) => `${method} ${ADMIN_PATH}${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(described.toSorted()).toEqual(declared.toSorted());
});

test("a body that passes without a look at its schema is what the schema makes of it", async () => {
  const { body } = await flags.set.schemas();
  const deep: unknown = JSON.parse("[".repeat(65) + "]".repeat(65));
  for (const patch of [{}, { enabled: true }, { enabled: false, payload: { a: [1] }, description: "x" }]) {
    expect(flags.set.isPlain?.(patch)).toBe(true);
    expect(await checkBody(body, Buffer.from(JSON.stringify(patch)), {})).toEqual(patch);
  }
  const refused: unknown[] = [
    { enabled: 1 },
    { payload: deep },
    { payload: "x".repeat(MAX_PAYLOAD) },
    { constructor: 1 },
  ];
  for (const patch of [...refused, { description: "x".repeat(2001) }, { expiredAt: null }, [true], null])
    expect(flags.set.isPlain?.(patch)).toBe(false);
});

describe.each(each)("%s", (_, operation) => {
  const { method, path, place, schemas, defaults } = operation;

  test("is reached at its address", async () => {
    const names = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, "x"]));
    const operator = { operator: () => "operator" };
    const answer = await admin.request(ADMIN_PATH + addressOf(operation, names), { method }, operator);
    expect(await answer.text()).not.toContain("no such address");
  });

  test("names its place", () => {
    const inPath = ["environment", "project"].find((name) => path.includes(`:${name}`)) ?? "none";
    const possible = {
      none: ["instance", "form", "self", "seen"],
      project: ["project", "environment", "within"],
      environment: ["environment"],
    };
    expect(possible[inPath as keyof typeof possible]).toContain(place);
  });

  test("has the defaults of its query", async () => {
    const { query } = await schemas();
    const ofSchema = query && safely(() => checkQuery(query, {}));
    expect(defaults).toEqual(ofSchema);
  });
});

/** What a function returns; undefined if it throws, as for a query that lacks what it needs. */
function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
