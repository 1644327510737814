import { expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import type { StoredSubmission } from "../../../src/forms/intake/insertion.ts";
import { type RawSubmission, parsed } from "../../../src/forms/submission.ts";
import type { PostgresStore } from "../../../src/store/postgres/store.ts";
import { answerCalls } from "../../../src/store/postgres/threads/answers.ts";
import { createCaller } from "../../../src/store/postgres/threads/calls.ts";
import { openRemoteStore } from "../../../src/store/postgres/threads/remote-store.ts";
import { eventually } from "../../support/eventually.ts";

/** A thread that calls a store of which there are only these methods. */
function connect(methods: object) {
  const { port1, port2 } = new MessageChannel();
  const tellers: (() => void)[] = [];
  const watch = { current: () => Promise.reject(new Error("unused")) };
  const published = { onNews: (tell: () => void) => void tellers.push(tell) };
  answerCalls(port1, methods as PostgresStore, watch, published);
  return { caller: createCaller(port2), tellers };
}

const ROW: StoredSubmission = { id: "a", formKey: "b", data: "{}", files: [], createdAt: 1 };

test("a call returns what the main thread does, an error with its code and what it says", async () => {
  const { caller } = connect({
    forms: { find: async (slug: string) => ({ slug, at: new Map([[1, slug]]) }) },
    shared: {
      count: async () => {
        throw new AppError("unavailable", "away", { reason: "database-unavailable", retryAfter: 1 });
      },
    },
  });
  expect(await caller.call("forms", "find", ["a"])).toEqual({ slug: "a", at: new Map([[1, "a"]]) });
  expect(await caller.call("shared", "count", []).catch((error: unknown) => error)).toMatchObject({
    code: "unavailable",
    reason: "database-unavailable",
    retryAfter: 1,
  });
  expect(await caller.call("forms", "none", []).catch(String)).toContain("TypeError");
});

test("a submission comes with every digit of its numbers", async () => {
  const raw = { id: "a", data: '{"price":1.10}' } as RawSubmission;
  const { caller } = connect({
    submissions: {
      findRaw: async (id: string) => (id === "a" ? raw : undefined),
      find: async () => parsed(raw),
    },
  });
  const { submissions } = openRemoteStore(caller, 0);
  expect(JSON.stringify((await submissions.find("a"))?.data)).toBe('{"price":1.10}');
  expect(await submissions.find("b")).toBeUndefined();
});

test("calls that are answered apart get each its own answer", async () => {
  const turns = [3, 0, 2, 1];
  const { caller } = connect({
    forms: {
      find: async (index: number) => {
        for (let turn = 0; turn < turns[index]! * 5; turn += 1) await new Promise(setImmediate);
        return index;
      },
    },
  });
  expect(await Promise.all(turns.map((_, index) => caller.call("forms", "find", [index])))).toEqual([
    0, 1, 2, 3,
  ]);
});

test("a submission whose sender leaves while it waits is known to have none", async () => {
  let isGone: (() => boolean) | undefined;
  const finish = Promise.withResolvers<void>();
  const { caller } = connect({
    submissions: {
      async insert(_: StoredSubmission, isAbandoned: () => boolean) {
        isGone = isAbandoned;
        await finish.promise;
        return { kind: "stored", spam: null };
      },
    },
  });
  let hasLeft = false;
  const inserted = caller.insert(ROW, () => hasLeft);
  await eventually("the insert", () => isGone !== undefined);
  expect(isGone!()).toBe(false);
  hasLeft = true;
  await eventually("the news of it", () => isGone!());
  finish.resolve();
  expect(await inserted).toEqual({ kind: "stored", spam: null });
});

test("a submission whose sender has left is not sent", async () => {
  const { caller } = connect({ submissions: {} });
  expect(await caller.insert(ROW, () => true).catch((error: unknown) => error)).toMatchObject({
    code: "invalid",
  });
});

test("closing waits for what is under way, and nothing is called afterwards", async () => {
  const finish = Promise.withResolvers<string>();
  const { caller } = connect({ forms: { find: () => finish.promise } });
  const found = caller.call("forms", "find", []);
  const closed = caller.close();
  expect(await caller.call("forms", "find", []).catch((error: unknown) => error)).toMatchObject({
    code: "unavailable",
  });
  finish.resolve("found");
  expect(await found).toBe("found");
  await closed;
});

test("a call, a submission or an answer that cannot be sent fails alone", async () => {
  const { caller } = connect({
    forms: { find: async (answer: string) => (answer === "function" ? () => {} : answer) },
    submissions: { insert: async () => ({ kind: "stored", spam: null }) },
  });
  const find = (argument: unknown) => caller.call("forms", "find", [argument]).catch(String);
  const unsendable = { ...ROW, createdAt: 1n as unknown as number };
  for (let round = 0; round < 2; round += 1) {
    const answers = [
      find("a"),
      find(() => {}),
      find("function"),
      caller.insert(unsendable).catch(String),
      caller.insert(ROW),
      caller.insert(ROW, () => {
        throw new Error("no state");
      }),
      find("b"),
    ];
    expect(await Promise.all(answers.map((each) => each.catch(String)))).toEqual([
      "a",
      expect.stringContaining("DataCloneError"),
      expect.stringContaining("postMessage"),
      expect.stringContaining("BigInt"),
      { kind: "stored", spam: null },
      "Error: no state",
      "b",
    ]);
  }
  await caller.close();
});
