import type { Hashed, ToHash } from "./hashes.ts";
import { HASHING } from "./password.ts";

declare const self: Worker;

self.onmessage = ({ data: { password, hash } }: MessageEvent<ToHash>) => {
  const result: Hashed =
    hash === null
      ? Bun.password.hashSync(password, HASHING)
      : Bun.password.verifySync(password, hash) && hash;
  self.postMessage(result);
};
