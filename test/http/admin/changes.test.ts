import { describe, expect, spyOn, test } from "bun:test";
import type { Role } from "../../../src/access/role.ts";
import { newSession } from "../../../src/access/sign-in.ts";
import { NO_BROWSER } from "../../../src/access/session.ts";
import type { Scope } from "../../../src/access/scope.ts";
import { createToken } from "../../../src/access/tokens.ts";
import { createUser } from "../../../src/access/users.ts";
import type { ProposalView } from "../../../src/documents/changes/proposal.ts";
import { expiredProposalsJob } from "../../../src/documents/changes/proposal-deliveries.ts";
import { createEnvironment } from "../../../src/flags/environments.ts";
import { setEnvironment } from "../../../src/projects/environments.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { errorOf, expectError, fresh, openAdmin } from "../../support/admin.ts";
import { OPERATOR } from "../../support/records/caller.ts";

const { app, ADMIN, ask } = await openAdmin();

/** A user who is logged in on the command line; returns the token. */
async function userWith(role: Role): Promise<{ name: string; token: string }> {
  const name = fresh();
  await createUser(app, OPERATOR, { name, role });
  return { name, token: await login(name) };
}

async function login(name: string): Promise<string> {
  const { secret, stored } = newSession(app, name, "cli", NO_BROWSER);
  const session = { ...stored.session, expiresAt: app.now() + 86_400_000 };
  await app.store.sessions.insert({ ...stored, session }, null);
  return secret;
}

const [editor, releaser, other] = [
  await userWith("editor"),
  await userWith("releaser"),
  await userWith("releaser"),
];

/** A project whose environment `live` needs approvals, and the address of a flag in it. */
async function shop(approvals = 1) {
  const project = fresh();
  await createProject(app, OPERATOR, { slug: project, environments: ["dev", "live"] });
  await setEnvironment(app, OPERATOR, project, "live", { approvals, locked: true });
  const root = `/projects/${project}`;
  const flag = `${root}/environments/live/flags/sale`;
  const changes = `${root}/changes`;
  return {
    project,
    root,
    flag,
    changes,
    set: (body: object, headers = {}, token = editor.token) =>
      ask(flag, { method: "PATCH", token, body, headers }),
    read: async () => (await (await ask(flag)).json()) as { enabled?: boolean; revision?: number },
    propose: async (body: object, token = editor.token): Promise<ProposalView> => {
      const answer = await ask(flag, { method: "PATCH", token, body, headers: { "X-Propose": "14d" } });
      expect(answer.status).toBe(202);
      const { change } = (await answer.json()) as { change: ProposalView };
      expect(answer.headers.get("location")).toBe(`/api/admin/v1${changes}/${change.id}`);
      expect(answer.headers.get("etag")).toBe(`"${change.etag}"`);
      return change;
    },
    act: (id: string, verb: string, token: string, etag?: string) =>
      ask(`${changes}/${id}/${verb}`, {
        method: "POST",
        token,
        ...(verb === "reject" && { body: { why: "not now" } }),
        ...(etag !== undefined && { headers: { "If-Match": `"${etag}"` } }),
      }),
    get: async (id: string) =>
      ((await (await ask(`${changes}/${id}`)).json()) as { change: ProposalView }).change,
  };
}

describe("an environment with approvals", () => {
  test("refuses every direct change, confirmed or not, and no other", async () => {
    const { root, set, read } = await shop();
    const refused = await set({ enabled: true });
    await expectError(refused, 428, "unapproved", "live", "needs an approval");
    await expectError(await set({ enabled: true }, { "X-Confirm": "*" }, ADMIN), 428, "unapproved");
    const at = new Date(app.now() + 60_000).toISOString();
    const flagged = `${root}/environments/live/flags/sale`;
    const ways: [method: string, path: string, body?: unknown][] = [
      ["POST", `${flagged}/for`, { patch: { enabled: true }, until: at }],
      ["POST", `${flagged}/scheduled`, { patch: { enabled: true }, at }],
      ["POST", `${root}/environments/live/promote`, { from: "dev" }],
      ["POST", `${root}/environments/live/flagd`, { flags: {} }],
      ["PUT", `${root}/environments/live/segments/staff`, { rule: true }],
      ["DELETE", `${root}/environments/live/segments/staff`],
      ["POST", `${flagged}/rollback`, {}],
      ["DELETE", `${root}/flags/sale`],
      ["DELETE", `${root}/environments/live`],
      ["DELETE", root],
    ];
    for (const [method, path, body] of ways) {
      const answer = await ask(path, { method, body, headers: { "X-Confirm": "*" } });
      expect([method, path, answer.status]).toEqual([method, path, 428]);
      expect(await errorOf(answer)).toMatchObject({
        code: "unapproved",
        hint: expect.stringContaining("is deleted, set its approvals to 0") as string,
      });
    }
    for (const path of [`${root}/environments/live`, root]) {
      const proposed = await ask(path, { method: "DELETE", headers: { "X-Propose": "14d" } });
      expect(await errorOf(proposed)).toMatchObject({ message: "this operation cannot be proposed" });
    }
    const document = {
      projects: { [root.slice(10)]: { flags: { sale: { environments: { live: { enabled: true } } } } } },
    };
    const applied = await ask("/apply", {
      body: { document, confirmed: true },
      headers: { "X-Confirm": "*" },
    });
    expect((await errorOf(applied)).code).toBe("unapproved");
    expect(await read()).not.toMatchObject({ enabled: true });
    const dev = await ask(`${root}/environments/dev/flags/sale`, {
      method: "PATCH",
      body: { enabled: true },
    });
    expect(dev.status).toBe(200);
    const viewer = await userWith("viewer");
    await expectError(await set({ enabled: true }, {}, viewer.token), 403, "forbidden");
  });

  test("asks for a confirmation of fewer approvals, from 0 to 5 of them", async () => {
    const { root } = await shop(2);
    const patch = (approvals: number, headers = {}) =>
      ask(`${root}/environments/live`, { method: "PATCH", body: { approvals }, headers });
    await expectError(await patch(1), 428, "unconfirmed", "need 2 approvals, and would need 1");
    expect(await (await patch(3)).json()).toMatchObject({ approvals: 3, result: "updated" });
    expect((await patch(0, { "X-Confirm": "live" })).status).toBe(200);
    for (const wrong of [6, -1, 1.5]) expect((await patch(wrong)).status).toBe(400);
  });
});

describe("a proposed change", () => {
  test("is approved by another person as it was seen, and applied exactly once", async () => {
    const { project, propose, act, read, get } = await shop();
    const change = await propose({ enabled: true, description: "On sale" });
    expect(change).toMatchObject({
      project,
      environments: ["live"],
      who: editor.name,
      status: "open",
      isOutdated: false,
      needed: 1,
      reviews: [],
      appliedBy: null,
      bypass: false,
    });
    await expectError(await act(change.id, "apply", editor.token, change.etag), 428, "unapproved");
    await expectError(await act(change.id, "approve", releaser.token), 428, "unconfirmed");
    await expectError(await act(change.id, "approve", releaser.token, "0".repeat(64)), 409, "conflict");
    await expectError(await act(change.id, "approve", editor.token, change.etag), 403, "forbidden");
    await expectError(await act(change.id, "approve", ADMIN, change.etag), 403, "forbidden", "person");
    expect((await act(change.id, "approve", releaser.token, change.etag)).status).toBe(200);
    await expectError(await act(change.id, "approve", releaser.token, change.etag), 409, "conflict");
    expect((await get(change.id)).status).toBe("approved");
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => act(change.id, "apply", editor.token, change.etag)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(await read()).toMatchObject({ enabled: true, description: "On sale" });
    expect(await get(change.id)).toMatchObject({ status: "applied", appliedBy: editor.name });
    const [entry] = (await app.store.changes.page(project, { limit: 1, kind: "flag" })).items;
    expect(entry).toMatchObject({
      who: editor.name,
      review: { change: change.id, author: editor.name, approvers: [releaser.name], bypass: false },
    });
    const { items } = await app.store.audit.page({ projects: [project], action: "change", limit: 9 });
    expect(items.map(({ action, who }) => [action, who])).toEqual([
      ["change.apply", editor.name],
      ["change.approve", releaser.name],
      ["change.propose", editor.name],
    ]);
  });

  test("by a releaser is not approved by its author, and needs two where two are asked for", async () => {
    const { propose, act, get } = await shop(2);
    const change = await propose({ enabled: true }, releaser.token);
    await expectError(await act(change.id, "approve", releaser.token, change.etag), 403, "forbidden", "own");
    await act(change.id, "approve", other.token, change.etag);
    expect((await get(change.id)).status).toBe("open");
    await expectError(
      await act(change.id, "apply", releaser.token, change.etag),
      428,
      "unapproved",
      "1 of 2",
    );
    await act(change.id, "approve", (await userWith("admin")).token, change.etag);
    expect((await act(change.id, "apply", releaser.token, change.etag)).status).toBe(200);
  });

  test("that would make something else is outdated, until it is refreshed and approved again", async () => {
    const { root, flag, propose, act, get, set } = await shop();
    await ask(`${root}/environments/dev/flags/sale`, { method: "PATCH", body: { description: "first" } });
    const change = await propose({ enabled: true, payload: [1] });
    await act(change.id, "approve", releaser.token, change.etag);
    const why = { "X-Bypass": "true", "X-Why": "fire" };
    expect((await set({ payload: [2] }, why, ADMIN)).status).toBe(200);
    expect(await get(change.id)).toMatchObject({ status: "approved", isOutdated: true });
    await expectError(await act(change.id, "apply", releaser.token, change.etag), 409, "outdated");
    const refreshed = (await (await act(change.id, "refresh", editor.token)).json()) as {
      change: ProposalView;
    };
    expect(refreshed.change).toMatchObject({ status: "open", reviews: [], isOutdated: false });
    expect(refreshed.change.etag).not.toBe(change.etag);
    await expectError(await act(change.id, "approve", releaser.token, change.etag), 409, "conflict");
    await act(change.id, "approve", releaser.token, refreshed.change.etag);
    await ask(flag.replace("/environments/live", ""), { method: "DELETE", headers: why });
    await expectError(await act(change.id, "apply", releaser.token, refreshed.change.etag), 409, "outdated");
    expect((await get(change.id)).isOutdated).toBe(true);
  });

  test("stays what it is while other things change", async () => {
    const { root, propose, act } = await shop();
    const change = await propose({ enabled: true });
    await ask(`${root}/environments/dev/flags/other`, { method: "PATCH", body: { enabled: true } });
    await createEnvironment(app, OPERATOR, root.slice(10), { slug: "more" });
    await act(change.id, "approve", releaser.token, change.etag);
    expect((await act(change.id, "apply", releaser.token, change.etag)).status).toBe(200);
  });

  test("is not applied once its author or its approver has lost the rights", async () => {
    const { propose, act } = await shop();
    const [author, approver] = [await userWith("editor"), await userWith("releaser")];
    const change = await propose({ enabled: true }, author.token);
    await act(change.id, "approve", approver.token, change.etag);
    const role = (name: string, to: Role | "none") =>
      ask(`/users/${name}`, { method: "PATCH", body: { role: to } });
    await role(approver.name, "editor");
    await expectError(
      await act(change.id, "apply", releaser.token, change.etag),
      428,
      "unapproved",
      "0 of 1",
    );
    await role(approver.name, "releaser");
    for (const left of ["viewer", "none"] as const) {
      await role(author.name, left);
      for (const verb of ["apply", "refresh"]) {
        const refused = await act(change.id, verb, releaser.token, change.etag);
        await expectError(refused, 403, "forbidden", `author of this change, "${author.name}", lacks`);
      }
    }
    await ask(`/users/${author.name}`, { method: "DELETE" });
    await expectError(
      await act(change.id, "apply", releaser.token, change.etag),
      403,
      "forbidden",
      "not here",
    );
  });

  test("is outdated once its flags would need one another in a circle, or one that is gone", async () => {
    const { root, act, get } = await shop();
    const needing = async (flag: string, needed: string) => {
      const at = `${root}/environments/live/flags/${flag}`;
      const options = { method: "PATCH", token: editor.token, headers: { "X-Propose": "14d" } };
      const answer = await ask(at, { ...options, body: { requires: [{ flag: needed }] } });
      const { change } = (await answer.json()) as { change: ProposalView };
      await act(change.id, "approve", releaser.token, change.etag);
      return change;
    };
    for (const flag of ["a", "b", "c"])
      await ask(`${root}/environments/dev/flags/${flag}`, { method: "PATCH", body: {} });
    const [first, circle, gone] = [await needing("a", "b"), await needing("b", "a"), await needing("a", "c")];
    const apply = ({ id, etag }: ProposalView) => act(id, "apply", releaser.token, etag);
    expect((await apply(first)).status).toBe(200);
    await expectError(await apply(circle), 409, "outdated", "a flag cannot need itself");
    const dropped = await ask(`${root}/flags/c`, {
      method: "DELETE",
      headers: { "X-Bypass": "true", "X-Why": "it is gone", "X-Confirm": "live" },
    });
    expect(dropped.status).toBe(204);
    await expectError(await apply(gone), 409, "outdated");
    expect((await get(circle.id)).status).toBe("approved");
  });

  test("does not count people and tokens who took over a name since", async () => {
    const { project, propose, act } = await shop();
    const body = { name: "robot", project, scopes: ["flags:write"] };
    const robot = async () => ((await (await ask("/tokens", { body })).json()) as { token: string }).token;
    const approver = await userWith("releaser");
    const [change, own] = [await propose({ enabled: true }), await propose({ payload: [1] }, await robot())];
    await act(change.id, "approve", approver.token, change.etag);
    await act(own.id, "approve", releaser.token, own.etag);
    await ask(`/users/${approver.name}`, { method: "DELETE" });
    await createUser(app, OPERATOR, { name: approver.name, role: "releaser" });
    await ask(`/tokens/robot?project=${project}`, { method: "DELETE" });
    const nextRobot = await robot();
    const applied = await act(change.id, "apply", releaser.token, change.etag);
    await expectError(applied, 428, "unapproved", "0 of 1");
    const later = await act(own.id, "apply", releaser.token, own.etag);
    await expectError(later, 403, "forbidden", "not here");
    const heir = await login(approver.name);
    await expectError(await act(own.id, "withdraw", nextRobot), 403, "forbidden");
    // The new user is somebody else, whose approval counts.
    expect((await act(change.id, "approve", heir, change.etag)).status).toBe(200);
    expect((await act(change.id, "apply", releaser.token, change.etag)).status).toBe(200);
  });

  test.each([
    ["was deleted, and another has the name", "releaser"],
    ["may not approve any more", "viewer"],
  ] as const)("is shown without the approval of a user who %s, as it is applied", async (_, role) => {
    const { root, changes, propose, act, get } = await shop();
    const approver = await userWith("releaser");
    const change = await propose({ enabled: true });
    const approved = await act(change.id, "approve", approver.token, change.etag);
    expect(((await approved.json()) as { change: ProposalView }).change.status).toBe("approved");
    if (role === "releaser") {
      await ask(`/users/${approver.name}`, { method: "DELETE" });
      await createUser(app, OPERATOR, { name: approver.name, role });
    } else await ask(`/users/${approver.name}`, { method: "PATCH", body: { role } });
    await expectError(
      await act(change.id, "apply", releaser.token, change.etag),
      428,
      "unapproved",
      "0 of 1",
    );
    const listed = async (status: string) =>
      ((await (await ask(`${changes}?status=${status}`)).json()) as { changes: ProposalView[] }).changes;
    expect(await get(change.id)).toMatchObject({ status: "open", reviews: [] });
    expect(await listed("open")).toMatchObject([{ id: change.id, status: "open", reviews: [] }]);
    expect(await listed("approved")).toEqual([]);
    await ask(`/users/${approver.name}`, { method: "PATCH", body: { role: "releaser" } });
    const heir = await login(approver.name);
    const again = await act(change.id, "approve", heir, change.etag);
    expect(again.status).toBe(role === "releaser" ? 200 : 409);
    const reviews = [{ who: approver.name, verdict: "approved" }];
    expect(await get(change.id)).toMatchObject({ status: "approved", reviews });
    expect(await listed("approved")).toMatchObject([{ id: change.id, reviews }]);
    expect((await act(change.id, "apply", releaser.token, change.etag)).status).toBe(200);
    const applied = await get(change.id);
    expect(applied).toMatchObject({ status: "applied", reviews });
    expect(applied.reviews).toHaveLength(1);
    const history = await ask(`${root}/history?kind=flag`);
    expect(await history.json()).toMatchObject({
      changes: [{ review: { change: change.id, approvers: [approver.name] } }],
    });
    await ask(`/users/${approver.name}`, { method: "DELETE" });
    expect(await get(change.id)).toMatchObject({ status: "applied", reviews });
  });

  test("costs a list no look at its approver of its own", async () => {
    const { changes, propose, act } = await shop();
    const approver = await userWith("releaser");
    for (const payload of [1, 2, 3]) {
      const change = await propose({ payload: [payload] });
      await act(change.id, "approve", approver.token, change.etag);
    }
    const find = spyOn(app.store.users, "find");
    const list = (await (await ask(`${changes}?status=approved`)).json()) as { changes: ProposalView[] };
    expect(list.changes).toHaveLength(3);
    expect(find.mock.calls.filter(([name]) => name === approver.name)).toHaveLength(1);
    find.mockRestore();
  });

  test("is rejected, withdrawn or expires for good", async () => {
    const { propose, act, get, changes } = await shop();
    const [one, two, three] = [
      await propose({ enabled: true }),
      await propose({ payload: [1] }),
      await propose({ payload: [2] }),
    ];
    await expectError(await act(one.id, "reject", editor.token), 403, "forbidden");
    expect((await act(one.id, "reject", releaser.token)).status).toBe(200);
    expect(await get(one.id)).toMatchObject({
      status: "rejected",
      reviews: [{ verdict: "rejected", why: "not now" }],
    });
    await expectError(await act(one.id, "approve", releaser.token, one.etag), 409, "conflict", "rejected");
    expect((await act(two.id, "withdraw", editor.token)).status).toBe(200);
    const { now } = app.clock;
    app.clock.now += 14 * 86_400_000;
    const again = await userWith("releaser");
    expect((await get(three.id)).status).toBe("expired");
    await expectError(await act(three.id, "approve", again.token, three.etag), 409, "conflict", "expired");
    await expiredProposalsJob(app).run();
    app.clock.now = now;
    expect((await get(three.id)).status).toBe("expired");
    const listed = async (query: string) =>
      ((await (await ask(`${changes}${query}`)).json()) as { changes: ProposalView[] }).changes.map(
        ({ id }) => id,
      );
    expect(await listed("")).toHaveLength(3);
    expect(await listed("?status=withdrawn")).toEqual([two.id]);
    expect(await listed("?status=open")).toEqual([]);
    expect((await ask(`${changes}?status=closed`)).status).toBe(400);
  });

  test("of any kind is what its operation makes, and its input is checked as for it", async () => {
    const { project, root, flag, act, set } = await shop();
    for (const name of ["sale", "moved"])
      await ask(`${root}/environments/dev/flags/${name}`, { method: "PATCH", body: { enabled: true } });
    const at = new Date(app.now() + 60_000).toISOString();
    const ways: [method: string, path: string, body?: unknown][] = [
      ["POST", `${flag}/for`, { patch: { enabled: true }, until: at }],
      ["POST", `${root}/environments/live/promote`, { from: "dev" }],
      ["PUT", `${root}/environments/live/segments/staff`, { rule: { "==": [{ var: "team" }, "staff"] } }],
      ["POST", `${flag}/scheduled`, { patch: { description: "later" }, at }],
      [
        "POST",
        `${root}/environments/live/flagd`,
        {
          flags: { imported: { state: "ENABLED", variants: { on: true, off: false }, defaultVariant: "on" } },
        },
      ],
      [
        "POST",
        "/apply",
        {
          document: {
            projects: { [project]: { flags: { applied: { environments: { live: { enabled: true } } } } } },
          },
        },
      ],
      ["DELETE", `${root}/flags/applied`],
    ];
    for (const [method, path, body] of ways) {
      const answer = await ask(path, { method, body, headers: { "X-Propose": "1h" } });
      expect([path, answer.status]).toEqual([path, 202]);
      const { change } = (await answer.json()) as { change: ProposalView };
      expect(change.differences.length).toBeGreaterThan(0);
      expect(change.environments).toContain("live");
      await act(change.id, "approve", releaser.token, change.etag);
      const applied = await act(change.id, "apply", releaser.token, change.etag);
      expect([path, applied.status]).toEqual([path, 200]);
    }
    expect((await app.store.scheduled.page(project, "live", { limit: 9 })).items).toHaveLength(2);
    const wrong = await set({ enabled: "yes" }, { "X-Propose": "14d" });
    expect(wrong.status).toBe(400);
    for (const time of ["", "0s", "91d", "soon"])
      expect((await set({ payload: [9] }, { "X-Propose": time })).status).toBe(400);
    await expectError(
      await ask("/projects", { body: { slug: fresh() }, headers: { "X-Propose": "1d" } }),
      400,
      "invalid",
    );
    const two = { projects: { [project]: {}, other: {} } };
    expect((await ask("/apply", { body: { document: two }, headers: { "X-Propose": "1d" } })).status).toBe(
      400,
    );
    expect((await set({ enabled: true }, { "X-Propose": "1d" })).status).toBe(200);
  });

  test("is not seen by another project, nor without a right to read flags", async () => {
    const [{ propose, act }, elsewhere] = [await shop(), await shop()];
    const change = await propose({ enabled: true });
    await expectError(await ask(`${elsewhere.changes}/${change.id}`), 404, "not_found");
    await expectError(
      await elsewhere.act(change.id, "approve", releaser.token, change.etag),
      404,
      "not_found",
    );
    const inbox = await userWith("inbox");
    await expectError(await act(change.id, "approve", inbox.token, change.etag), 403, "forbidden");
    const place = { project: elsewhere.project, scopes: ["flags:locked" as const] };
    const { token } = await createToken(app, OPERATOR, { name: fresh(), ...place });
    expect((await act(change.id, "apply", token, change.etag)).status).toBe(403);
  });
});

describe("a token limited to an environment", () => {
  const tokenFor = async (project: string, environment: string, ...scopes: Scope[]) =>
    (await createToken(app, OPERATOR, { name: fresh(), scopes, project, environment })).token;

  test("applies the approved changes of that environment, and of no other", async () => {
    const { project, root, propose, act, read } = await shop();
    const live = await tokenFor(project, "live", "flags:write");
    const change = await propose({ enabled: true });
    await expectError(await act(change.id, "apply", live, change.etag), 428, "unapproved");
    await act(change.id, "approve", releaser.token, change.etag);
    for (const refused of [
      await tokenFor(project, "dev", "flags:locked"),
      await tokenFor(project, "live", "flags:read"),
    ]) {
      await expectError(await act(change.id, "apply", refused, change.etag), 403, "forbidden");
      await expectError(await act(change.id, "refresh", refused), 403, "forbidden");
    }
    expect(await read()).not.toMatchObject({ enabled: true });
    expect((await act(change.id, "apply", live, change.etag)).status).toBe(200);
    expect(await read()).toMatchObject({ enabled: true });
    // What is applied is no more than a caller elsewhere may know.
    const dev = await tokenFor(project, "dev", "flags:locked");
    await expectError(await act(change.id, "apply", dev, change.etag), 403, "forbidden");
    const archiving = { method: "PATCH", body: { archived: true }, headers: { "X-Propose": "1d" } };
    const wide = await ask(`${root}/flags/sale`, { ...archiving, token: releaser.token });
    const { change: ofAll } = (await wide.json()) as { change: ProposalView };
    expect(ofAll.environments).toEqual(["dev", "live"]);
    await act(ofAll.id, "approve", other.token, ofAll.etag);
    await expectError(await act(ofAll.id, "apply", live, ofAll.etag), 403, "forbidden");
  });

  test("refreshes the changes that it proposed, as long as they reach no other", async () => {
    const { project, propose, act, set } = await shop();
    const [own, stranger] = [
      await tokenFor(project, "live", "flags:write"),
      await tokenFor(project, "live", "flags:write"),
    ];
    await propose({ enabled: true });
    const change = await propose({ payload: [1] }, own);
    await set({ payload: [2] }, { "X-Bypass": "true", "X-Why": "fire" }, ADMIN);
    await expectError(await act(change.id, "refresh", stranger), 403, "forbidden");
    const refreshed = await act(change.id, "refresh", own);
    expect(refreshed.status).toBe(200);
    expect(((await refreshed.json()) as { change: ProposalView }).change).toMatchObject({
      isOutdated: false,
    });
  });

  test("does not refresh a change that reaches another environment since", async () => {
    const project = fresh();
    await createProject(app, OPERATOR, { slug: project, environments: ["live"] });
    const root = `/projects/${project}`;
    await ask(`${root}/environments/live/flags/sale`, { method: "PATCH", body: { enabled: true } });
    await setEnvironment(app, OPERATOR, project, "live", { approvals: 1 });
    const archive = { method: "PATCH", body: { archived: true }, headers: { "X-Propose": "1d" } };
    const proposed = await ask(`${root}/flags/sale`, { ...archive, token: editor.token });
    const { change } = (await proposed.json()) as { change: ProposalView };
    expect(change.environments).toEqual(["live"]);
    const address = `${root}/changes/${change.id}`;
    const live = await tokenFor(project, "live", "flags:locked");
    expect((await ask(`${address}/refresh`, { method: "POST", token: live })).status).toBe(200);
    await createEnvironment(app, OPERATOR, project, { slug: "next" });
    await expectError(await ask(`${address}/refresh`, { method: "POST", token: live }), 403, "forbidden");
    const kept = ((await (await ask(address)).json()) as { change: ProposalView }).change;
    expect([kept.environments, kept.etag]).toEqual([["live"], change.etag]);
    await ask(`${address}/approve`, {
      method: "POST",
      token: releaser.token,
      headers: { "If-Match": `"${change.etag}"` },
    });
    const applying = { method: "POST", token: live, headers: { "If-Match": `"${change.etag}"` } };
    await expectError(await ask(`${address}/apply`, applying), 409, "outdated");
    const flag = await (await ask(`${root}/environments/live/flags/sale`)).json();
    expect(flag).not.toHaveProperty("archived");
  });
});

test("an admin bypasses approvals with a reason, which the history and the audit log keep", async () => {
  const { project, set, read, changes } = await shop();
  const bypass = { "X-Bypass": "true" };
  await expectError(await set({ enabled: true }, bypass, ADMIN), 400, "invalid", "reason");
  const why = { ...bypass, "X-Why": "the%20shop%20is%20down" };
  await expectError(await set({ enabled: true }, why, releaser.token), 403, "forbidden");
  expect((await set({ enabled: true }, why, ADMIN)).status).toBe(200);
  expect(await read()).toMatchObject({ enabled: true });
  const answer = await ask(`/projects/${project}/history?kind=flag`);
  expect(((await answer.json()) as { changes: object[] }).changes[0]).toMatchObject({
    bypass: true,
    why: "the shop is down",
  });
  const [entry] = (await app.store.audit.page({ projects: [project], action: "change", limit: 1 })).items;
  expect(entry).toMatchObject({ action: "change.bypass", details: { bypass: true } });
  const listed = (await (await ask(changes)).json()) as { changes: ProposalView[] };
  expect(listed.changes).toMatchObject([{ status: "applied", bypass: true }]);
  expect((await set({ payload: [1] }, { ...why, "X-Propose": "1d" }, ADMIN)).status).toBe(400);
});

test("a document that bypasses approvals has one project, so that each project has its own entry", async () => {
  const [one, two] = [await shop(), await shop()];
  const flags = { sale: { environments: { live: { enabled: true } } } };
  const headers = { "X-Bypass": "true", "X-Why": "fire" };
  const both = { projects: { [one.project]: { flags }, [two.project]: { flags } } };
  await expectError(
    await ask("/apply", { body: { document: both }, headers }),
    400,
    "invalid",
    "one project",
  );
  expect(await one.read()).not.toMatchObject({ enabled: true });
  const document = { projects: { [one.project]: { flags } } };
  expect((await ask("/apply", { body: { document }, headers })).status).toBe(200);
  const listed = (await (await ask(one.changes)).json()) as { changes: ProposalView[] };
  expect(listed.changes).toMatchObject([{ project: one.project, bypass: true }]);
});
