import type { Author } from "../caller.ts";

/** An account of an OpenID provider. */
export type Identity = { issuer: string; subject: string };

/** A logout at a provider: of a session there, by its hash, or else of an account. */
export type Logout = {
  /** SHA-256 of the token's issuer and identifier, and when it may be forgotten. */
  token: { hash: string; expiresAt: number };
  /** SHA-256 of the issuer and the session; null for all sessions of the account. */
  sid: string | null;
  /** Null if the token names none. */
  identity: Identity | null;
};

export type IdentityStore = {
  /** The name of the user with an identity. */
  find(identity: Identity): Promise<string | undefined>;
  ofUser(user: string): Promise<Identity | undefined>;
  /**
   * Ends sessions that a provider ends, all or nothing, and returns true; false, with nothing ended, if the token was spent
   * before. With a `sid`: the sessions of it, and of the account those without any. Without: all that its user began by the
   * provider or a command line.
   */
  logOut(logout: Logout, by: Author): Promise<boolean>;
};
