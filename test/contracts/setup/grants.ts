import { describe, expect, test } from "bun:test";
import type { OAuthGrant } from "../../../src/access/oauth/grant.ts";
import { dashedKey } from "../../../src/base/ids.ts";
import { addProject, apply } from "../../support/records/apply.ts";
import { codeOf, grantOf, issue } from "../../support/records/grants.ts";
import { NOW, newSession, random, userCalled } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const PASSWORD = `$argon2id$v=19$m=19456,t=2,p=1$${"a".repeat(43)}$${"b".repeat(43)}`;
const UNTIL = { seenBefore: NOW - 10, createdBefore: NOW - 20, now: NOW };

const hash = () => newSession("").hash;

const BY = { at: NOW + 1, address: "192.0.2.1" };

/** What the product relies on for grants of assistants in every driver. */
export function grantsContract(driver: Driver): void {
  describe(`grants of assistants, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const { grants } = store;
    const addUser = async () => {
      const user = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user });
      return user;
    };
    /** A grant that has tokens. */
    const begin = async (user: string, more: Partial<OAuthGrant> = {}) => {
      const made = grantOf(user, more);
      expect(await grants.insert(made, 100)).toBe(true);
      const issued = issue();
      const grant = (await grants.start(codeOf(made), issued, BY))!;
      return { made, issued, grant };
    };

    test("wait for their code, and are found by their access token from then on", async () => {
      const user = await addUser();
      const project = fresh("project");
      await addProject(store, project, "develop");
      const place = { project, environment: "develop" };
      const made = grantOf(user.name, place);
      expect(await grants.insert(made, 100)).toBe(true);
      expect((await grants.page(user.name, { limit: 10 })).items).toEqual([]);
      const issued = issue();
      const started = { ...made.grant, usedAt: BY.at, expiresAt: issued.expiresAt };
      expect(await grants.start(codeOf(made, { redirect: null, resource: null }), issued, BY)).toEqual(
        started,
      );
      const { accessExpiresAt } = issued;
      const found = { grant: started, user, memberships: [], accessExpiresAt, isUnused: false };
      expect(await grants.find(issued.access)).toEqual(found);
      expect(await grants.findById(made.grant.id)).toEqual(started);
      expect((await grants.page(user.name, { limit: 10 })).items).toEqual([started]);
      await grants.markUsed(issued.access, NOW + 7);
      expect((await grants.find(issued.access))!.grant.usedAt).toBe(NOW + 7);
      expect((await store.audit.page({ limit: 1, projects: [project] })).items).toMatchObject([
        {
          action: "grant.create",
          who: user.name,
          type: "user",
          object: made.grant.id,
          project,
          address: BY.address,
          details: { client: "Claude ✓", environment: "develop" },
        },
      ]);
      await apply(store, { change: "deleteProject", project, history: null });
      expect(await grants.find(issued.access)).toBeUndefined();
    });

    test("end when their code is presented again, and are lost with a code that does not fit", async () => {
      const user = await addUser();
      const { made, issued } = await begin(user.name);
      expect(await grants.start(codeOf(made), issue(), BY)).toBeUndefined();
      expect(await grants.find(issued.access)).toBeUndefined();
      const newest = (await store.audit.page({ limit: 1, projects: null })).items;
      expect(newest).toMatchObject([{ action: "grant.revoke", details: { reason: "code-reused" } }]);
      for (const wrong of [
        { challenge: "another" },
        { client: "https://evil.example/client.json" },
        { redirect: "https://app.example/back/" },
        { resource: "https://flags.example.com/mcp/" },
      ]) {
        const lost = grantOf(user.name);
        await grants.insert(lost, 100);
        expect(await grants.start(codeOf(lost, wrong), issue(), BY)).toBeUndefined();
        expect(await grants.start(codeOf(lost), issue(), BY)).toBeUndefined();
      }
      const late = grantOf(user.name);
      await grants.insert(late, 100);
      expect(await grants.start(codeOf(late), issue(), { ...BY, at: NOW + 60 })).toBeUndefined();
    });

    test("give a code to one of two exchanges at a time, and end", async () => {
      const user = await addUser();
      const made = grantOf(user.name);
      await grants.insert(made, 100);
      const issued = [issue(), issue()];
      const started = await Promise.all(issued.map((each) => grants.start(codeOf(made), each, BY)));
      expect(started.filter(Boolean)).toHaveLength(1);
      for (const { access } of issued) expect(await grants.find(access)).toBeUndefined();
    });

    test("replace their tokens, and end when a refresh token comes back that was replaced", async () => {
      const user = await addUser();
      const { issued, grant } = await begin(user.name);
      const { family, refresh } = issued;
      const presented = { family, refresh, client: grant.client, resource: null };
      const next = issue({ family });
      for (const wrong of [
        { client: "another" },
        { resource: "https://other.example/mcp" },
        { family: hash() },
      ])
        expect(await grants.refresh({ ...presented, ...wrong }, issue({ family }), BY)).toBeUndefined();
      expect(await grants.refresh(presented, issue(), { ...BY, at: NOW + 9000 })).toBeUndefined();
      expect(await grants.refresh(presented, next, BY)).toMatchObject({ id: grant.id });
      expect(await grants.find(issued.access)).toBeUndefined();
      expect(await grants.find(next.access)).toMatchObject({ grant: { id: grant.id }, isUnused: true });
      await grants.markUsed(next.access, NOW + 2);
      expect(await grants.find(next.access)).toMatchObject({ isUnused: false });
      expect(await grants.refresh(presented, issue({ family }), BY)).toBeUndefined();
      expect(await grants.find(next.access)).toBeUndefined();
      const again = { ...presented, refresh: next.refresh };
      expect(await grants.refresh(again, issue({ family }), BY)).toBeUndefined();
    });

    test("take the refresh token that was replaced last, until a newer token was used or has expired", async () => {
      const user = await addUser();
      const lose = async () => {
        const { issued, grant } = await begin(user.name);
        const { family, refresh } = issued;
        const present = (refresh: string, at = BY.at) => {
          const next = issue({ family, accessExpiresAt: at + 50 });
          const presented = { family, refresh, client: grant.client, resource: null };
          return grants.refresh(presented, next, { ...BY, at }).then((found) => (found ? next : undefined));
        };
        return { present, first: refresh, lost: (await present(refresh))! };
      };
      const isLost = async ({ access }: { access: string }) => (await grants.find(access)) === undefined;

      const repeated = await lose();
      const second = (await repeated.present(repeated.first, BY.at + 49))!;
      const third = (await repeated.present(repeated.first, BY.at + 98))!;
      for (const each of [repeated.lost, second]) expect(await isLost(each)).toBe(true);
      await grants.markUsed(second.access, BY.at + 99);
      expect(await grants.find(third.access)).toMatchObject({ isUnused: true });
      const going = (await repeated.present(third.refresh, BY.at + 99))!;
      expect(await repeated.present(repeated.first, BY.at + 99)).toBeUndefined();
      expect(await isLost(going)).toBe(true);

      const late = await lose();
      expect(await late.present(late.first, BY.at + 50)).toBeUndefined();
      expect(await isLost(late.lost)).toBe(true);

      const old = await lose();
      const newest = (await old.present(old.first))!;
      expect(await old.present(old.lost.refresh)).toBeUndefined();
      expect(await isLost(newest)).toBe(true);
      const entries = (await store.audit.page({ limit: 1, projects: null })).items;
      expect(entries).toMatchObject([{ action: "grant.revoke", details: { reason: "refresh-reused" } }]);
    });

    test("leave the tokens of one answer when one refresh token is presented several times at once", async () => {
      const user = await addUser();
      const { issued, grant } = await begin(user.name);
      const { family, refresh } = issued;
      const presented = { family, refresh, client: grant.client, resource: null };
      const made = Array.from({ length: 5 }, () => issue({ family }));
      const answers = await Promise.all(made.map((each) => grants.refresh(presented, each, BY)));
      expect(answers.filter(Boolean)).toHaveLength(5);
      const found = await Promise.all(made.map(({ access }) => grants.find(access)));
      expect(found.filter(Boolean)).toHaveLength(1);
    });

    test("end by their client's tokens, by a person, and with the user, a password or a factor", async () => {
      const user = await addUser();
      const gone = async (end: (begun: Awaited<ReturnType<typeof begin>>) => Promise<unknown>) => {
        const begun = await begin(user.name);
        await end(begun);
        expect(await grants.find(begun.issued.access)).toBeUndefined();
        expect(await grants.findById(begun.grant.id)).toBeUndefined();
      };
      const { issued, grant } = await begin(user.name);
      await grants.deleteBySecret(issued.access, "another", BY);
      await grants.deleteBySecret(hash(), grant.client, BY);
      expect(await grants.find(issued.access)).toBeDefined();
      await gone(({ issued }) => grants.deleteBySecret(issued.access, grant.client, BY));
      await gone(({ issued }) => grants.deleteBySecret(issued.family, grant.client, BY));
      await gone(({ grant: { id } }) => grants.delete(id, { who: "admin", type: "user", at: NOW }));
      expect(await grants.delete(dashedKey(random), { who: "admin", at: NOW })).toBe(false);
      const { name } = user;
      await gone(() => apply(store, { change: "setPassword", name, password: PASSWORD, keep: null }));
      await gone(() => apply(store, { change: "resetFactors", name }));
      await gone(() => apply(store, { change: "deleteUser", name }));
    });

    test("are limited in number, removed once they have expired, with an entry if they had begun, and in no copy", async () => {
      const [from, into] = [fresh("database"), fresh("database")];
      const store = await open(from);
      const user = userCalled(fresh("user"));
      await apply(store, { change: "insertUser", user });
      const { grants } = store;
      expect(await grants.insert(grantOf("nobody"), 2)).toBe(false);
      const made = [NOW - 3, NOW - 2, NOW - 1].map((usedAt) => grantOf(user.name, { usedAt }));
      for (const each of made) expect(await grants.insert(each, 2)).toBe(true);
      const found = await Promise.all(made.map(({ grant }) => grants.findById(grant.id)));
      expect(found.map(Boolean)).toEqual([false, true, true]);
      expect(await store.sessions.clearEnded({ ...UNTIL, now: NOW + 59 }, 10)).toBe(false);
      expect(await grants.findById(made[2]!.grant.id)).toBeDefined();
      await driver.copy(from, into, () => {});
      expect(await (await open(into)).grants.findById(made[2]!.grant.id)).toBeUndefined();
      expect(await store.sessions.clearEnded({ ...UNTIL, now: NOW + 60 }, 10)).toBe(false);
      expect(await grants.findById(made[2]!.grant.id)).toBeUndefined();

      const begun = ["Claude", "Cursor", "Zed"].map((clientName) => grantOf(user.name, { clientName }));
      for (const each of begun) {
        await grants.insert(each, 5);
        await grants.start(codeOf(each), issue({ expiresAt: NOW + 90 }), BY);
      }
      const revoked = async () =>
        (await store.audit.page({ limit: 10, projects: null, action: "grant.revoke" })).items;
      expect(await revoked()).toEqual([]);
      expect(await store.sessions.clearEnded({ ...UNTIL, now: NOW + 90 }, 2)).toBe(true);
      expect(await store.sessions.clearEnded({ ...UNTIL, now: NOW + 90 }, 2)).toBe(false);
      const entries = await revoked();
      expect(new Set(entries.map(({ details }) => details["client"]))).toEqual(
        new Set(["Claude", "Cursor", "Zed"]),
      );
      for (const { who, type, at, details } of entries)
        expect({ who, type, at, details }).toMatchObject({
          who: "formflag",
          type: "system",
          at: NOW + 90,
          details: { user: user.name, reason: "expired" },
        });
    });
  });
}
