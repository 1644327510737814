import { describe, expect, test } from "bun:test";
import { addForm, apply, deleteFormChange } from "../support/records/apply.ts";
import { fileKept, formRecord, NOW, submissionTo } from "../support/records/records.ts";
import { codeOf, reasonOf } from "../support/refusals.ts";
import { type Driver, fresh, garbageOf, insertNoted, opener } from "./driver.ts";

/** What the product relies on for forms in every driver. */
export function formsContract(driver: Driver): void {
  describe(`forms, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();

    test("are stored with every setting and found by slug, by key, or only by key", async () => {
      const record = formRecord(fresh(), {
        name: "Kontakt ✓",
        enabled: false,
        uploads: true,
        successUrl: "https://example.com/thanks",
        errorUrl: "https://example.com/error",
        allowedOrigins: ["https://example.com", "https://a.example"],
        blockedSenders: ["203.0.113.0/24"],
        rateLimit: { count: 3, seconds: 60 },
        maxFileSize: 12,
        maxFiles: 3,
        allowedTypes: [".pdf", "image/*"],
        opensAt: "2026-01-02T03:04:05.678Z",
        closesAt: "2027-01-01T00:00:00.000Z",
        openWhen: "shop/develop/contact-open",
        maxSubmissions: 10_000,
        spam: "reject",
        honeypots: ["website"],
        spamWords: ["kredit*"],
        spamEmails: ["*@spam.example"],
        spamLinks: 0,
        spamDisposable: true,
        duplicates: 60,
        challenge: true,
        schema: { type: "object", properties: { age: { minimum: 0.5 } }, required: ["ä"] },
        updatedAt: NOW + 1,
      });
      await apply(store, { change: "insertForm", project: "default", form: record });
      expect((await store.forms.named(record.slug))[0]).toEqual(record);
      expect((await store.forms.named(record.key))[0]).toEqual(record);
      const ofProject = { accent: null, quota: null };
      expect(await store.forms.findByKey(record.key)).toEqual({ ...record, ofProject });
      expect(await store.forms.findByKey(record.slug)).toBeUndefined();
      expect((await store.forms.named("nobody"))[0]).toBeUndefined();
    });

    test("are found by the project of the flag that opens them, and by no text that only looks like one", async () => {
      const [project, other] = [fresh(), fresh()];
      const opened = await addForm(store, fresh(), { openWhen: `${project}/live/sale_1` });
      await addForm(store, fresh(), { openWhen: `${other}/live/sale` });
      await addForm(store, fresh(), { schema: { default: { openWhen: `${project}/live/sale` } } });
      await addForm(store, fresh(), { openWhen: `${project.replaceAll(/[-_.]/g, "x")}/live/sale` });
      expect(await store.projects.openedForms(project)).toEqual([
        { project: "default", form: opened.slug, environment: "live", flag: "sale_1" },
      ]);
      await apply(store, { change: "updateForm", project: "default", form: { ...opened, openWhen: null } });
      expect(await store.projects.openedForms(project)).toEqual([]);
      await apply(
        store,
        { change: "updateForm", project: "default", form: opened },
        deleteFormChange(opened),
      );
      expect(await store.projects.openedForms(project)).toEqual([]);
    });

    test("get other settings", async () => {
      const form = await addForm(store, fresh(), { maxFiles: 3, challenge: true, spamLinks: 1 });
      const changed = {
        ...form,
        name: "New",
        uploads: true,
        allowedOrigins: ["https://*.a.example"],
        challenge: false,
        spamLinks: 0,
      };
      await apply(store, {
        change: "updateForm",
        project: "default",
        form: { ...changed, maxFiles: null, updatedAt: NOW + 5 },
      });
      expect((await store.forms.named(form.slug))[0]).toEqual({
        ...changed,
        maxFiles: null,
        updatedAt: NOW + 5,
      });
    });

    test("are listed by slug", async () => {
      const made = [await addForm(store, fresh()), await addForm(store, fresh())];
      const listed = (await store.forms.list()).map((each) => each.slug);
      expect(listed).toEqual(listed.toSorted((a, b) => (a < b ? -1 : 1)));
      for (const { slug } of made) expect(listed).toContain(slug);
    });

    test("are gone at once when they are deleted, for senders too, and leave their slug and key free", async () => {
      const listed = async () => [
        await store.forms.list(),
        (await store.forms.page({ projects: null, limit: 1000 })).items,
      ];
      const others = await listed();
      const form = await addForm(store, fresh());
      const { slug, key } = form;
      const submission = submissionTo(key);
      await store.submissions.insert(submission);
      await apply(store, deleteFormChange(form));
      expect((await store.forms.named(slug))[0]).toBeUndefined();
      expect((await store.forms.named(key))[0]).toBeUndefined();
      expect(await store.forms.findByKey(key)).toBeUndefined();
      expect(await listed()).toEqual(others);
      expect(await store.submissions.find(submission.id)).toBeUndefined();
      expect(await store.submissions.delete([submission.id])).toEqual([]);
      expect(await codeOf(store.submissions.insert(submissionTo(key)))).toBe("not_found");
      expect(await codeOf(store.submissions.list(key, 1, null))).toBe("not_found");
      await apply(store, { change: "insertForm", project: form.project, form });
      expect(await store.submissions.count(key)).toBe(0);
      await apply(store, deleteFormChange(form));
    });

    test("that may only be deleted while they are empty are outdated with a submission", async () => {
      const [empty, full] = [await addForm(store, fresh()), await addForm(store, fresh())];
      await store.submissions.insert(submissionTo(full.key));
      const drop = apply(store, deleteFormChange(empty, true), deleteFormChange(full, true));
      expect(await reasonOf(drop)).toBe("conflict outdated");
      for (const { slug } of [empty, full]) expect((await store.forms.named(slug))[0]).toBeDefined();
      await apply(store, deleteFormChange(empty, true));
      expect((await store.forms.named(empty.slug))[0]).toBeUndefined();
    });

    test("that are deleted lose their submissions in steps, whose files are garbage from then on", async () => {
      const store = await opener(driver)();
      const [form, other] = [await addForm(store, "form"), await addForm(store, "other")];
      const keys = Array.from({ length: 5 }, (_, index) => `f${index}`);
      for (const key of keys) await insertNoted(store, submissionTo(form.key, { files: [fileKept(key)] }));
      const kept = submissionTo(other.key, { files: [fileKept("kept")] });
      await insertNoted(store, kept);
      expect(await store.submissions.clearDeleted(2)).toBeNull();
      await apply(store, deleteFormChange(form));
      expect(await garbageOf(store)).toEqual([]);
      const left: number[] = [];
      for (let more = true; more; left.push((await garbageOf(store)).length))
        more = (await store.submissions.clearDeleted(2)) !== null;
      expect(left).toEqual([2, 4, 5, 5]);
      expect(await garbageOf(store)).toEqual(keys);
      expect((await store.submissions.files("", 10)).map(({ key }) => key)).toEqual(["kept"]);
      expect(await store.submissions.find(kept.id)).toBeDefined();
    });
  });
}
