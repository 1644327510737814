import { expect, test } from "bun:test";
import { dropHashing, hashOnThread } from "../../src/access/hashes.ts";

test("a password whose thread cannot start is an error, and the next one is hashed", async () => {
  dropHashing();
  const machine = globalThis.Worker;
  globalThis.Worker = function refuse() {
    throw new Error("no more threads");
  } as unknown as typeof Worker;
  const hash = () => hashOnThread({ password: "correct horse", hash: null }).catch(String);
  try {
    expect(await Promise.all([hash(), hash()])).toEqual(["Error: no more threads", "Error: no more threads"]);
  } finally {
    globalThis.Worker = machine;
  }
  const hashed = await hash();
  expect(hashed).toStartWith("$argon2id$");
  expect(await hashOnThread({ password: "correct horse", hash: hashed as string })).toBe(hashed as string);
  dropHashing();
});
