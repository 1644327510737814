import { createHash } from "node:crypto";
import { type ToHash, dropHashing } from "../../src/access/hashes.ts";

/**
 * Replaces the thread of passwords until the result is called, by one that hashes at no cost, after `wait`: for tests of what
 * happens around the hashes.
 */
export function replaceHashing(wait: () => Promise<void> = () => Promise.resolve()): () => void {
  class HashThread {
    onmessage: ((message: { data: string | false }) => void) | undefined;

    postMessage({ password, hash }: ToHash): void {
      const made = `$argon2id$v=19$m=19456,t=2,p=1$${createHash("sha256").update(password).digest("base64url")}`;
      const data = hash === null || hash === made ? made : false;
      void wait().then(() => this.onmessage?.({ data }));
    }

    unref(): void {}
    terminate(): void {}
  }
  const { Worker: Thread } = globalThis;
  dropHashing();
  globalThis.Worker = HashThread as unknown as typeof Worker;
  return () => {
    dropHashing();
    globalThis.Worker = Thread;
  };
}
