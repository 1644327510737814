import { parseExactly } from "../../src/base/json/exact-json.ts";
import { describe, expect, test } from "bun:test";
import { addForm } from "../support/records/apply.ts";
import { LAST_ID, NOW, fileKept, nextId, submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { type Driver, fresh, insertNoted, opener } from "./driver.ts";

/** What the product relies on for submissions and their files in every driver. */
export function submissionsContract(driver: Driver): void {
  describe(`submissions, kept by ${driver.name},`, async () => {
    const open = opener(driver);
    const store = await open();
    const form = () => addForm(store, fresh());

    test("are found as they were stored, with their files in order and without blob keys", async () => {
      const { slug, key } = await form();
      const data = { text: "Grüße 🎉\u0000", "": null, list: [1, "2", { three: true }], n: 1.5 };
      const files = [fileKept("k1", "../../etc/passwd"), fileKept("k2", '日本\0"\\{,}\u{10FFFF}.txt')];
      const submission = submissionTo(key, { data: JSON.stringify(data), files });
      await insertNoted(store, submission);
      expect(await store.submissions.find(submission.id)).toEqual({
        id: submission.id,
        project: "default",
        form: slug,
        data,
        files: files.map(({ key: _key, ...file }) => file),
        createdAt: "2026-01-02T03:04:05.678Z",
        state: "inbox",
        spam: null,
        read: false,
        meta: null,
        flags: null,
        unchecked: null,
        assignee: null,
        labels: [],
        confirmedAt: null,
        unsubscribedAt: null,
        consent: null,
      });
      expect(await store.submissions.find("nothing")).toBeUndefined();
    });

    test("keep the variants of flags that came with them, each its own in a batch", async () => {
      const { key } = await form();
      const seen = (variant: string) => ({
        project: "shop",
        environment: "live",
        at: "2026-01-02T03:04:00.000Z",
        variants: { hero: variant, search: "on" },
      });
      const batch = ["a", null, "b"].map((variant) =>
        submissionTo(key, { flags: variant === null ? null : JSON.stringify(seen(variant)) }),
      );
      await Promise.all(batch.map((each) => store.submissions.insert(each)));
      const found = await Promise.all(batch.map(({ id }) => store.submissions.find(id)));
      expect(found.map((each) => each!.flags)).toEqual([seen("a"), null, seen("b")]);
    });

    test("keep why an external check gave no verdict", async () => {
      const { key } = await form();
      const conditions = {
        key: null,
        spam: null,
        recent: null,
        challenge: null,
        keepsSpam: true,
        maxSubmissions: null,
      };
      const submission = submissionTo(key, { conditions: { ...conditions, unchecked: "no answer" } });
      await store.submissions.insert(submission);
      expect(await store.submissions.find(submission.id)).toMatchObject({
        state: "inbox",
        unchecked: "no answer",
      });
    });

    test("keep what was recorded about the sender", async () => {
      const { key } = await form();
      const meta = { address: "203.0.113.0", userAgent: "curl/8", referrer: null, language: "de" };
      const submission = submissionTo(key, { meta: JSON.stringify(meta) });
      await store.submissions.insert(submission);
      expect((await store.submissions.find(submission.id))!.meta).toEqual(meta);
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
      expect(await store.submissions.newestId(LAST_ID)).toBe(ids[0]!);
      expect(await page(3, null)).toEqual(ids.slice(0, 3));
      await store.submissions.delete([ids[2]!]);
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

    test("are imported as they are, but for those whose id any form knows", async () => {
      const [one, other] = [await form(), await form()];
      const known = submissionTo(one.key);
      await store.submissions.insert(known);
      const row = {
        data: '{"p":1.50}',
        createdAt: NOW,
        state: "inbox",
        spam: null,
        read: true,
        meta: null,
      } as const;
      const rows = [
        { ...row, id: known.id },
        { ...row, id: nextId(), state: "spam", spam: "links", createdAt: 0 } as const,
        { ...row, id: nextId(), state: "archived", read: false } as const,
      ];
      expect(await store.submissions.import(other.key, rows)).toEqual({
        imported: 2,
        skipped: 1,
        elsewhere: 1,
      });
      expect(await store.submissions.import(other.key, rows)).toEqual({
        imported: 0,
        skipped: 3,
        elsewhere: 1,
      });
      const spam = await store.submissions.find(rows[1]!.id);
      expect(spam).toMatchObject({
        form: other.slug,
        data: { p: parseExactly("1.50") },
        files: [],
        state: "spam",
        spam: "links",
      });
      expect(spam!.createdAt).toBe("1970-01-01T00:00:00.000Z");
      expect(await store.submissions.count(other.key, ["archived"])).toBe(1);
      expect(await codeOf(store.submissions.import("nobody", rows))).toBe("not_found");
    });

    test("are deleted once", async () => {
      const store = await open();
      const { key } = await addForm(store, "form");
      const submission = submissionTo(key, { files: [fileKept("d1"), fileKept("d2")] });
      await insertNoted(store, submission);
      expect(await store.submissions.unreferenced(["d1", "x", "d2"])).toEqual(["x"]);
      expect(await store.submissions.delete([submission.id])).toEqual([submission.id]);
      expect(await store.submissions.delete([submission.id])).toEqual([]);
      expect(await store.submissions.find(submission.id)).toBeUndefined();
      expect(await store.submissions.unreferenced([])).toEqual([]);
    });

    test("have files that are listed by key, those after one, with all their bytes", async () => {
      const { key } = await form();
      const before = await store.submissions.fileBytes();
      const submission = submissionTo(key, { files: [fileKept("~2"), fileKept("~1"), fileKept("~3")] });
      await insertNoted(store, submission);
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

    test("whose sender has left are refused as their turn comes, and not stored", async () => {
      const { key } = await form();
      const kept = store.submissions.insert(submissionTo(key), () => false);
      expect(await codeOf(store.submissions.insert(submissionTo(key), () => true))).toBe("invalid");
      await kept;
      expect(await store.submissions.count(key)).toBe(1);
    });
  });
}
