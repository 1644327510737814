/** Secrets of a sign-in that has begun, which its answer has to fit (RFC 6749, OpenID Connect Core, RFC 7636). */
export type SignInSecrets = { state: string; nonce: string; verifier: string };

/** A person at a provider, as its tokens say. */
export type Identified = {
  issuer: string;
  subject: string;
  /** The session there; null if the provider names none. */
  sid: string | null;
  /** Claims of the ID token and of UserInfo together. */
  claims: Readonly<Record<string, unknown>>;
};

/** A logout token whose signature, issuer, audience and time are right. Times are milliseconds since 1970. */
export type LogoutToken = {
  issuer: string;
  claims: Readonly<Record<string, unknown>>;
};

/**
 * The port of an OpenID provider. Its methods throw `unavailable` where the provider does not answer as it should within
 * 10 seconds, and `invalid` for a code or a token that is wrong.
 */
export type OidcProvider = {
  /** The address to which a browser goes to sign in. */
  authorizationUrl(secrets: SignInSecrets): Promise<string>;
  /**
   * The person for whom the provider answered, by the query of that answer. Throws also `forbidden` if the person or the
   * provider refused.
   */
  identify(query: string, secrets: SignInSecrets): Promise<Identified>;
  /** The address at which a browser signs out there; null if the provider has none. */
  endSessionUrl(): Promise<string | null>;
  readLogoutToken(token: string): Promise<LogoutToken>;
};
