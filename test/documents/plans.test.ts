import { describe, expect, test } from "bun:test";
import type { NewToken } from "../../src/access/token.ts";
import { createToken } from "../../src/access/tokens.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openServices, openTestApp } from "../support/app.ts";
import { OPERATOR } from "../support/records/caller.ts";

const SET = "PATCH /projects/:project/environments/:environment/flags/:flag";
const ROLLBACK = "POST /projects/:project/environments/:environment/flags/:flag/rollback";
const PROMOTE = "POST /projects/:project/environments/:environment/promote";
const APPLY = "POST /apply";

const app = openTestApp();
const { reported, ...services } = openServices(app);
const admin = await services.admin();
let made = 0;

type Answer = {
  status: number;
  applied?: boolean;
  plan?: string;
  changes?: { action: string; kind: string; path: string; before: unknown; after: unknown }[];
  locked?: string[];
  warnings?: string[];
  approvals?: number;
  error?: { code: string; reason: string | null; message: string };
};

async function tokenWith(input: Omit<NewToken, "name">): Promise<string> {
  return (await createToken(app, OPERATOR, { ...input, name: `t${(made += 1)}` })).token;
}

/** A project with the flag `sale`, off in each environment, and a caller of plans. */
async function openShop() {
  const project = `shop-${(made += 1)}`;
  await createProject(app, OPERATOR, { slug: project, environments: ["develop", "live"] });
  const place = { project, environment: "live", flag: "sale" };
  await setFlag(app, OPERATOR, place, {});
  const names = place;
  const writer = await tokenWith({ scopes: ["flags:write"], project });
  return {
    project,
    place,
    names,
    enabled: async () => (await app.store.flags.find(place))!.enabled,
    plan: async (body: unknown, token = writer): Promise<Answer> => {
      const answer = await admin.request("/api/admin/v1/plans", {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "x-why": "a%20test",
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, ...((await answer.json()) as object) };
    },
  };
}

describe("a plan", () => {
  test("says what would change and changes nothing; sent back, it changes that", async () => {
    const { project, names, plan, enabled } = await openShop();
    const call = { operation: SET, names, body: { enabled: true } };
    const first = await plan(call);
    expect(first).toEqual({
      status: 200,
      applied: false,
      plan: expect.stringMatching(/^[0-9a-f]{64}$/),
      changes: [
        {
          action: "update",
          kind: "flag",
          path: `projects.${project}.flags.sale.environments.live`,
          before: { enabled: false },
          after: { enabled: true },
        },
      ],
      locked: [],
      warnings: [],
      approvals: 0,
    });
    expect(await enabled()).toBe(false);
    expect(await plan(call)).toEqual(first);
    expect(await plan({ ...call, plan: first.plan })).toEqual({ ...first, applied: true });
    expect(await enabled()).toBe(true);
    const { items } = await app.store.changes.page(project, { limit: 1 });
    expect(items[0]).toMatchObject({ why: "a test", source: "api" });
  });

  test("is a conflict for other arguments, after another change, and once it is made", async () => {
    const { place, names, plan, enabled } = await openShop();
    const call = { operation: SET, names, body: { enabled: true } };
    const { plan: hash } = await plan(call);
    const refused = { status: 409, error: { code: "conflict", reason: "plan-differs" } };
    expect(await plan({ ...call, body: { enabled: true, description: "x" }, plan: hash })).toMatchObject(
      refused,
    );
    expect(await plan({ ...call, names: { ...names, flag: "other" }, plan: hash })).toMatchObject(refused);
    await setFlag(app, OPERATOR, { ...place, flag: "another" }, {});
    expect(await plan({ ...call, plan: hash })).toMatchObject(refused);
    expect(await enabled()).toBe(false);
    const { plan: next } = await plan(call);
    expect((await plan({ ...call, plan: next })).status).toBe(200);
    expect(await plan({ ...call, plan: next })).toMatchObject(refused);
  });

  test("of the same arguments in another order is the same", async () => {
    const { names, plan } = await openShop();
    const one = await plan({ operation: SET, names, body: { enabled: true, metadata: { a: 1, b: 2 } } });
    const other = await plan({ operation: SET, names, body: { metadata: { b: 2, a: 1 }, enabled: true } });
    expect(other.plan).toBe(one.plan);
  });

  test("is of a rollback, a promotion and a document too", async () => {
    const { project, place, names, plan, enabled } = await openShop();
    await setFlag(app, OPERATOR, place, { enabled: true });
    const back = { operation: ROLLBACK, names, body: {} };
    expect(await plan({ ...back, plan: (await plan(back)).plan })).toMatchObject({
      status: 200,
      applied: true,
    });
    expect(await enabled()).toBe(false);
    await setFlag(app, OPERATOR, { ...place, environment: "develop" }, { enabled: true });
    const promote = {
      operation: PROMOTE,
      names: { project, environment: "live" },
      body: { from: "develop", flags: ["sale"] },
    };
    expect(await plan({ ...promote, plan: (await plan(promote)).plan })).toMatchObject({ applied: true });
    expect(await enabled()).toBe(true);
    const adminToken = await tokenWith({ scopes: ["admin"] });
    const form = `contact-${project}`;
    const document = {
      operation: APPLY,
      body: { document: { projects: { [project]: { forms: { [form]: {} }, environments: { qa: {} } } } } },
    };
    const planned = await plan(document, adminToken);
    expect(planned.changes!.map(({ action, path }) => `${action} ${path}`)).toEqual([
      `create projects.${project}.environments.qa`,
      `create projects.${project}.forms.${form}`,
    ]);
    expect(await plan({ ...document, plan: planned.plan }, adminToken)).toEqual({
      ...planned,
      applied: true,
    });
    expect((await plan(document)).status).toBe(403);
  });

  test("names the locked environments, which only a token with the right and a confirmation changes", async () => {
    const { project, names, plan, enabled } = await openShop();
    await setEnvironment(app, OPERATOR, project, "live", { locked: true });
    const call = { operation: SET, names, body: { enabled: true } };
    const { plan: hash, locked } = await plan(call);
    expect(locked).toEqual(["live"]);
    expect(await plan({ ...call, plan: hash, confirm: ["live"] })).toMatchObject({ status: 403 });
    const token = await tokenWith({ scopes: ["flags:locked"], project });
    // Tokens are part of the setup.
    const { plan: again } = await plan(call, token);
    expect(await plan({ ...call, plan: again }, token)).toMatchObject({
      status: 428,
      error: { reason: "environment-locked" },
    });
    expect((await plan({ ...call, plan: again, confirm: ["*"] }, token)).status).toBe(428);
    expect(await enabled()).toBe(false);
    expect((await plan({ ...call, plan: again, confirm: ["live"] }, token)).status).toBe(200);
    expect(await enabled()).toBe(true);
  });

  test("changes nothing where approvals are needed: it makes a proposal", async () => {
    const { project, names, plan, enabled } = await openShop();
    await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
    const call = { operation: SET, names, body: { enabled: true } };
    const { plan: hash, approvals } = await plan(call);
    expect(approvals).toBe(1);
    const proposed = await plan({ ...call, plan: hash });
    expect(proposed).toMatchObject({ applied: false, change: { status: "open", needed: 1 } });
    expect(await enabled()).toBe(false);
    // Nothing to approve.
    const same = { ...call, body: { enabled: false } };
    const { plan: empty, ...none } = await plan(same);
    expect(none).toMatchObject({ approvals: 0, changes: [] });
    expect(await plan({ ...same, plan: empty })).toMatchObject({ status: 200, applied: true });
  });

  test("is refused elsewhere, to a reader, and for what is no such operation", async () => {
    const { project, names, plan } = await openShop();
    const other = await openShop();
    const call = { operation: SET, names, body: { enabled: true } };
    const narrow = await tokenWith({ scopes: ["flags:write"], project, environment: "develop" });
    for (const token of [narrow, await tokenWith({ scopes: ["read"] })])
      expect((await plan(call, token)).status).toBe(403);
    expect((await other.plan(call)).status).toBe(403);
    for (const operation of ["POST /tokens", "DELETE /projects/:project/flags/:flag", "constructor"])
      expect((await plan({ operation, names, body: {} })).status).toBe(400);
    expect((await plan({ ...call, names: { project } })).status).toBe(400);
    expect((await plan({ ...call, body: { enabled: "yes" } })).error!.message).toContain("enabled");
    expect((await plan({ operation: PROMOTE, names, body: { from: "develop", dryRun: true } })).status).toBe(
      400,
    );
  });
});

test("none of this was a bug to report", () => {
  expect(reported).toEqual([]);
});
