import { describe, expect, test } from "bun:test";
import type { Scope } from "../../../src/access/scope.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { setFlag, deleteFlag } from "../../../src/flags/flags.ts";
import { scheduleChange } from "../../../src/flags/schedule/schedule.ts";
import { setSegment } from "../../../src/flags/segments.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openServices, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const app = openTestApp();
const { reported, ...services } = openServices(app);
const admin = await services.admin();
const tokens = {} as Record<"admin" | "flags:write" | "flags:locked" | "flags:read", string>;
for (const scope of ["admin", "flags:write", "flags:locked", "flags:read"] satisfies Scope[]) {
  const name = scope.replace(":", "-");
  tokens[scope] = (await createToken(app, OPERATOR, { name, scopes: [scope] })).token;
}

let projects = 0;
/** A project whose environment `live` is locked, with a flag, a segment and a scheduled change. */
async function openShop() {
  const project = `shop-${(projects += 1)}`;
  await createProject(app, OPERATOR, { slug: project, environments: ["develop", "live"] });
  const place = { project, environment: "live", flag: "sale" };
  const { record } = await setFlag(app, OPERATOR, place, {});
  await setFlag(app, OPERATOR, place, { description: "d" });
  await setFlag(app, OPERATOR, { ...place, environment: "develop" }, { enabled: true });
  await setSegment(app, OPERATOR, { project, environment: "live", segment: "staff" }, true);
  const { id } = await scheduleChange(app, OPERATOR, place, {
    patch: { enabled: true },
    at: app.now() + 1000,
  });
  await setEnvironment(app, OPERATOR, project, "live", { locked: true });
  const live = `/projects/${project}/environments/live`;
  return {
    live,
    ask: (
      method: string,
      path: string,
      { token = tokens.admin, body, confirm }: { token?: string; body?: unknown; confirm?: string } = {},
    ) =>
      admin.request(`/api/admin/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...(confirm === undefined ? {} : { "x-confirm": confirm }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    /** All that changes what is locked, least first. */
    changes: [
      ["PATCH", `${live}/flags/sale`, { enabled: true }],
      ["PATCH", `${live}/flags/fresh`, {}],
      ["POST", `${live}/flags/sale/rollback`, { to: record.revision }],
      ["POST", `${live}/flags/sale/scheduled`, { at: "2999-01-01T00:00:00Z", patch: { enabled: true } }],
      ["POST", `${live}/flags/sale/for`, { until: "2999-01-01T00:00:00Z", patch: { enabled: false } }],
      ["DELETE", `${live}/scheduled/${id}`, undefined],
      ["POST", `${live}/promote`, { from: "develop" }],
      ["POST", `${live}/flagd`, { flags: {} }],
      ["PUT", `${live}/segments/staff`, { rule: false }],
      ["DELETE", `${live}/segments/staff`, undefined],
      ["DELETE", `/projects/${project}/flags/sale`, undefined],
      ["DELETE", live, undefined],
      ["DELETE", `/projects/${project}`, undefined],
    ] as const,
    project,
  };
}

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string; hint: string } }).error;

describe("a locked environment", () => {
  test("is changed by nobody who does not confirm it: 428 says how", async () => {
    const { ask, changes, project } = await openShop();
    const before = (await app.store.changes.page(project, { limit: 100 })).items;
    for (const [method, path, body] of changes) {
      for (const confirm of [undefined, "", "develop", "liv"]) {
        const answer = await ask(method, path, { body, ...(confirm === undefined ? {} : { confirm }) });
        const { code, message, hint } = await errorOf(answer);
        expect([method, path, answer.status, code]).toEqual([method, path, 428, "unconfirmed"]);
        expect(message).toBe(`the environment live of project ${project} is locked`);
        expect(hint).toContain("X-Confirm");
      }
    }
    expect((await app.store.changes.page(project, { limit: 100 })).items).toEqual(before);
  });

  test("is changed where the caller confirms it by name, or all of them", async () => {
    for (const confirm of ["live", "develop, live", "*"]) {
      const { ask, changes } = await openShop();
      for (const [method, path, body] of changes) {
        const { status } = await ask(method, path, { body, confirm });
        expect([method, path, status < 300]).toEqual([method, path, true]);
      }
    }
  });

  test("asks for the scope flags:locked, which flags:write does not have", async () => {
    const { ask, changes } = await openShop();
    for (const [method, path, body] of changes) {
      const refused = await ask(method, path, { body, confirm: "live", token: tokens["flags:write"] });
      expect([method, path, refused.status]).toEqual([method, path, 403]);
    }
    for (const [method, path, body] of changes.slice(0, -2)) {
      const { status } = await ask(method, path, { body, confirm: "live", token: tokens["flags:locked"] });
      expect([method, path, status < 300]).toEqual([method, path, true]);
    }
  });

  test("is read, evaluated and tried out as any other", async () => {
    const { ask, live, project } = await openShop();
    const token = tokens["flags:read"];
    for (const path of [live, `${live}/flags`, `${live}/segments`, `/projects/${project}/history`])
      expect((await ask("GET", path, { token })).status).toBe(200);
    const evaluated = await ask("POST", `${live}/flags/sale/evaluate`, { token, body: { context: {} } });
    expect(evaluated.status).toBe(200);
    const write = tokens["flags:write"];
    const dryRun = { from: "develop", dryRun: true };
    const tried = await ask("POST", `${live}/promote`, { token: write, body: dryRun });
    expect([tried.status, tried.headers.get("etag")]).toEqual([
      200,
      expect.stringMatching(/^"[0-9a-f]{64}"$/),
    ]);
    const imported = await ask("POST", `${live}/flagd?dryRun=true`, { token: write, body: { flags: {} } });
    expect(imported.status).toBe(200);
  });

  test("leaves the others, and each says whether it is", async () => {
    const { ask, live, project } = await openShop();
    const develop = live.replace(/live$/, "develop");
    const token = tokens["flags:write"];
    const set = await ask("PATCH", `${develop}/flags/sale`, { token, body: { enabled: false } });
    expect(set.status).toBe(200);
    const environments = `/projects/${project}/environments`;
    expect((await ask("POST", environments, { body: { slug: "copy", from: "live" } })).status).toBe(201);
    const shown = async (url: string) => (await ask("GET", url)).json();
    expect(await shown(live)).toEqual({
      slug: "live",
      name: "live",
      key: expect.any(String),
      locked: true,
      color: null,
      approvals: 0,
      approveWith: null,
      position: 2,
    });
    expect(await shown(develop)).toMatchObject({ slug: "develop", locked: false });
    expect(await shown(`${environments}/copy`)).toMatchObject({ slug: "copy", locked: false });
    const unlocked = await (await ask("PATCH", live, { body: { locked: false } })).json();
    expect(unlocked).toMatchObject({ slug: "live", locked: false, result: "updated" });
    expect((await ask("PATCH", `${live}/flags/sale`, { token, body: { enabled: true } })).status).toBe(200);
  });
});

describe("If-Match on a delete, a rollback, a segment and a promotion", () => {
  // A proxy that compresses answers makes their tags weak.
  test.each(["", "W/"])(
    "%s is a 409 where somebody else was faster, and 200 or 204 where nobody was",
    async (weak) => {
      const { project, live } = await openShop();
      const send = (method: string, path: string, revision: number | string, body?: unknown) =>
        admin.request(`/api/admin/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${tokens.admin}`,
            "content-type": "application/json",
            "x-confirm": "*",
            "if-match": revision === "*" ? "*" : `${weak}"${revision}"`,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      const place = { project, environment: "live", flag: "sale" };
      const changes = (await app.store.changes.page(project, { kind: "flag", limit: 100 })).items;
      const [, first] = changes.toReversed();
      const current = (await app.store.flags.find(place))!.revision;
      const rollback = `${live}/flags/sale/rollback`;
      expect((await send("POST", rollback, current - 1, { to: first!.revision })).status).toBe(409);
      expect((await send("POST", rollback, current, { to: first!.revision })).status).toBe(200);
      const rolled = (await app.store.flags.find(place))!.revision;
      expect((await send("POST", rollback, "*", { before: current - 1 })).status).toBe(409);
      expect((await send("POST", rollback, "*", { before: rolled, to: "before" })).status).toBe(400);
      expect((await send("POST", rollback, "*", { before: rolled })).status).toBe(200);
      expect((await send("POST", rollback, "*", { before: rolled })).status).toBe(409);
      const order = { from: "develop" };
      const dryRun = await send("POST", `${live}/promote`, "*", { ...order, dryRun: true });
      expect((await send("POST", `${live}/promote`, "a".repeat(64), order)).status).toBe(409);
      expect((await send("POST", `${live}/promote`, "a", order)).status).toBe(400);
      const etag = dryRun.headers.get("etag")!.slice(1, -1);
      expect((await send("POST", `${live}/promote`, etag, order)).status).toBe(200);
      const segment = { project, environment: "live", segment: "staff" };
      const { revision } = (await app.store.segments.find(segment))!;
      expect((await send("DELETE", `${live}/segments/staff`, revision + 1)).status).toBe(409);
      expect((await send("DELETE", `${live}/segments/staff`, revision)).status).toBe(204);
      const [newest] = (await app.store.changes.page(project, { kind: "flag", limit: 1 })).items;
      expect((await send("DELETE", `/projects/${project}/flags/sale`, current - 1)).status).toBe(409);
      expect((await send("DELETE", `/projects/${project}/flags/sale`, newest!.revision)).status).toBe(204);
    },
  );
});

describe("the history of a flag", () => {
  test("is 404 for one that never was, and empty where nothing was changed", async () => {
    const { ask, project } = await openShop();
    expect((await ask("GET", `/projects/${project}/flags/nothing/history`)).status).toBe(404);
    await deleteFlag(app, OPERATOR, { project: project, flag: "sale" });
    const answer = await ask("GET", `/projects/${project}/flags/sale/history?environment=elsewhere&limit=1`);
    const { changes } = (await answer.json()) as { changes: Record<string, unknown>[] };
    expect(Object.keys(changes[0]!)).toEqual([
      "revision",
      "environment",
      "kind",
      "name",
      "at",
      "who",
      "why",
      "source",
      "via",
      "bypass",
      "review",
      "before",
      "after",
    ]);
    for (const query of ["limit=0", "limit=1001", "limit=x", "before=x", "kind=flag"])
      expect((await ask("GET", `/projects/${project}/flags/sale/history?${query}`)).status).toBe(400);
    expect((await ask("GET", `/projects/${project}/history?kind=nothing`)).status).toBe(400);
  });
});

test("none of this was a bug to report", () => expect(reported).toEqual([]));
