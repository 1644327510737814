import { expect, test } from "bun:test";
import { deleteUser } from "../../../src/access/users.ts";
import { setTestContext } from "../../../src/flags/contexts/test-contexts.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { openTestApp } from "../../support/app.ts";
import { hiddenIn, openDashboard } from "../../support/pages/dashboard.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { proposalOf } from "../../support/records/records.ts";
import { etagOf } from "../../../src/documents/changes/proposal.ts";

/** A project whose environment `live` needs an approval, and a change of it that a token has proposed. */
async function open() {
  const app = openTestApp();
  const dashboard = openDashboard(app);
  const { slug: project } = await addProject(app.store, "shop", "live");
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
  const differences = [
    {
      action: "create",
      kind: "flag",
      path: "projects.shop.flags.sale.environments.live",
      before: null,
      after: { enabled: true, expiredAt: null, description: "" },
    },
  ] as const;
  const operation = {
    operation: "PATCH /projects/:project/environments/:environment/flags/:flag",
    names: { project, environment: "live", flag: "sale" },
    query: undefined,
    body: { enabled: true },
  };
  const proposal = proposalOf(project, {
    who: "ci",
    type: "operator",
    why: "the sale begins <today>",
    operation,
    differences: [...differences],
    createdAt: app.now(),
    expiresAt: app.now() + 86_400_000,
  });
  proposal.etag = etagOf(proposal.id, proposal);
  await apply(app.store, {
    change: "insertProposal",
    project,
    proposal,
    action: "change.propose",
    events: [],
  });
  return { app, ...dashboard, project, proposal, path: `/projects/${project}/changes/${proposal.id}` };
}

test("A releaser approves a change as its page shows it, and applies it", async () => {
  const { app, signIn, project, proposal, path } = await open();
  const { get, post } = await signIn("releaser");
  const list = await get(`/projects/${project}/releases`);
  expect(list.text).toContain("change flag a in live");
  expect(list.text).toContain("the sale begins &lt;today&gt;");
  const page = await get(path);
  expect(page.text).toContain(`action="/dashboard${path}/approve"`);
  expect(page.text).toContain(`value="${proposal.etag}"`);
  expect(page.text).not.toContain(`${path}/apply`);
  expect((await post(`${path}/approve`, {})).status).toBe(428);
  const stale = await post(`${path}/approve`, { etag: "0".repeat(64) });
  expect([stale.status, stale.text.includes("not what you have seen")]).toEqual([409, true]);
  expect((await post(`${path}/approve`, { etag: proposal.etag })).text).toContain(
    "Approved: it can be applied.",
  );
  expect((await post(`${path}/apply`, { etag: proposal.etag })).text).toContain("Applied");
  const place = { project, environment: "live", flag: "sale" };
  expect(await app.store.flags.find(place)).toMatchObject({ enabled: true });
  expect((await get(path)).text).not.toContain("/approve");
  expect((await get(`/projects/${project}/releases?show=finished`)).text).toContain("change flag a in live");
});

test("The approval of a deleted user is not that of the next one of the name, who is asked for one", async () => {
  const { app, signIn, project, proposal, path } = await open();
  const first = await signIn("releaser");
  await first.post(`${path}/approve`, { etag: proposal.etag });
  expect((await first.get(path)).text).toContain("1 of 1");
  await deleteUser(app, OPERATOR, "releaser");
  const heir = await signIn("releaser", "releaser");
  const page = await heir.get(path);
  expect(page.text).toContain("0 of 1");
  expect(page.text).toContain(`${path}/approve"`);
  expect(page.text).not.toContain(`${path}/apply"`);
  const list = await heir.get(`/projects/${project}/releases?show=proposals`);
  expect(list.text).toContain("0 of 1 approval");
  expect((await heir.get("")).text).toContain(`/dashboard${path}"`);
  await heir.post(`${path}/approve`, { etag: proposal.etag });
  const approved = await heir.get(path);
  expect(approved.text).toContain("1 of 1");
  expect(approved.text).toContain(`${path}/apply"`);
  expect(approved.text).not.toContain(`${path}/approve"`);
});

test("A reader sees changes without their buttons, and nothing that is sent counts", async () => {
  const { signIn, path, proposal, app } = await open();
  for (const role of ["viewer", "editor"] as const) {
    const { get, post } = await signIn(role);
    const { text } = await get(path);
    expect(text).not.toContain(`${path}/approve`);
    for (const step of ["approve", "reject", "withdraw", "refresh"])
      expect((await post(`${path}/${step}`, { etag: proposal.etag })).status).toBe(403);
  }
  const reader = await signIn("viewer");
  expect((await reader.post(`${path}/apply`, { etag: proposal.etag })).status).toBe(403);
  expect((await app.store.proposals.find("shop", proposal.id))!.reviews).toEqual([]);
  const { get } = await signIn("releaser");
  expect((await get(`/projects/shop/changes/nothing`)).status).toBe(404);
});

test("A rejected change keeps who rejected it and why", async () => {
  const { signIn, path, proposal } = await open();
  const { post, get } = await signIn("admin");
  await post(`${path}/reject`, { etag: proposal.etag, why: "not in summer" });
  const { text } = await get(path);
  expect(text).toContain("rejected");
  expect(text).toContain("not in summer");
});

test("A form that changes an environment with approvals proposes the change instead, and leads to its page", async () => {
  const { app, signIn, project } = await open();
  const { get, post } = await signIn("editor");
  const admin = await signIn("admin");
  await admin.post(`/projects/${project}/environments/live/settings`, { approvals: "0", confirm: "live" });
  await post(`/projects/${project}/flags`, { flag: "menu", description: "" });
  const raised = await admin.post(`/projects/${project}/environments/live/settings`, { approvals: "2" });
  expect(raised.text).toContain("Changes of live need 2 approvals from now on.");
  const lowered = await admin.post(`/projects/${project}/environments/live/settings`, { approvals: "1" });
  expect(lowered.status).toBe(428);
  const path = `/projects/${project}/environments/live/flags/menu`;
  const sent = { act: "state", enabled: "on", revision: hiddenIn(await get(path), "revision") };
  const asked = await post(path, sent);
  expect([asked.status, asked.text.includes("Propose this change?")]).toEqual([428, true]);
  expect((await app.store.flags.find({ project, environment: "live", flag: "menu" }))!.enabled).toBe(false);
  const proposed = await post(path, { ...sent, propose: "14d", why: "lunch" });
  expect(proposed.path).toMatch(/\/changes\/[\w-]+$/);
  expect(proposed.text).toContain("it needs 2 approvals");
  expect(proposed.text).toContain("lunch");
  const release = { who: "all", how: "at", at: "2027-01-31T12:00", propose: "14d" };
  const later = await post(`${path}/release`, release);
  expect(later.text).toContain("schedule for menu");
  expect(
    (await post(`/projects/${project}/flags/menu/delete`, { name: "menu", propose: "14d" })).text,
  ).toContain("delete flag menu");
  expect((await get(`/projects/${project}/releases?show=proposals`)).text).toContain("delete flag menu");
});

test("A rollback is proposed for the flag as its page shows it, and no later one", async () => {
  const { app, signIn, project } = await open();
  const place = { project, environment: "live", flag: "menu" };
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 0 });
  const { record } = await setFlag(app, OPERATOR, place, { enabled: true });
  await setFlag(app, OPERATOR, place, { enabled: false });
  const late = await setFlag(app, OPERATOR, place, { payload: { of: "others" } });
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
  const { post } = await signIn("editor");
  const propose = (revision: number) =>
    post(`/projects/${project}/history/${record.revision}/rollback`, {
      revision: String(revision),
      to: "after",
      propose: "14d",
    });
  const refused = await propose(record.revision);
  expect([refused.status, refused.text.includes("Changed by another user")]).toEqual([409, true]);
  expect((await propose(late.record.revision)).text).toContain("The change is proposed");
});

test("The page of a flag and the list of flags lead to what is proposed for it in an environment", async () => {
  const { app, signIn, project, proposal, path } = await open();
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 0 });
  await setFlag(app, OPERATOR, { project, environment: "live", flag: "sale" }, { description: "x" });
  await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
  const { get, post } = await signIn("releaser");
  const flag = `/projects/${project}/flags/sale?environment=live`;
  const link = (text: string) => [
    text.includes("Waits for approval"),
    text.includes(`href="/dashboard${path}"`),
  ];
  expect(link((await get(flag)).text)).toEqual([true, true]);
  expect(link((await get(`/projects/${project}`)).text)).toEqual([true, true]);
  await post(`${path}/approve`, { etag: proposal.etag });
  expect((await get(flag)).text).toContain("Approved, to be applied");
  expect((await get(`/projects/${project}`)).text).toContain("Approved, to be applied");
  app.clock.now += 86_400_000;
  for (const page of [flag, `/projects/${project}`])
    expect(link((await get(page)).text)).toEqual([false, false]);
});

test("The page says what a change does to people, whose names it shows as text", async () => {
  const { app, signIn, project, path } = await open();
  await setTestContext(app, OPERATOR, { project, name: "Ann <b>" }, { plan: "pro" });
  const { get } = await signIn("viewer");
  const { text } = await get(path);
  expect(text).toContain("What it does to people");
  expect(text).toContain("Ann &lt;b&gt;: sale no flag → on");
  expect(text).toContain("sale: 0 reads an hour");
});
