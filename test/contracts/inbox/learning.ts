import { describe, expect, test } from "bun:test";
import type { SubmissionMark } from "../../../src/forms/submission-state.ts";
import { ANN, addForm, apply, deleteFormChange } from "../../support/records/apply.ts";
import { NOW, nextId, submissionTo } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

const BYTES = Uint8Array.of(1, 2, 3, 4);

/** What filters that learn rely on in every driver. */
export function learningContract(driver: Driver): void {
  describe(`what a form learns, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const { submissions, learning } = store;
    const addProject = (project: string) =>
      apply(store, {
        change: "insertProject",
        project,
        name: project,
        key: fresh("key"),
        createdAt: NOW,
        history: null,
      });

    /** A form that learns, in a project of its own, with some submissions. */
    async function open({ count = 3, learn = true } = {}) {
      const project = fresh("project");
      await addProject(project);
      const form = await addForm(store, fresh(), { project, learn });
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const sent = submissionTo(form.key);
        await submissions.insert(sent);
        ids.push(sent.id);
      }
      const mark = (mark: SubmissionMark, ...ids: string[]) => submissions.mark(ids, mark, {}, ANN);
      /** Reads what is still to be read, and returns how much was learned of each kind. */
      const learned = async (of = project) => {
        const unread = await learning.unread(1000);
        await learning.keep(unread.map(({ id, data }) => ({ id, hashes: data === null ? null : BYTES })));
        const { spam, good } = await learning.counts(of);
        return [spam, good];
      };
      const set = (learn: boolean) =>
        apply(store, { change: "updateForm", project: form.project, form: { ...form, learn } });
      return { project, form, ids: ids as [string, string, string], mark, learned, set };
    }

    test("is what people mark as spam and what they archive, each once", async () => {
      const { ids, mark, learned, project } = await open();
      await mark("spam", ids[0]);
      await mark("spam", ids[0]);
      await mark("archived", ids[1], ids[2]);
      await mark("read", ids[1]);
      expect(await learning.counts(project)).toMatchObject({ spam: 0, good: 0 });
      expect(await learned()).toEqual([1, 2]);
      expect(await learned()).toEqual([1, 2]);
      expect(await learning.examples(project)).toEqual({ spam: [BYTES], good: [BYTES, BYTES] });
    });

    test("is taken back with the mark, and changes with it", async () => {
      const { ids, mark, learned } = await open();
      await mark("spam", ids[0], ids[1]);
      expect(await learned()).toEqual([2, 0]);
      await mark("inbox", ids[0]);
      await mark("archived", ids[1]);
      expect(await learned()).toEqual([0, 1]);
      await mark("inbox", ids[1]);
      expect(await learned()).toEqual([0, 0]);
    });

    test("has what leaves the spam folder without being put there by a person as good", async () => {
      const { form, mark, learned } = await open({ count: 0 });
      const sent = { ...submissionTo(form.key), conditions: conditions({ learned: "learn:words" }) };
      expect(await submissions.insert(sent)).toMatchObject({ kind: "stored", spam: "learn:words" });
      expect(await learned()).toEqual([0, 0]);
      await mark("inbox", sent.id);
      expect(await learned()).toEqual([0, 1]);
    });

    test("has what was answered as good, unless it is something already", async () => {
      const { ids, mark, learned } = await open();
      await mark("archived", ids[0]);
      for (const id of [ids[0], ids[1]]) {
        const delivery = { id: nextId(), target: "ann@example.com" };
        await submissions.answer(id, { text: "Yes", subject: "Re", delivery }, ANN);
      }
      expect(await learned()).toEqual([0, 2]);
    });

    test("survives the deletion of a submission that was read, and not its purge", async () => {
      const { ids, mark, learned } = await open();
      await mark("spam", ...ids);
      expect(await learned()).toEqual([3, 0]);
      await submissions.delete([ids[0]]);
      expect(await learned()).toEqual([3, 0]);
      const { items } = await submissions.scanAll(0, 10_000);
      const { place } = items.find(({ id }) => id === ids[1])!;
      await submissions.purge([{ place, id: ids[1] }], []);
      expect(await learned()).toEqual([2, 0]);
      await mark("inbox", ids[2]);
      await mark("spam", ids[2]);
      await submissions.delete([ids[2]]);
      expect(await learned()).toEqual([1, 0]);
    });

    test("is nothing of a form that does not learn, begins with what was marked before, and goes when it ends", async () => {
      const { ids, mark, learned, set } = await open({ learn: false });
      await mark("spam", ids[0]);
      await mark("archived", ids[1]);
      expect(await learned()).toEqual([0, 0]);
      await set(true);
      expect(await learned()).toEqual([1, 1]);
      await set(true);
      expect(await learned()).toEqual([1, 1]);
      await set(false);
      expect(await learned()).toEqual([0, 0]);
    });

    test("moves with its form, and goes with it", async () => {
      const { form, ids, mark, learned, project } = await open();
      await mark("spam", ids[0]);
      expect(await learned()).toEqual([1, 0]);
      const other = fresh("project");
      await addProject(other);
      await apply(store, {
        change: "moveForm",
        project: other,
        from: project,
        slug: form.slug,
        key: form.key,
      });
      expect([await learned(), await learned(other)]).toEqual([
        [0, 0],
        [1, 0],
      ]);
      await apply(store, deleteFormChange({ ...form, project: other }));
      expect(await learned(other)).toEqual([0, 0]);
    });

    test("decides last: after what else is spam, and where a form has room", async () => {
      const { form } = await open({ count: 1 });
      const learned = "learn:words";
      const now = (more: object) => submissions.predict(form.key, NOW, conditions({ learned, ...more }));
      expect(await now({ spam: "links" })).toEqual({ kind: "stored", spam: "links" });
      expect(await now({ spam: "links", keepsSpam: false })).toEqual({ kind: "spam", reason: "links" });
      expect(await now({ maxSubmissions: 1 })).toEqual({ kind: "full" });
      expect(await now({ keepsSpam: false })).toEqual({ kind: "stored", spam: learned });
    });
  });
}

function conditions(more: object) {
  const none = {
    key: null,
    spam: null,
    recent: null,
    challenge: null,
    keepsSpam: true,
    maxSubmissions: null,
  };
  return { ...none, ...more };
}
