import { describe, expect, test } from "bun:test";
import type { Invitation } from "../../../src/access/members/invitation.ts";
import type { MemberRole, MemberSource } from "../../../src/access/members/member.ts";
import type { Role } from "../../../src/access/role.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { NOW, newSession, tokenCalled, userCalled } from "../../support/records/records.ts";
import { codeOf } from "../../support/refusals.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for members and invitations in every driver. */
export function membersContract(driver: Driver): void {
  const open = opener(driver);

  describe(`members, kept by ${driver.name},`, async () => {
    const store = await open();
    const addUser = async () => {
      const user = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user });
      return user.name;
    };
    const put = (
      project: string,
      user: string,
      role: Role,
      more: { environments?: string[]; source?: "oidc" } = {},
    ) =>
      apply(store, {
        change: "putMember",
        project,
        user,
        role,
        source: "manual",
        isNew: true,
        environments: null,
        ...more,
      });

    test("have one role of each source in a project, which is replaced", async () => {
      const [{ slug: project }, user] = [await addProject(store, fresh(), "live", "test"), await addUser()];
      await put(project, user, "viewer");
      await put(project, user, "admin", { source: "oidc" });
      await put(project, user, "editor", { environments: ["test"] });
      type Held = MemberRole & { source: MemberSource };
      const manual: Held = { role: "editor", environments: ["test"], source: "manual" };
      const oidc: Held = { role: "admin", environments: null, source: "oidc" };
      expect(await store.members.find(project, user)).toEqual([
        { user, ...manual },
        { user, ...oidc },
      ]);
      expect(await store.members.ofUser(user)).toEqual([
        { project, ...manual },
        { project, ...oidc },
      ]);
      const session = newSession(user);
      await store.sessions.insert(session, null);
      expect((await store.sessions.find(session.hash))!.memberships).toHaveLength(2);
      await apply(store, { change: "deleteMember", project, user, source: "oidc" });
      expect(await store.members.find(project, user)).toEqual([{ user, ...manual }]);
      await apply(store, { change: "deleteMember", project, user, source: null });
      expect(await store.members.find(project, user)).toEqual([]);
    });

    test("are listed by name and source, a page at a time", async () => {
      const { slug: project } = await addProject(store, fresh());
      const users = [await addUser(), await addUser()].toSorted((a, b) => (a < b ? -1 : 1)) as [
        string,
        string,
      ];
      await put(project, users[1], "viewer");
      await put(project, users[0], "viewer", { source: "oidc" });
      await put(project, users[0], "viewer");
      const listed = async (limit: number, after?: string) => {
        const { items, more } = await store.members.page(project, { limit, after });
        return [items.map(({ user, source }) => `${user}/${source}`), more];
      };
      const all = [`${users[0]}/manual`, `${users[0]}/oidc`, `${users[1]}/manual`] as const;
      expect(await listed(3)).toEqual([[...all], false]);
      expect(await listed(1)).toEqual([[all[0]], true]);
      expect(await listed(2, all[0])).toEqual([[all[1], all[2]], false]);
    });

    test("are gone with their project and their user, and lose an environment that is deleted", async () => {
      const project = await addProject(store, fresh(), "live", "test");
      const [kept, gone] = [await addUser(), await addUser()];
      await put(project.slug, kept, "editor", { environments: ["live", "test"] });
      await put(project.slug, gone, "viewer");
      await apply(store, { change: "deleteUser", name: gone });
      await project.dropEnvironment("live");
      expect(await store.members.find(project.slug, kept)).toMatchObject([{ environments: ["test"] }]);
      await project.dropEnvironment("test");
      // Without any left they change no flags, rather than those of every environment.
      expect(await store.members.find(project.slug, kept)).toMatchObject([{ environments: [] }]);
      expect((await store.members.page(project.slug, { limit: 10 })).items).toHaveLength(1);
      await project.delete();
      expect(await store.members.ofUser(kept)).toEqual([]);
    });

    test("need a project, a user and environments that exist", async () => {
      const [{ slug: project }, user] = [await addProject(store, fresh(), "live"), await addUser()];
      expect(await codeOf(put("nothing", user, "viewer"))).toBe("not_found");
      expect(await codeOf(put(project, "nobody", "viewer"))).toBe("not_found");
      expect(await codeOf(put(project, user, "editor", { environments: ["nowhere"] }))).toBe("not_found");
      expect(await codeOf(store.members.page("nothing", { limit: 1 }))).toBe("not_found");
      expect(await codeOf(store.members.find("nothing", user))).toBe("not_found");
      expect(await store.members.ofUser("nobody")).toEqual([]);
    });

    test("raise the version of access", async () => {
      const [{ slug: project }, user] = [await addProject(store, fresh()), await addUser()];
      const before = (await store.readVersion()).access;
      await put(project, user, "viewer");
      const between = (await store.readVersion()).access;
      await apply(store, { change: "deleteMember", project, user, source: null });
      expect([between > before, (await store.readVersion()).access > between]).toEqual([true, true]);
    });
  });

  describe(`invitations, kept by ${driver.name},`, async () => {
    const store = await open();
    const hashOf = (id: string) => new Bun.CryptoHasher("sha256").update(id).digest("hex");
    const invite = async (project: string, more: Partial<Invitation> = {}) => {
      const invitation: Invitation = {
        id: fresh(),
        project,
        role: "viewer",
        environments: null,
        maker: { type: "operator" },
        createdAt: NOW,
        expiresAt: NOW + 1000,
        ...more,
      };
      await apply(store, { change: "insertInvitation", invitation, hash: hashOf(invitation.id) });
      return invitation;
    };
    const found = (id: string) => store.invitations.find(hashOf(id));

    test("are found by the hash of their secret, and listed by id", async () => {
      const { slug: project } = await addProject(store, fresh(), "live");
      const first = await invite(project, { id: `a-${fresh()}`, role: "editor", environments: ["live"] });
      const second = await invite(project, { id: `b-${fresh()}` });
      expect(await found(first.id)).toEqual(first);
      expect(await store.invitations.find(first.id)).toBeUndefined();
      expect(await store.invitations.page(project, { limit: 1 })).toEqual({ items: [first], more: true });
      const rest = await store.invitations.page(project, { limit: 1, after: first.id });
      expect(rest).toEqual({ items: [second], more: false });
      await apply(store, { change: "deleteInvitation", project, id: first.id, isSpent: true });
      expect(await found(first.id)).toBeUndefined();
    });

    test("are gone with their project, and with the user or the token that made them", async () => {
      const [project, other] = [await addProject(store, fresh()), await addProject(store, fresh())];
      const [user, token] = [userCalled(fresh("user")), tokenCalled(fresh("token"), { project: other.slug })];
      await apply(store, { change: "insertUser", user });
      // A token of the same name that is limited to nothing.
      await apply(store, { change: "insertToken", token: tokenCalled(token.name), hash: fresh() });
      await apply(store, { change: "insertToken", token, hash: fresh() });
      const byUser = await invite(project.slug, { maker: { type: "user", name: user.name } });
      const byToken = await invite(project.slug, {
        maker: { type: "token", name: token.name, project: other.slug },
      });
      const byOperator = await invite(project.slug);
      expect(await found(byUser.id)).toEqual(byUser);
      expect(await found(byToken.id)).toEqual(byToken);
      await apply(store, { change: "deleteUser", name: user.name });
      await apply(store, { change: "deleteToken", name: token.name });
      expect(await found(byUser.id)).toBeUndefined();
      expect(await found(byToken.id)).toEqual(byToken);
      await apply(store, { change: "deleteToken", name: token.name, limitedTo: other.slug });
      expect(await found(byToken.id)).toBeUndefined();
      await project.delete();
      expect(await found(byOperator.id)).toBeUndefined();
    });

    test("are removed once they have expired", async () => {
      const { slug: project } = await addProject(store, fresh());
      const [old, recent] = [await invite(project), await invite(project, { expiresAt: NOW + 2000 })];
      expect(await store.invitations.clearExpired(NOW + 1000, 100)).toBe(false);
      expect([await found(old.id), await found(recent.id)]).toEqual([undefined, recent]);
    });
  });
}
