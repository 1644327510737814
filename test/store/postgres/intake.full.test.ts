import { afterAll, describe, expect, test } from "bun:test";
import type { AppError } from "../../../src/base/errors.ts";
import { type StoredSubmission, UNKNOWN_OUTCOME } from "../../../src/forms/intake/insertion.ts";
import { type Connections, createConnections } from "../../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../../src/store/postgres/database-url.ts";
import { UnknownOutcomeError } from "../../../src/store/postgres/errors.ts";
import { createIntake } from "../../../src/store/postgres/intake.ts";
import { openPostgresStore } from "../../../src/store/postgres/store.ts";
import { addForm } from "../../support/records/apply.ts";
import { IS_POSTGRES_HERE, freshDatabase } from "../../support/postgres/postgres.ts";
import { NOW, fileKept, submissionTo } from "../../support/records/records.ts";

/** An error as of a connection that ends while a statement is under way. */
const lost = () => Object.assign(new Error("lost"), { code: "ERR_POSTGRES_CONNECTION_CLOSED" });

/** Shorter than in a server, which nothing here waits for. */
const UNKNOWN_MS = 500;

const HASH = "ab".repeat(32);
const conditions = {
  key: { hash: HASH, content: HASH, expiresAt: NOW + 1000 },
  spam: null,
  recent: { hash: HASH, expiresAt: NOW + 1000 },
  challenge: null,
  keepsSpam: true,
  maxSubmissions: 1,
};

describe.skipIf(!IS_POSTGRES_HERE)("the intake of PostgreSQL", () => {
  /** A store, and an intake beside it whose connections lose what `break` says. */
  async function open(disturb: (real: Connections) => Partial<Connections>) {
    const address = parseDatabaseUrl(await freshDatabase());
    const store = await openPostgresStore(address);
    const real = createConnections(address);
    const withdrawn: string[][] = [];
    const reported: unknown[] = [];
    const intake = createIntake(
      { ...real, ...disturb(real) },
      (ids) => withdrawn.push(ids),
      (error) => reported.push(error),
      UNKNOWN_MS,
    );
    afterAll(async () => {
      await Promise.all([intake.close(), store.close()]);
      await real.close();
    });
    const { key } = await addForm(store, "form");
    const rows = async () => (await store.submissions.list(key, 100, null)).submissions.map(({ id }) => id);
    return { store, key, intake, rows, withdrawn, reported };
  }

  test("does not judge a submission by what it has left itself, where the answer to its commit was lost", async () => {
    let isLost = false;
    const { intake, key, rows } = await open((real) => ({
      async transaction(...args) {
        const result = await real.transaction(...args);
        if (isLost) return result;
        isLost = true;
        throw new UnknownOutcomeError("lost");
      },
    }));
    const sent = submissionTo(key, { conditions });
    expect(await intake.insert(sent)).toEqual({ kind: "stored", spam: null });
    expect(await rows()).toEqual([sent.id]);
  });

  test("acknowledges what is stored of a batch, where it is unknown why the rest is not", async () => {
    let statements = 0;
    const { intake, key, rows } = await open((real) => ({
      query(pool, text, ...rest) {
        // The first statement inserts, the second finds out about what is missing.
        if (pool === "inserts" && (statements += 1) === 2) return Promise.reject(lost());
        return real.query(pool, text, ...rest);
      },
    }));
    const sent: StoredSubmission[] = [submissionTo(key), submissionTo("nobody"), submissionTo(key)];
    const results = await Promise.allSettled(sent.map((each) => intake.insert(each)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({ code: "not_found" });
    expect((await rows()).toSorted()).toEqual([sent[0]!.id, sent[2]!.id].toSorted());
  });

  test("withdraws what was refused with an unknown outcome, and says so of what it keeps for repeats", async () => {
    let isLost = true;
    const { store, intake, key, rows, withdrawn, reported } = await open((real) => ({
      async query(pool, ...rest) {
        const result = await real.query(pool, ...rest);
        return isLost && pool === "inserts" ? Promise.reject(lost()) : result;
      },
      async transaction(...args) {
        const result = await real.transaction(...args);
        if (isLost) throw new UnknownOutcomeError("lost");
        return result;
      },
    }));
    const some = { ...conditions, key: null, recent: null, maxSubmissions: null };
    const mark = (digit: string) => ({ hash: digit.repeat(64), expiresAt: NOW + 1000 });
    const keyed = submissionTo(key, { conditions: { ...some, key: { ...mark("1"), content: HASH } } });
    const solved = submissionTo(key, { conditions: { ...some, challenge: { nonce: mark("2") } } });
    const recent = submissionTo(key, { conditions: { ...some, recent: mark("3") } });
    const others = [submissionTo(key, { conditions: { ...some, maxSubmissions: 99 } }), submissionTo(key)];
    const results = await Promise.allSettled(
      [keyed, solved, recent, ...others].map((each) => intake.insert(each)),
    );
    const errors = results.map((each) => (each as PromiseRejectedResult).reason as AppError);
    expect(errors.map(({ code, reason }) => [code, reason])).toEqual(
      errors.map(() => ["unavailable", UNKNOWN_OUTCOME]),
    );
    expect(errors.map(({ message }) => /may be stored: (.*)$/.exec(message)?.[1])).toEqual([
      "sent again with the same idempotency key, it is stored once",
      "sent again, it counts as a repeat",
      "sent again, it counts as a repeat",
      undefined,
      undefined,
    ]);
    expect(withdrawn.flat().toSorted()).toEqual(others.map(({ id }) => id).toSorted());
    const kept = [keyed.id, solved.id, recent.id];
    for (const id of kept) expect(reported.map(String).join()).toContain(id);
    await store.submissions.delete(withdrawn.flat());
    expect((await rows()).toSorted()).toEqual(kept.toSorted());
    isLost = false;
    const again = submissionTo(key, { conditions: keyed.conditions! });
    expect(await intake.insert(again)).toEqual({ kind: "replayed", id: keyed.id });
  });

  test("refuses the one submission whose note was swept, and no other with it", async () => {
    const { intake, key, rows } = await open(() => ({}));
    const some = { ...conditions, key: null, recent: null, maxSubmissions: 9 };
    const swept = submissionTo(key, { conditions: some, files: [fileKept("a.1")] });
    const kept = submissionTo(key, { conditions: some });
    const results = await Promise.allSettled([intake.insert(swept), intake.insert(kept)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(await rows()).toEqual([kept.id]);
  });
});
