import { join } from "node:path";
import { expect, test } from "bun:test";
import { searchJob } from "../../../src/forms/inbox/search-index.ts";
import { openMigrated } from "../../support/database.ts";
import { addForm } from "../../support/records/apply.ts";
import { submissionTo } from "../../support/records/records.ts";
import { tempDirectory } from "../../support/temp.ts";

test("the search index is filled in shorter runs while many submissions come, and then in longer ones", async () => {
  const store = openMigrated(join(tempDirectory(), "formflag.db"), "thread");
  const { key } = await addForm(store, "form");
  let [now, steps] = [0, 0];
  const submissions = {
    ...store.submissions,
    updateIndex() {
      now += 10;
      steps += 1;
      return store.submissions.updateIndex();
    },
  };
  const job = searchJob({ now: () => now, store: { ...store, submissions } });
  const stepsAfter = async (count: number) => {
    await Promise.all(Array.from({ length: count }, () => store.submissions.insert(submissionTo(key))));
    steps = 0;
    await job.run();
    return steps;
  };
  expect(await stepsAfter(4000)).toBe(2);
  expect(await stepsAfter(1100)).toBe(2);
  expect(await stepsAfter(10)).toBe(10);
  await store.close();
});
