import { describe, expect, test } from "bun:test";
import { createEnvironment } from "../../src/flags/environments.ts";
import type { EnvironmentPatch } from "../../src/projects/environment.ts";
import { deleteEnvironment, getEnvironment, setEnvironment } from "../../src/projects/environments.ts";
import { deleteProject } from "../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../src/projects/projects.ts";
import { callerNamed, OPERATOR } from "../support/records/caller.ts";
import { reasonOf } from "../support/refusals.ts";
import { openShop } from "../support/records/shop.ts";

describe("the order of environments", () => {
  const orderOf = async (app: Awaited<ReturnType<typeof openShop>>["app"]) =>
    (await app.store.environments.list("shop")).map(({ slug, position }) => `${position} ${slug}`);

  test("is the one in which they were created, until one is moved", async () => {
    const { app } = await openShop("staging", "develop", "production");
    expect(await orderOf(app)).toEqual(["1 staging", "2 develop", "3 production"]);
    const moved = await setEnvironment(app, OPERATOR, "shop", "develop", { position: 1 });
    expect(moved).toMatchObject({ result: "updated", environment: { position: 1 } });
    expect(await orderOf(app)).toEqual(["1 develop", "2 staging", "3 production"]);
    expect((await setEnvironment(app, OPERATOR, "shop", "develop", { position: 1 })).result).toBe(
      "unchanged",
    );
    await createEnvironment(app, OPERATOR, "shop", { slug: "a" });
    expect((await orderOf(app)).at(-1)).toBe("4 a");
  });

  test("has a place beyond the last as the last, and is one of the project alone", async () => {
    const { app } = await openShop("a", "b", "c");
    await createProject(app, OPERATOR, { slug: "other", environments: ["a", "b"] });
    await setEnvironment(app, OPERATOR, "shop", "a", { position: 99, name: "Last" });
    expect(await orderOf(app)).toEqual(["1 b", "2 c", "3 a"]);
    expect((await app.store.environments.list("other")).map(({ slug }) => slug)).toEqual(["a", "b"]);
    const { items } = await app.store.changes.page("shop", { kind: "environment", limit: 2 });
    expect(items.map(({ before, after }) => [before, after])).toEqual([
      [{ position: 1 }, { position: 3 }],
      [expect.objectContaining({ name: "a" }), expect.objectContaining({ name: "Last" })],
    ]);
    await deleteEnvironment(app, OPERATOR, "shop", "c");
    expect(await orderOf(app)).toEqual(["1 b", "2 a"]);
  });
});

describe("an environment", () => {
  test("is added to its project with a key of its own", async () => {
    const { app } = await openShop("m");
    const added = await createEnvironment(app, OPERATOR, "shop", { slug: "a", name: "First" });
    expect(added).toMatchObject({ slug: "a", name: "First", locked: false });
    expect((await app.store.environments.list("shop"))[1]).toEqual(added);
    expect(await getEnvironment(app, "shop", "a")).toEqual(added);
  });

  test("is a conflict where the slug is taken in the project, not in another", async () => {
    const { app } = await openShop("develop");
    await createProject(app, OPERATOR, { slug: "other", environments: [] });
    const create = (project: string) => createEnvironment(app, OPERATOR, project, { slug: "develop" });
    expect(await reasonOf(create("shop"))).toBe("conflict environment-exists");
    expect((await create("other")).slug).toBe("develop");
  });

  test("is not found where the project or what it starts from does not exist, and then none is added", async () => {
    const { app } = await openShop("develop");
    const create = (project: string, from?: string) =>
      createEnvironment(app, OPERATOR, project, { slug: "new", from });
    expect(await reasonOf(create("nobody"))).toStartWith("not_found");
    expect(await reasonOf(create("shop", "nothing"))).toStartWith("not_found");
    expect(await app.store.environments.list("shop")).toHaveLength(1);
  });

  test("is not found by a delete where there is none", async () => {
    const { app } = await openShop("a");
    expect(await reasonOf(deleteEnvironment(app, OPERATOR, "shop", "b"))).toStartWith("not_found");
    expect(await reasonOf(deleteEnvironment(app, OPERATOR, "nobody", "a"))).toStartWith("not_found");
    expect(await app.store.environments.list("shop")).toHaveLength(1);
  });

  test("is locked and unlocked, which is a change only where it differs", async () => {
    const { app, history } = await openShop("live");
    const lock = async (locked: boolean) =>
      (await setEnvironment(app, OPERATOR, "shop", "live", { locked })).result;
    expect([await lock(true), await lock(true), await lock(false), await lock(false)]).toEqual([
      "updated",
      "unchanged",
      "updated",
      "unchanged",
    ]);
    expect((await history()).map(({ after }) => after)).toMatchObject([
      { locked: false },
      { locked: true },
      { name: "live" },
    ]);
    expect(await reasonOf(setEnvironment(app, OPERATOR, "shop", "test", { locked: true }))).toStartWith(
      "not_found",
    );
  });

  test("gets a colour and loses it, alone or with a lock, by administrators only", async () => {
    const { app, history } = await openShop("live");
    const set = async (patch: EnvironmentPatch, caller = OPERATOR) =>
      setEnvironment(app, caller, "shop", "live", patch);
    expect(await set({ color: "red" })).toMatchObject({ environment: { color: "red" }, result: "updated" });
    expect((await set({ color: "red" })).result).toBe("unchanged");
    await set({ locked: true, color: "blue" });
    expect(await getEnvironment(app, "shop", "live")).toMatchObject({ locked: true, color: "blue" });
    await set({ color: null });
    expect((await history()).slice(0, 3).map(({ before, after }) => [before, after])).toEqual([
      [
        { name: "live", locked: true, color: "blue" },
        { name: "live", locked: true, color: null },
      ],
      [
        { name: "live", locked: false, color: "red" },
        { name: "live", locked: true, color: "blue" },
      ],
      [
        { name: "live", locked: false, color: null },
        { name: "live", locked: false, color: "red" },
      ],
    ]);
    const releaser = callerNamed("eve", { scopes: ["flags:locked"] });
    expect(await reasonOf(set({ color: "red" }, releaser))).toStartWith("forbidden");
  });

  test("that is locked is deleted, alone or with its project, by those who confirm it", async () => {
    const { app } = await openShop("live");
    await setEnvironment(app, OPERATOR, "shop", "live", { locked: true });
    const cautious = callerNamed("bob", { hasConfirmed: () => false });
    for (const attempt of [
      () => deleteEnvironment(app, cautious, "shop", "live"),
      () => deleteProject(app, cautious, "shop"),
    ])
      expect(await reasonOf(attempt())).toBe("unconfirmed environment-locked");
    await deleteEnvironment(app, OPERATOR, "shop", "live");
    expect(await app.store.environments.list("shop")).toEqual([]);
  });
});
