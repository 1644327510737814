import { describe, expect, test } from "bun:test";
import type { Role } from "../../src/access/role.ts";
import { newSession } from "../../src/access/sign-in.ts";
import { NO_BROWSER } from "../../src/access/session.ts";
import { createToken } from "../../src/access/tokens.ts";
import { createUser } from "../../src/access/users.ts";
import { type ProposalView, etagOf } from "../../src/documents/changes/proposal.ts";
import { eventsOf } from "../../src/documents/changes/views.ts";
import { createEnvironment } from "../../src/flags/environments.ts";
import { setEnvironment } from "../../src/projects/environments.ts";
import { expectError, fresh, openAdmin } from "../support/admin.ts";
import { OPERATOR } from "../support/records/caller.ts";
import { apply } from "../support/records/apply.ts";

const { app, ask } = await openAdmin();

/** The token of a new user, with the role in every project or in some environments of one. */
async function personWith(role: Role, limit?: { project: string; environments: string[] }): Promise<string> {
  const name = fresh();
  await createUser(app, OPERATOR, { name, role: limit ? "none" : role });
  if (limit) {
    const { project, environments } = limit;
    const body = { role, environments };
    const answer = await ask(`/projects/${project}/members/${name}`, { method: "PUT", body });
    expect(answer.status).toBe(200);
  }
  const { secret, stored } = newSession(app, name, "cli", NO_BROWSER);
  const session = { ...stored.session, expiresAt: app.now() + 86_400_000 };
  await app.store.sessions.insert({ ...stored, session }, null);
  return secret;
}

const [author, releaser] = [await personWith("admin"), await personWith("releaser")];

const VARIANTS = { variants: { on: true, off: false }, defaultVariant: "off" };
const EXPERIMENT = { flag: "hero", metrics: ["event:signup"], split: { off: 1, on: 1 } };

/** A project with the flags `sale` and `hero`, whose environment `live` needs an approval, and `staging` none. */
async function shop() {
  const project = fresh();
  const documentOf = (more: { environments?: object; sale?: object; project?: object }) => ({
    document: {
      projects: {
        [project]: {
          environments: { staging: {}, live: {}, ...more.environments },
          flags: { sale: { environments: { live: VARIANTS, ...more.sale } }, hero: {} },
          ...more.project,
        },
      },
    },
  });
  expect((await ask("/apply", { body: documentOf({}) })).status).toBe(200);
  const approvals = (count: number) => setEnvironment(app, OPERATOR, project, "live", { approvals: count });
  await approvals(1);
  const root = `/projects/${project}`;
  const proposed = async (path: string, options: { method?: string; body?: unknown } = {}) => {
    const given = { method: "POST", token: author, headers: { "X-Propose": "14d" }, ...options };
    const answer = await ask(path, given);
    const { change } = (await answer.json()) as { change: ProposalView };
    expect([answer.status, change?.status]).toEqual([202, "open"]);
    return change;
  };
  return {
    project,
    root,
    approvals,
    proposed,
    document: (more: Parameters<typeof documentOf>[0]) => proposed("/apply", { body: documentOf(more) }),
    act: ({ id, etag }: Pick<ProposalView, "id" | "etag">, verb: string, token = releaser) =>
      ask(`${root}/changes/${id}/${verb}`, { method: "POST", token, headers: { "If-Match": `"${etag}"` } }),
    get: async ({ id }: ProposalView) =>
      ((await (await ask(`${root}/changes/${id}`)).json()) as { change: ProposalView }).change,
    limited: () => personWith("releaser", { project, environments: ["staging"] }),
  };
}

describe("a proposed document reaches", () => {
  const SALE = { staging: { enabled: true } };
  const start = new Date(app.now() + 60_000).toISOString();
  const RAMP = { variant: "on", to: [100], every: 60, start };
  test.each([
    ["a later ramp", { sale: { ...SALE, live: { ...VARIANTS, ramp: RAMP } } }],
    ["an experiment", { sale: SALE, environments: { live: { experiments: { headline: EXPERIMENT } } } }],
    ["a segment", { sale: SALE, environments: { live: { segments: { staff: { "==": [1, 1] } } } } }],
    ["a flag", { sale: { ...SALE, live: { ...VARIANTS, enabled: true } } }],
    ["the settings of an environment", { sale: SALE, environments: { live: { name: "Live" } } }],
    ["the settings of the project", { sale: SALE, project: { name: "Shop" } }],
    ["a form", { sale: SALE, project: { forms: { contact: {} } } }],
  ])("the environment of %s in it, whose reviewers alone approve and apply it", async (_, more) => {
    const { document, act, limited } = await shop();
    const change = await document(more);
    expect(change.environments).toEqual(["live", "staging"]);
    const person = await limited();
    await expectError(await act(change, "approve", person), 403, "forbidden");
    expect((await act(change, "approve")).status).toBe(200);
    await expectError(await act(change, "apply", person), 403, "forbidden");
    expect((await act(change, "apply")).status).toBe(200);
  });

  test("no environment that it does not change", async () => {
    const { document, act, limited } = await shop();
    const change = await document({ sale: SALE });
    expect(change.environments).toEqual(["staging"]);
    const person = await limited();
    expect((await act(change, "approve", person)).status).toBe(200);
    expect((await act(change, "apply", person)).status).toBe(200);
  });
});

describe("what was approved is not applied once", () => {
  test("the plan reaches other environments than those that its approvers saw", async () => {
    const { project, document, act, limited } = await shop();
    const change = await document({
      sale: { staging: { enabled: true }, live: { ...VARIANTS, enabled: true } },
    });
    const stored = (await app.store.proposals.find(project, change.id))!;
    const proposal = { ...stored, environments: ["staging"] };
    proposal.etag = etagOf(proposal.id, proposal);
    await apply(app.store, {
      change: "updateProposal",
      project,
      proposal,
      action: "change.refresh",
      events: [],
    });
    const person = await limited();
    expect((await act(proposal, "approve", person)).status).toBe(200);
    await expectError(await act(proposal, "apply", person), 409, "outdated", "it reaches live, staging");
  });

  test("another environment loses the flag too", async () => {
    const { project, root, proposed, act, get } = await shop();
    const change = await proposed(`${root}/flags/sale`, { method: "DELETE" });
    expect((await act(change, "approve")).status).toBe(200);
    await createEnvironment(app, OPERATOR, project, { slug: "canary" });
    await setEnvironment(app, OPERATOR, project, "canary", { approvals: 2 });
    expect((await get(change)).isOutdated).toBe(true);
    await expectError(await act(change, "apply"), 409, "outdated");
    const refreshed = await act(change, "refresh");
    const now = ((await refreshed.json()) as { change: ProposalView }).change;
    expect(now).toMatchObject({ environments: ["canary", "live", "staging"], needed: 2, reviews: [] });
  });

  test("the design of an experiment that it starts is another one", async () => {
    const { root, proposed, act, get } = await shop();
    const draft = `${root}/environments/live/experiments/headline`;
    const created = await ask(`${root}/environments/live/experiments`, {
      body: { name: "headline", ...EXPERIMENT },
    });
    expect(created.status).toBe(201);
    const change = await proposed(`${draft}/start`);
    expect(change.differences.find(({ kind }) => kind === "experiment")).toMatchObject({
      before: { status: "draft" },
      after: { status: "running", metrics: ["event:signup"], minDays: 7, guards: [] },
    });
    expect((await act(change, "approve")).status).toBe(200);
    const patch = { metrics: ["event:purchase"], guards: ["event:error rises 50%"] };
    expect((await ask(draft, { method: "PATCH", token: author, body: patch })).status).toBe(200);
    expect((await get(change)).isOutdated).toBe(true);
    const refused = await act(change, "apply");
    await expectError(refused, 409, "outdated", "experiments.headline is not as it was approved");
    expect(await (await ask(draft)).json()).toMatchObject({ status: "draft" });

    const refreshed = (await (await act(change, "refresh")).json()) as { change: ProposalView };
    expect(refreshed.change.reviews).toEqual([]);
    expect((await act(refreshed.change, "approve")).status).toBe(200);
    expect((await act(refreshed.change, "apply")).status).toBe(200);
    expect(await (await ask(draft)).json()).toMatchObject({ status: "running", ...patch });
  });

  test("the ramp that it resumes has another course", async () => {
    const { root, approvals, proposed, act } = await shop();
    const ramp = `${root}/environments/live/flags/sale/ramp`;
    const paused = async (course: object) => {
      await approvals(0);
      await ask(`${ramp}/abort`, { body: {} });
      const body = { variant: "on", every: 60, ...course };
      expect((await ask(ramp, { method: "PUT", body })).status).toBe(201);
      expect((await ask(`${ramp}/pause`, { method: "POST" })).status).toBe(200);
      await approvals(1);
    };
    await paused({ to: [1, 2] });
    const change = await proposed(`${ramp}/resume`);
    expect(change.differences).toMatchObject([
      { kind: "ramp", before: { status: "paused" }, after: { status: "running", to: [1, 2], every: 60 } },
    ]);
    expect((await act(change, "approve")).status).toBe(200);
    await paused({ to: [1, 100] });
    await expectError(await act(change, "apply"), 409, "outdated", "ramp is not as it was approved");
  });
});

test("The order of segments that a change alters is one of its differences", async () => {
  const { root, proposed } = await shop();
  const live = `${root}/environments/live`;
  const evaluators = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { "==": [1, 1] }]));
  const file = (...names: string[]) => ({ flags: {}, $evaluators: evaluators(...names) });
  await ask(`${live}/flagd`, { headers: { "X-Bypass": "true", "X-Why": "a%20test" }, body: file("a", "b") });
  const change = await proposed(`${live}/flagd`, { body: file("b", "a") });
  expect(change.differences).toMatchObject([
    { action: "update", kind: "segment", before: ["a", "b"], after: ["b", "a"] },
  ]);
});

test("One author has at most 4 MB of changes open in a project, and others have theirs beside", async () => {
  const { project, root, act, get } = await shop();
  const flags = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `large-${index}`,
      { environments: { staging: { payload: "x".repeat(60_000) } } },
    ]),
  );
  const body = { document: { projects: { [project]: { flags } } } };
  const propose = (token: string) => ask("/apply", { token, body, headers: { "X-Propose": "14d" } });
  const made: ProposalView[] = [];
  for (let count = 0; count < 4; count += 1)
    made.push(((await (await propose(author)).json()) as { change: ProposalView }).change);
  const refused = await propose(author);
  await expectError(refused, 409, "conflict", "has 4 MB of open changes already");
  expect((await propose(await personWith("admin"))).status).toBe(202);
  expect((await act(made[0]!, "withdraw", author)).status).toBe(200);
  expect((await propose(author)).status).toBe(202);
  expect((await act(made[1]!, "refresh", author)).status).toBe(200);
  const { changes } = (await (await ask(`${root}/changes`)).json()) as { changes: ProposalView[] };
  expect(changes.length).toBeGreaterThan(1);
  expect(await get(made[1]!)).toMatchObject({ status: "open", isOutdated: false });
});

test("a proposal shows the settings of a form to those who may read forms, and to no webhook", async () => {
  const { project, root, document } = await shop();
  const notify = ["owner@example.com"];
  const change = await document({
    sale: { staging: { enabled: true } },
    project: { forms: { contact: { notify } } },
  });
  const settings = ({ differences }: ProposalView) =>
    JSON.stringify(differences.find(({ kind }) => kind === "form"));
  expect(settings(change)).toContain("owner@example.com");
  const reads = async (scopes: string[]) => {
    const { token } = await createToken(app, OPERATOR, { name: fresh(), scopes: scopes as never, project });
    const [one, all] = await Promise.all(
      [`${root}/changes/${change.id}`, `${root}/changes`].map(async (path) =>
        (await ask(path, { token })).json(),
      ),
    );
    const { change: found } = one as { change: ProposalView };
    const listed = (all as { changes: ProposalView[] }).changes.find(({ id }) => id === change.id)!;
    return [found, listed].map((each) => [
      settings(each).includes("owner@example.com"),
      each.etag === change.etag,
    ]);
  };
  expect(await reads(["flags:read"])).toEqual([
    [false, true],
    [false, true],
  ]);
  expect(await reads(["flags:read", "forms:read"])).toEqual([
    [true, true],
    [true, true],
  ]);
  const stored = (await app.store.proposals.find(project, change.id))!;
  const [event] = await eventsOf(app, "change.proposed", stored);
  expect(event!.body).toContain('"kind":"form"');
  expect(event!.body).not.toContain("owner@example.com");
});
