import { describe, expect, test } from "bun:test";
import type { TargetRecord } from "../../../src/delivery/target.ts";
import { addForm, apply, deleteFormChange } from "../../support/records/apply.ts";
import { NOW, targetRecord } from "../../support/records/records.ts";
import { type Driver, fresh, opener } from "../driver.ts";

/** What the product relies on for targets in every driver. */
export function targetsContract(driver: Driver): void {
  describe(`targets, kept by ${driver.name},`, async () => {
    const store = await opener(driver)();
    const insert = async (formKey: string, more: Partial<TargetRecord> = {}) => {
      const target = targetRecord(formKey, more);
      await apply(store, { change: "insertTarget", target });
      return target;
    };

    test("are found as they were stored, and none by an id there is not", async () => {
      const { key } = await addForm(store, fresh());
      const secrets = [
        { secret: `whsec_${"A".repeat(43)}=`, until: null },
        { secret: `whsec_${"B".repeat(43)}=`, until: NOW + 1 },
      ];
      const webhook = await insert(key, { url: "https://example.com/ü?a=%00", secrets, enabled: false });
      const chat = await insert(key, { kind: "ntfy", url: "https://ntfy.sh/topic" });
      const headers = [{ name: "X-A", value: "é: b" }];
      const put = await insert(key, { request: { method: "PUT", headers, body: '{"a": "{{b}}"}' } });
      for (const target of [webhook, chat, put]) expect(await store.targets.find(target.id)).toEqual(target);
      for (const id of ["nope", "", "%", webhook.id.toUpperCase()])
        expect(await store.targets.find(id)).toBeUndefined();
    });

    test("are listed for their form alone, oldest first, by its key", async () => {
      const [one, other] = [await addForm(store, fresh()), await addForm(store, fresh())];
      const newer = await insert(one.key, { createdAt: NOW + 1 });
      const older = await insert(one.key);
      const elsewhere = await insert(other.key);
      expect(await store.targets.list(one.key)).toEqual([older, newer]);
      expect(await store.targets.list(other.key)).toEqual([elsewhere]);
      expect(await store.targets.list(one.slug)).toEqual([]);
    });

    test("change in their URL, state, secrets, request and time, and nothing else", async () => {
      const { key } = await addForm(store, fresh());
      const target = await insert(key);
      const beside = await insert(key);
      const url = "https://example.org/";
      const request = { method: "PUT" as const, headers: [], body: null };
      const changed = { ...target, url, enabled: false, secrets: [], request, updatedAt: NOW + 5 };
      await apply(store, { change: "updateTarget", target: { ...changed, createdAt: 0 } });
      expect(await store.targets.find(target.id)).toEqual(changed);
      expect(await store.targets.find(beside.id)).toEqual(beside);
    });

    test("are gone once deleted, or with their form at once", async () => {
      const form = await addForm(store, fresh());
      const [deleted, kept] = [await insert(form.key), await insert(form.key)];
      await apply(store, { change: "deleteTarget", id: deleted.id });
      expect(await store.targets.find(deleted.id)).toBeUndefined();
      expect(await store.targets.list(form.key)).toEqual([kept]);
      await apply(store, deleteFormChange(form));
      expect(await store.targets.find(kept.id)).toBeUndefined();
      expect(await store.targets.list(form.key)).toEqual([]);
      while (await store.submissions.clearDeleted(100));
      const again = await addForm(store, form.slug);
      expect(await store.targets.list(again.key)).toEqual([]);
    });
  });
}
