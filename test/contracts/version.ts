import { describe, expect, test } from "bun:test";
import { planDeletion } from "../../src/projects/plan.ts";
import { addForm, addProject, apply } from "../support/records/apply.ts";
import { environmentCalled, newSession, tokenCalled, userCalled } from "../support/records/records.ts";
import { type Driver, fresh, opener } from "./driver.ts";

/** What the product relies on for looks at a database, by which processes notice changes, in every driver. */
export function versionContract(driver: Driver): void {
  describe(`looks at a database of ${driver.name}`, async () => {
    const open = opener(driver);
    const database = fresh("database");
    const [near, far] = [await open(database), await open(database)];
    const reader = userCalled("reader");
    await apply(near, { change: "insertUser", user: reader });

    /** Whether the version and the access that each store finds have grown with a change. */
    const growth = async (change: () => Promise<unknown>) => {
      const before = [await near.readVersion(), await far.readVersion()];
      await change();
      const after = [await near.readVersion(), await far.readVersion()];
      return after.map(({ version, access }, index) => [
        Math.sign(version - before[index]!.version),
        Math.sign(access - before[index]!.access),
      ]);
    };

    test("are trusted for the same time by every store", () => {
      expect(near.staleness).toBeGreaterThan(0);
      expect(far.staleness).toBe(near.staleness);
    });

    test("find each change to who may do what, in each store", async () => {
      const project = await addProject(near, fresh(), "a", "b");
      const hash = fresh("hash");
      const token = tokenCalled(fresh(), { project: project.slug, environment: "a", scopes: ["read"] });
      for (const change of [
        () => apply(near, { change: "insertToken", token, hash }),
        () => apply(near, { change: "deleteToken", name: token.name }),
        () => apply(near, { change: "insertUser", user: userCalled("ann") }),
        () => apply(near, { change: "updateUser", name: "ann", role: "viewer" }),
        () => apply(near, { change: "setPassword", name: "ann", password: "hash", keep: null }),
        () => apply(near, { change: "deleteUser", name: "ann" }),
        () => apply(near, planDeletion(project.slug, environmentCalled("b"))),
        () => project.delete(),
      ])
        expect([change.toString(), ...(await growth(change))]).toEqual([change.toString(), [1, 1], [1, 1]]);
    });

    test("find that access is the same after every other change", async () => {
      const project = await addProject(near, fresh(), "a");
      for (const change of [
        () => project.set("a", "flag", { enabled: true }),
        () => project.addEnvironment("c"),
        () => addForm(far, fresh()),
      ])
        expect([change.toString(), ...(await growth(change))]).toEqual([change.toString(), [1, 0], [1, 0]]);
      const signIn = () => near.sessions.insert(newSession("reader"), null);
      expect(await growth(signIn)).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });

    test("find nothing of a change that is refused", async () => {
      const { version } = await near.readVersion();
      const token = tokenCalled(fresh());
      const refused = () =>
        near
          .apply([{ change: "insertToken", token, hash: fresh("hash") }], version + 1, { who: "ann", at: 0 })
          .catch(() => {});
      expect(await growth(refused)).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });
  });
}
