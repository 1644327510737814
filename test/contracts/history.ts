import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Store } from "../../src/app.ts";
import { AppError } from "../../src/base/errors.ts";
import { dashedKey } from "../../src/base/ids.ts";
import type { FlagPatch } from "../../src/flags/flag.ts";
import type { Change } from "../../src/flags/history.ts";
import type { OpenStore } from "./store.ts";

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const ann = { who: "ann", at: NOW };
const bob = { who: "bob", at: NOW + 1000 };
const environmentCalled = (slug: string) => ({
  slug,
  name: slug,
  key: dashedKey(random),
  locked: false,
  createdAt: NOW,
});
const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (error: unknown) => {
      if (error instanceof AppError) return `${error.code}: ${error.message}`;
      throw error;
    },
  );

/** What the product relies on for history, rollback, promotion and scheduled changes in every driver of `Store`. */
export function historyContract(name: string, open: OpenStore): void {
  describe(`the history contract, kept by ${name}`, () => {
    let store: Store;
    let other: Store;
    let projects = 0;
    beforeAll(() => {
      store = open("history");
      other = open("history");
    });
    afterAll(() => Promise.all([store.close(), other.close()]));

    /** A project with the environments develop and live. */
    async function openProject() {
      const slug = `project-${(projects += 1)}`;
      const environments = ["develop", "live"].map(environmentCalled);
      const project = await store.projects.insert(
        { slug, name: slug, key: dashedKey(random), environments, createdAt: NOW },
        "ann",
      );
      const place = (environment: string, flag = "sale") => ({ project: slug, environment, flag });
      return {
        slug,
        key: project.key,
        place,
        set: (environment: string, patch: FlagPatch, by = ann, flag = "sale") =>
          store.flags.set(place(environment, flag), patch, by),
        find: (environment: string, flag = "sale") => store.flags.find(place(environment, flag)),
        segment: (environment: string, name: string, rule: unknown) =>
          store.segments.set({ project: slug, environment, segment: name }, JSON.stringify(rule), ann),
        plan: (id: string, patch: FlagPatch, at: number, environment = "live") =>
          store.scheduled.insert(slug, {
            id: `${slug}-${id}`,
            environment,
            flag: "sale",
            patch,
            at,
            who: "bob",
            createdAt: NOW,
          }),
        history: async (query = {}): Promise<Change[]> =>
          (await store.changes.list(slug, { limit: 100, ...query })).items,
      };
    }
    const brief = ({ kind, environment, name, who, before, after }: Change) =>
      [kind, environment ?? "all", name, who, before === null ? "-" : "+", after === null ? "-" : "+"].join(
        " ",
      );

    describe("the history", () => {
      test("has each change to environments, flags and segments, newest first, with who made it", async () => {
        const { slug, set, segment, history } = await openProject();
        await set("develop", { enabled: true });
        await set("develop", { enabled: true });
        await set("live", { payload: null }, bob);
        await segment("live", "staff", true);
        await store.segments.delete({ project: slug, environment: "live", segment: "staff" }, bob);
        await store.environments.lock(slug, "live", true, bob);
        await store.environments.lock(slug, "live", true, bob);
        await store.environments.lock(slug, "live", false, ann);
        await store.flags.delete(slug, "sale", bob);
        await store.environments.delete(slug, "live", bob);
        const all = await history();
        expect(all.map(brief)).toEqual([
          "environment live live bob + -",
          "flag all sale bob + -",
          "environment live live ann + +",
          "environment live live bob + +",
          "segment live staff bob + -",
          "segment live staff ann - +",
          "flag live sale bob + +",
          "flag develop sale ann - +",
          "environment live live ann - +",
          "environment develop develop ann - +",
        ]);
        expect(all.map(({ revision }) => revision)).toEqual(
          all.map(({ revision }) => revision).toSorted((a, b) => b - a),
        );
        expect(all[6]).toMatchObject({
          at: bob.at,
          before: { enabled: false, expiredAt: null, description: "" },
          after: { enabled: false, payload: null, expiredAt: null, description: "" },
        });
        expect(all[6]!.before).not.toContainKey("payload");
        expect(all[3]).toMatchObject({ before: { locked: false }, after: { locked: true } });
      });

      test("is narrowed by kind, name and environment, and comes in pages", async () => {
        const { slug, set, history } = await openProject();
        await set("develop", { enabled: true });
        await set("live", { enabled: true });
        await set("live", { enabled: true }, ann, "other");
        await store.flags.delete(slug, "sale", bob);
        const asked = { kind: "flag", name: "sale", environment: "live" } as const;
        expect((await history(asked)).map(brief)).toEqual([
          "flag all sale bob + -",
          "flag live sale ann + +",
        ]);
        const [newest] = await history({ ...asked, limit: 1 });
        const rest = await history({ ...asked, before: newest!.revision });
        expect(rest.map(brief)).toEqual(["flag live sale ann + +"]);
        expect((await history({ kind: "environment" })).map(({ name }) => name)).toEqual(["live", "develop"]);
      });

      test("of a copied environment begins with its copies, and it goes with its project", async () => {
        const { slug, set, segment, history } = await openProject();
        await set("live", { enabled: true, payload: 1 });
        await segment("live", "staff", true);
        await store.environments.insert(slug, environmentCalled("copy"), "live", "bob");
        expect((await history({ environment: "copy" })).map(brief)).toEqual([
          "flag copy sale bob + +",
          "segment copy staff bob - +",
          "environment copy copy bob - +",
        ]);
        await store.projects.delete(slug);
        expect(await errorOf(history())).toStartWith("not_found");
      });
    });

    describe("a rollback", () => {
      test("sets everything to what it was after the revision, as a new change", async () => {
        const { place, set, find, history } = await openProject();
        const states: FlagPatch[] = [
          { enabled: true, payload: { a: [1] }, expiredAt: "2030-01-01T00:00:00Z", description: "d" },
          { payload: null, enabled: false, expiredAt: null, description: "" },
          { variants: { on: 1, off: 2 }, defaultVariant: "on", targeting: { if: [true, "on"] } },
        ];
        const made = [(await set("live", {})).record];
        for (const patch of states) made.push((await set("live", patch)).record);
        for (const { revision, createdAt: _, updatedAt: __, ...values } of [...made, ...made.toReversed()]) {
          const { result, record } = await store.flags.rollback(place("live"), revision, bob);
          expect(record).toMatchObject(values);
          expect(await find("live")).toEqual(record);
          if (result !== "unchanged")
            expect((await history())[0]).toMatchObject({ revision: record.revision, who: "bob" });
        }
        expect((await store.flags.rollback(place("live"), made[0]!.revision, ann)).result).toBe("unchanged");
      });

      test("makes a flag anew that was deleted, off in the other environments", async () => {
        const { slug, place, set, find } = await openProject();
        const { record } = await set("live", { enabled: true, payload: 1, description: "d" });
        await store.flags.delete(slug, "sale", ann);
        expect((await store.flags.rollback(place("live"), record.revision, bob)).result).toBe("created");
        expect(await find("live")).toMatchObject({ enabled: true, payload: "1", createdAt: bob.at });
        expect(await find("develop")).toMatchObject({ enabled: false, payload: null, description: "d" });
      });

      test("is refused to a revision of another flag or environment, to a deletion, and where it is late", async () => {
        const { slug, place, set, history } = await openProject();
        const { revision } = (await set("live", { enabled: true })).record;
        const develop = (await set("develop", { enabled: true })).record.revision;
        const strange = (await set("live", {}, ann, "strange")).record.revision;
        const late = store.flags.rollback(place("live"), revision, bob, revision - 1);
        expect(await errorOf(late)).toStartWith("conflict");
        await store.flags.delete(slug, "sale", ann);
        const [deletion] = await history();
        const to = (revision: number) => errorOf(store.flags.rollback(place("live"), revision, bob));
        expect(await to(develop)).toBe(
          `not_found: revision ${develop} is a change of "sale" in develop, not in live`,
        );
        expect(await to(strange)).toBe(`not_found: revision ${strange} is no change of the flag "sale"`);
        expect(await to(1_000_000)).toStartWith("not_found");
        expect(await to(deletion!.revision)).toStartWith('invalid: "sale" was deleted at revision');
      });
    });

    test("a delete at a revision that is not the newest of any environment is a conflict", async () => {
      const { slug, set, find, segment } = await openProject();
      const early = (await set("live", { enabled: true })).record.revision;
      const { revision } = (await set("develop", { enabled: true })).record;
      expect(await errorOf(store.flags.delete(slug, "sale", bob, early))).toStartWith("conflict");
      expect(await find("live")).toBeDefined();
      await store.flags.delete(slug, "sale", bob, revision);
      const made = await segment("live", "staff", true);
      const place = { project: slug, environment: "live", segment: "staff" };
      expect(await errorOf(store.segments.delete(place, bob, revision))).toStartWith("conflict");
      await store.segments.delete(place, bob, made.record.revision);
    });

    describe("a promotion", () => {
      const order = { from: "develop", to: "live", flags: null, segments: false };

      test("copies values but not descriptions, counts what is unchanged, and is one change a flag", async () => {
        const { slug, set, find, history } = await openProject();
        await set("develop", { enabled: true, payload: 1, expiredAt: "2030-01-01T00:00:00Z" });
        await set("develop", { variants: { a: 1 }, defaultVariant: "a" }, ann, "rich");
        await set("develop", {}, ann, "same");
        const { flags, unchanged } = await store.flags.promote(slug, order, bob);
        expect({ flags: flags.map(({ slug }) => slug), unchanged }).toEqual({
          flags: ["rich", "sale"],
          unchanged: 1,
        });
        expect(flags[1]).toMatchObject({ before: { enabled: false }, after: { enabled: true, payload: 1 } });
        expect(await find("live")).toMatchObject({ enabled: true, payload: "1", updatedAt: bob.at });
        expect((await history()).slice(0, 2).map(brief)).toEqual([
          "flag live sale bob + +",
          "flag live rich bob + +",
        ]);
        expect(await store.flags.promote(slug, order, bob)).toEqual({
          flags: [],
          unchanged: 3,
          segments: [],
        });
      });

      test("without an author tells the same and changes nothing", async () => {
        const { slug, set, segment, find, history } = await openProject();
        await set("develop", { enabled: true });
        await segment("develop", "staff", true);
        const before = [await store.version(), await history()];
        const planned = await store.flags.promote(slug, order, null);
        expect([await store.version(), await history()]).toEqual(before);
        expect(await find("live")).toMatchObject({ enabled: false });
        expect(await store.flags.promote(slug, order, bob)).toEqual(planned);
      });

      test("tells which segments are missing or different, and copies them in their order", async () => {
        const { slug, set, segment } = await openProject();
        // `outer` refers to `inner`, which has to stand behind it.
        await segment("develop", "unused", true);
        await segment("develop", "outer", { and: [{ $ref: "inner" }, true] });
        await segment("develop", "inner", { "==": [{ var: "plan" }, "gold"] });
        await segment("live", "inner", false);
        await set("develop", {
          variants: { on: true, off: false },
          defaultVariant: "off",
          targeting: { if: [{ $ref: "outer" }, "on"] },
        });
        const told = await store.flags.promote(slug, { ...order, flags: ["sale"] }, bob);
        expect(told.segments).toMatchObject([
          { name: "outer", copied: false, before: null },
          { name: "inner", copied: false, before: false },
        ]);
        expect(await store.segments.list(slug, "live")).toHaveLength(1);
        const { segments } = await store.flags.promote(slug, { ...order, segments: true }, bob);
        expect(segments.map(({ copied }) => copied)).toEqual([true, true]);
        const selection = await store.flags.selectIn(slug, "live");
        expect((await selection.segments()).map(({ name }) => name)).toEqual(["outer", "inner"]);
      });

      test("of a flag or environment that is not there, or into its own, promotes none", async () => {
        const { slug, set, find } = await openProject();
        await set("develop", { enabled: true });
        const promote = (more: object) => errorOf(store.flags.promote(slug, { ...order, ...more }, bob));
        expect(await promote({ flags: ["sale", "nothing"] })).toStartWith("not_found");
        expect(await promote({ from: "nothing" })).toStartWith("not_found");
        expect(await promote({ to: "develop" })).toStartWith("invalid");
        expect(await find("live")).toMatchObject({ enabled: false });
      });
    });

    describe("scheduled changes", () => {
      // Of all projects here: none may be left over.
      const everything = NOW + 1_000_000;

      test("are listed the next first, cancelled by id, and gone with their environment", async () => {
        const { slug, set, plan } = await openProject();
        await set("live", {});
        await plan("late", { enabled: true }, NOW + 20);
        await plan("early", { enabled: false }, NOW + 10);
        await plan("elsewhere", { payload: 1 }, NOW + 15, "develop");
        const ids = async (environment: string | null) =>
          (await store.scheduled.list(slug, environment, { limit: 9 })).items.map(({ id }) =>
            id.replace(`${slug}-`, ""),
          );
        expect(await ids(null)).toEqual(["early", "elsewhere", "late"]);
        expect(await store.scheduled.nextAt()).toBe(NOW + 10);
        expect(await errorOf(store.scheduled.delete(slug, "develop", `${slug}-early`))).toStartWith(
          "not_found",
        );
        await store.scheduled.delete(slug, "live", `${slug}-early`);
        expect(await ids("live")).toEqual(["late"]);
        await store.environments.delete(slug, "live", ann);
        expect(await ids(null)).toEqual(["elsewhere"]);
        await store.projects.delete(slug);
        expect(await store.scheduled.nextAt()).toBeNull();
      });

      test("are made in order of time, as of their time, by who scheduled them, and no sooner", async () => {
        const { set, plan, find, history } = await openProject();
        await set("live", {});
        await plan("second", { payload: 2 }, NOW + 20);
        await plan("first", { payload: 1, enabled: true }, NOW + 10);
        expect(await store.scheduled.applyDue(NOW + 9)).toEqual([]);
        expect(await store.scheduled.applyDue(NOW + 10)).toMatchObject([{ flag: "sale", failure: null }]);
        expect(await find("live")).toMatchObject({ enabled: true, payload: "1", updatedAt: NOW + 10 });
        await plan("third", { payload: 3 }, NOW + 30);
        await store.scheduled.applyDue(everything);
        expect(await find("live")).toMatchObject({ payload: "3", updatedAt: NOW + 30 });
        const made = await history({ kind: "flag", limit: 3 });
        expect(made.map(({ at, who }) => [at - NOW, who])).toEqual([
          [30, "bob"],
          [20, "bob"],
          [10, "bob"],
        ]);
      });

      test("are made once, however many ask at the same time", async () => {
        const { set, plan, history } = await openProject();
        await set("live", {});
        for (let count = 0; count < 10; count += 1)
          await plan(`${count}`, { payload: count }, NOW + 10 + count);
        const asked = Array.from({ length: 10 }, (_, index) =>
          (index % 2 ? store : other).scheduled.applyDue(everything),
        );
        expect((await Promise.all(asked)).flat()).toHaveLength(10);
        expect(await history({ kind: "flag" })).toHaveLength(11);
      });

      test("that cannot be made are dropped, and the history says why; the others are made", async () => {
        const { slug, set, plan, find, history } = await openProject();
        await set("live", {});
        await plan("fits", { enabled: true }, NOW + 10);
        await plan("payload", { payload: 1 }, NOW + 20);
        await set("live", { variants: { a: 1 } });
        const failures = (await store.scheduled.applyDue(everything)).map(({ failure }) => failure);
        expect(failures).toEqual([null, expect.stringContaining("payload of its own")]);
        expect(await find("live")).toMatchObject({ enabled: true });
        const [dropped] = await history({ kind: "flag", name: "sale", environment: "live" });
        expect(dropped).toMatchObject({
          kind: "scheduled",
          who: "bob",
          at: NOW + 20,
          after: { dropped: failures[1], change: { payload: 1 } },
        });

        await plan("deleted", { enabled: false }, NOW + 30);
        await store.flags.delete(slug, "sale", ann);
        await set("live", { enabled: true }, { who: "ann", at: NOW + 5 });
        const [due] = await store.scheduled.applyDue(everything);
        expect(due!.failure).toContain("does not exist");
        expect(await find("live")).toMatchObject({ enabled: true });
      });

      test("that fail for a reason nobody thought of are dropped whole, and the others are made", async () => {
        const { set, plan, find, history } = await openProject();
        await set("live", {});
        await plan("broken", { enabled: true, expiredAt: "no time" }, NOW + 10);
        await plan("fits", { payload: 1 }, NOW + 20);
        const failures = (await store.scheduled.applyDue(everything)).map(({ failure }) => failure);
        expect(failures).toEqual([expect.any(String), null]);
        expect(await find("live")).toMatchObject({ enabled: false, expiresAt: null, payload: "1" });
        expect(await store.scheduled.nextAt()).toBeNull();
        const [, dropped] = await history({ kind: "flag", name: "sale", environment: "live" });
        expect(dropped).toMatchObject({ kind: "scheduled", after: { dropped: failures[0] } });
      });

      test("whose rule cannot be evaluated any more are dropped", async () => {
        const { slug, set, segment, plan, find } = await openProject();
        const targeting = { if: [{ $ref: "staff" }, "on"] };
        await set("live", { variants: { on: true, off: false } });
        await segment("live", "staff", true);
        await plan("ruled", { targeting }, NOW + 10);
        await plan("fewer", { variants: { off: false }, targeting: { if: [true, "off"] } }, NOW + 20);
        await plan("again", { targeting: { if: [true, "on"] } }, NOW + 30);
        await store.segments.delete({ project: slug, environment: "live", segment: "staff" }, bob);
        const failures = (await store.scheduled.applyDue(everything)).map(({ failure }) => failure);
        expect(failures).toEqual([
          expect.stringContaining('"staff" does not exist'),
          null,
          expect.stringContaining('"on" is not one of the variants: off'),
        ]);
        expect(JSON.parse((await find("live"))!.rules!)).toMatchObject({ targeting: { if: [true, "off"] } });
      });

      test("are refused for a flag that is not there, or that they do not fit", async () => {
        const { set, plan } = await openProject();
        expect(await errorOf(plan("none", { enabled: true }, NOW + 10))).toStartWith("not_found");
        await set("live", { variants: { a: 1 } });
        expect(await errorOf(plan("none", { payload: 1 }, NOW + 10))).toStartWith("invalid");
        expect(await errorOf(plan("none", { defaultVariant: "b" }, NOW + 10))).toStartWith("invalid");
        expect(await store.scheduled.nextAt()).toBeNull();
      });
    });
  });
}
