import { describe, expect, test } from "bun:test";
import { openServices, openTestApp } from "../../support/app.ts";
import { bearer } from "../../support/postgres/world.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { applyDue } from "../../../src/flags/schedule/schedule-job.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const ROOT = "/api/admin/v1/projects/shop";
const LIVE = `${ROOT}/environments/live`;
const COURSE = { variant: "on", to: [1, 10, 50, 100], every: 86_400 };

type Answer = { status: number; body: Body };
type Body = Record<string, unknown> & { change?: { differences: unknown }; ramp?: unknown };

async function openShop() {
  const app = openTestApp();
  const services = openServices(app);
  const admin = await services.admin();
  await createProject(app, OPERATOR, { slug: "shop", environments: ["develop", "live"] });
  await setFlag(app, OPERATOR, { project: "shop", environment: "live", flag: "sale" }, {});
  const { token } = await createToken(app, OPERATOR, { name: "ci" });
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const answer = await admin.request(path, {
      method,
      headers: {
        ...bearer(token),
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Body };
  };
  const ramp = (method: string, action = "", body?: unknown, headers = {}) =>
    ask(method, `${LIVE}/flags/sale/ramp${action}`, body, headers);
  return { app, ask, ramp };
}

describe("the ramp of a flag over the admin API", () => {
  test("is begun, shown, paused, resumed and aborted", async () => {
    const { ask, ramp } = await openShop();
    expect(await ramp("GET")).toMatchObject({ status: 404, body: { error: { reason: "ramp-not-found" } } });
    expect(await ask("GET", `${LIVE}/flags/none/ramp`)).toMatchObject({ status: 404 });
    const begun = await ramp("PUT", "", COURSE, { "x-why": "the plan" });
    expect(begun).toMatchObject({
      status: 201,
      body: { flag: "sale", environment: "live", share: 1, status: "running", who: "ci", why: "the plan" },
    });
    expect(Object.keys(begun.body).join(" ")).toBe(
      "flag environment variant share status nextAt every steps reason guards onGuard who why createdAt",
    );
    expect(await ramp("GET")).toEqual({ status: 200, body: begun.body });
    expect((await ask("GET", `${LIVE}/flags/sale`)).body.ramp).toEqual(begun.body);
    expect((await ask("GET", `${ROOT}/ramps`)).body).toEqual({ ramps: [begun.body], next: null });
    expect((await ask("GET", `${ROOT}/ramps?environment=develop`)).body).toEqual({ ramps: [], next: null });
    expect(await ramp("PUT", "", COURSE)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", reason: "flag-held" } },
    });
    expect(await ramp("POST", "/pause")).toMatchObject({
      status: 200,
      body: { status: "paused", reason: "person", nextAt: null },
    });
    expect(await ramp("POST", "/pause")).toMatchObject({ status: 409 });
    expect(await ramp("POST", "/resume")).toMatchObject({ status: 200, body: { status: "running" } });
    expect(await ramp("POST", "/resume")).toMatchObject({ status: 409 });
    expect(await ramp("POST", "/abort")).toMatchObject({
      status: 200,
      body: { status: "aborted", share: 0 },
    });
    expect(await ramp("POST", "/abort", { keep: true })).toMatchObject({ status: 409 });
    expect((await ask("GET", `${LIVE}/flags/sale`)).body).toMatchObject({ enabled: false });
  });

  test("is aborted with its share kept", async () => {
    const { ask, ramp } = await openShop();
    await ramp("PUT", "", COURSE);
    expect(await ramp("POST", "/abort", { keep: true })).toMatchObject({ body: { share: 1 } });
    expect((await ask("GET", `${LIVE}/flags/sale`)).body).toMatchObject({ enabled: true });
  });

  test.each<[string, object]>([
    ["no shares", { to: [] }],
    ["21 shares", { to: Array.from({ length: 21 }, (_, index) => index + 1) }],
    ["a share of 0", { to: [0, 1] }],
    ["a share above 100", { to: [101] }],
    ["three decimals", { to: [1.234] }],
    ["a text as a share", { to: ["10"] }],
    ["equal shares", { to: [10, 10] }],
    ["falling shares", { to: [50, 10] }],
    ["no time between", { every: 0 }],
    ["half a second between", { every: 0.5 }],
    ["more than 366 days between", { every: 31_622_401 }],
    ["a time without a zone", { start: "2027-01-01T00:00:00" }],
    ["a time that has passed", { start: "2020-01-01T00:00:00Z" }],
    ["a variant that does not exist", { variant: "red" }],
    ["no variant", { variant: undefined }],
    ["a guard that is none", { guards: ["event:error grows 1%"] }],
    ["six guards", { guards: Array(6).fill("event:error rises 0%") }],
    ["another action", { onGuard: "explode" }],
    ["a member that is unknown", { more: 1 }],
  ])("is refused with %s", async (_, wrong) => {
    const { ramp } = await openShop();
    expect(await ramp("PUT", "", { ...COURSE, ...wrong })).toMatchObject({ status: 400 });
    expect(await ramp("GET")).toMatchObject({ status: 404 });
  });

  test("takes the bounds, guards and what they do", async () => {
    const { ramp } = await openShop();
    const GUARDS = ["event:error rises 0%", "event:signup falls 20.5%"];
    const to = Array.from({ length: 20 }, (_, index) => (index + 1) / 100);
    const course = { variant: "on", to, every: 31_622_400, guards: GUARDS, onGuard: "rollback" };
    expect(await ramp("PUT", "", course)).toMatchObject({
      status: 201,
      body: { share: 0.01, guards: GUARDS, onGuard: "rollback" },
    });
  });

  test("is refused with a guard on a form that is not there", async () => {
    const { ramp } = await openShop();
    const guards = ["submissions:nothing falls 40% of baseline"];
    expect(await ramp("PUT", "", { ...COURSE, guards })).toMatchObject({ status: 404 });
  });

  test("asks for the confirmation of a lock", async () => {
    const { app, ramp } = await openShop();
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
    expect(await ramp("PUT", "", COURSE)).toMatchObject({ status: 428 });
    const confirmed = { "x-confirm": "live" };
    expect(await ramp("PUT", "", COURSE, confirmed)).toMatchObject({ status: 201 });
    for (const action of ["/pause", "/resume", "/next", "/abort"]) {
      expect(await ramp("POST", action)).toMatchObject({ status: 428 });
      expect(await ramp("POST", action, undefined, confirmed)).toMatchObject({ status: 200 });
    }
  });

  test("is reviewed as a whole where changes need approvals: its steps need none, and neither does a pause", async () => {
    const { app, ask, ramp } = await openShop();
    await setEnvironment(app, OPERATOR, "shop", "live", { approvals: 1 });
    expect(await ramp("PUT", "", COURSE)).toMatchObject({ status: 428 });
    const proposed = await ramp("PUT", "", COURSE, { "x-propose": "14d" });
    expect(proposed).toMatchObject({ status: 202, body: { change: { status: "open" } } });
    expect(proposed.body.change?.differences).toMatchObject([
      { kind: "flag", action: "update" },
      {
        kind: "ramp",
        action: "create",
        path: "projects.shop.flags.sale.environments.live.ramp",
        after: { variant: "on", to: [1, 10, 50, 100], every: 86_400 },
      },
    ]);
    expect(await ramp("GET")).toMatchObject({ status: 404 });
    const bypass = { "x-bypass": "true", "x-why": "now" };
    expect(await ramp("PUT", "", COURSE, bypass)).toMatchObject({ status: 201 });
    app.clock.now += 86_400_000;
    await applyDue(app, (text) => expect.unreachable(text));
    expect(await ramp("GET")).toMatchObject({ body: { share: 10, status: "running" } });
    expect(await ramp("POST", "/pause")).toMatchObject({ status: 200 });
    expect(await ramp("POST", "/resume")).toMatchObject({ status: 428 });
    expect(await ramp("POST", "/abort")).toMatchObject({ status: 428 });
    expect(await ramp("POST", "/resume", undefined, bypass)).toMatchObject({ status: 200 });
    for (const [action, kinds] of [
      ["/next", ["flag"]],
      ["/finish", ["flag", "ramp"]],
    ] as const) {
      expect(await ramp("POST", action)).toMatchObject({ status: 428 });
      const { status, body } = await ramp("POST", action, undefined, { "x-propose": "14d" });
      const differences = body.change?.["differences"] as { kind: string }[];
      expect([status, differences.map(({ kind }) => kind)]).toEqual([202, [...kinds]]);
    }
    expect(await ramp("GET")).toMatchObject({ body: { share: 10, status: "running" } });
    expect(await ask("GET", `${ROOT}/history?kind=ramp`)).toMatchObject({ status: 200 });
  });
});
