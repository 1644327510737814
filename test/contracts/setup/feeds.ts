import { describe, expect, test } from "bun:test";
import { dashedKey } from "../../../src/base/ids.ts";
import { sha256 } from "../../../src/base/sum.ts";
import type { FeedRecord } from "../../../src/forms/feeds/feed.ts";
import { addForm, apply, deleteFormChange } from "../../support/records/apply.ts";
import { NOW, random } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for feeds in every driver. */
export function feedsContract(driver: Driver): void {
  describe(`feeds, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const insert = async (formKey: string, more: Partial<FeedRecord> = {}) => {
      const feed: FeedRecord = {
        id: dashedKey(random),
        formKey,
        name: "Orders & more",
        format: "csv",
        fields: null,
        search: null,
        since: null,
        limit: 1000,
        createdAt: NOW,
        expiresAt: null,
        lastReadAt: null,
        ...more,
      };
      await apply(store, { change: "insertFeed", feed, hash: sha256(feed.id) });
      return feed;
    };

    test("are found as they were stored, by id and by the hash of their token", async () => {
      const { key, slug, name } = await addForm(store, fresh());
      const more = { format: "atom" as const, fields: ["b", "ä"], search: "a b", since: 60, limit: 10_000 };
      const feed = await insert(key, { ...more, expiresAt: NOW + 5 });
      const found = { ...feed, project: "default", form: slug, formName: name };
      expect(await store.feeds.find(feed.id)).toEqual(found);
      expect(await store.feeds.findByHash(sha256(feed.id))).toEqual(found);
      expect(await store.feeds.findByHash(feed.id)).toBeUndefined();
      expect(await store.feeds.find("nope")).toBeUndefined();
    });

    test("are listed by pages, the oldest first, of all forms, a form or some projects", async () => {
      const form = await addForm(store, fresh());
      const newer = await insert(form.key, { createdAt: NOW + 2 });
      const older = await insert(form.key, { createdAt: NOW + 1 });
      const query = { limit: 1, after: null, projects: null, form: form.key };
      const page = await store.feeds.page(query);
      expect([page.items.map(({ id }) => id), page.more]).toEqual([[older.id], true]);
      const next = await store.feeds.page({ ...query, after: older });
      expect([next.items.map(({ id }) => id), next.more]).toEqual([[newer.id], false]);
      expect((await store.feeds.page({ ...query, form: null, projects: [] })).items).toEqual([]);
      const ofProject = await store.feeds.page({ ...query, limit: 1000, form: null, projects: ["default"] });
      expect(ofProject.items.map(({ id }) => id)).toContain(newer.id);
      expect(await store.feeds.count(form.key)).toBe(2);
    });

    test("are noted as read, and are gone once they are deleted or their form is", async () => {
      const form = await addForm(store, fresh());
      const [one, other] = [await insert(form.key), await insert(form.key)];
      await store.feeds.noteRead(one.id, NOW + 7);
      expect((await store.feeds.find(one.id))!.lastReadAt).toBe(NOW + 7);
      expect((await store.feeds.find(other.id))!.lastReadAt).toBeNull();
      await apply(store, { change: "deleteFeed", id: one.id, formKey: form.key });
      expect(await store.feeds.find(one.id)).toBeUndefined();
      await apply(store, deleteFormChange(form));
      expect(await store.feeds.findByHash(sha256(other.id))).toBeUndefined();
    });
  });
}
