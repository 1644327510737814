import { describe, expect, test } from "bun:test";
import { NEEDED, SENDS, openAdmin } from "../../support/admin.ts";
import { ROOT } from "../../support/postgres/world.ts";

const { admin, document, operations } = await openAdmin();

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
    for (const { method, path, operation } of operations) {
      const sent = Object.entries(operation.requestBody?.content ?? {}).find(([type]) =>
        /^application\/jsonl?$/.test(type),
      )?.[1].schema;
      expect([operation.operationId, sent?.properties !== undefined]).toEqual([
        operation.operationId,
        SENDS.has(method) &&
          !/\/(changes\/\{change\}\/(?!reject)\w+|ramp\/(pause|resume)|experiments\/\{experiment\}\/(start|pause|resume|stop)|backups|users\/\{user\}\/reset|(forms\/\{form\}|targets\/\{target\})\/test)$/.test(
            path,
          ),
      ]);
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        if (status === "204") expect(content).toEqual({});
        const json = content["application/json"];
        if (json) expect(["object", "array"]).toContain(json.schema?.type as string);
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
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer] of references) {
      let found: unknown = document;
      for (const step of pointer!.split("/")) found = (found as Record<string, unknown>)[step];
      expect(found).toBeObject();
    }
  });
});
