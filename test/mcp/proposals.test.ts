import { describe, expect, spyOn, test } from "bun:test";
import { createUser } from "../../src/access/users.ts";
import { applyProposal } from "../../src/documents/changes/applying.ts";
import { approveProposal } from "../../src/documents/changes/reviews.ts";
import { createExperiment } from "../../src/experiments/experiments.ts";
import { setFlag } from "../../src/flags/flags.ts";
import { startRamp } from "../../src/flags/ramps/ramps.ts";
import { rerunOn } from "../../src/operations/changes/perform.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { createProject } from "../../src/projects/projects.ts";
import { openTools } from "../support/mcp.ts";
import { OPERATOR, callerNamed } from "../support/records/caller.ts";

const { app, connect } = openTools();
await createUser(app, OPERATOR, { name: "bob", role: "releaser" });
let made = 0;

type Change = { id: string; etag: string; url: string; status: string; [name: string]: unknown };

/** A project whose environment live needs approvals, and develop none, with the flag sale and a token that writes flags. */
async function openCareful() {
  const project = `shop-${(made += 1)}`;
  await createProject(app, OPERATOR, { slug: project, environments: ["develop", "live"] });
  const live = { project, environment: "live", flag: "sale" };
  await setFlag(app, OPERATOR, live, {});
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 2, locked: true });
  const { call, client } = await connect(["flags:write"], { project });
  const twice = async (tool: string, args: object) => {
    const asked = { why: "sold out", ...args };
    const dry = await call(tool, asked);
    const sent = { ...asked, dryRun: false, plan: dry.value.plan };
    return { dry: dry.value, sent, ...(await call(tool, sent)) };
  };
  return { project, live, develop: { ...live, environment: "develop" }, call, client, twice };
}

const changeIn = ({ value }: { value: Record<string, unknown> }) => value["change"] as Change;

describe("where approvals are needed, a change", () => {
  test("is proposed by the second call, which answers its id, differences, approvals and page", async () => {
    const { project, live, twice, call } = await openCareful();
    const { dry, value } = await twice("flags_set", { ...live, patch: { enabled: true } });
    expect(dry).toMatchObject({ applied: false, approvals: 2, locked: [] });
    expect(dry["warnings"]).toEqual(["needs 2 approvals: people get it as a proposal"]);
    const change = changeIn({ value });
    expect(Object.keys(value)).toEqual(["applied", "change"]);
    expect(change).toMatchObject({
      project,
      environments: ["live"],
      why: "sold out",
      status: "open",
      needed: 2,
      differences: [{ before: { enabled: false }, after: { enabled: true } }],
    });
    expect(change.url).toBe(`http://site.test/dashboard/projects/${project}/changes/${change.id}`);
    expect((await app.store.flags.find(live))!.enabled).toBe(false);
    const { items } = (await call("changes_list", { project, status: "open" })).value;
    expect(items).toMatchObject([{ id: change.id }]);
    expect(items[0]).not.toHaveProperty("differences");
    expect(changeIn(await call("changes_get", { project, change: change.id }))).toMatchObject(change);
  });

  test("is proposed with what all environments share as that of the flag", async () => {
    const { project, live, twice } = await openCareful();
    const patch = { enabled: true, owner: "ann" };
    const change = changeIn(await twice("flags_set", { ...live, patch }));
    const path = `projects.${project}.flags.sale`;
    expect(change).toMatchObject({
      summary: "change flag sale in live",
      differences: [
        { path, after: { owner: "ann" } },
        { path: `${path}.environments.live`, after: { enabled: true } },
      ],
    });
  });

  test("is proposed once: the same call again answers the same proposal, and another one a conflict", async () => {
    const { project, live, twice, call } = await openCareful();
    const { sent, value } = await twice("flags_set", { ...live, patch: { enabled: true } });
    const { id } = changeIn({ value });
    expect(changeIn(await call("flags_set", sent)).id).toBe(id);
    for (const other of [{ patch: { enabled: true, description: "x" } }, { flag: "b" }, { why: "other" }]) {
      const { isError, value: refused } = await call("flags_set", { ...sent, ...other });
      expect([isError, refused.error["code"]]).toEqual([true, "conflict"]);
    }
    const { call: stranger } = await connect(["flags:write"], { project });
    expect((await stranger("flags_set", sent)).value.error["code"]).toBe("conflict");
    const { items } = (await call("changes_list", { project })).value;
    expect(items).toHaveLength(1);
  });

  test("is proposed once by the same call that comes twice at once", async () => {
    const { project, live, call } = await openCareful();
    const asked = { ...live, patch: { enabled: true }, why: "sold out" };
    const sent = { ...asked, dryRun: false, plan: (await call("flags_set", asked)).value["plan"] };
    const other: { id?: string } = {};
    const find = spyOn(app.store.proposals, "find").mockImplementationOnce(async () => {
      other.id = changeIn(await call("flags_set", sent)).id;
      return undefined;
    });
    const { id } = changeIn(await call("flags_set", sent));
    find.mockRestore();
    expect(id).toBe(other.id!);
    expect((await call("changes_list", { project })).value.items).toHaveLength(1);
  });

  test("is a rollback, a promotion, a ramp, an experiment or a document too", async () => {
    const { project, live, develop, twice } = await openCareful();
    await setFlag(app, OPERATOR, develop, { enabled: true });
    await setEnvironment(app, { ...OPERATOR, hasConfirmed: () => true }, project, "live", { approvals: 0 });
    await setFlag(app, OPERATOR, live, { payload: [1] });
    const design = { flag: "sale", control: "off", metrics: ["event:paid"], split: { on: 1, off: 1 } };
    await createExperiment(app, OPERATOR, { project, environment: "live", experiment: "paying" }, design);
    await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
    const ramp = { variant: "on", to: [1, 100], every: 3600 };
    const { environment } = live;
    for (const [tool, args] of [
      ["flags_rollback", live],
      ["flags_promote", { project, from: "develop", to: "live" }],
      ["ramps_start", { ...live, ramp }],
      ["experiments_start", { project, environment, experiment: "paying" }],
      ["apply", { document: { projects: { [project]: { environments: { live: { name: "Shop" } } } } } }],
    ] as const) {
      const { value } = tool === "apply" ? await twiceAs(["admin"], tool, args) : await twice(tool, args);
      expect([tool, changeIn({ value })]).toMatchObject([tool, { status: "open", needed: 1 }]);
    }
    expect(await app.store.ramps.find(live)).toBeUndefined();
  });

  test("is proposed, read and withdrawn by an assistant of that environment, which reads no other's", async () => {
    const { project, live, develop, twice, call } = await openCareful();
    const inDevelop = changeIn(
      await twice("flags_set", { ...develop, patch: { enabled: true }, propose: true }),
    );
    const ofWhole = changeIn(await twice("flags_set", { ...live, flag: "new", patch: {} }));
    const limited = await connect(["flags:write"], { project, environment: "live" });
    const asked = { ...live, patch: { enabled: true }, why: "sold out" };
    const { plan } = (await limited.call("flags_set", asked)).value;
    const own = changeIn(await limited.call("flags_set", { ...asked, dryRun: false, plan }));
    expect(own).toMatchObject({ status: "open", environments: ["live"] });
    expect(own.url).toEndWith(`/projects/${project}/changes/${own.id}`);
    const { items } = (await limited.call("changes_list", { project })).value;
    expect(items.map(({ id }) => id)).toContain(own.id);
    expect(items.map(({ id }) => id)).not.toContain(inDevelop.id);
    expect(changeIn(await limited.call("changes_get", { project, change: own.id })).id).toBe(own.id);
    for (const tool of ["changes_get", "changes_withdraw"]) {
      const { value } = await limited.call(tool, { project, change: inDevelop.id });
      expect([tool, value.error["code"]]).toEqual([tool, "forbidden"]);
    }
    const others = { project, change: ofWhole.id };
    expect((await limited.call("changes_withdraw", others)).value.error["code"]).toBe("forbidden");
    const withdrawn = await limited.call("changes_withdraw", { project, change: own.id });
    expect(changeIn(withdrawn).status).toBe("withdrawn");
    expect((await call("changes_list", { project })).value.items).toHaveLength(3);
  });

  test("is withdrawn by the assistant that proposed it, and by no other", async () => {
    const { project, live, twice, call } = await openCareful();
    const { id: change } = changeIn(await twice("flags_set", { ...live, patch: { enabled: true } }));
    const { call: stranger } = await connect(["flags:write"], { project });
    expect((await stranger("changes_withdraw", { project, change })).value.error["code"]).toBe("forbidden");
    expect(changeIn(await call("changes_withdraw", { project, change })).status).toBe("withdrawn");
    const again = await call("changes_withdraw", { project, change });
    expect([again.isError, again.value.error["code"]]).toEqual([true, "conflict"]);
    expect((await call("changes_get", { project, change: "aaaa-bbbb-cccc" })).value.error["code"]).toBe(
      "not_found",
    );
  });
});

/** A change in two calls, by a token with other scopes. */
async function twiceAs(scopes: ["admin"], tool: string, args: object) {
  const { call } = await connect(scopes);
  const asked = { why: "w", ...args };
  const { plan } = (await call(tool, asked)).value;
  return call(tool, { ...asked, dryRun: false, plan });
}

test("no tool approves, rejects or applies a proposal", async () => {
  const { client } = await connect(["admin"]);
  const { tools } = await client.listTools();
  expect(tools.filter(({ name }) => /approve|reject|review|changes_apply/.test(name))).toEqual([]);
});

test("with propose a change is proposed where none are needed; without it, tools make it", async () => {
  const { develop, twice } = await openCareful();
  const asked = { ...develop, patch: { enabled: true }, propose: true };
  const { dry, sent, value } = await twice("flags_set", asked);
  expect(dry).toMatchObject({ approvals: 1 });
  expect(changeIn({ value })).toMatchObject({ needed: 1, environments: ["develop"] });
  const { call } = await connect(["flags:write"]);
  expect((await call("flags_set", { ...sent, propose: false })).value.error["code"]).toBe("conflict");
  expect((await app.store.flags.find(develop))!.enabled).toBe(false);
  const ramp = { variant: "on", to: [1, 100], every: 3600 };
  const started = await twice("ramps_start", { ...develop, ramp });
  expect(started.dry).toMatchObject({ approvals: 0, warnings: [] });
  expect(started.value).toMatchObject({ applied: true });
  expect(await app.store.ramps.find(develop)).toMatchObject({ ramp: { variant: "on", share: 1 } });
});

test("a change that goes out by a ramp is approved whole, and applied whole", async () => {
  const { project, live, twice } = await openCareful();
  const ramp = { to: [10, 100], every: 3600, guards: ["event:error rises 10%"] };
  const patch = {
    enabled: true,
    description: "the new one",
    variants: { old: 1, new: 2 },
    defaultVariant: "old",
  };
  const { value } = await twice("flags_set", { ...live, flag: "checkout", patch, ramp });
  const change = changeIn({ value });
  expect(change["differences"]).toMatchObject([
    { action: "create", kind: "flag" },
    { action: "update", kind: "flag", after: { enabled: true } },
    { action: "create", kind: "ramp" },
  ]);
  const place = { project, change: change.id };
  const flag = { ...live, flag: "checkout" };
  await createUser(app, OPERATOR, { name: `eve-${project}`, role: "releaser" });
  for (const name of ["bob", `eve-${project}`])
    await approveProposal(app, { ...callerNamed(name), type: "user" }, place, { etag: change.etag });
  expect(await app.store.flags.find(flag)).toBeUndefined();
  await applyProposal(app, OPERATOR, place, change.etag, rerunOn(app));
  expect(await app.store.ramps.find(flag)).toMatchObject({
    ramp: { variant: "new", share: 10, status: "running", guards: ramp.guards },
  });
  expect(await app.store.flags.find(flag)).toMatchObject({ enabled: true, description: "the new one" });
});

test("a change with a ramp is refused whole for what does not fit", async () => {
  const { develop, call } = await openCareful();
  const ramp = { to: [10, 100], every: 3600 };
  const refused = async (args: object) =>
    String((await call("flags_set", { ...develop, why: "w", ...args })).value.error?.["message"]);
  expect(await refused({ patch: { enabled: false }, ramp })).toContain("turns it off");
  expect(await refused({ patch: {}, ramp: { ...ramp, to: [10, 5] } })).toContain("to");
  expect(await refused({ patch: {}, ramp: { ...ramp, variant: "blue" } })).toContain("blue");
  expect(await refused({ patch: { archived: true }, ramp })).toContain("archived");
  expect(await refused({ flag: "Wrong Name!", patch: {}, ramp })).not.toContain("undefined");
  await startRamp(app, OPERATOR, develop, { variant: "on", ...ramp });
  expect(await refused({ patch: { description: "x" }, ramp })).toContain("ramp");
  expect((await app.store.flags.find(develop))!.description).toBe("");
});
