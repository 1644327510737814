import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import type { Delivery } from "../../../src/delivery/delivery.ts";
import { createIdSource } from "../../../src/base/ids.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import { onData } from "../../support/commands.ts";
import { random, submissionTo } from "../../support/records/records.ts";
import { tempDirectory } from "../../support/temp.ts";

/** A data directory with a form and two deliveries of one submission, of which the second was cancelled. */
async function begin() {
  const data = tempDirectory();
  const here = onData(data);
  const { key } = await here.json<{ key: string }>("forms", "create", "contact");
  const store = openSqliteStore(join(data, "formflag.db"), "inline");
  const nextId = createIdSource(random, Date.now);
  const [queued, cancelled] = [nextId(), nextId()];
  const submission = submissionTo(key, {
    deliveries: [
      { id: queued, kind: "notification", target: "shop@example.com" },
      { id: cancelled, kind: "webhook", target: "aaaa-bbbb-cccc" },
    ],
  });
  await store.submissions.insert(submission);
  await store.deliveries.cancelTargetless(Date.now() + 60_000, 10);
  await store.close();
  return { here, submission: submission.id, queued, cancelled };
}

describe("deliveries", () => {
  test("are listed newest first with what became of them, and shown one by one", async () => {
    const { here, submission, queued, cancelled } = await begin();
    const all = await here.json<Delivery[]>("deliveries", "list");
    expect(all.map(({ id, status }) => [id, status])).toEqual([
      [cancelled, "cancelled"],
      [queued, "queued"],
    ]);
    expect(await here.json<Delivery>("deliveries", "get", queued)).toEqual({
      ...all[1]!,
      history: [],
    } as Delivery);
    expect(all[1]).toEqual({
      id: queued,
      submission,
      project: "default",
      form: "contact",
      environment: null,
      event: null,
      kind: "notification",
      target: "shop@example.com",
      status: "queued",
      attempts: 0,
      nextAt: expect.any(String),
      code: null,
      error: null,
    } as unknown as Delivery);
    const { stdout } = await here.run("deliveries", "list", "--status", "cancelled", "--form", "contact");
    expect(stdout).toMatch(/^ID +FORM +KIND +TARGET +STATUS/);
    expect(stdout).toContain(cancelled);
    expect(stdout).not.toContain(queued);
    expect((await here.run("deliveries", "get", cancelled)).stdout).toContain("cancelled");
  });

  test("past the limit are named by the command for the next page", async () => {
    const { here, cancelled } = await begin();
    const { stderr } = await here.run("deliveries", "list", "--limit", "1", "--form", "contact");
    expect(stderr).toContain(`formflag deliveries list --before ${cancelled} --form contact --limit 1`);
  });

  test("are queued again by id", async () => {
    const { here, cancelled } = await begin();
    expect((await here.run("deliveries", "retry", cancelled)).stdout).toBe("queued 1 delivery\n");
    expect(await here.json<Delivery>("deliveries", "get", cancelled)).toMatchObject({ status: "queued" });
    expect(await here.json("deliveries", "retry", "--failed")).toEqual({ queued: 0 });
  });

  test.each([
    [["list", "--status", "lost"], 2],
    [["list", "--form", "nothing"], 3],
    [["list", "--limit", "0"], 2],
    [["get", "nothing"], 3],
    [["get"], 2],
    [["retry"], 2],
    [["retry", "--form", "contact"], 2],
    [["retry", "019b7ca9-8f2e-704c-8e61-af3eade9a3f6"], 3],
    [["retry", "x"], 2],
    [["retry", "--failed", "019b7ca9-8f2e-704c-8e61-af3eade9a3f6"], 2],
  ])("%p exits with %d", async (args, code) => {
    const { here } = await begin();
    expect((await here.run("deliveries", ...args)).code).toBe(code);
  });

  test("name what is not an id", async () => {
    const { here, cancelled } = await begin();
    const { stderr } = await here.run("deliveries", "retry", cancelled, "x");
    expect(stderr).toStartWith(
      "error: x is not the id of a delivery\nhint: formflag deliveries list shows the ids",
    );
  });
});
