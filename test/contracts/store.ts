import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Token } from "../../src/access/token.ts";
import type { Store } from "../../src/app.ts";
import { AppError, type ErrorCode } from "../../src/base/errors.ts";
import { createIdSource, dashedKey } from "../../src/base/ids.ts";
import type { Distribution } from "../../src/base/metrics.ts";
import type { SetupChange } from "../../src/documents/setup.ts";
import type { FlagPatch } from "../../src/flags/flag.ts";
import type { ImportPlan } from "../../src/flags/import.ts";
import { type Form, formKey } from "../../src/forms/form.ts";
import { DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "../../src/forms/limits.ts";
import type { StoredSubmission } from "../../src/forms/store.ts";
import type { Environment } from "../../src/projects/environment.ts";

/** Opens a store on the database called `name`: the same one each time it is called with the same name. */
export type OpenStore = (name: string) => Store;

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const nextId = createIdSource(random, () => NOW);
/** The code with which a promise is rejected. */
const codeOf = (promise: Promise<unknown>): Promise<ErrorCode | "none"> =>
  promise.then(
    () => "none",
    (error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    },
  );
/** Adds a form without any setting. */
const addForm = (store: Store, slug: string): Promise<Form> =>
  store.forms.insert({
    slug,
    name: slug,
    key: formKey(random),
    enabled: true,
    uploads: false,
    successUrl: null,
    errorUrl: null,
    allowedOrigins: [],
    blockedSenders: [],
    rateLimit: null,
    maxFileSize: null,
    maxFiles: null,
    createdAt: NOW,
    updatedAt: NOW,
  });
const by = (at: number) => ({ who: "ann", at });
const bySlug = (a: string, b: string) => (a < b ? -1 : 1);

/** Copies the database called `from` into a new one called `into`. */
type TakeSnapshot = (
  from: string,
  into: string,
  progress: (done: number, total: number) => void,
) => Promise<void>;

/** What the product relies on in every driver of the `Store` port. */
export function storeContract(name: string, open: OpenStore, takeSnapshot: TakeSnapshot): void {
  let databases = 0;
  const opened: Store[] = [];
  const openNamed = (database: string) => {
    const store = open(database);
    opened.push(store);
    return store;
  };
  const freshName = () => `database-${(databases += 1)}`;
  /** For tests that close it themselves. */
  const openFresh = () => open(freshName());

  describe(`the store contract, kept by ${name}`, () => {
    let store: Store;
    let slugs = 0;
    const slug = () => `slug-${(slugs += 1)}`;
    const own = freshName();
    beforeAll(() => {
      store = openNamed(own);
    });
    afterAll(async () => {
      await Promise.all(opened.map((each) => each.close()));
    });

    const environmentCalled = (slug: string): Environment => ({
      slug,
      name: slug,
      key: dashedKey(random),
      locked: false,
    });

    /** A project with these environments, and a place in its first one. */
    async function project(...environments: string[]) {
      const given = { slug: slug(), name: "A project", key: dashedKey(random), createdAt: NOW };
      const project = await store.projects.insert(
        { ...given, environments: environments.map(environmentCalled) },
        "ann",
      );
      return {
        ...project,
        set: (environment: string, flag: string, patch: FlagPatch, now = NOW) =>
          store.flags.set({ project: project.slug, environment, flag }, patch, by(now)),
        find: (environment: string, flag: string) =>
          store.flags.find({ project: project.slug, environment, flag }),
        select: (environment: string) =>
          store.flags.select(
            project.key,
            project.environments.find((each) => each.slug === environment)!.key,
          ),
      };
    }

    const form = () => addForm(store, slug());

    const submissionTo = (formKey: string, more: Partial<StoredSubmission> = {}): StoredSubmission => ({
      id: nextId(),
      formKey,
      data: '{"a":1}',
      files: [],
      createdAt: NOW,
      ...more,
    });

    const fileKept = (key: string, name = "a.txt") => ({
      key,
      field: "file",
      name,
      type: "text/plain",
      size: 3,
      sha256: "ab".repeat(32),
    });

    describe("projects", () => {
      test("are stored with their environments and found by slug", async () => {
        const environments = [environmentCalled("develop"), environmentCalled("production")];
        const project = { slug: slug(), name: "Ein Projekt ✓", key: dashedKey(random), environments };
        expect(await store.projects.insert({ ...project, createdAt: NOW }, "ann")).toEqual(project);
        expect(await store.projects.find(project.slug)).toEqual(project);
      });

      test("are listed by slug, each with its environments by slug", async () => {
        const made = [await project("z", "a"), await project()];
        const listed = await store.projects.list();
        const names = listed.map((each) => each.slug);
        expect(names).toEqual(names.toSorted(bySlug));
        for (const { slug } of made) expect(names).toContain(slug);
        const first = listed.find((each) => each.slug === made[0]!.slug)!;
        expect(first.environments.map((each) => each.slug)).toEqual(["a", "z"]);
      });

      test("conflict where the slug is taken, and leave the first as it was", async () => {
        const { slug } = await project("develop");
        const again = { slug, name: "again", key: dashedKey(random), environments: [], createdAt: NOW };
        expect(await codeOf(store.projects.insert(again, "ann"))).toBe("conflict");
        expect(await store.projects.find(slug)).toMatchObject({ name: "A project", environments: [{}] });
      });

      test("are undefined where none has the slug", async () => {
        expect(await store.projects.find("nobody")).toBeUndefined();
      });

      test("take their environments, flags and values with them when they are deleted", async () => {
        const { slug, set, select } = await project("develop");
        await set("develop", "flag", { enabled: true });
        await store.projects.delete(slug);
        expect(await store.projects.find(slug)).toBeUndefined();
        expect(await select("develop")).toBeUndefined();
        expect(await codeOf(store.environments.list(slug))).toBe("not_found");
        expect(await codeOf(store.flags.list(slug, "develop"))).toBe("not_found");
        const environments = [environmentCalled("develop")];
        await store.projects.insert(
          { slug, name: slug, key: dashedKey(random), environments, createdAt: NOW },
          "ann",
        );
        expect(await store.flags.list(slug, "develop")).toEqual([]);
      });

      test("are not found by a delete where there are none", async () => {
        expect(await codeOf(store.projects.delete("nobody"))).toBe("not_found");
      });
    });

    describe("environments", () => {
      test("are added to a project and listed by slug", async () => {
        const { slug } = await project("m");
        const added = { slug: "a", name: "First", key: dashedKey(random), locked: false };
        expect(await store.environments.insert(slug, { ...added, createdAt: NOW }, null, "ann")).toEqual(
          added,
        );
        const listed = await store.environments.list(slug);
        expect(listed.map((each) => each.slug)).toEqual(["a", "m"]);
        expect(listed[0]).toEqual(added);
      });

      test("have every flag, off, without `from`", async () => {
        const { slug, set, find } = await project("develop");
        await set("develop", "flag", { enabled: true, payload: [1], description: "Said" });
        await store.environments.insert(slug, { ...environmentCalled("new"), createdAt: NOW }, null, "ann");
        expect(await find("new", "flag")).toMatchObject({
          enabled: false,
          payload: null,
          expiresAt: null,
          description: "Said",
        });
      });

      test("have the values of the one they are made `from`, and their own afterwards", async () => {
        const { slug, set, find } = await project("develop");
        await set("develop", "on", { enabled: true, payload: { a: 1 }, expiredAt: "2030-01-01T00:00:00Z" });
        await set("develop", "off", {});
        await store.environments.insert(
          slug,
          { ...environmentCalled("new"), createdAt: NOW },
          "develop",
          "ann",
        );
        expect(await find("new", "on")).toMatchObject({
          enabled: true,
          payload: '{"a":1}',
          expiresAt: Date.parse("2030-01-01T00:00:00Z"),
        });
        expect(await find("new", "off")).toMatchObject({ enabled: false, payload: null });
        await set("develop", "on", { enabled: false });
        expect(await find("new", "on")).toMatchObject({ enabled: true });
      });

      test("conflict where the slug is taken in the project, not in another", async () => {
        const one = await project("develop");
        const other = await project();
        const environment = { ...environmentCalled("develop"), createdAt: NOW };
        expect(await codeOf(store.environments.insert(one.slug, environment, null, "ann"))).toBe("conflict");
        await store.environments.insert(other.slug, environment, null, "ann");
      });

      test("are not found where the project or `from` does not exist, and then nothing is added", async () => {
        const { slug } = await project("develop");
        const environment = { ...environmentCalled("new"), createdAt: NOW };
        expect(await codeOf(store.environments.insert("nobody", environment, null, "ann"))).toBe("not_found");
        expect(await codeOf(store.environments.insert(slug, environment, "nothing", "ann"))).toBe(
          "not_found",
        );
        expect(await codeOf(store.environments.list("nobody"))).toBe("not_found");
        expect(await store.environments.list(slug)).toHaveLength(1);
      });

      test("take only their own flag values with them when they are deleted", async () => {
        const { slug, set, find, select } = await project("a", "b");
        await set("a", "flag", { enabled: true });
        await set("b", "flag", { enabled: true });
        await store.environments.delete(slug, "a", by(NOW));
        expect(await select("a")).toBeUndefined();
        expect(await codeOf(find("a", "flag"))).toBe("not_found");
        expect(await find("b", "flag")).toMatchObject({ enabled: true });
        await store.environments.insert(slug, { ...environmentCalled("a"), createdAt: NOW }, null, "ann");
        expect(await find("a", "flag")).toMatchObject({ enabled: false });
      });

      test("are not found by a delete where there are none", async () => {
        const { slug } = await project("a");
        expect(await codeOf(store.environments.delete(slug, "b", by(NOW)))).toBe("not_found");
        expect(await codeOf(store.environments.delete("nobody", "a", by(NOW)))).toBe("not_found");
      });
    });

    describe("flags", () => {
      test("are created, then updated, then unchanged by a set", async () => {
        const { set, find } = await project("develop");
        const created = await set("develop", "flag", { description: "Said" }, 1000);
        expect(created).toEqual({
          result: "created",
          record: {
            slug: "flag",
            description: "Said",
            enabled: false,
            payload: null,
            expiresAt: null,
            rules: null,
            imported: false,
            revision: expect.any(Number),
            createdAt: 1000,
            updatedAt: 1000,
          },
        });
        const patch = { enabled: true, payload: { b: [null], a: 1 }, expiredAt: "2030-01-01T00:00:00.001Z" };
        const updated = await set("develop", "flag", patch, 2000);
        expect(updated).toEqual({
          result: "updated",
          record: {
            ...created.record,
            enabled: true,
            payload: '{"b":[null],"a":1}',
            expiresAt: Date.parse("2030-01-01T00:00:00.001Z"),
            updatedAt: 2000,
            revision: expect.any(Number),
          },
        });
        expect(updated.record.revision).toBeGreaterThan(created.record.revision);
        expect(await set("develop", "flag", patch, 3000)).toEqual({ ...updated, result: "unchanged" });
        expect(await set("develop", "flag", {}, 3000)).toEqual({ ...updated, result: "unchanged" });
        expect(await find("develop", "flag")).toEqual(updated.record);
      });

      test("change only in what the patch names", async () => {
        const { set, find } = await project("develop");
        await set("develop", "flag", { enabled: true, payload: 1, description: "Said" });
        for (const patch of [{ enabled: false }, { payload: null }, { description: "" }] as FlagPatch[]) {
          const before = (await find("develop", "flag"))!;
          const { record } = await set("develop", "flag", patch);
          const changed = Object.keys(record).filter(
            (field) => record[field as "slug"] !== before[field as "slug"],
          );
          expect(changed).toEqual([...Object.keys(patch), "revision"]);
        }
      });

      test("exist, off, in every environment once set in one; a value there updates only that one", async () => {
        const { set, find } = await project("a", "b", "c");
        await set("a", "flag", { enabled: true }, 1000);
        expect(await find("b", "flag")).toMatchObject({ enabled: false, createdAt: 1000, updatedAt: 1000 });
        expect((await set("b", "flag", { enabled: true }, 2000)).result).toBe("updated");
        expect(await find("a", "flag")).toMatchObject({ enabled: true, updatedAt: 1000 });
        expect(await find("c", "flag")).toMatchObject({ enabled: false, updatedAt: 1000 });
      });

      test("have one description in every environment, which updates all", async () => {
        const { set, find } = await project("a", "b");
        await set("a", "flag", { description: "before" }, 1000);
        await set("b", "flag", { description: "after" }, 2000);
        expect(await find("a", "flag")).toMatchObject({ description: "after", updatedAt: 2000 });
        expect(await find("b", "flag")).toMatchObject({ description: "after", updatedAt: 2000 });
      });

      test("are listed by slug, and selected newest first, then by slug", async () => {
        const { slug, set, select } = await project("develop");
        for (const [flag, now] of Object.entries({ b: 1000, c: 1000, a: 1000, z: 2000 })) {
          await set("develop", flag, {}, now);
        }
        const slugsOf = (flags: { slug: string }[]) => flags.map((flag) => flag.slug);
        expect(slugsOf(await store.flags.list(slug, "develop"))).toEqual(["a", "b", "c", "z"]);
        expect(slugsOf(await (await select("develop"))!.flags())).toEqual(["z", "a", "b", "c"]);
      });

      test("are undefined, or not found by a delete, where there are none", async () => {
        const { slug, find } = await project("develop");
        expect(await find("develop", "nothing")).toBeUndefined();
        expect(await codeOf(store.flags.delete(slug, "nothing", by(NOW)))).toBe("not_found");
      });

      test("are not found where the project or the environment does not exist", async () => {
        const { slug, set } = await project("develop");
        const elsewhere = { project: "nobody", environment: "develop", flag: "flag" };
        expect(await codeOf(set("nowhere", "flag", {}))).toBe("not_found");
        expect(await codeOf(store.flags.set(elsewhere, {}, by(NOW)))).toBe("not_found");
        expect(await codeOf(store.flags.find(elsewhere))).toBe("not_found");
        expect(await codeOf(store.flags.list(slug, "nowhere"))).toBe("not_found");
        expect(await codeOf(store.flags.delete("nobody", "flag", by(NOW)))).toBe("not_found");
        expect(await store.flags.list(slug, "develop")).toEqual([]);
      });

      test("are gone from every environment once deleted, with their values", async () => {
        const { slug, set, find } = await project("a", "b");
        await set("a", "flag", { enabled: true });
        await set("b", "flag", { enabled: true });
        await store.flags.delete(slug, "flag", by(NOW));
        expect(await find("a", "flag")).toBeUndefined();
        expect((await set("b", "flag", {})).result).toBe("created");
        expect(await find("a", "flag")).toMatchObject({ enabled: false });
      });

      test("of 50 environments set at the same time are all there, created once", async () => {
        const names = Array.from({ length: 50 }, (_, index) => `e${index}`);
        const { set, find } = await project(...names);
        const done = await Promise.all(names.map((each) => set(each, "flag", { enabled: true })));
        expect(done.filter(({ result }) => result === "created")).toHaveLength(1);
        for (const each of names) expect(await find(each, "flag")).toMatchObject({ enabled: true });
      });
    });

    describe("reads of flags", () => {
      /** A project with flags in two environments, and the keys of those. */
      async function read() {
        const { slug, environments, set } = await project("a", "b");
        await set("a", "one", {}, 1000);
        await set("a", "two", {}, 2000);
        const [a = "", b = ""] = environments.map(({ key }) => key);
        const mark = (environmentKey: string, slug: string | null, at: number) =>
          store.flags.markRead([{ environmentKey, slug, at }]);
        const reads = async (environment: string) =>
          Object.fromEntries(await store.flags.reads(slug, environment));
        return { slug, a, b, mark, reads, set };
      }

      test("are kept by flag and environment, or for all flags of one", async () => {
        const { a, b, mark, reads } = await read();
        expect(await reads("a")).toEqual({});
        await mark(a, "one", 5000);
        expect([await reads("a"), await reads("b")]).toEqual([{ one: 5000 }, {}]);
        await mark(b, null, 6000);
        expect([await reads("a"), await reads("b")]).toEqual([{ one: 5000 }, { one: 6000, two: 6000 }]);
      });

      test("keep the latest, whichever comes first", async () => {
        const { a, mark, reads } = await read();
        await store.flags.markRead([
          { environmentKey: a, slug: "one", at: 7000 },
          { environmentKey: a, slug: null, at: 5000 },
        ]);
        await mark(a, "two", 4000);
        expect(await reads("a")).toEqual({ one: 7000, two: 5000 });
      });

      test("leave out what is not there, and what was made later", async () => {
        const { a, mark, reads } = await read();
        await store.flags.markRead([
          { environmentKey: "nowhere", slug: "one", at: 5000 },
          { environmentKey: a, slug: "three", at: 5000 },
        ]);
        await mark(a, null, 1500);
        expect(await reads("a")).toEqual({ one: 1500 });
      });

      test("change neither the version of the setup nor a selection, and call no watcher", async () => {
        const { slug, a, mark } = await read();
        const { key } = (await store.projects.find(slug))!;
        let calls = 0;
        store.watch(() => (calls += 1));
        const before = [await store.version(), (await store.flags.select(key, a))!.revision];
        await mark(a, null, 5000);
        expect([await store.version(), (await store.flags.select(key, a))!.revision]).toEqual(before);
        expect(calls).toBe(0);
      });

      test("go with their flag, and are not found for an environment that is not there", async () => {
        const { slug, a, mark, reads, set } = await read();
        await mark(a, null, 5000);
        await store.flags.delete(slug, "one", by(6000));
        await set("a", "one", {}, 6000);
        expect(await reads("a")).toEqual({ two: 5000 });
        expect(await codeOf(store.flags.reads(slug, "nowhere"))).toBe("not_found");
      });
    });

    describe("a selection", () => {
      test("needs the keys of a project and of an environment in it", async () => {
        const one = await project("develop");
        const other = await project("develop");
        const [key] = one.environments.map((each) => each.key);
        expect(await store.flags.select(one.key, key!)).toBeDefined();
        expect(await store.flags.select(other.key, key!)).toBeUndefined();
        expect(await store.flags.select(key!, one.key)).toBeUndefined();
        expect(await store.flags.select("", "")).toBeUndefined();
      });

      test("has another revision after every change to its own flags and no other", async () => {
        const { slug, set, select } = await project("a", "b");
        const other = await project("a");
        const revisions = async () => [
          (await select("a"))!.revision,
          (await select("b"))!.revision,
          (await other.select("a"))!.revision,
        ];
        const changed = async (change: () => Promise<unknown>) => {
          const before = await revisions();
          await change();
          const after = await revisions();
          return after.map((revision, index) => revision !== before[index]);
        };
        expect(await changed(() => set("a", "flag", {}))).toEqual([true, true, false]);
        expect(await changed(() => set("a", "flag", {}))).toEqual([false, false, false]);
        expect(await changed(() => set("b", "flag", { enabled: true }))).toEqual([false, true, false]);
        expect(await changed(() => set("a", "flag", { description: "x" }))).toEqual([true, true, false]);
        expect(await changed(() => store.flags.delete(slug, "flag", by(NOW)))).toEqual([true, true, false]);
      });

      test("never has a revision again, also after its environment was made anew", async () => {
        const { slug, set, select } = await project("a");
        const seen = [(await select("a"))!.revision];
        for (let round = 0; round < 3; round += 1) {
          await set("a", "flag", { payload: round });
          seen.push((await select("a"))!.revision);
          await store.flags.delete(slug, "flag", by(NOW));
          seen.push((await select("a"))!.revision);
        }
        await store.environments.delete(slug, "a", by(NOW));
        const again = environmentCalled("a");
        await store.environments.insert(slug, { ...again, createdAt: NOW }, null, "ann");
        const { key } = (await store.projects.find(slug))!;
        seen.push((await store.flags.select(key, again.key))!.revision);
        expect(new Set(seen).size).toBe(seen.length);
      });
    });

    describe("the version of the setup", () => {
      /** Whether the version differs after a change, as this store and another on the same database see it. */
      async function openWatched() {
        const database = freshName();
        const near = openNamed(database);
        const far = openNamed(database);
        let calls = 0;
        near.watch(() => (calls += 1));
        const versions = async () => [await near.version(), await far.version(), calls];
        return {
          near,
          far,
          differs: async (change: () => Promise<unknown>) => {
            const before = await versions();
            await change();
            const after = await versions();
            return after.map((each, index) => each !== before[index]);
          },
        };
      }
      const makeProject = (store: Store) =>
        store.projects.insert(
          {
            slug: "p",
            name: "p",
            key: dashedKey(random),
            environments: ["a", "b"].map(environmentCalled),
            createdAt: NOW,
          },
          "ann",
        );
      const place = { project: "p", environment: "a", flag: "flag" };

      test("differs after every change that a reader could see, in each store on the database", async () => {
        const { near, differs } = await openWatched();
        const changes = [
          () => makeProject(near),
          () => near.flags.set(place, {}, by(NOW)),
          () => near.flags.set(place, { enabled: true }, by(NOW)),
          () => near.flags.set(place, { payload: 1 }, by(NOW)),
          () => near.flags.set(place, { description: "d" }, by(NOW)),
          () => near.flags.set(place, { expiredAt: "2030-01-01T00:00:00Z" }, by(NOW)),
          () => near.environments.insert("p", { ...environmentCalled("c"), createdAt: NOW }, "a", "ann"),
          () => near.environments.delete("p", "b", by(NOW)),
          () => near.flags.delete("p", "flag", by(NOW)),
          () => addForm(near, "form"),
          () => near.forms.update("form", { name: "Form" }, NOW),
          () => near.forms.delete("form"),
          () => near.projects.delete("p"),
        ];
        for (const change of changes)
          expect([change.toString(), ...(await differs(change))]).toEqual([
            change.toString(),
            true,
            true,
            true,
          ]);
      });

      test("differs after a change made through another store", async () => {
        const { near, far, differs } = await openWatched();
        await makeProject(near);
        expect((await differs(() => far.flags.set(place, { enabled: true }, by(NOW)))).slice(0, 2)).toEqual([
          true,
          true,
        ]);
        expect((await differs(() => far.flags.delete("p", "flag", by(NOW)))).slice(0, 2)).toEqual([
          true,
          true,
        ]);
      });

      test("stays the same when nothing that readers see was changed", async () => {
        const { near, far, differs } = await openWatched();
        await makeProject(near);
        await near.flags.set(place, { enabled: true }, by(NOW));
        const { key } = await addForm(near, "first");
        const submission = submissionTo(key);
        const changes = [
          () => near.flags.set(place, { enabled: true }, by(NOW + 1)),
          () => near.flags.delete("p", "nothing", by(NOW)).catch(() => {}),
          () => near.forms.update("first", {}, NOW + 1),
          () => near.submissions.insert(submission),
          () => far.submissions.insert(submissionTo(key)),
          () => near.submissions.delete(submission.id),
          () =>
            near.tokens.insert({
              name: "t",
              hash: "h",
              scopes: ["read"],
              createdAt: NOW,
              place: null,
              expiresAt: null,
            }),
          () => near.tokens.delete("t"),
        ];
        for (const change of changes)
          expect([change.toString(), ...(await differs(change)).slice(0, 2)]).toEqual([
            change.toString(),
            false,
            false,
          ]);
      });
    });

    describe("forms", () => {
      test("are stored with every setting and found by slug, by key, or only by key", async () => {
        const record = {
          slug: slug(),
          name: "Kontakt ✓",
          key: `key-${slug()}`,
          enabled: false,
          uploads: true,
          successUrl: "https://example.com/thanks",
          errorUrl: "https://example.com/error",
          allowedOrigins: ["https://example.com", "https://a.example"],
          blockedSenders: ["203.0.113.0/24"],
          rateLimit: { count: 3, seconds: 60 },
          maxFileSize: 12,
          maxFiles: 3,
          createdAt: NOW,
          updatedAt: NOW + 1,
        };
        const seen = {
          ...record,
          createdAt: "2026-01-02T03:04:05.678Z",
          updatedAt: "2026-01-02T03:04:05.679Z",
        };
        expect(await store.forms.insert(record)).toEqual(seen);
        expect(await store.forms.find(record.slug)).toEqual(seen);
        expect(await store.forms.find(record.key)).toEqual(seen);
        expect(await store.forms.findByKey(record.key)).toEqual(seen);
        expect(await store.forms.findByKey(record.slug)).toBeUndefined();
        expect(await store.forms.find("nobody")).toBeUndefined();
      });

      test("follow the default limits where they have none of their own", async () => {
        expect(await form()).toMatchObject({
          maxFileSize: DEFAULT_MAX_FILE_SIZE,
          maxFiles: DEFAULT_MAX_FILES,
        });
      });

      test("are updated or unchanged by an update, by slug and by key", async () => {
        const { slug, key } = await form();
        const patch = { name: "New", uploads: true, allowedOrigins: ["https://a.example"], maxFiles: 9 };
        const updated = await store.forms.update(slug, patch, NOW + 5);
        expect(updated.result).toBe("updated");
        expect(updated.form).toMatchObject({ ...patch, slug, key, updatedAt: "2026-01-02T03:04:05.683Z" });
        expect(await store.forms.update(key, patch, NOW + 9)).toEqual({ ...updated, result: "unchanged" });
        expect(await store.forms.find(slug)).toEqual(updated.form);
        const { form: reset } = await store.forms.update(slug, { maxFiles: null }, NOW);
        expect(reset.maxFiles).toBe(DEFAULT_MAX_FILES);
        expect(await codeOf(store.forms.update("nobody", patch, NOW))).toBe("not_found");
      });

      test("conflict where the slug, or a key like it, is taken", async () => {
        const { slug, key } = await form();
        expect(await codeOf(addForm(store, slug))).toBe("conflict");
        expect(await codeOf(addForm(store, key))).toBe("conflict");
      });

      test("are listed by slug", async () => {
        const made = [await form(), await form()];
        const listed = (await store.forms.list()).map((each) => each.slug);
        expect(listed).toEqual(listed.toSorted(bySlug));
        for (const { slug } of made) expect(listed).toContain(slug);
      });

      test("take their submissions with them when deleted, and say which blobs those had", async () => {
        const { slug, key } = await form();
        const other = await form();
        const [id, kept] = [nextId(), nextId()];
        await store.submissions.insert(submissionTo(key, { id, files: [fileKept("f1"), fileKept("f2")] }));
        await store.submissions.insert(submissionTo(key));
        await store.submissions.insert(submissionTo(other.key, { id: kept, files: [fileKept("f3")] }));
        expect((await store.forms.delete(slug)).toSorted()).toEqual(["f1", "f2"]);
        expect(await store.forms.find(slug)).toBeUndefined();
        expect(await store.submissions.find(id)).toBeUndefined();
        expect(await store.submissions.find(kept)).toBeDefined();
        expect(await store.submissions.unreferenced(["f1", "f2", "f3"])).toEqual(["f1", "f2"]);
        expect(await codeOf(store.forms.delete(slug))).toBe("not_found");
      });
    });

    describe("submissions", () => {
      test("are found as they were stored, with their files in order and without blob keys", async () => {
        const { slug, key } = await form();
        const data = { text: "Grüße 🎉\u0000", "": null, list: [1, "2", { three: true }], n: 1.5 };
        const files = [fileKept("k1", "../../etc/passwd"), fileKept("k2", "日本.txt")];
        const submission = submissionTo(key, { data: JSON.stringify(data), files });
        await store.submissions.insert(submission);
        expect(await store.submissions.find(submission.id)).toEqual({
          id: submission.id,
          form: slug,
          data,
          files: files.map(({ key: _key, ...file }) => file),
          createdAt: "2026-01-02T03:04:05.678Z",
        });
        expect(await store.submissions.find("nothing")).toBeUndefined();
      });

      test("keep a field called __proto__", async () => {
        const { key } = await form();
        const submission = submissionTo(key, { data: '{"__proto__":{"a":1},"constructor":"x"}' });
        await store.submissions.insert(submission);
        const found = await store.submissions.find(submission.id);
        expect(JSON.stringify(found!.data)).toBe(submission.data);
      });

      test("are not found to have a form whose key is unknown; a slug is no key", async () => {
        const { slug } = await form();
        for (const key of ["nobody", slug]) {
          const submission = submissionTo(key);
          expect(await codeOf(store.submissions.insert(submission))).toBe("not_found");
          expect(await store.submissions.find(submission.id)).toBeUndefined();
        }
        expect(await codeOf(store.submissions.list("nobody", 1, null))).toBe("not_found");
      });

      test("are listed newest first, in pages, also past one that was deleted", async () => {
        const { key } = await form();
        const ids: string[] = [];
        for (let count = 0; count < 7; count += 1) {
          const submission = submissionTo(key);
          ids.unshift(submission.id);
          await store.submissions.insert(submission);
        }
        const page = async (limit: number, before: string | null) =>
          (await store.submissions.list(key, limit, before)).submissions.map((each) => each.id);
        expect(await page(100, null)).toEqual(ids);
        expect(await store.submissions.newestId()).toBe(ids[0]!);
        expect(await page(3, null)).toEqual(ids.slice(0, 3));
        await store.submissions.delete(ids[2]!);
        expect(await page(3, ids[2]!)).toEqual(ids.slice(3, 6));
        expect(await page(3, ids[5]!)).toEqual(ids.slice(6));
        expect(await page(3, ids[6]!)).toEqual([]);
        expect(await store.submissions.count(key)).toBe(6);
        expect(await store.submissions.count((await form()).key)).toBe(0);
      });

      test("come in shorter pages where they are large, and none is left out", async () => {
        const { key } = await form();
        const large = Array.from({ length: 10 }, () =>
          submissionTo(key, { data: JSON.stringify({ text: "x".repeat(1_000_000) }) }),
        );
        for (const each of large) await store.submissions.insert(each);
        const ids: string[] = [];
        const lengths: number[] = [];
        for (let before: string | null = null, more = true; more; before = ids.at(-1)!) {
          const page = await store.submissions.list(key, 100, before);
          ids.push(...page.submissions.map((each) => each.id));
          lengths.push(page.submissions.length);
          more = page.more;
        }
        expect(ids).toEqual(large.map((each) => each.id).toReversed());
        expect(lengths).toEqual([4, 4, 2]);
      });

      test("give back the blob keys of their files when deleted", async () => {
        const { key } = await form();
        const submission = submissionTo(key, { files: [fileKept("d1"), fileKept("d2")] });
        await store.submissions.insert(submission);
        expect(await store.submissions.unreferenced(["d1", "x", "d2"])).toEqual(["x"]);
        expect((await store.submissions.delete(submission.id)).toSorted()).toEqual(["d1", "d2"]);
        expect(await store.submissions.unreferenced(["d1", "d2"])).toEqual(["d1", "d2"]);
        expect(await codeOf(store.submissions.delete(submission.id))).toBe("not_found");
        expect(await store.submissions.unreferenced([])).toEqual([]);
      });

      test("have files that are listed by key, those after one, with all their bytes", async () => {
        const { key } = await form();
        const before = await store.submissions.fileBytes();
        const submission = submissionTo(key, { files: [fileKept("~2"), fileKept("~1"), fileKept("~3")] });
        await store.submissions.insert(submission);
        const { size, sha256, name } = fileKept("~2");
        const expected = { key: "~2", submission: submission.id, name, size, sha256 };
        expect(await store.submissions.files("~1", 1)).toEqual([expected]);
        expect((await store.submissions.files("~1", 10)).map((file) => file.key)).toEqual(["~2", "~3"]);
        expect(await store.submissions.files("~3", 10)).toEqual([]);
        expect(await store.submissions.fileBytes()).toBe(before + 3 * size);
      });

      test("of 500 senders at the same time are all there", async () => {
        const { key } = await form();
        const submissions = Array.from({ length: 500 }, (_, index) =>
          submissionTo(key, { data: JSON.stringify({ index }) }),
        );
        await Promise.all(submissions.map((each) => store.submissions.insert(each)));
        expect(await store.submissions.count(key)).toBe(500);
        const { submissions: listed } = await store.submissions.list(key, 1000, null);
        expect(listed.map((each) => each.data["index"])).toEqual(submissions.map((_, index) => 499 - index));
      });

      test("that fail leave nothing, and take none back that came at the same time", async () => {
        const { key } = await form();
        const good = Array.from({ length: 20 }, () => submissionTo(key));
        const bad = [
          submissionTo("nobody"),
          // Fails at its second file, after its own row.
          submissionTo(key, { files: [fileKept("twice"), fileKept("twice")] }),
          submissionTo(key, { id: good[0]!.id }),
        ];
        const mixed = [...good.slice(0, 10), ...bad, ...good.slice(10)];
        const results = await Promise.allSettled(mixed.map((each) => store.submissions.insert(each)));
        expect(results.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([
          10, 11, 12,
        ]);
        expect((results[10] as PromiseRejectedResult).reason).toMatchObject({
          name: "AppError",
          code: "not_found",
        });
        const { submissions: listed } = await store.submissions.list(key, 100, null);
        expect(listed.map((each) => each.id)).toEqual(good.map((each) => each.id).toReversed());
        expect(await store.submissions.unreferenced(["twice"])).toEqual(["twice"]);
      });
    });

    describe("tokens", () => {
      const token = (name: string, more = {}) => ({
        name,
        hash: `hash of ${name}`,
        scopes: ["flags:read" as const, "forms:write" as const],
        createdAt: NOW,
        place: null,
        expiresAt: null,
        ...more,
      });

      test("are found by the hash of their secret, which they do not show", async () => {
        const name = slug();
        const seen: Token = {
          name,
          scopes: ["flags:read", "forms:write"],
          createdAt: "2026-01-02T03:04:05.678Z",
          expiresAt: "2026-01-02T03:04:05.679Z",
        };
        expect(await store.tokens.insert(token(name, { expiresAt: NOW + 1 }))).toEqual(seen);
        expect(await store.tokens.find(`hash of ${name}`)).toEqual(seen);
        expect(await store.tokens.find(name)).toBeUndefined();
        expect(await store.tokens.find("")).toBeUndefined();
      });

      test("are limited to a project or an environment, and gone with it", async () => {
        const { slug: place } = await project("live", "test");
        const scopes = ["flags:read" as const];
        const [whole, one] = [slug(), slug()];
        await store.tokens.insert(token(whole, { scopes, place: { project: place } }));
        await store.tokens.insert(token(one, { scopes, place: { project: place, environment: "live" } }));
        const found = await store.tokens.find(`hash of ${whole}`);
        expect(found).toMatchObject({ project: place });
        expect([found?.environment, found?.keys]).toEqual([undefined, undefined]);
        expect(await store.tokens.find(`hash of ${one}`)).toMatchObject({
          project: place,
          environment: "live",
        });
        await store.environments.delete(place, "live", { who: "ann", at: NOW });
        expect(await store.tokens.find(`hash of ${one}`)).toBeUndefined();
        await store.projects.delete(place);
        expect(await store.tokens.find(`hash of ${whole}`)).toBeUndefined();
        const lost = { scopes, place: { project: place } };
        expect(await codeOf(store.tokens.insert(token(slug(), lost)))).toBe("not_found");
      });

      test("are listed by name, conflict by name, and are gone once deleted", async () => {
        const names = [slug(), slug()];
        for (const name of names.toReversed()) await store.tokens.insert(token(name));
        const listed = (await store.tokens.list()).map((each) => each.name);
        expect(listed).toEqual(listed.toSorted(bySlug));
        const [name] = names as [string];
        expect(await codeOf(store.tokens.insert(token(name, { hash: "another" })))).toBe("conflict");
        await store.tokens.delete(name);
        expect(await store.tokens.find(`hash of ${name}`)).toBeUndefined();
        expect(await codeOf(store.tokens.delete(name))).toBe("not_found");
      });
    });

    describe("two stores on one database", () => {
      test("see each other's changes at once", async () => {
        const database = freshName();
        const [near, far] = [openNamed(database), openNamed(database)];
        const { key } = await addForm(near, "form");
        expect(await far.forms.findByKey(key)).toMatchObject({ slug: "form" });
        const submission = submissionTo(key);
        await far.submissions.insert(submission);
        expect(await near.submissions.find(submission.id)).toBeDefined();
        await near.submissions.delete(submission.id);
        expect(await far.submissions.count(key)).toBe(0);
      });

      test("lose nothing when both write at the same time", async () => {
        const database = freshName();
        const stores = [openNamed(database), openNamed(database)];
        const { key } = await addForm(stores[0]!, "form");
        await Promise.all(
          Array.from({ length: 100 }, (_, index) => stores[index % 2]!.submissions.insert(submissionTo(key))),
        );
        for (const each of stores) expect(await each.submissions.count(key)).toBe(100);
      });
    });

    describe("an import", () => {
      const plan: ImportPlan = {
        flags: [{ slug: "f", enabled: true, payload: "1", expiresAt: null, rules: null }],
        segments: [{ name: "s", rule: "true" }],
        metadata: '{"a":1}',
      };
      const done = {
        flags: [{ key: "f", result: "created" as const }],
        segments: [{ name: "s", result: "created" as const }],
        metadata: "updated" as const,
      };

      test("sets flags, segments and metadata of one environment, or only tells what it would", async () => {
        const { slug, find, select } = await project("a", "b");
        const where = { project: slug, environment: "a" };
        expect(await store.flags.import(where, plan, by(NOW), true)).toEqual(done);
        expect(await find("a", "f")).toBeUndefined();
        expect(await store.flags.import(where, plan, by(NOW), false)).toEqual(done);
        expect(await find("a", "f")).toMatchObject({ enabled: true, payload: "1" });
        expect(await find("b", "f")).toMatchObject({ enabled: false, payload: null });
        expect((await select("a"))!.metadata).toBe('{"a":1}');
        const other = await store.flags.selectIn(slug, "b");
        expect([other.metadata, await other.segments()]).toEqual(["{}", []]);
      });

      test("into an environment that there is not is not_found", async () => {
        const { slug } = await project("a");
        const where = { project: slug, environment: "gone" };
        for (const dryRun of [true, false])
          expect(await codeOf(store.flags.import(where, plan, by(NOW), dryRun))).toBe("not_found");
      });
    });

    describe("the setup", () => {
      test("is read as of one version, with the projects and forms that are asked for", async () => {
        const { slug, set } = await project("a", "b");
        await set("b", "second", { enabled: true });
        await set("a", "first", {});
        await store.segments.set({ project: slug, environment: "a", segment: "s" }, "true", by(NOW));
        const asked = await store.setup.read([slug, "none"], false);
        expect(asked.version).toBe(await store.version());
        expect([asked.projects.map((each) => each.slug), asked.forms]).toEqual([[slug], []]);
        const shown = asked.projects[0]!.environments.map(({ slug, flags, segments }) => [
          slug,
          flags.map((flag) => `${flag.slug} ${flag.enabled}`),
          segments.map(({ name }) => name),
        ]);
        expect(shown).toEqual([
          ["a", ["first false", "second false"], ["s"]],
          ["b", ["first false", "second true"], []],
        ]);
        const { slug: formSlug } = await form();
        const all = await store.setup.read(null, true);
        expect(all.projects.map((each) => each.slug)).toContain(slug);
        expect(all.forms.map((each) => each.slug)).toContain(formSlug);
      });

      test("is changed as a whole, at the version it was read at and no other", async () => {
        const { slug, find, set } = await project("a");
        const place = { project: slug, environment: "a", flag: "f" };
        const changes: SetupChange[] = [
          { change: "setFlag", place, patch: { enabled: true } },
          {
            change: "insertEnvironment",
            project: slug,
            environment: { ...environmentCalled("b"), createdAt: NOW },
          },
        ];
        const { version } = await store.setup.read([slug], false);
        const missing: SetupChange = { change: "deleteFlag", project: slug, flag: "none" };
        expect(await codeOf(store.setup.apply([...changes, missing], version, by(NOW)))).toBe("not_found");
        expect(await find("a", "f")).toBeUndefined();
        expect(await store.setup.apply(changes, version, by(NOW))).toEqual([]);
        expect(await find("b", "f")).toMatchObject({ enabled: false });
        expect(await find("a", "f")).toMatchObject({ enabled: true });
        const read = await store.setup.read([slug], false);
        await set("a", "f", { enabled: false });
        expect(await codeOf(store.setup.apply(changes.slice(0, 1), read.version, by(NOW)))).toBe("conflict");
        expect(await find("a", "f")).toMatchObject({ enabled: false });
      });

      test("gives back the blob keys of the files of forms that are deleted", async () => {
        const { slug: formSlug, key } = await form();
        await store.submissions.insert(submissionTo(key, { files: [fileKept("setup/1")] }));
        const { version } = await store.setup.read([], true);
        const changes: SetupChange[] = [{ change: "deleteForm", form: formSlug, key }];
        expect(await store.setup.apply(changes, version, by(NOW))).toEqual(["setup/1"]);
      });
    });

    describe("a snapshot", () => {
      test("is the same database, and can be opened as one", async () => {
        const { slug, set } = await project("a", "b");
        await set("a", "f", { enabled: true, payload: { deep: [1, null, "ä"] } });
        const { key } = await form();
        const sent = submissionTo(key, { data: '{"a":"ä ✓ \\u0000"}', files: [fileKept(`${nextId()}.1`)] });
        await store.submissions.insert(sent);
        await store.tokens.insert({
          name: "snapshot",
          hash: "snap",
          scopes: ["read"],
          createdAt: NOW,
          place: null,
          expiresAt: null,
        });
        const database = freshName();
        await takeSnapshot(own, database, () => {});
        const copy = openNamed(database);
        expect(await copy.check()).toEqual([]);
        expect(await copy.projects.list()).toEqual(await store.projects.list());
        expect(await copy.flags.list(slug, "a")).toEqual(await store.flags.list(slug, "a"));
        expect(await copy.forms.list()).toEqual(await store.forms.list());
        expect(await copy.submissions.find(sent.id)).toMatchObject({
          id: sent.id,
          data: { a: "ä ✓ \u0000" },
        });
        expect(await copy.submissions.files("", 1000)).toEqual(await store.submissions.files("", 1000));
        expect(await copy.tokens.list()).toEqual(await store.tokens.list());
        expect(await copy.version()).toBe(await store.version());
        await addForm(copy, "written-later");
        expect(await store.forms.find("written-later")).toBeUndefined();
      });

      test("shows one moment, while writing goes on", async () => {
        const [first, second] = [await form(), await form()];
        const data = JSON.stringify({ text: "x".repeat(200_000) });
        for (let count = 0; count < 20; count += 1) {
          for (const { key } of [first, second]) await store.submissions.insert(submissionTo(key, { data }));
        }
        let written = 20;
        let steps = 0;
        const database = freshName();
        const writing: Promise<void>[] = [];
        await takeSnapshot(own, database, (done, total) => {
          steps += 1;
          expect(done).toBeLessThanOrEqual(total);
          for (const { key } of [first, second]) writing.push(store.submissions.insert(submissionTo(key)));
          written += 1;
        });
        await Promise.all(writing);
        const copy = openNamed(database);
        const counts = await Promise.all([first, second].map(({ key }) => copy.submissions.count(key)));
        expect({ steps: steps > 1, counts }).toEqual({ steps: true, counts: [20, 20] });
        expect(await store.submissions.count(first.key)).toBe(written);
      });
    });

    describe("a submission whose sender has left", () => {
      test("is refused as its turn comes, and not stored", async () => {
        const store = openNamed(freshName());
        const { key } = await addForm(store, "form");
        const kept = store.submissions.insert(submissionTo(key), () => false);
        expect(await codeOf(store.submissions.insert(submissionTo(key), () => true))).toBe("invalid");
        await kept;
        expect(await store.submissions.count(key)).toBe(1);
      });
    });

    describe("an open and a closed store", () => {
      test("finds nothing wrong with itself", async () => {
        expect(await store.check()).toEqual([]);
      });

      test("answers a ping while it is open", async () => {
        await store.ping();
      });

      test("says that it is unavailable to a ping once it is closed", async () => {
        const store = openFresh();
        await store.close();
        expect(await codeOf(store.ping())).toBe("unavailable");
        expect(await codeOf(store.ready())).toBe("unavailable");
      });

      test("is ready for a write, which changes nothing", async () => {
        const version = await store.version();
        await store.ready();
        expect(await store.version()).toBe(version);
      });

      test("counts its commits, and the writes in each", async () => {
        const store = openNamed(freshName());
        const total = ({ counts }: Distribution) => counts.reduce((sum, count) => sum + count, 0);
        const { key } = await addForm(store, "form");
        await Promise.all(Array.from({ length: 20 }, () => store.submissions.insert(submissionTo(key))));
        const { queued, queuedBytes, commitSeconds, commitWrites, bytes } = await store.stats();
        expect({ queued, queuedBytes, writes: commitWrites.sum }).toEqual({
          queued: 0,
          queuedBytes: 0,
          writes: 21,
        });
        expect(total(commitSeconds)).toBe(total(commitWrites));
        expect(commitSeconds.sum).toBeGreaterThan(0);
        expect(bytes).toBeGreaterThan(0);
      });

      test("finishes what is queued before it closes", async () => {
        const database = freshName();
        const store = open(database);
        const { key } = await addForm(store, "form");
        const writes = Array.from({ length: 50 }, () => store.submissions.insert(submissionTo(key)));
        const [, ...stored] = await Promise.all([store.close(), ...writes]);
        expect(stored).toHaveLength(50);
        expect(await openNamed(database).submissions.count(key)).toBe(50);
      });

      test("keeps everything for the next one", async () => {
        const database = freshName();
        const store = open(database);
        await store.projects.insert(
          { slug: "p", name: "p", key: "k", environments: [], createdAt: NOW },
          "ann",
        );
        await store.close();
        expect(await openNamed(database).projects.find("p")).toMatchObject({ key: "k" });
      });

      test("refuses a write that comes after it was closed, rather than let it wait for ever", async () => {
        const store = openFresh();
        await store.close();
        const write = store.tokens.insert({
          name: "t",
          hash: "h",
          scopes: [],
          createdAt: NOW,
          place: null,
          expiresAt: null,
        });
        expect(await write.catch(() => "refused")).toBe("refused");
      }, 1000);

      test("may be closed twice", async () => {
        const store = openFresh();
        await store.close();
        await store.close();
      }, 1000);
    });
  });
}
