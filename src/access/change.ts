import type { Token } from "./token.ts";

/** A change of tokens, as the store applies it. The store only ever receives the hash of a secret. */
export type TokenChange =
  | { change: "insertToken"; token: Token; hash: string }
  | { change: "deleteToken"; name: string };
