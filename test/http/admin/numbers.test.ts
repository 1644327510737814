import { describe, expect, test } from "bun:test";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const { reported, ...services } = openServices(app);
const admin = await services.admin();
await createProject(app, OPERATOR, { slug: "shop", environments: ["live"] });

const LIVE = "/projects/shop/environments/live";
const LARGE = "9007199254740993";

/** Sends a body as it is written. */
async function send(method: string, path: string, body: string) {
  const init = { method, body, headers: { "content-type": "application/json" } };
  const answer = await admin.request(`/api/admin/v1${path}`, init, { operator: () => "ann" });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    message: (JSON.parse(text) as { error?: { message: string } }).error?.message,
  };
}

describe("a number that would become another one is refused with its place", () => {
  const variants = '"variants":{"on":true,"off":false}';
  const rule = `{"if":[{"==":[{"var":"id"},${LARGE}]},"on"]}`;
  test.each<[method: string, path: string, body: string, place: string]>([
    ["PATCH", `${LIVE}/flags/a`, `{"payload":${LARGE}}`, "payload"],
    ["PATCH", `${LIVE}/flags/a`, `{"payload":{"list":[1,{"id":-${LARGE}}]}}`, "payload.list.1.id"],
    ["PATCH", `${LIVE}/flags/a`, `{"payload":1e400}`, "payload"],
    ["PATCH", `${LIVE}/flags/a`, `{"variants":{"x":12345678901234567890}}`, "variants.x"],
    ["PATCH", `${LIVE}/flags/a`, `{${variants},"targeting":${rule}}`, "targeting.if.0.==.1"],
    [
      "POST",
      `${LIVE}/flags/a/scheduled`,
      `{"at":"2030-01-01T00:00:00Z","patch":{"payload":${LARGE}}}`,
      "patch.payload",
    ],
    ["PUT", `${LIVE}/segments/s`, `{"rule":{"==":[{"var":"id"},${LARGE}]}}`, "rule.==.1"],
    [
      "POST",
      `${LIVE}/flagd`,
      `{"flags":{"a":{"state":"ENABLED","variants":{"x":{"deep":${LARGE}}}}}}`,
      "flags.a.variants.x.deep",
    ],
    ["POST", `${LIVE}/flagd`, `{"flags":{},"$evaluators":{"s":{"==":[1,${LARGE}]}}}`, "$evaluators.s.==.1"],
    [
      "POST",
      "/apply",
      `{"document":{"projects":{"shop":{"flags":{"a.b":{"environments":{"live":{"payload":[${LARGE}]}}}}}}}}`,
      'projects.shop.flags["a.b"].environments.live.payload[0]',
    ],
  ])("%s %s %s", async (method, path, body, place) => {
    const before = await app.store.flags.list("shop", "live");
    const { status, message } = await send(method, path, body);
    expect({ status, message }).toEqual({
      status: 400,
      message: expect.stringMatching(/cannot be kept|larger than/),
    });
    expect(message).toStartWith(`${place}: `);
    expect(await app.store.flags.list("shop", "live")).toEqual(before);
  });
});

test("an integer that a double holds, and a fraction, are taken and come back", async () => {
  const payload = "[9007199254740992,12345678901234567000,1e+300,0.1,-0.12345678901234568]";
  const { status, text } = await send("PATCH", `${LIVE}/flags/kept`, `{"payload":${payload}}`);
  expect(status).toBe(200);
  expect(text).toContain(`"payload":${payload}`);
});

test("a context is rounded, as it is where applications have flags evaluated", async () => {
  await send("PATCH", `${LIVE}/flags/rounded`, "{}");
  expect(await send("POST", `${LIVE}/flags/rounded/evaluate`, `{"context":{"id":${LARGE}}}`)).toMatchObject({
    status: 200,
  });
});

test.each([
  ["PATCH", `${LIVE}/flags/a`],
  ["PUT", `${LIVE}/segments/s`],
  ["POST", `${LIVE}/flagd`],
  ["POST", "/apply"],
])("a body of 100,000 levels is refused by %s %s", async (method, path) => {
  const deep = `{"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { status, message } = await send(method, path, deep);
  expect({ status, message }).toEqual({ status: 400, message: "the body has more than 200 levels" });
});

test("none of this was a bug to report", () => {
  expect(reported.filter((error) => !(error instanceof Error && error.name === "AppError"))).toEqual([]);
});
