import { describe, expect, test } from "bun:test";
import { MEMBER_LIMITS } from "../../src/flags/limits.ts";
import type { SegmentSource } from "../../src/flags/source-card.ts";
import { applyDefinition, filledDefinition } from "../../src/flags/segment.ts";
import { approveMembers, putSegment, suspendMembers } from "../../src/flags/plan.ts";
import { columnsOf } from "../../src/maintenance/tables.ts";
import { planMove } from "../../src/forms/plan.ts";
import { ANN, addForm, addProject, apply, deleteFormChange } from "../support/records/apply.ts";
import { NOW, fileKept, nextId, noticeTarget, submissionTo } from "../support/records/records.ts";
import { type Driver, fresh, insertNoted, opener } from "./driver.ts";

const CONDITIONS = {
  key: null,
  spam: null,
  recent: null,
  challenge: null,
  keepsSpam: true,
  maxSubmissions: null,
};

/** What the product relies on in every driver for segments that forms fill. */
export function membershipsContract(driver: Driver): void {
  describe(`members of segments, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    /** A form, and what lets it fill a segment of a new project. */
    async function newFilled(given: Partial<SegmentSource> = {}) {
      const form = await addForm(store, fresh());
      const project = await addProject(store, fresh(), "live", "spare");
      const place = { project: project.slug, environment: "live", segment: "beta" };
      const fill = async (more: Partial<SegmentSource> = {}, where = place) => {
        const ofForm = {
          project: "default",
          form: form.slug,
          field: "email",
          attribute: "email",
          approve: false,
        };
        const definition = filledDefinition(where.segment, { ...ofForm, ...given, ...more });
        const before = await store.segments.find(where);
        await apply(
          store,
          putSegment(where, before, applyDefinition(where.segment, before, definition, NOW).record),
        );
      };
      const send = async (email: unknown, more: Parameters<typeof submissionTo>[1] = {}) => {
        const sent = submissionTo(form.key, { data: JSON.stringify({ email }), ...more });
        return { id: sent.id, insertion: await insertNoted(store, sent) };
      };
      const values = async (pending = false, where = place) =>
        (await store.memberships.page(where, { limit: 1000, pending })).items.map(({ value }) => value);
      const state = async () => {
        const selection = await store.flags.selectIn(project.slug, "live");
        const [only] = await selection.members();
        return { ...only!, since: (revision: number) => selection.membersSince("beta", revision) };
      };
      const counts = async () => (await store.segments.find(place))?.counts;
      return { form, project, place, fill, send, values, state, counts };
    }

    test("are noticed with the form that fills the segment, and approvals with their counts", async () => {
      const { form, project, place, fill, send } = await newFilled({ approve: true });
      const target = noticeTarget(project.slug, { events: ["segment.changed"] });
      await apply(store, { change: "insertTarget", target });
      await fill();
      await send("ann");
      await apply(store, approveMembers(place, null, { pending: 1, approved: 1 }));
      const { items } = await store.deliveries.page({
        limit: 10,
        before: null,
        formKeys: [],
        projects: [project.slug],
        submission: null,
        status: null,
      });
      const changes = await Promise.all(
        items.map(
          async ({ id }) => JSON.parse((await store.deliveries.notices(id))!.notices[0]!).data.changes,
        ),
      );
      const source = { form: `default:${form.slug}`, field: "email", attribute: "email", approve: true };
      expect(changes.toReversed()).toEqual([
        [{ field: "source", before: null, after: source }],
        [{ field: "pending", before: 1, after: 0 }],
      ]);
    });

    test("are found in earlier submissions and in each one that is stored, with files, conditions and as import", async () => {
      const { form, fill, send, values, counts } = await newFilled();
      await send("early");
      await send("early-spam", { conditions: { ...CONDITIONS, spam: "word" } });
      await fill();
      expect((await store.forms.findByKey(form.key))?.fills).toBe(true);
      expect((await send("plain")).insertion).toEqual({ kind: "stored", spam: null, fills: true });
      await send("known", { fills: true });
      await send("with-file", { files: [fileKept(`${fresh()}.1`)] });
      await send("conditional", { conditions: CONDITIONS });
      expect((await send("spam", { conditions: { ...CONDITIONS, spam: "word" } })).insertion).toEqual({
        kind: "stored",
        spam: "word",
      });
      const imported = (email: string, state: "inbox" | "spam") => ({
        id: nextId(),
        data: JSON.stringify({ email }),
        createdAt: NOW,
        state,
        spam: state === "spam" ? "manual" : null,
        read: true,
        meta: null,
      });
      await store.submissions.import(form.key, [
        imported("import", "inbox"),
        imported("import-spam", "spam"),
      ]);
      expect(await values()).toEqual(["conditional", "early", "import", "known", "plain", "with-file"]);
      expect(await counts()).toEqual({ members: 6, pending: 0 });
      expect(await store.submissions.count(form.key, ["inbox"])).toBe(6);
      expect(await store.submissions.wrongCounts()).toEqual([]);
    });

    test("go with the last submission that has them, by deletion, age, purge or spam, and come back from spam", async () => {
      const { form, fill, send, values, state } = await newFilled();
      await fill();
      const ids: string[] = [];
      for (const email of ["a", "a", "b", "c", "d", "e"]) ids.push((await send(email)).id);
      const { revision, leftAt } = await state();
      expect(leftAt).toBe(0);
      await store.submissions.delete([ids[0]!]);
      expect(await values()).toEqual(["a", "b", "c", "d", "e"]);
      expect((await state()).revision).toBe(revision);
      await store.submissions.delete([ids[1]!]);
      await store.submissions.mark([ids[2]!], "spam", {}, ANN);
      expect(await values()).toEqual(["c", "d", "e"]);
      const after = await state();
      expect(after.revision).toBeGreaterThan(revision);
      expect(after.leftAt).toBe(after.revision);
      await store.submissions.mark([ids[2]!], "archived", {}, ANN);
      expect(await values()).toEqual(["b", "c", "d", "e"]);
      expect(await (await state()).since(after.revision)).toEqual(["b"]);
      const aged = { formKey: form.key, state: "inbox" as const, createdBefore: NOW + 1 };
      expect(await store.submissions.deleteAged(aged, [ids[3]!])).toBe(1);
      const place = (await store.submissions.scanAll(0, 10_000)).items.find(({ id }) => id === ids[4])!;
      await store.submissions.purge([{ place: place.place, id: ids[4]! }], []);
      expect(await values()).toEqual(["b", "e"]);
    });

    test("raise the version of members, and that of the setup only if a person changes the segment", async () => {
      const { place, fill, send } = await newFilled({ approve: true });
      const versions = async () => {
        const { version, memberships } = await store.readVersion();
        return [version, memberships!] as const;
      };
      const atFirst = await versions();
      await fill();
      const filled = await versions();
      expect(filled[0]).toBe(atFirst[0] + 1);
      await send("a");
      expect(await versions()).toEqual(filled);
      await apply(store, approveMembers(place, ["a"], { pending: 1, approved: 1 }));
      const approved = await versions();
      expect(approved).toEqual([filled[0] + 1, filled[1] + 1]);
      await send("a");
      expect(await versions()).toEqual(approved);
      await fill({ approve: false });
      const { id } = await send("b");
      const more = await versions();
      expect(more[1]).toBeGreaterThan(approved[1]);
      await store.submissions.delete([id]);
      expect((await versions())[1]).toBeGreaterThan(more[1]);
    });

    test("wait for approval where that is asked for, of some or all", async () => {
      const { place, fill, send, values, counts } = await newFilled({ approve: true });
      await fill();
      for (const email of ["a", "b", "c"]) await send(email);
      expect(await values(true)).toEqual(["a", "b", "c"]);
      await apply(store, approveMembers(place, ["b", "nobody"], { pending: 3, approved: 1 }));
      expect([await values(), await values(true)]).toEqual([["b"], ["a", "c"]]);
      expect(await store.memberships.among(place, ["a", "b", "nobody"])).toEqual(
        expect.arrayContaining([
          { value: "a", approved: 0 },
          { value: "b", approved: 1 },
        ]),
      );
      await apply(store, approveMembers(place, null, { pending: 2, approved: 2 }));
      expect(await counts()).toEqual({ members: 3, pending: 0 });
      const { memberships } = await store.readVersion();
      await apply(store, suspendMembers(place, ["a", "nobody"], 0));
      expect([await values(), await values(true), await counts()]).toEqual([
        ["b", "c"],
        ["a"],
        { members: 2, pending: 1 },
      ]);
      expect((await store.readVersion()).memberships).toBeGreaterThan(memberships!);
      await fill({ approve: false, attribute: "mail" });
      expect((await store.segments.find(place))?.source?.attribute).toBe("mail");
      expect(await values()).toEqual(["a", "b", "c"]);
    });

    test("are welcomed once by a mail of their oldest submission, while they are approved", async () => {
      const welcome = "# Welcome\n\nYou are in.";
      const { form, place, fill, send } = await newFilled({ approve: true, welcome });
      await fill();
      const { id } = await send("Ann@example.com");
      for (const value of ["ann@example.com", "no address"]) await send(value);
      const mail = async () => {
        const query = { limit: 9, before: null, formKeys: [form.key], projects: [], status: null };
        const { items } = await store.deliveries.page({ ...query, submission: null });
        expect(items).toMatchObject([
          { kind: "welcome", submission: id, target: "Ann@example.com", status: "queued" },
        ]);
        return store.deliveries.welcome(items[0]!.id);
      };
      await apply(store, approveMembers(place, null, { pending: 2, approved: 2 }));
      expect(await mail()).toBe(welcome);
      await send("ann@example.com");
      await apply(store, suspendMembers(place, ["ann@example.com"], 0));
      expect(await mail()).toBeNull();
      await apply(store, approveMembers(place, ["ann@example.com"], { pending: 1, approved: 1 }));
      expect(await mail()).toBe(welcome);
      await fill({ welcome: `${welcome} Now.` });
      expect(await mail()).toBe(`${welcome} Now.`);
      await fill({ approve: false, welcome: undefined });
      expect(await mail()).toBeNull();
      await fill();
      await fill({ field: "other" });
      expect(await mail()).toBeNull();
    });

    test("are of each segment that a form fills, and end with it, its environment or another rule", async () => {
      const { form, project, place, fill, send, values } = await newFilled();
      const spare = { ...place, environment: "spare", segment: "other" };
      await fill();
      await fill({ attribute: "mail" }, spare);
      await send("a");
      expect([await values(), await values(false, spare)]).toEqual([["a"], ["a"]]);
      expect(await store.forms.filledBy(form.key)).toEqual([place, spare]);
      await project.dropEnvironment("spare");
      expect(await store.forms.filledBy(form.key)).toEqual([place]);
      await project.setSegment("live", "beta", true);
      expect(await store.forms.filledBy(form.key)).toEqual([]);
      expect((await store.forms.findByKey(form.key))?.fills).toBeUndefined();
      expect((await send("b")).insertion).toEqual({ kind: "stored", spam: null });
      await fill();
      expect(await values()).toEqual(["a", "b"]);
      const other = await addProject(store, fresh());
      await apply(store, ...planMove(form, other.slug));
      expect((await store.segments.find(place))?.source?.project).toBe(other.slug);
      await project.dropSegment("live", "beta");
      await apply(store, deleteFormChange({ ...form, project: other.slug }));
      while ((await store.submissions.clearDeleted(100)) !== null);
    });

    test("are at most a hundred thousand, past which the submission alone is stored", async () => {
      const { form, project, place, fill, send } = await newFilled({ approve: true });
      await fill();
      await send("known");
      const target = noticeTarget(project.slug, { events: ["segment.*"] });
      await apply(store, { change: "insertTarget", target });
      // As if it had all but one of them, which would take long to store.
      const full = await opener(driver)();
      const at = columnsOf("segment_sources").findIndex(([name]) => name === "members");
      const dump = async function* () {
        for await (const { table, rows } of store.dump()) {
          if (table === "segment_sources") for (const row of rows) row[at] = MEMBER_LIMITS.values - 2;
          yield { table, rows };
        }
      };
      await full.fill(dump());
      const insert = (email: unknown) =>
        full.submissions.insert(submissionTo(form.key, { data: JSON.stringify({ email }) }));
      const counts = async () => (await full.segments.find(place))?.counts;
      const filter = { limit: 10, before: null, formKeys: [], submission: null, status: null };
      const noticed = async () =>
        (await full.deliveries.page({ ...filter, projects: [project.slug] })).items.map(({ id }) => id);
      expect(await noticed()).toEqual([]);
      await insert(["last", "late"]);
      expect(await counts()).toEqual({ members: MEMBER_LIMITS.values - 2, pending: 2 });
      const [id, ...others] = await noticed();
      expect(others).toEqual([]);
      expect(JSON.parse((await full.deliveries.notices(id!))!.notices[0]!)).toMatchObject({
        type: "segment.full",
        data: {
          project: place.project,
          environment: place.environment,
          name: "beta",
          who: "formflag",
          why: null,
          changes: [],
        },
      });
      expect(await insert(["later", "known"])).toMatchObject({ kind: "stored", spam: null });
      expect((await full.memberships.page(place, { limit: 10, pending: true })).items).toEqual([
        { value: "known", submissions: 2 },
        { value: "last", submissions: 1 },
      ]);
      // Once, although others are turned away.
      expect(await noticed()).toEqual([id!]);
    });
  });
}
