import type { Passkey, SpentChallenge } from "./factors/factor.ts";
import type { Invitation } from "./members/invitation.ts";
import type { MemberRole, MemberSource } from "./members/member.ts";
import type { Identity } from "./oidc/identity-store.ts";
import type { Role, UserRole } from "./role.ts";
import type { Token } from "./token.ts";
import type { User, UserSettings } from "./user.ts";

/** A change of tokens, as the store applies it. The store only ever receives the hash of a secret. */
type TokenChange =
  | { change: "insertToken"; token: Token; hash: string }
  /** The token of that name that is limited to the project, or without one to none. */
  | { change: "deleteToken"; name: string; limitedTo?: string | undefined };

/** A change of users, as the store applies it. */
type UserChange =
  | { change: "insertUser"; user: User }
  | { change: "updateUser"; name: string; role?: UserRole; settings?: UserSettings }
  /** Ends the links and approved logins of the user and every session but the one of the id `keep`. `password` is a hash. */
  | { change: "setPassword"; name: string; password: string; keep: string | null }
  /**
   * Gives the user an authenticator app, whose code of `step` counts no more, with the hashes of recovery codes in place of
   * others. Ends begun sign-ins and every session but the one of the id `keep`, as the next ones do.
   */
  | {
      change: "setTotp";
      name: string;
      key: Uint8Array;
      step: number;
      recovery: readonly string[];
      at: number;
      keep: string | null;
    }
  | { change: "setRecoveryCodes"; name: string; recovery: readonly string[]; keep: string | null }
  | { change: "deleteTotp"; name: string; keep: string | null }
  /** Spends the challenge too. Refused for one that was spent, and for a credential that is known. */
  | {
      change: "insertPasskey";
      name: string;
      passkey: Passkey;
      challenge: SpentChallenge;
      keep: string | null;
    }
  /** Changes what the passkey is called, and ends nothing. */
  | { change: "renamePasskey"; name: string; id: string; label: string }
  | { change: "deletePasskey"; name: string; id: string; keep: string | null }
  /** Removes every second factor, and ends every session. */
  | { change: "resetFactors"; name: string }
  /** Ends the sessions and links of the user too, and unassigns their submissions. */
  | { change: "deleteUser"; name: string };

/** A change of who has which role in a project, as the store applies it. */
type MemberChange =
  /** Replaces the role of that source. */
  | ({
      change: "putMember";
      project: string;
      user: string;
      source: MemberSource;
      isNew: boolean;
    } & MemberRole)
  /** Without a source, the roles of all sources. */
  | { change: "deleteMember"; project: string; user: string; source: MemberSource | null }
  /** Stored under the SHA-256 of its secret. */
  | { change: "insertInvitation"; invitation: Invitation; hash: string }
  | { change: "deleteInvitation"; project: string; id: string; isSpent: boolean };

/** A change by an OpenID provider, as the store applies it. */
type IdentityChange =
  /** Replaces the identity of the user. */
  | ({ change: "putIdentity"; user: string; at: number } & Identity)
  | { change: "deleteIdentity"; user: string }
  /** The role in every project that groups give, beside that by hand; null for none. */
  | { change: "setGroupRole"; user: string; role: Role | null };

export type AccessChange = TokenChange | UserChange | MemberChange | IdentityChange;
