import { describe, expect, test } from "bun:test";
import type { SetupChange } from "../../../src/documents/setup.ts";
import { MAX_ENVIRONMENT_BYTES } from "../../../src/flags/limits.ts";
import { planDeletion, planEnvironment } from "../../../src/projects/plan.ts";
import { addForm, addProject, ANN, apply, deleteFormChange } from "../../support/records/apply.ts";
import { environmentCalled, NOW, submissionTo, tokenCalled } from "../../support/records/records.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";
import { type Driver, type OpenStore, fresh, opener } from "../driver.ts";

/** An eighth of what an environment may hold. */
const UNIT = MAX_ENVIRONMENT_BYTES / 8;

/** What the product relies on for the setup as a whole, its version and its changes in every driver. */
export function setupContract(driver: Driver): void {
  describe(`the setup, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    test("is read with the projects and forms that are asked for", async () => {
      const { slug, set, setSegment } = await addProject(store, fresh(), "a", "b");
      await set("b", "second", { enabled: true });
      await set("a", "first");
      for (const name of ["z", "s"]) await setSegment("a", name, true);
      const asked = await store.setup.read([slug, "none"], false);
      expect([asked.projects.map((each) => each.slug), asked.forms]).toEqual([[slug], []]);
      const shown = asked.projects[0]!.environments.map(({ slug, flags, segments }) => [
        slug,
        flags.map((flag) => `${flag.slug} ${flag.enabled}`),
        segments.map(({ name }) => name),
      ]);
      expect(shown).toEqual([
        ["a", ["first false", "second false"], ["z", "s"]],
        ["b", ["first false", "second true"], []],
      ]);
      const form = await addForm(store, fresh());
      const all = await store.setup.read(null, true);
      expect(all.projects.map((each) => each.slug)).toContain(slug);
      expect(all.forms).toEqual([form]);
    });

    test("is changed as a whole or not at all", async () => {
      const { slug, find, flagChange } = await addProject(store, fresh(), "a");
      const changes = [
        planEnvironment(slug, environmentCalled("b"), NOW),
        await flagChange("a", "f", { enabled: true }),
      ];
      const lost: SetupChange = {
        change: "setMetadata",
        project: slug,
        environment: "none",
        metadata: "{}",
        history: null,
      };
      const before = [
        (await store.readVersion()).version,
        (await store.changes.page(slug, { limit: 9 })).items,
      ];
      expect(await codeOf(apply(store, ...changes, lost))).toBe("not_found");
      expect(await find("a", "f")).toBeUndefined();
      expect([
        (await store.readVersion()).version,
        (await store.changes.page(slug, { limit: 9 })).items,
      ]).toEqual(before);
      await apply(store, ...changes);
      expect(await find("a", "f")).toMatchObject({ enabled: true });
      expect(await find("b", "f")).toMatchObject({ enabled: false });
    });

    test("holds a limited number of bytes in an environment, and what is larger already may only shrink", async () => {
      const { slug, setSegment, find, flagChange } = await addProject(store, fresh(), "a", "b");
      // Without its history, which would hold these megabytes too.
      const change = async (...[environment, flag, values]: Parameters<typeof flagChange>) => ({
        ...(await flagChange(environment, flag, values)),
        history: null,
      });
      const set = async (...of: Parameters<typeof flagChange>) => apply(store, await change(...of));
      const text = (size: number) => JSON.stringify("x".repeat(size * UNIT));
      await set("a", "payload", { payload: text(4) });
      expect(await reasonOf(set("a", "rules", { rules: `{"variants":{"a":${text(5)}}}` }))).toBe(
        "too_large environment-too-large",
      );
      expect(await find("a", "rules")).toBeUndefined();
      expect(await codeOf(setSegment("a", "segment", "x".repeat(5 * UNIT)))).toBe("too_large");
      const previews = ["c", "d"].map((flag) => change("a", flag, { previewContent: text(2) }));
      expect(await codeOf(apply(store, ...(await Promise.all(previews))))).toBe("too_large");
      const copied = [planEnvironment(slug, environmentCalled("new"), NOW), await change("a", "payload")];
      const large = copied.map((each) =>
        each.change === "putFlag"
          ? { ...each, environment: "new", record: { ...each.record, payload: text(9) } }
          : each,
      );
      expect(await codeOf(apply(store, ...large))).toBe("too_large");

      await set("b", "payload", { payload: text(7) });
      // A description counts in each environment.
      expect(await codeOf(set("a", "described", { description: text(2) }))).toBe("too_large");
      expect(await find("a", "described")).toBeUndefined();
      // As a version before this was so, which made an environment larger than the limit.
      const described = await change("a", "described", { description: text(2) });
      await apply(store, { ...described, describes: false } as SetupChange);
      await set("b", "payload", { enabled: true });
      await set("b", "payload", { payload: text(6.5) });
      expect(await codeOf(set("b", "payload", { payload: text(6.75) }))).toBe("too_large");
      expect((await find("b", "payload"))?.payload).toBe(text(6.5));
    });

    test("is changed at the version that the changes start from, and at no other", async () => {
      const { set, find, flagChange } = await addProject(store, fresh(), "a");
      await set("a", "f");
      const version = (await store.readVersion()).version;
      const change = await flagChange("a", "f", { enabled: true });
      await set("a", "g");
      for (const other of [version, version + 2])
        expect(await reasonOf(store.apply([change], other, ANN))).toBe("conflict outdated");
      expect(await find("a", "f")).toMatchObject({ enabled: false });
      await store.apply([change], version + 1, ANN);
      expect(await find("a", "f")).toMatchObject({ enabled: true });
    });

    test("grows by one version a change, which is the revision of what it changed", async () => {
      const { slug, find, flagChange } = await addProject(store, fresh(), "a");
      const version = (await store.readVersion()).version;
      await apply(store, await flagChange("a", "f"), await flagChange("a", "g"));
      expect((await store.readVersion()).version).toBe(version + 2);
      expect([(await find("a", "f"))!.revision, (await find("a", "g"))!.revision]).toEqual([
        version + 1,
        version + 2,
      ]);
      const recorded = (await store.changes.page(slug, { kind: "flag", limit: 9 })).items;
      expect(recorded.map(({ revision }) => revision)).toEqual([version + 2, version + 1]);
    });

    test("is changed by one of many who start from the same version", async () => {
      const { slug, flagChange } = await addProject(store, fresh(), "a");
      const version = (await store.readVersion()).version;
      const changes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => flagChange("a", `f${index}`)),
      );
      const reasons = await Promise.all(
        changes.map((change) => reasonOf(store.apply([change], version, ANN))),
      );
      expect(reasons.filter((reason) => reason === "none")).toHaveLength(1);
      expect(reasons.filter((reason) => reason === "conflict outdated")).toHaveLength(19);
      expect(await store.flags.list(slug, "a")).toHaveLength(1);
    });
  });

  describe(`the version of the setup, kept by ${driver.name},`, async () => {
    const open = opener(driver);

    /** Two stores on one database, and whether the version of each and the calls of a watcher differ after a change. */
    async function openWatched() {
      const database = fresh("database");
      const [near, far] = [await open(database), await open(database)] as [OpenStore, OpenStore];
      let calls = 0;
      near.watch(() => (calls += 1));
      const versions = async () => [
        (await near.readVersion()).version,
        (await far.readVersion()).version,
        calls,
      ];
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

    test("differs after every change, in each store on the database, and calls the watchers", async () => {
      const { near, differs } = await openWatched();
      const project = await addProject(near, "p", "a", "b");
      const form = await addForm(near, "form");
      const { set, setSegment } = project;
      const place = { project: "p", environment: "a", history: null };
      const changes: (() => Promise<unknown>)[] = [
        () => addProject(near, "other"),
        () => apply(near, { change: "setProject", project: "p", settings: { name: "P" }, history: null }),
        () => set("a", "flag"),
        () => set("a", "flag", { enabled: true }),
        () => set("a", "flag", { payload: "1" }),
        () => set("a", "flag", { description: "d" }),
        () => set("a", "flag", { expiresAt: NOW }),
        () => setSegment("a", "staff", true),
        () => apply(near, { change: "orderSegments", ...place, names: ["staff"] }),
        () => apply(near, { change: "setMetadata", ...place, metadata: '{"a":1}' }),
        () => project.addEnvironment("c"),
        () =>
          apply(near, {
            change: "updateEnvironment",
            ...place,
            name: "a",
            locked: true,
            color: null,
            approvals: 0,
            approveWith: null,
          }),
        () => apply(near, planDeletion("p", environmentCalled("b"))),
        () => project.dropSegment("a", "staff"),
        () => project.drop("flag"),
        () => addForm(near, "second"),
        () => apply(near, { change: "updateForm", project: "default", form: { ...form, name: "Form" } }),
        () => apply(near, deleteFormChange(form)),
        () => apply(near, { change: "insertToken", token: tokenCalled("t"), hash: "h" }),
        () => apply(near, { change: "deleteToken", name: "t" }),
        () => project.delete(),
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
      await addProject(near, "p", "a");
      expect((await differs(() => addForm(far, "form"))).slice(0, 2)).toEqual([true, true]);
    });

    test("stays the same when nothing is set up, or a change is refused", async () => {
      const { near, far, differs } = await openWatched();
      const { key } = await addForm(near, "form");
      const submission = submissionTo(key);
      const changes: (() => Promise<unknown>)[] = [
        () => near.submissions.insert(submission),
        () => far.submissions.insert(submissionTo(key)),
        () => near.submissions.delete([submission.id]),
        () => near.submissions.clearDeleted(10),
        () => near.notes.forget(["x"]),
        () => near.flags.markRead([{ environmentKey: "none", slug: null, at: NOW }]),
        () => near.apply([], 0, ANN).catch(() => {}),
        () => near.apply([{ change: "deleteToken", name: "t" }], 0, ANN).catch(() => {}),
      ];
      for (const change of changes)
        expect([change.toString(), ...(await differs(change)).slice(0, 2)]).toEqual([
          change.toString(),
          false,
          false,
        ]);
    });
  });
}
