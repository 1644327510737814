import { describe, expect, test } from "bun:test";
import { RE2JS } from "re2js";
import { NEEDED, SENDS, openAdmin } from "../../support/admin.ts";
import { resolvedIn } from "../../support/records/openapi.ts";
import { ROOT } from "../../support/postgres/world.ts";

const { admin, document, operations } = await openAdmin();

const resolved = <T extends object>(part: T & { $ref?: string }) => resolvedIn(document, part);

/** Every object in a JSON value. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const each of Object.values(value)) yield* objectsIn(each);
}

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
      // 202 is for a change that is proposed instead.
      expect(statuses.filter((status) => status.startsWith("2") && status !== "202")).toHaveLength(1);
      for (const status of ["400", "401", "403", "404"]) expect(statuses).toContain(status);
      for (const answer of Object.values(operation.responses))
        expect(resolved(answer).description).toMatch(/\S/);
    }
  });

  test("declares exactly the parameters that stand in each path", () => {
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => `{${name}}`).toSorted()).toEqual(
        (path.match(/\{\w+\}/g) ?? []).toSorted(),
      );
      for (const parameter of inPath) expect(parameter.required).toBe(true);
      for (const parameter of operation.parameters ?? []) expect(resolved(parameter).schema).toBeObject();
    }
  });

  test("has a schema for each body that is sent or answered as JSON", () => {
    for (const { method, path, operation } of operations) {
      const sent = Object.entries(operation.requestBody?.content ?? {}).find(([type]) =>
        /^application\/jsonl?$/.test(type),
      )?.[1].schema;
      expect([operation.operationId, sent !== undefined && resolved(sent).properties !== undefined]).toEqual([
        operation.operationId,
        SENDS.has(method) &&
          !/\/(changes\/\{change\}\/(?!reject|approve)\w+|ramp\/(pause|resume|next|finish)|experiments\/\{experiment\}\/(start|pause|resume|stop)|backups|users\/\{user\}\/reset|(forms\/\{form\}|targets\/\{target\})\/test)$/.test(
            path,
          ),
      ]);
      for (const [status, answer] of Object.entries(operation.responses)) {
        const { content = {} } = resolved(answer);
        if (status === "204") expect(content).toEqual({});
        const json = content["application/json"];
        if (json) expect(["object", "array"]).toContain(resolved(json.schema!).type as string);
      }
    }
  });

  test("is not sent again to those who have it", async () => {
    const first = await admin.request("/openapi.json");
    const headers = { "if-none-match": first.headers.get("etag")! };
    const again = await admin.request("/openapi.json", { headers });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const size = Buffer.byteLength(await first.text());
    expect(first.headers.get("content-length")).toBe(String(size));
  });

  test("refers to nothing that it does not hold", () => {
    for (const { $ref } of objectsIn(document)) if (typeof $ref === "string") resolved({ $ref });
  });

  test("names operations by noun and verb, as methods of a client are named", () => {
    for (const { operation } of operations) expect(operation.operationId).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
    const ids = operations.map(({ operation }) => operation.operationId);
    for (const id of ["flagsGet", "formsCreate", "experimentsResults"]) expect(ids).toContain(id);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(30);
  });

  test("names every schema that is sent or answered, once", () => {
    const { schemas } = document.components;
    for (const name of ["Flag", "FlagDetail", "Form", "Submission", "Proposal", "Error"])
      expect(schemas[name]).toMatchObject({ type: "object" });
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
    for (const { operation } of operations)
      for (const part of [operation.requestBody ?? { content: {} }, ...Object.values(operation.responses)])
        for (const { schema } of Object.values(resolved(part).content ?? {}))
          if (schema) expect(Object.keys(schema)).toEqual(["$ref"]);
    expect(JSON.stringify(document).length).toBeLessThan(372_000);
  });

  test("states the limits of what a body holds", () => {
    const unlimited = new Set<string>();
    type Shape = Record<string, unknown> & { properties?: object; $ref?: string };
    const walk = (given: Shape, path: string, within: readonly string[]): void => {
      const { $ref = "" } = given;
      if ($ref !== "" && within.includes($ref)) return;
      const shape = resolved(given);
      const below = (each: unknown, step: string) =>
        void (each && typeof each === "object" && walk(each as Shape, path + step, [...within, $ref]));
      const { type, maxLength, pattern, format, enum: choices, maximum, maxItems, items } = shape;
      const isChosen = choices !== undefined || "const" in shape;
      if (type === "string" && !isChosen && (maxLength ?? pattern ?? format) === undefined)
        unlimited.add(path);
      if ((type === "integer" || type === "number") && maximum === undefined) unlimited.add(path);
      const ofChoices = items && Object.hasOwn(items, "enum");
      if (type === "array" && !ofChoices && maxItems === undefined) unlimited.add(path);
      for (const [name, each] of Object.entries(shape.properties ?? {})) below(each, `.${name}`);
      below(items, "[]");
      below(shape["additionalProperties"], "{}");
      for (const each of (shape["anyOf"] ?? []) as unknown[]) below(each, "");
    };
    for (const { operation } of operations)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        walk(schema as Shape, "", []);
    // Names that are looked up, texts with a grammar, and what only the whole body limits.
    const known =
      /\.(?:project|environment|form|flag|flags\[\]|control|variant|operation|names\{\}|confirm(?:\[\])?|flags|upTo)$|\.(?:metrics|guards)\[\]$|variants\{\}$|(?:O|\.o|\.allowedO)rigins\[\]$|\.\$schema$/;
    expect([...unlimited].filter((path) => !known.test(path)).toSorted()).toEqual([]);
  });

  test("has patterns that every language reads, and none beside a format that says the same", () => {
    for (const { pattern, format } of objectsIn(document)) {
      if (typeof pattern !== "string") continue;
      expect(["date-time", "email", "ipv4", "ipv6", "uri", "uuid"]).not.toContain(format as string);
      // Classes of Unicode, lookarounds and references differ, and Go and Rust lack \\u.
      expect(pattern).not.toMatch(/\\[pPu]|\(\?[=!<]|\\[1-9]/);
      expect(() => RE2JS.compile(pattern)).not.toThrow();
    }
  });
});
