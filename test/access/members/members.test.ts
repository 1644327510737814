import { describe, expect, test } from "bun:test";
import {
  acceptInvitation,
  createInvitation,
  joinByInvitation,
  listInvitations,
  revokeInvitation,
} from "../../../src/access/members/invitations.ts";
import { listMembers, removeMember, setMember } from "../../../src/access/members/members.ts";
import { hasScope } from "../../../src/access/rights.ts";
import { resumeSession } from "../../../src/access/sessions.ts";
import { createToken, revokeToken } from "../../../src/access/tokens.ts";
import { deleteUser, setRole } from "../../../src/access/users.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR, callerNamed } from "../../support/records/caller.ts";
import { PASSWORD, signIn } from "../../support/records/users.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";

const DAY = 86_400_000;

/** Two projects, and `ann`, who is the admin of `shop` alone. */
async function open() {
  const app = openTestApp();
  for (const slug of ["shop", "bank"])
    await createProject(app, OPERATOR, { slug, environments: ["live", "test"] });
  await signIn(app, "ann", "none");
  await setMember(app, OPERATOR, "shop", "ann", { role: "admin" });
  const { caller: ann } = await signIn(app, "ann");
  return { app, ann };
}

describe("the admin of a project", () => {
  test("changes and removes its members, and adds nobody, of whom it learns nothing", async () => {
    const { app, ann } = await open();
    await signIn(app, "ben", "none");
    for (const name of ["ben", "nobody"])
      expect(await reasonOf(setMember(app, ann, "shop", name, { role: "viewer" }))).toBe(
        "not_found member-not-found",
      );
    await setMember(app, OPERATOR, "shop", "ben", { role: "viewer" });
    const set = await setMember(app, ann, "shop", "ben", { role: "editor", environments: ["test", "test"] });
    expect(set).toEqual({
      member: { user: "ben", role: "editor", environments: ["test"], source: "manual" },
      result: "updated",
    });
    const again = await setMember(app, ann, "shop", "ben", { role: "editor", environments: ["test"] });
    expect(again.result).toBe("unchanged");
    expect((await listMembers(app, ann, "shop", { limit: 10 })).items.map(({ user }) => user)).toEqual([
      "ann",
      "ben",
    ]);
    await removeMember(app, ann, "shop", "ben");
    expect(await reasonOf(removeMember(app, ann, "shop", "ben"))).toBe("not_found member-not-found");
  });

  test("sees no other project, and nothing of the instance", async () => {
    const { app, ann } = await open();
    for (const project of ["bank", "nothing"]) {
      expect(await reasonOf(listMembers(app, ann, project, { limit: 1 }))).toBe(
        "not_found project-not-found",
      );
      expect(await reasonOf(setMember(app, ann, project, "ann", { role: "admin" }))).toBe(
        "not_found project-not-found",
      );
    }
    expect(await codeOf(createProject(app, ann, { slug: "mine" }))).toBe("forbidden");
    expect(await codeOf(setRole(app, ann, "ann", "admin"))).toBe("forbidden");
  });

  test("creates and revokes tokens of it with any scope, under names that others have elsewhere", async () => {
    const { app, ann } = await open();
    await createToken(app, OPERATOR, { name: "ci" });
    await createToken(app, OPERATOR, { name: "ci", project: "bank" });
    const made = await createToken(app, ann, { name: "ci", project: "shop" });
    expect(made).toMatchObject({ scopes: ["admin"], project: "shop" });
    await createToken(app, ann, { name: "ann", project: "shop", scopes: ["forms:write"] });
    expect(await reasonOf(createToken(app, ann, { name: "ci", project: "shop" }))).toBe(
      "conflict token-exists",
    );
    expect(await codeOf(createToken(app, ann, { name: "other" }))).toBe("forbidden");
    expect(await reasonOf(createToken(app, ann, { name: "x", project: "bank" }))).toBe(
      "not_found project-not-found",
    );
    await revokeToken(app, ann, "ci");
    expect((await app.store.tokens.named("ci")).map(({ project }) => project)).toEqual([undefined, "bank"]);
    expect(await codeOf(revokeToken(app, ann, "ci"))).toBe("not_found");
  });
});

test("a token is found by its name alone where only one can be meant", async () => {
  const { app } = await open();
  for (const project of ["shop", "bank"]) await createToken(app, OPERATOR, { name: "ci", project });
  expect(await reasonOf(revokeToken(app, OPERATOR, "ci"))).toBe("conflict token-ambiguous");
  await createToken(app, OPERATOR, { name: "ci" });
  await revokeToken(app, OPERATOR, "ci");
  await revokeToken(app, OPERATOR, "ci", "shop");
  await revokeToken(app, OPERATOR, "ci");
  expect(await app.store.tokens.named("ci")).toEqual([]);
});

describe("a member", () => {
  test("with environments changes their flags, and reads the rest", async () => {
    const { app } = await open();
    await signIn(app, "ben", "none");
    await setMember(app, OPERATOR, "shop", "ben", { role: "releaser", environments: ["test"] });
    const { caller } = await signIn(app, "ben");
    const flag = { project: "shop", flag: "sale" };
    await setFlag(app, caller, { ...flag, environment: "test" }, { enabled: true });
    expect(await codeOf(setFlag(app, caller, { ...flag, environment: "live" }, {}))).toBe("forbidden");
    const bank = setFlag(app, caller, { ...flag, project: "bank", environment: "live" }, {});
    expect(await reasonOf(bank)).toBe("not_found project-not-found");
    expect(hasScope(caller, "forms:read", { project: "shop" })).toBe(true);
    expect(hasScope(caller, "forms:write", { project: "shop" })).toBe(false);
  });

  test("has no role that environments cannot limit, or in environments that do not exist", async () => {
    const { app } = await open();
    for (const role of ["viewer", "inbox", "admin"] as const)
      expect(await codeOf(setMember(app, OPERATOR, "shop", "ann", { role, environments: ["test"] }))).toBe(
        "invalid",
      );
    const nowhere = { role: "editor", environments: ["nowhere"] } as const;
    expect(await reasonOf(setMember(app, OPERATOR, "shop", "ann", nowhere))).toBe(
      "not_found environment-not-found",
    );
  });

  test("that is removed ends what is on its way", async () => {
    const { app, ann } = await open();
    await removeMember(app, OPERATOR, "shop", "ann");
    const late = setFlag(app, ann, { project: "shop", environment: "live", flag: "late" }, {});
    expect(await reasonOf(late)).toBe("forbidden role-changed");
  });
});

describe("an invitation", () => {
  const invite = async (more: Partial<Parameters<typeof createInvitation>[3]> = {}) => {
    const { app, ann } = await open();
    const made = await createInvitation(app, ann, "shop", {
      role: "editor",
      environments: ["test"],
      ...more,
    });
    const listed = async () => (await listInvitations(app, OPERATOR, "shop", { limit: 10 })).items;
    return { app, ann, ...made, listed };
  };
  const ENDED = "not_found invitation-unknown";

  test("makes a user who is signed in a member, once", async () => {
    const { app, secret, invitation, listed } = await invite();
    expect(await listed()).toEqual([invitation]);
    const { caller, secret: session } = await signIn(app, "ben", "none");
    expect(await codeOf(acceptInvitation(app, callerNamed("ben"), secret))).toBe("forbidden");
    await acceptInvitation(app, caller, secret);
    expect((await resumeSession(app, session)).memberships).toEqual([
      { project: "shop", role: "editor", environments: ["test"], source: "manual" },
    ]);
    expect(await listed()).toEqual([]);
    expect(await reasonOf(acceptInvitation(app, (await signIn(app, "ben")).caller, secret))).toBe(ENDED);
  });

  test("takes no stronger role away", async () => {
    const { app, ann, secret } = await invite();
    await acceptInvitation(app, ann, secret);
    expect(await app.store.members.ofUser("ann")).toMatchObject([{ role: "admin", environments: null }]);
  });

  test("creates a user with a password, who sees that project alone", async () => {
    const { app, secret } = await invite();
    const join = (name: string, password = PASSWORD) => joinByInvitation(app, secret, { name, password });
    expect(await reasonOf(join("ann"))).toBe("conflict user-exists");
    expect(await reasonOf(join("cleo", "short"))).toBe("invalid password-short");
    expect(await codeOf(join("no such name"))).toBe("invalid");
    const both = await Promise.allSettled([join("cleo"), join("dora")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const users = (await app.store.users.page({ limit: 10 })).items.filter(({ name }) => name !== "ann");
    expect(users).toMatchObject([{ role: "none", hasPassword: true }]);
    expect(await app.store.members.ofUser(users[0]!.name)).toHaveLength(1);
  });

  test("ends with the right of its maker, and comes back with it", async () => {
    const { app, secret, listed } = await invite();
    const { caller } = await signIn(app, "ben", "none");
    await setMember(app, OPERATOR, "shop", "ann", { role: "releaser" });
    expect(await listed()).toEqual([]);
    expect(await reasonOf(acceptInvitation(app, caller, secret))).toBe(ENDED);
    await deleteUser(app, OPERATOR, "ann");
    await signIn(app, "ann", "admin");
    expect(await reasonOf(acceptInvitation(app, caller, secret))).toBe(ENDED);
  });

  test("of a token ends when that is revoked or expires", async () => {
    const { app } = await open();
    const project = "shop";
    const expiresAt = new Date(app.now() + DAY).toISOString();
    await createToken(app, OPERATOR, { name: "inviter", project, expiresAt });
    const inviter = callerNamed("inviter", { project });
    const { secret } = await createInvitation(app, inviter, project, { role: "viewer" });
    const { caller } = await signIn(app, "ben", "none");
    app.clock.now += DAY;
    expect(await reasonOf(acceptInvitation(app, caller, secret))).toBe(ENDED);
  });

  test("lasts a week, or up to 90 days, and can be ended before", async () => {
    const { app, ann, invitation, listed, secret } = await invite();
    expect(invitation.expiresAt - invitation.createdAt).toBe(7 * DAY);
    const until = (ms: number) =>
      ({ role: "viewer", expiresAt: new Date(app.now() + ms).toISOString() }) as const;
    for (const ms of [0, 90 * DAY + 1])
      expect(await codeOf(createInvitation(app, ann, "shop", until(ms)))).toBe("invalid");
    await createInvitation(app, ann, "shop", until(90 * DAY));
    await revokeInvitation(app, ann, "shop", invitation.id);
    expect(await reasonOf(revokeInvitation(app, ann, "shop", invitation.id))).toBe(
      "not_found invitation-not-found",
    );
    const { caller } = await signIn(app, "ben", "none");
    expect(await reasonOf(acceptInvitation(app, caller, secret))).toBe(ENDED);
    app.clock.now += 90 * DAY;
    expect(await listed()).toEqual([]);
  });
});
