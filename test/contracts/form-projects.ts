import { describe, expect, test } from "bun:test";
import { planMove } from "../../src/forms/plan.ts";
import type { Quota } from "../../src/forms/form.ts";
import { addForm, addProject, apply, deleteFormChange } from "../support/records/apply.ts";
import {
  LAST_ID,
  NOW,
  fileKept,
  formRecord,
  submissionTo,
  targetRecord,
} from "../support/records/records.ts";
import { type Driver, fresh, insertNoted, opener } from "./driver.ts";

const DAY = 86_400_000;
const ANY = { key: null, spam: null, recent: null, challenge: null, keepsSpam: true, maxSubmissions: null };

/** The error of a promise; undefined if it fulfils. */
const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** What the product relies on in every driver for forms in projects, and for the limits of these. */
export function formProjectsContract(driver: Driver): void {
  describe(`forms in projects, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const newProject = async () => (await addProject(store, fresh())).slug;

    test("have a slug of their own in each, and are listed by slug and project, in pages", async () => {
      const [one, two] = [await newProject(), await newProject()].toSorted();
      const [a, b] = [`a-${fresh()}`, `b-${fresh()}`];
      for (const project of [two!, one!]) {
        await addForm(store, a, { project });
        await addForm(store, b, { project });
        expect(await faultOf(addForm(store, a, { project }))).toBeInstanceOf(Error);
      }
      const places = [
        { project: one, slug: a },
        { project: two, slug: a },
        { project: one, slug: b },
        { project: two, slug: b },
      ];
      expect(await store.forms.named(a)).toMatchObject(places.slice(0, 2));
      expect(await store.forms.list([one!, two!])).toMatchObject(places);
      expect(await store.forms.list([two!])).toMatchObject([places[1]!, places[3]!]);
      const paged = [];
      for (let after: { slug: string; project: string } | null = null; ;) {
        const page: Awaited<ReturnType<typeof store.forms.page>> = await store.forms.page({
          projects: [one!, two!],
          limit: 1,
          after,
        });
        paged.push(...page.items);
        after = page.items.at(-1)!;
        if (!page.more) break;
      }
      expect(paged).toMatchObject(places);
    });

    test("move with all that they have, and their history with them", async () => {
      const [from, to] = [await newProject(), await newProject()];
      const slug = fresh();
      const form = formRecord(slug, { project: from });
      const entry = { environment: null, kind: "form", name: slug, before: null, after: {} } as const;
      const target = targetRecord(form.key);
      await apply(store, { change: "insertForm", project: from, form, history: entry });
      await apply(store, { change: "insertTarget", target });
      const submission = submissionTo(form.key, { files: [fileKept(fresh())] });
      await insertNoted(store, submission);
      await apply(store, ...planMove(form, to));
      expect(await store.forms.named(form.key)).toMatchObject([{ project: to, slug, key: form.key }]);
      expect(await store.submissions.find(submission.id)).toMatchObject({ project: to, form: slug });
      expect(await store.submissions.standing([submission.id, LAST_ID])).toEqual({
        [submission.id]: {
          project: to,
          form: slug,
          state: "inbox",
          read: false,
          assignee: null,
          labels: [],
          waits: false,
        },
      });
      expect(await store.targets.list(form.key)).toEqual([target]);
      const told = async (project: string) =>
        (await store.changes.ofForm(project, slug, { limit: 10 })).items.map(({ before }) => before);
      // Neither is told the name of the other.
      expect(await told(to)).toEqual([{}, null]);
      expect(await told(from)).toEqual([{ project: from }]);
    });

    test("leave it when they are deleted, so that a project can be deleted and its name be used again", async () => {
      const project = await addProject(store, fresh());
      const form = await addForm(store, fresh(), { project: project.slug });
      await insertNoted(store, submissionTo(form.key));
      await apply(store, deleteFormChange(form));
      await project.delete();
      expect(await store.forms.named(form.slug)).toEqual([]);
      await addProject(store, project.slug);
      expect(await store.forms.list([project.slug])).toEqual([]);
    });

    test("without a row for their project are in default, and in its row once it is made", async () => {
      const own = await opener(driver)();
      const form = await addForm(own, "contact");
      expect(await own.forms.named("contact")).toEqual([form]);
      expect(form.project).toBe("default");
      await addProject(own, "default");
      expect(await faultOf(addForm(own, "contact"))).toBeInstanceOf(Error);
      expect(await own.forms.list(["default"])).toEqual([form]);
    });

    describe("with limits", () => {
      const limited = async (settings: Partial<Quota>) => {
        const { slug: project } = await addProject(store, fresh());
        await apply(store, { change: "setProject", project, settings, history: null });
        const forms = [
          await addForm(store, fresh(), { project }),
          await addForm(store, fresh(), { project }),
        ];
        const { quota } = (await store.forms.findByKey(forms[0]!.key))!.ofProject!;
        const conditions = { ...ANY, quota };
        const insert = async (at: number, more: Parameters<typeof submissionTo>[1] = {}) => {
          const submission = submissionTo(forms[at]!.key, { conditions, ...more });
          return { id: submission.id, kind: (await insertNoted(store, submission)).kind };
        };
        const kinds = async (...given: Parameters<typeof insert>[]) =>
          Promise.all(given.map(async (each) => (await insert(...each)).kind));
        return { project, forms, insert, kinds };
      };

      test("take so many submissions a day, of all forms together, however many arrive at once", async () => {
        const { kinds } = await limited({ maxSubmissions: 3 });
        const all = await kinds([0], [1], [0], [1], [0]);
        expect(all.toSorted()).toEqual(["quota-day", "quota-day", "stored", "stored", "stored"]);
        const midnight = Math.ceil(NOW / DAY) * DAY;
        expect(await kinds([0, { createdAt: midnight - 1 }])).toEqual(["quota-day"]);
        expect(await kinds([0, { createdAt: midnight }])).toEqual(["stored"]);
      });

      test("count what waits for its sender, and once it is confirmed on the day of that alone", async () => {
        const { forms, insert, kinds } = await limited({ maxSubmissions: 2 });
        const { quota } = (await store.forms.findByKey(forms[0]!.key))!.ofProject!;
        const consent = JSON.stringify({ at: new Date(NOW).toISOString(), address: null, text: "" });
        const waiting = { conditions: { ...ANY, quota, consent } };
        const { id } = await insert(0, waiting);
        expect(await kinds([0, waiting], [1, waiting], [1])).toEqual(["stored", "quota-day", "quota-day"]);
        const next = Math.ceil(NOW / DAY) * DAY;
        const confirming = { address: null, maxSubmissions: null, deliveries: [], measured: [] };
        await store.submissions.confirm(id, { at: next, ...confirming });
        expect(await kinds([0], [1], [0])).toEqual(["stored", "quota-day", "quota-day"]);
        const later = { createdAt: next };
        expect(await kinds([0, later], [1, later])).toEqual(["stored", "quota-day"]);
        expect(await store.submissions.wrongCounts()).toEqual([]);
      });

      test("hold so many bytes of data and files, and have room again for what is deleted", async () => {
        const { forms, insert, kinds } = await limited({ maxStorage: 100 });
        const data = `{"a":"${"x".repeat(22)}"}`;
        const files = () => [{ ...fileKept(fresh()), size: 20 }];
        const { id, kind } = await insert(0, { data, files: files() });
        expect([kind, ...(await kinds([1, { data, files: files() }]))]).toEqual(["stored", "stored"]);
        expect(await kinds([0, { data: "{}" }])).toEqual(["quota-storage"]);
        await store.submissions.delete([id]);
        expect(await kinds([0, { data: "{}" }], [0, { data, files: files() }])).toEqual([
          "stored",
          "quota-storage",
        ]);
        await apply(store, deleteFormChange(forms[1]!));
        expect(await kinds([0, { data, files: files() }])).toEqual(["stored"]);
      });
    });
  });
}
