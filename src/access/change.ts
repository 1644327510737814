import type { Role } from "./role.ts";
import type { Token } from "./token.ts";
import type { User, UserSettings } from "./user.ts";

/** A change of tokens, as the store applies it. The store only ever receives the hash of a secret. */
type TokenChange =
  | { change: "insertToken"; token: Token; hash: string }
  | { change: "deleteToken"; name: string };

/** A change of users, as the store applies it. */
type UserChange =
  | { change: "insertUser"; user: User }
  | { change: "updateUser"; name: string; role?: Role; settings?: UserSettings }
  /** Ends the links and approved logins of the user and every session but the one of the id `keep`. `password` is a hash. */
  | { change: "setPassword"; name: string; password: string; keep: string | null }
  /** Ends the sessions and links of the user too. */
  | { change: "deleteUser"; name: string };

export type AccessChange = TokenChange | UserChange;
