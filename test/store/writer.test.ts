import { join } from "node:path";
import { expect, test } from "bun:test";
import { openMigrated } from "../support/database.ts";
import { addForm } from "../support/records/apply.ts";
import { submissionTo } from "../support/records/records.ts";
import { tempDirectory } from "../support/temp.ts";

/** A store that commits on its own thread, with a function that returns how many commits it has made. */
async function openStore() {
  const store = openMigrated(join(tempDirectory(), "formflag.db"), "thread");
  const { key } = await addForm(store, "contact");
  const insert = () => store.submissions.insert(submissionTo(key));
  const commits = async () =>
    (await store.stats()).commitWrites.counts.reduce((sum, count) => sum + count, 0);
  return { store, insert, commits };
}

test("writes that come together are one commit, also after the queue was empty", async () => {
  const { store, insert, commits } = await openStore();
  for (let round = 0; round < 3; round += 1) {
    await insert();
    const before = await commits();
    await Promise.all(Array.from({ length: 50 }, insert));
    expect((await commits()) - before).toBe(1);
  }
  await store.close();
});

test("a write that rewrites the file is a commit of its own, and the others stay together around it", async () => {
  const { store, insert, commits } = await openStore();
  const before = await commits();
  const first = Array.from({ length: 10 }, insert);
  const rewritten = store.submissions.rewrite();
  const second = Array.from({ length: 10 }, insert);
  await Promise.all([...first, rewritten, ...second]);
  expect((await commits()) - before).toBe(3);
  await Promise.all(Array.from({ length: 10 }, insert));
  expect((await commits()) - before).toBe(4);
  await store.close();
});
