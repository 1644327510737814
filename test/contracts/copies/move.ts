import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import type { App } from "../../../src/app.ts";
import { setFlag } from "../../../src/flags/flags.ts";
import type { Form } from "../../../src/forms/form.ts";
import { createForm, deleteForm } from "../../../src/forms/forms.ts";
import { deleteSubmissions } from "../../../src/forms/keeping/submission-deletion.ts";
import { markSubmissions } from "../../../src/forms/inbox/submission-marks.ts";
import { storeSubmission } from "../../../src/forms/submissions.ts";
import { storedFiles } from "../../../src/maintenance/check.ts";
import { differingTables, digestOf } from "../../../src/maintenance/digest.ts";
import { type Moved, moveData } from "../../../src/maintenance/move.ts";
import { type ClockedApp, openTestApp } from "../../support/app.ts";
import { OPERATOR } from "../../support/records/caller.ts";
import { bringEveryTable } from "../../support/records/every-table.ts";
import { codeOf, reasonOf } from "../../support/refusals.ts";
import { uploadsOf } from "../../support/uploads.ts";
import { stageText } from "../blobs.ts";
import { type Driver, type OpenStore, opener } from "../driver.ts";

/** An app with that store, and files of its own. */
const appOn = (store: OpenStore) => ({ ...openTestApp(), store, notes: store.notes });

const run = (from: App, to: App, isFinal: boolean, replaces = false): Promise<Moved> =>
  moveData(from, to, { isFinal, replaces }, () => {});

/** Opens a source and a target that is empty. */
function beginner(from: Driver, to: Driver) {
  const [openSource, openTarget] = [opener(from), opener(to)];
  const begin = async () => ({ source: appOn(await openSource()), target: appOn(await openTarget()) });
  return { begin, openTarget };
}

/** What the product relies on where data moves from a store of one driver to one of another. */
export function moveContract(from: Driver, to: Driver): void {
  describe(`a move from ${from.name} to ${to.name}`, () => {
    const { begin } = beginner(from, to);

    test("makes the target equal, with every file", async () => {
      const { source, target } = await begin();
      await bringEveryTable(source);
      const moved = await run(source, target, true);
      expect(moved.digests).toEqual(await digestOf(source.store.dump()));
      expect(differingTables(moved.digests!, await digestOf(target.store.dump()))).toEqual([]);
      expect(moved.files).toBeGreaterThan(0);
      expect(uploadsOf(target).kept()).toEqual(uploadsOf(source).kept());
      expect(await target.store.check()).toEqual([]);
      expect(await target.store.submissions.wrongCounts()).toEqual([]);
    });
  });
}

/** What each driver keeps as a source and as a target of moves that are repeated, refused or end early. */
export function movesContract(from: Driver, to: Driver): void {
  describe(`moves from ${from.name} to ${to.name}`, () => {
    const { begin, openTarget } = beginner(from, to);
    /** A form, and a function that stores a submission to it with files of these texts. */
    const beginForm = async (app: ClockedApp, slug: string) => {
      const form = await createForm(app, OPERATOR, { slug, uploads: true });
      return { form, send: (...texts: string[]) => sendTo(app, form, texts) };
    };

    test("brings only what is new or changed when it is repeated, and takes away what is gone", async () => {
      const { source, target } = await begin();
      const [kept, doomed] = [await beginForm(source, "kept"), await beginForm(source, "doomed")];
      const ids = [await kept.send("one"), await kept.send("two"), await kept.send(), await kept.send()];
      await doomed.send("three");
      expect(await run(source, target, false)).toMatchObject({
        submissions: 5,
        removed: 0,
        files: 3,
        bytes: 11,
      });
      expect(await run(source, target, false)).toMatchObject({ submissions: 0, removed: 0, files: 0 });

      await deleteSubmissions(source, OPERATOR, [ids[0]!]);
      await markSubmissions(source, OPERATOR, [ids[1]!], "archived");
      await markSubmissions(source, OPERATOR, [ids[2]!], "spam");
      await kept.send("four");
      await deleteForm(source, OPERATOR, "doomed");
      // Takes the name of the one that was deleted.
      await (await beginForm(source, "doomed")).send("five");
      expect(await run(source, target, false)).toMatchObject({ submissions: 4, removed: 2, files: 2 });
      const last = await run(source, target, true);
      expect(last).toMatchObject({ submissions: 0, removed: 0, files: 0 });
      expect(last.digests!.submissions.rows).toBe(5);
      expect(uploadsOf(target).kept()).toEqual(uploadsOf(source).kept());
      expect(await target.store.submissions.find(ids[1]!)).toMatchObject({ state: "archived" });
      expect(await target.store.submissions.wrongCounts()).toEqual([]);
    });

    test("removes what was copied from other data only where that is wanted", async () => {
      const { source, target } = await begin();
      const other = appOn(await opener(from)());
      // Apps of tests draw the same keys, so that this one draws more.
      for (const slug of ["one", "two"]) await createForm(other, OPERATOR, { slug });
      await deleteForm(other, OPERATOR, "one");
      await deleteForm(other, OPERATOR, "two");
      await (await beginForm(other, "theirs")).send("theirs");
      await (await beginForm(source, "ours")).send("ours");
      await run(other, target, false);
      for (const isFinal of [false, true])
        expect(await reasonOf(run(source, target, isFinal))).toBe("conflict target-of-another");
      expect(await run(other, target, false)).toMatchObject({ submissions: 0, removed: 0 });
      expect(await run(source, target, false, true)).toMatchObject({ submissions: 1, removed: 1 });
      expect(await run(source, target, true)).toMatchObject({ submissions: 0, removed: 0 });
    });

    test("goes on while submissions come in and are deleted", async () => {
      const { source, target } = await begin();
      const { send } = await beginForm(source, "form");
      const first = await send("gone soon");
      await send("stays");
      const blobs = {
        ...source.blobs,
        async open(key: string) {
          if (key.startsWith(first)) await deleteSubmissions(source, OPERATOR, [first]);
          await send("comes meanwhile");
          return source.blobs.open(key);
        },
      };
      expect(await run({ ...source, blobs }, target, false)).toMatchObject({ submissions: 2, files: 1 });
      expect(await run(source, target, true)).toMatchObject({ submissions: 2, files: 2, removed: 1 });
      expect(uploadsOf(target).kept()).toHaveLength(3);
    });

    test("stops at a file that is missing or damaged, and goes on once it is there", async () => {
      const { source, target } = await begin();
      const { send } = await beginForm(source, "form");
      const key = `${await send("whole")}.1`;
      await source.blobs.delete([key]);
      expect(await reasonOf(run(source, target, false))).toBe("unsupported files-damaged");
      await source.blobs.keep([{ key, staged: await stageText(source.blobs, "other") }]);
      expect(await reasonOf(run(source, target, true))).toBe("unsupported files-damaged");
      expect([uploadsOf(target).kept(), uploadsOf(target).staged()]).toEqual([[], []]);
      await source.blobs.delete([key]);
      await source.blobs.keep([{ key, staged: await stageText(source.blobs, "whole") }]);
      expect(await run(source, target, true)).toMatchObject({ files: 1 });
    });

    test("leaves no file where the target takes none, and goes on once it does", async () => {
      const { source, target } = await begin();
      await (await beginForm(source, "form")).send("one", "two");
      const keep = async () => {
        throw new AppError("forbidden", "refused");
      };
      const full = { ...target, blobs: { ...target.blobs, keep } };
      expect(await codeOf(run(source, full, true))).toBe("forbidden");
      expect([uploadsOf(target).kept(), uploadsOf(target).staged()]).toEqual([[], []]);
      expect(await run(source, target, true)).toMatchObject({ files: 2 });
    });

    test("changes no target that has data of its own, or was moved to before", async () => {
      const { source, target } = await begin();
      await (await beginForm(source, "mine")).send();
      await (await beginForm(target, "theirs")).send();
      for (const isFinal of [false, true])
        expect(await reasonOf(run(source, target, isFinal))).toBe("conflict database-not-empty");
      expect(await target.store.forms.list()).toMatchObject([{ slug: "theirs" }]);
      const other = appOn(await openTarget());
      await run(source, other, true);
      expect(await reasonOf(run(source, other, true))).toBe("conflict database-not-empty");
    });

    test("is not finished where the target became another", async () => {
      const { source, target } = await begin();
      await (await beginForm(source, "form")).send();
      const moving = await target.store.moving();
      const meddled = {
        ...moving,
        async receive(batch: Parameters<typeof moving.receive>[0]) {
          await moving.receive(batch);
          await target.store.deliveries.claimAlert("t", 0, 1);
        },
        release: () => Promise.reject(new Error("released")),
      };
      const store = { ...target.store, moving: () => Promise.resolve(meddled) };
      expect(await reasonOf(run(source, { ...target, store }, true))).toBe("conflict copy-differs");
    });

    test("replaces the setup that an earlier run brought", async () => {
      const { source, target } = await begin();
      await bringEveryTable(source);
      await run(source, target, false);
      await setFlag(
        source,
        OPERATOR,
        { project: "shop", environment: "develop", flag: "new" },
        { enabled: true },
      );
      const { digests } = await run(source, target, true);
      expect(digests!.changes.rows).toBeGreaterThan(0);
      const { version, access } = await source.store.readVersion();
      expect(await target.store.readVersion()).toMatchObject({ version, access });
      const keys: string[] = [];
      for await (const { key } of storedFiles((after, limit) => target.store.submissions.files(after, limit)))
        keys.push(key);
      expect(keys).toEqual(uploadsOf(target).kept());
    });
  });
}

async function sendTo(app: ClockedApp, form: Form, texts: string[]): Promise<string> {
  app.clock.now += 1000;
  const files = texts.map(async (text) => ({
    field: "file",
    name: "a.txt",
    type: "text/plain",
    blob: await stageText(app.blobs, text),
  }));
  const { id } = await storeSubmission(app, form, { data: '{"a":1}', files: await Promise.all(files) });
  return id;
}
