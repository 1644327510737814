import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { setClock } from "../../src/base/clock.ts";
import { IN_INBOX } from "../../src/forms/intake/insertion.ts";
import { createCommitMemory } from "../../src/store/commit-stats.ts";
import { MAX_QUEUED_BYTES, MAX_QUEUED_WRITES, WRITER_HEALTHY_MS } from "../../src/store/limits.ts";
import { createRoomMemory, openRoom } from "../../src/store/room.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { eventually } from "../support/eventually.ts";
import { newDatabase } from "../support/database.ts";
import { addForm, ANN } from "../support/records/apply.ts";
import { formRecord, submissionTo } from "../support/records/records.ts";
import { codeOf } from "../support/refusals.ts";
import { tempDirectory } from "../support/temp.ts";

/** The stores of two threads that commit on one writer thread. */
async function openThreads() {
  const file = newDatabase(tempDirectory());
  const memory = {
    room: createRoomMemory(),
    commits: createCommitMemory(),
    arrivals: new SharedArrayBuffer(4),
  };
  const one = openSqliteStore(file, { memory });
  const other = openSqliteStore(file, { link: one.join!() });
  const { key } = await addForm(one, "contact");
  const numbers = async () => {
    const { commitWrites, commitSeconds } = await one.stats();
    const commits = commitWrites.counts.reduce((sum, count) => sum + count, 0);
    return { commits, writes: commitWrites.sum, timed: commitSeconds.counts.reduce((a, b) => a + b, 0) };
  };
  const close = async () => {
    await other.close();
    await one.close();
  };
  return { file, one, other, key, memory, numbers, close };
}

describe("threads that commit on one writer", () => {
  test("each get the outcomes of their own writes, also where one of the others fails", async () => {
    const { one, other, key, close } = await openThreads();
    const mine = Array.from({ length: 20 }, () => one.submissions.insert(submissionTo(key)));
    const lost = other.submissions.insert(submissionTo("no-such-form"));
    const theirs = Array.from({ length: 20 }, () => other.submissions.insert(submissionTo(key)));
    expect(await codeOf(lost)).toBe("not_found");
    for (const stored of await Promise.all([...mine, ...theirs]))
      expect(stored).toMatchObject({ kind: "stored" });
    await close();
  });

  test("share commits, which are counted and timed once for all", async () => {
    const { one, other, key, numbers, close } = await openThreads();
    const before = await numbers();
    for (let round = 0; round < 20; round += 1)
      await Promise.all([one, other].map((store) => store.submissions.insert(submissionTo(key))));
    const after = await numbers();
    expect(after.writes - before.writes).toBe(40);
    expect(after.timed - before.timed).toBe(after.commits - before.commits);
    expect(after.commits - before.commits).toBeLessThan(40);
    await close();
  });

  test("let a write that rewrites the file be a commit of its own", async () => {
    const { one, other, key, close } = await openThreads();
    const inserts = [one, other].map((store) => store.submissions.insert(submissionTo(key)));
    const stored = await Promise.all([...inserts, one.submissions.rewrite()]);
    expect(stored.slice(0, 2)).toEqual([IN_INBOX, IN_INBOX]);
    await close();
  });

  test("store nothing of a sender that left while the batch of another thread was committed", async () => {
    const { file, one, other, key, numbers, close } = await openThreads();
    const before = await numbers();
    const lock = new Database(file);
    lock.run("BEGIN IMMEDIATE");
    const first = one.submissions.insert(submissionTo(key));
    await eventually("a commit", async () => (await one.stats()).queued === 1);
    let [hasLeft, checks] = [false, 0];
    const isAbandoned = () => {
      if (hasLeft) checks += 1;
      return hasLeft;
    };
    const left = codeOf(other.submissions.insert(submissionTo(key), isAbandoned));
    await eventually("a second one", async () => (await one.stats()).queued === 2);
    hasLeft = true;
    await eventually("a check", () => checks > 0);
    lock.close();
    expect(await first).toEqual(IN_INBOX);
    expect(await left).toBe("invalid");
    expect((await numbers()).writes - before.writes).toBe(1);
    await close();
  });

  test("refuse writes once all of them together have too many", async () => {
    const { one, other, key, memory, close } = await openThreads();
    const room = openRoom(memory.room);
    expect(room.take(MAX_QUEUED_BYTES)).toBe(true);
    for (const store of [one, other])
      expect(await codeOf(store.submissions.insert(submissionTo(key)))).toBe("unavailable");
    room.sent(1);
    room.free(MAX_QUEUED_BYTES);
    for (let write = 0; write < MAX_QUEUED_WRITES; write += 1) expect(room.take(0)).toBe(true);
    expect(await codeOf(other.submissions.insert(submissionTo(key)))).toBe("unavailable");
    room.sent(MAX_QUEUED_WRITES);
    for (let write = 0; write < MAX_QUEUED_WRITES; write += 1) room.free(0);
    await other.submissions.insert(submissionTo(key));
    expect(await other.stats()).toMatchObject({ queued: 0, queuedBytes: 0 });
    await close();
  });

  test("refuse a write that cannot be sent, and store those beside and behind it", async () => {
    const { one, other, key, close } = await openThreads();
    const { version } = await one.readVersion();
    const form = formRecord("broken", { name: (() => "") as unknown as string });
    const broken = { change: "insertForm", project: form.project, form } as const;
    for (const store of [one, other, one, other]) {
      const lost = store.apply([broken], version, ANN).catch(String);
      expect(await store.submissions.insert(submissionTo(key))).toEqual(IN_INBOX);
      expect(await lost).toContain("DataCloneError");
    }
    expect(await one.stats()).toMatchObject({ queued: 0, queuedBytes: 0 });
    await close();
  });

  test("are not healthy while the batch of any of them waits too long at the writer", async () => {
    const { file, one, other, key, close } = await openThreads();
    const lock = new Database(file);
    lock.run("BEGIN IMMEDIATE");
    const stored = other.submissions.insert(submissionTo(key));
    await new Promise((resolve) => void setImmediate(resolve));
    await Promise.all([one.ping(), other.ping()]);
    setClock({ now: () => Date.now() + WRITER_HEALTHY_MS + 1 });
    for (const store of [one, other]) expect(await codeOf(store.ping())).toBe("unavailable");
    lock.close();
    await stored;
    await Promise.all([one.ping(), other.ping()]);
    setClock();
    await close();
  });
});
