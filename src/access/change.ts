import type { Token } from "./token.ts";

/** A change of tokens, as the store makes it; of a secret it is given the hash alone. */
export type TokenChange =
  | { change: "insertToken"; token: Token; hash: string }
  | { change: "deleteToken"; name: string };
