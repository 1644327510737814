import { afterAll, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { createUnits } from "../../../src/store/postgres/run.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { createWithdrawals } from "../../../src/store/postgres/withdrawals.ts";
import { addForm } from "../../support/records/apply.ts";
import { eventually } from "../../support/eventually.ts";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import { submissionTo } from "../../support/records/records.ts";

describe.skipIf(!IS_POSTGRES_HERE)("submissions that were refused although they may be stored", () => {
  async function open() {
    const address = parseDatabaseUrl(await freshDatabase());
    const store = await openPostgresStore(address);
    const connections = createConnections(address);
    afterAll(async () => {
      await store.close();
      await connections.close();
    });
    const reported: unknown[] = [];
    const report = (error: unknown) => void reported.push(error);
    return { store, connections, units: createUnits(connections), reported, report };
  }

  test("are deleted, and reported by their ids where they were stored", async () => {
    const { store, units, reported, report } = await open();
    const { key } = await addForm(store, "form");
    const [stored, never] = [submissionTo(key), submissionTo(key)];
    await store.submissions.insert(stored);
    const withdrawals = createWithdrawals(units, report);
    withdrawals.add([stored.id, never.id]);
    await withdrawals.close();
    expect(await store.submissions.find(stored.id)).toBeUndefined();
    expect(reported).toMatchObject([{ code: "unavailable" }]);
    expect(String(reported[0])).toContain(stored.id);
    expect(String(reported[0])).not.toContain(never.id);
  });

  test("are reported although the answer to their deletion was lost", async () => {
    const { store, units, reported, report } = await open();
    const { key } = await addForm(store, "form");
    const { id } = submissionTo(key);
    await store.submissions.insert(submissionTo(key, { id }));
    let isLost = false;
    const write: typeof units.write = async (work) => {
      const result = await units.write(work);
      if (isLost) return result;
      isLost = true;
      throw new AppError("unavailable", "lost");
    };
    const withdrawals = createWithdrawals({ write }, report);
    withdrawals.add([id]);
    await eventually("the report", () => reported.length > 0);
    await withdrawals.close();
    expect(reported).toHaveLength(1);
    expect(String(reported[0])).toContain(id);
  });

  test("are reported where the process ends before the database answers", async () => {
    const { connections, units, reported, report } = await open();
    await connections.close();
    const withdrawals = createWithdrawals(units, report);
    const { id } = submissionTo("key");
    withdrawals.add([id]);
    await withdrawals.close();
    expect(reported).toMatchObject([{ code: "unavailable", cause: { reason: "database-unavailable" } }]);
    expect(String(reported[0])).toContain(id);
  });

  test("are reported where they cannot be deleted", async () => {
    const { reported, report } = await open();
    const bug = new Error("a bug");
    const withdrawals = createWithdrawals({ write: () => Promise.reject(bug) }, report);
    const { id } = submissionTo("key");
    withdrawals.add([id]);
    await withdrawals.close();
    expect(reported).toMatchObject([{ code: "unavailable", cause: bug }]);
    expect(String(reported[0])).toContain(id);
  });
});
