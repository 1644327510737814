import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { createToken } from "../../../src/access/tokens.ts";
import { createEnvironment } from "../../../src/flags/environments.ts";
import type { FlagPatch } from "../../../src/flags/flag.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import { createFlagViews, createSnapshots } from "../../../src/flags/reads/snapshots.ts";
import { deleteEnvironment } from "../../../src/projects/environments.ts";
import { deleteProject } from "../../../src/forms/keeping/project-deletion.ts";
import { createProject } from "../../../src/projects/projects.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";

for (const writing of ["inline", "thread"] as const) {
  const app = openTestApp(writing);
  let projects = 0;

  /** A project with two environments, and snapshots that count how often they are made. */
  async function openProject() {
    const slug = `project-${(projects += 1)}`;
    const { key, environments } = await createProject(app, OPERATOR, { slug, environments: ["a", "b"] });
    const made: string[][] = [];
    const find = createSnapshots(app.watch, app.store, async (selection) => {
      const flags = await selection.flags();
      const slugs = flags.map((flag) => `${flag.slug}=${flag.enabled}`);
      made.push(slugs);
      return slugs;
    });
    return {
      slug,
      key,
      made,
      find: async (environment: string, projectKey = key) =>
        find(projectKey, environments.find((each) => each.slug === environment)?.key ?? environment),
      set: (environment: string, flag: string, patch: FlagPatch = {}) =>
        setFlag(app, OPERATOR, { project: slug, environment, flag }, patch),
    };
  }

  describe(`snapshots of flags (${writing})`, () => {
    test("are made once and found again", async () => {
      const { find, set, made } = await openProject();
      await set("a", "flag");
      for (let count = 0; count < 100; count += 1) expect(await find("a")).toEqual(["flag=false"]);
      expect(made).toHaveLength(1);
    });

    test("are made again after their own flags changed, each time", async () => {
      const { find, set, made } = await openProject();
      for (const enabled of [true, false, true]) {
        await set("a", "flag", { enabled });
        expect(await find("a")).toEqual([`flag=${enabled}`]);
      }
      expect(made).toHaveLength(3);
    });

    test("of one environment are not made again when another one changes", async () => {
      const one = await openProject();
      const other = await openProject();
      await one.set("a", "flag");
      const [before, beside] = [await one.find("a"), await one.find("b")];
      await one.set("b", "flag", { enabled: true });
      await other.set("a", "flag");
      await createEnvironment(app, OPERATOR, one.slug, { slug: "c" });
      expect(await one.find("a")).toBe(before);
      expect(await one.find("b")).not.toBe(beside);
      expect(one.made).toEqual([["flag=false"], ["flag=false"], ["flag=true"]]);
    });

    test("are not made again when submissions arrive or a set changes nothing", async () => {
      const { find, set, made } = await openProject();
      await set("a", "flag", { enabled: true });
      await find("a");
      await set("a", "flag", { enabled: true });
      await createToken(app, OPERATOR, { name: `token-${projects}`, scopes: ["read"] });
      await find("a");
      expect(made).toHaveLength(1);
    });

    test("are undefined for keys that select nothing, and for those of something deleted", async () => {
      const { slug, find, set } = await openProject();
      await set("a", "flag");
      expect(await find("nowhere")).toBeUndefined();
      expect(await find("a", "nobody")).toBeUndefined();
      expect(await find("a")).toBeDefined();
      // What is in memory is not for a reader who knows only one of the keys.
      expect(await find("a", "nobody")).toBeUndefined();
      await deleteEnvironment(app, OPERATOR, slug, "a");
      expect(await find("a")).toBeUndefined();
      expect(await find("b")).toBeDefined();
      await deleteProject(app, OPERATOR, slug);
      expect(await find("b")).toBeUndefined();
    });

    test("are made by each service from what it made last, whichever services have read since", async () => {
      const { slug, set } = await openProject();
      await set("a", "flag");
      const { key, environments } = (await app.store.projects.find(slug))!;
      const service = () => {
        const before: (number | undefined)[] = [];
        const find = createFlagViews<{ at: number }>(app, async (_source, last) => {
          before.push(last?.at);
          return { at: before.length };
        });
        return { before, read: async () => find(key, environments[0]!.key) };
      };
      const [first, second] = [service(), service()];
      for (const readers of [[first, second], [first], [second], [first], [first, second]]) {
        for (const { read } of readers) await read();
        await set("a", "flag", { description: `change ${(projects += 1)}` });
      }
      expect(first.before).toEqual([undefined, 1, 2, 3]);
      expect(second.before).toEqual([undefined, 1, 2]);
    });

    test("show every change of another store once that store was closed", async () => {
      const { slug, find, set } = await openProject();
      await set("a", "flag");
      for (let round = 0; round < 10; round += 1) {
        const enabled = round % 2 === 0;
        await find("a");
        const other = openSqliteStore(join(app.directory, "formflag.db"), "inline");
        const place = { project: slug, environment: "a", flag: "flag" };
        await setFlag({ ...app, store: other }, OPERATOR, place, { enabled });
        await other.close();
        expect(await find("a")).toEqual([`flag=${enabled}`]);
      }
    });

    test("are never older than a change that was made before they were asked for, among many readers", async () => {
      const { find, set } = await openProject();
      await set("a", "flag");
      const read = async () => (await find("a"))![0];
      for (let round = 0; round < 20; round += 1) {
        const enabled = round % 2 === 0;
        await Promise.all([read(), read(), set("a", "flag", { enabled }), read(), read()]);
        expect(new Set(await Promise.all([read(), read(), read()]))).toEqual(new Set([`flag=${enabled}`]));
      }
    });
  });
}
