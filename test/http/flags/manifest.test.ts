import { type Schema, Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "bun:test";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import type { Scope } from "../../../src/access/scope.ts";
import { setDetails, setFlag } from "../../../src/flags/flags.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { fresh, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, admin } = await openAdmin();

type Shown = { key: string; name: string; type: string; description: string; defaultValue: unknown };
type Answer = {
  flag?: Shown;
  updatedAt?: string;
  flags?: Shown[];
  error?: { status: number; details: unknown };
};

/** A flag as the command line describes it; a float is a number. */
const FLAG = {
  type: "object",
  required: ["key", "type", "defaultValue"],
  additionalProperties: false,
  properties: {
    key: { type: "string" },
    name: { type: "string" },
    type: { enum: ["boolean", "string", "integer", "float", "object"] },
    description: { type: "string" },
    defaultValue: { type: ["boolean", "string", "number", "object"] },
  },
} satisfies Schema;

const faultsOf = (schema: Schema, value: unknown) => new Validator(schema).validate(value).errors;

/** A project with a token that is limited to it. */
async function projectWith(...scopes: Scope[]) {
  const { slug: project } = await createProject(app, OPERATOR, { slug: fresh() });
  const { name, token } = await createToken(app, OPERATOR, { name: fresh(), scopes, project });
  const ask = async (method: string, path = "", body?: unknown) => {
    const answer = await admin.request(`/openfeature/v0/manifest${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, value: (await answer.json()) as Answer };
  };
  const set = (environment: string, flag: string, patch: object) =>
    setFlag(app, OPERATOR, { project, environment, flag }, patch);
  return { project, name, token, ask, set };
}

describe("the manifest", () => {
  test("has each flag that is not archived with its type and the default value that all environments agree on", async () => {
    const { project, ask, set } = await projectWith("flags:read");
    await set("develop", "plain", { enabled: true, description: "On or off" });
    await set("develop", "with-payload", { payload: { a: 1 } });
    await set("develop", "text", { variants: { a: "x", b: "y" }, defaultVariant: "b" });
    await set("staging", "text", { variants: { a: "x", b: "y" }, defaultVariant: "b" });
    await set("develop", "split", { variants: { a: "x", b: "y" }, defaultVariant: "a" });
    await set("staging", "split", { variants: { a: "x", b: "y" }, defaultVariant: "b" });
    await set("develop", "count", { variants: { a: 1, b: 2 }, defaultVariant: "a" });
    await set("develop", "share", { variants: { a: 1, b: 2.5 }, defaultVariant: "a" });
    await set("develop", "shape", { variants: { a: { x: [1] } }, defaultVariant: null });
    await set("develop", "switch", { variants: { on: true, off: false }, defaultVariant: "on" });
    await set("develop", "old", { enabled: true });
    await set("develop", "old", { enabled: false });
    await setDetails(app, OPERATOR, { project, flag: "old" }, { archived: true });

    const { status, headers, value } = await ask("GET");
    expect([status, headers.get("x-manifest-capabilities")]).toEqual([200, "read"]);
    const flag = (key: string, type: string, defaultValue: unknown, description = "") => ({
      key,
      name: key,
      type,
      description,
      defaultValue,
    });
    expect(value).toEqual({
      flags: [
        flag("count", "integer", 1),
        flag("plain", "boolean", false, "On or off"),
        flag("shape", "object", {}),
        flag("share", "float", 1),
        flag("split", "string", ""),
        flag("switch", "boolean", true),
        flag("text", "string", "y"),
        flag("with-payload", "boolean", false),
        flag("with-payload.payload", "object", { a: 1 }),
      ],
    });
  });

  test("gets new flags, which are off everywhere, and typed ones with their default", async () => {
    const { project, ask } = await projectWith("flags:write");
    await setEnvironment(app, OPERATOR, project, "production", { locked: true });
    const made = await ask("POST", "/flags", {
      key: "sale",
      type: "boolean",
      defaultValue: true,
      description: "A sale",
    });
    expect([made.status, made.headers.get("x-manifest-capabilities")]).toEqual([201, "read,write"]);
    expect(made.value).toEqual({
      flag: { key: "sale", name: "sale", type: "boolean", description: "A sale", defaultValue: false },
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(
      (await ask("POST", "/flags", { key: "color", type: "string", defaultValue: "red" })).value.flag!,
    ).toMatchObject({
      type: "string",
      defaultValue: "red",
    });
    for (const environment of ["develop", "staging"])
      expect(await app.store.flags.find({ project, environment, flag: "color" })).toMatchObject({
        enabled: false,
      });
    const { value } = await ask("GET");
    expect(value.flags!.map(({ key }: { key: string }) => key)).toEqual(["color", "sale"]);
    expect((await ask("POST", "/flags", { key: "sale", type: "boolean", defaultValue: false })).status).toBe(
      409,
    );
  });

  test("creates a flag in all environments at once: of two with one key, one exists", async () => {
    const { project, ask } = await projectWith("flags:write");
    const texts = ["red", "blue", "green"];
    const made = await Promise.all(
      texts.map((defaultValue) => ask("POST", "/flags", { key: "color", type: "string", defaultValue })),
    );
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const stored = texts[made.findIndex(({ status }) => status === 201)];
    for (const environment of ["develop", "staging", "production"])
      expect(await app.store.flags.find({ project, environment, flag: "color" })).toMatchObject({
        rules: expect.stringContaining(`"default":"${stored}"`),
      });
  });

  test("fits the schema of the command line", async () => {
    const { ask, set } = await projectWith("flags:write");
    await set("develop", "plain", { enabled: true, payload: { a: 1 } });
    for (const [type, defaultValue] of Object.entries({ string: "x", integer: 1, float: 0.5, object: {} })) {
      const made = await ask("POST", "/flags", { key: type, type, defaultValue });
      expect(faultsOf({ required: ["flag", "updatedAt"], properties: { flag: FLAG } }, made.value)).toEqual(
        [],
      );
    }
    const envelope: Schema = {
      required: ["flags"],
      additionalProperties: false,
      properties: { flags: { type: "array", minItems: 6, items: FLAG } },
    };
    expect(faultsOf(envelope, (await ask("GET")).value)).toEqual([]);
    const error: Schema = {
      required: ["error"],
      properties: {
        error: {
          required: ["message", "status"],
          properties: {
            message: { type: "string" },
            status: { type: "integer" },
            details: {
              type: "array",
              items: { properties: { field: { type: "string" }, message: { type: "string" } } },
            },
          },
        },
      },
    };
    expect(faultsOf(error, (await ask("POST", "/flags", { key: "a" })).value)).toEqual([]);
    expect(faultsOf(error, (await ask("PUT", "/flags/none", { type: "string" })).value)).toEqual([]);
  });

  test("changes descriptions alone, and deletes nothing", async () => {
    const { project, ask, set } = await projectWith("flags:write");
    await set("develop", "sale", { payload: { a: 1 } });
    const changed = await ask("PUT", "/flags/sale", {
      key: "sale",
      type: "boolean",
      description: "New",
      defaultValue: true,
    });
    expect([changed.status, changed.value.flag!.description, changed.value.flag!.defaultValue]).toEqual([
      200,
      "New",
      false,
    ]);
    expect((await ask("PUT", "/flags/sale", { type: "string" })).status).toBe(409);
    expect((await ask("PUT", "/flags/sale.payload", { type: "object" })).status).toBe(409);
    expect((await ask("PUT", "/flags/none", { type: "string" })).status).toBe(404);
    expect((await ask("PUT", "/flags/..%2fsale", { type: "string" })).status).toBe(404);
    expect((await ask("DELETE", "/flags/sale")).status).toBe(403);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, 1]));
    const { details } = (await ask("POST", "/flags", { key: "a", type: "boolean", ...many })).value.error!;
    expect((details as unknown[]).length).toBeLessThan(20);
    for (const [method, path, allowed] of [
      ["POST", "", "GET, HEAD"],
      ["GET", "/flags", "POST"],
      ["PATCH", "/flags/sale", "PUT"],
    ] as const) {
      const { status, headers, value } = await ask(method, path);
      expect([status, headers.get("allow"), value.error?.status]).toEqual([405, allowed, 405]);
    }
    await setDetails(app, OPERATOR, { project, flag: "sale" }, { archived: true });
    expect((await ask("PUT", "/flags/sale", { type: "boolean" })).status).toBe(409);
    expect((await ask("POST", "/flags", { key: "sale", type: "boolean", defaultValue: false })).status).toBe(
      409,
    );
  });

  test.each([
    [{ key: "A b", type: "boolean", defaultValue: false }, "key"],
    [{ type: "boolean", defaultValue: false }, "key"],
    [{ key: "a", type: "date", defaultValue: "x" }, "type"],
    [{ key: "a", type: "integer", defaultValue: 1.5 }, "defaultValue"],
    [{ key: "a", type: "object", defaultValue: [1] }, "defaultValue"],
    ['{"key":"a","type":"float","defaultValue":1e400}', "defaultValue"],
    [{ key: "a", type: "string", defaultValue: "x".repeat(700_000) }, "defaultValue"],
    [{ key: "a", type: "string" }, "defaultValue"],
    [{ key: "a", type: "boolean", defaultValue: false, description: 5 }, "description"],
    [{ key: "a", type: "boolean", defaultValue: false, owner: "me" }, "owner"],
  ])("refuses %p and names the field", async (body: unknown, field) => {
    const { ask } = await projectWith("flags:write");
    const { status, value } = await ask("POST", "/flags", body);
    expect([status, value.error!.status]).toEqual([400, 400]);
    expect(value.error!.details).toEqual([{ field, message: expect.any(String) }]);
    expect((await ask("GET")).value.flags).toEqual([]);
  });

  test("refuses a number that would be another one by its place, and more than 200 levels", async () => {
    const { ask } = await projectWith("flags:write");
    const flag = (value: string) => `{"key":"limits","type":"object","defaultValue":{"id":${value}}}`;
    const number = await ask("POST", "/flags", flag("9007199254740993"));
    expect([number.status, number.value]).toMatchObject([
      400,
      {
        error: {
          details: [
            {
              field: "defaultValue",
              message:
                "defaultValue.id: 9007199254740993 cannot be kept exactly: it would become 9007199254740992",
            },
          ],
        },
      },
    ]);
    const deep = await ask("POST", "/flags", flag(`${"[".repeat(100_000)}${"]".repeat(100_000)}`));
    expect(deep.status).toBe(400);
    expect((await ask("GET")).value.flags).toEqual([]);
  });

  test("refuses wrong tokens, scopes and bodies", async () => {
    const reader = await projectWith("flags:read");
    expect(
      (await reader.ask("POST", "/flags", { key: "a", type: "boolean", defaultValue: false })).status,
    ).toBe(403);
    expect((await reader.ask("DELETE", "/flags/a")).status).toBe(403);
    const writer = await projectWith("flags:write");
    for (const body of ["{", "[]", "null", '"x"'])
      expect((await writer.ask("POST", "/flags", body)).status).toBe(400);
    expect((await writer.ask("POST", "/flags", `{"key":"${"x".repeat(2_000_000)}"}`)).status).toBe(413);
    const forms = await projectWith("forms:read");
    expect((await forms.ask("GET")).status).toBe(403);
    const { token } = await createToken(app, OPERATOR, { name: fresh(), scopes: ["admin"] });
    const whole = await admin.request("/openfeature/v0/manifest", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([whole.status, await whole.text()]).toEqual([403, expect.stringContaining("one project")]);
    expect((await admin.request("/openfeature/v0/manifest")).status).toBe(401);
    await revokeToken(app, OPERATOR, reader.name, reader.project);
    expect((await reader.ask("GET")).status).toBe(401);
  });
});
