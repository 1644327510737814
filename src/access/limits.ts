/** The length of a password, once its characters are normalised. */
export const PASSWORD_LIMITS = {
  /** Characters of a password, at least. Beyond: refused. */
  leastCharacters: 12,
  /** Bytes of a password, in the normal form NFKC. Beyond: refused. */
  bytes: 200,
  /** Bytes of a password as typed. Beyond: refused. NFKC makes one of four at most, and orders long runs of marks in quadratic time. */
  typedBytes: 1000,
} as const;

/** Limits on the cost of checking passwords and on the rate of guesses. */
export const SIGN_IN_LIMITS = {
  /**
   * Wrong passwords from a network for a name, with or without a user, before each further attempt waits; one is
   * forgotten each minute. Beyond: 429 with `Retry-After`, even for the right password.
   */
  failures: 10,
  /** Seconds that an attempt waits at most. */
  waitSeconds: 60,
  /**
   * Wrong passwords from a network for any names before each further attempt waits; not for this machine. Beyond: 429
   * with `Retry-After`, except for names that signed in from there recently.
   */
  failuresOfNetwork: 20,
  /** Seconds after which one of these is forgotten. */
  networkWaitSeconds: 3,
  /** Sign-ins that wait. Beyond: 429 with `Retry-After`, for the network with the most. */
  waiting: 200,
  /** Sign-ins of one network that wait. Beyond: 429 with `Retry-After`. */
  waitingOfNetwork: 20,
  /** Days for which a network goes first after a sign-in. Beyond: networks take turns. */
  lateDays: 14,
  /** Networks, and names in them, whose sign-ins a process remembers. Beyond: the oldest is forgotten. */
  lateKeys: 10_000,
} as const;

/** Minutes for which a sign-in link works. Beyond: the link is unknown. */
export const LINK_MINUTES = 15;

/** Limits of sessions. */
export const SESSION_LIMITS = {
  /** Days that a session lasts after its last use. Beyond: it ends. */
  idleDays: 14,
  /** Days that a session lasts in all. Beyond: it ends. */
  days: 90,
  /** Sessions of a user. Beyond: the one used longest ago ends. */
  perUser: 100,
  /** Characters of the user agent and of the address that a session stores. Beyond: cut. */
  text: 300,
} as const;

/** Logins of the command line, which a person approves in the dashboard. */
export const LOGIN_LIMITS = {
  /** Seconds for which `formflag login` waits for its approval. Beyond: 400 `expired_token`. */
  waitSeconds: 900,
  /** Seconds between two polls of it. Beyond: 400 `slow_down`. */
  interval: 2,
  /** Seconds that the login lasts by default. Beyond: it ends. */
  defaultSeconds: 12 * 3600,
  /** Seconds that the login lasts at most. Beyond: 400. */
  mostSeconds: 30 * 86_400,
  /** Characters of the client's name. Beyond: 400. */
  client: 100,
  /** Logins that wait at a time. Beyond: 429 with `Retry-After`. */
  most: 10_000,
  /**
   * Logins that a network begins before each further one waits; not for this machine. Beyond: 429 with `Retry-After`.
   */
  begun: 20,
  /** Seconds after which one of these is forgotten. */
  begunWaitSeconds: 3,
  /**
   * Wrong codes of a user before each further one waits; one is forgotten each minute. Beyond: 429 with `Retry-After`.
   */
  wrongCodes: 10,
  /** Seconds that an attempt waits at most. */
  codeWaitSeconds: 60,
} as const;

/** Assistants that people sign in (OAuth). */
export const GRANT_LIMITS = {
  /** Seconds for which a code can be exchanged, once. Beyond: 400 `invalid_grant`. */
  codeSeconds: 60,
  /** Seconds for which an access token counts. Beyond: 401. */
  accessSeconds: 3600,
  /** Days that a grant lasts after its tokens were last replaced. Beyond: it ends. */
  idleDays: 30,
  /** Grants of a user. Beyond: the one used longest ago ends. */
  perUser: 100,
  /** Characters of the name of a client. Beyond: cut. */
  clientName: 100,
  /** Characters of the id of a client. Beyond: refused. */
  clientId: 2000,
  /** Addresses to which a client is sent back. Beyond: refused. */
  redirects: 20,
  /** Characters of each of them. Beyond: refused. */
  redirect: 500,
  /** Bytes of the document of a client. Beyond: refused. */
  document: 16_384,
  /** Milliseconds for which a server may take to send it. Beyond: refused. */
  documentMs: 5000,
  /** Seconds for which it is kept. Beyond: fetched again. */
  documentSeconds: 300,
} as const;

/** Second factors: how they are checked, changed and bounded. */
export const FACTOR_LIMITS = {
  /** Minutes for which a sign-in waits for the code of an authenticator app. Beyond: it ends. */
  codeMinutes: 10,
  /** Wrong codes of a sign-in; ten in a row wait as passwords do, counted in the database. Beyond: it ends. */
  codes: 5,
  /** Minutes after a sign-in in which second factors can be changed. Beyond: 403. */
  freshMinutes: 15,
  /** Minutes for which a browser may answer the challenge of a passkey. Beyond: 400. */
  challengeMinutes: 5,
  /** Passkeys of a user. Beyond: 409. */
  passkeys: 20,
  /** Characters of the name of a passkey. Beyond: 400. */
  passkeyName: 60,
  /** Bytes of the id of a passkey. Beyond: 400. WebAuthn, 4. */
  credentialId: 1023,
  /** Bytes of the public key of a passkey. Beyond: 400. */
  publicKey: 2048,
} as const;

/** Unknown tokens that a server remembers, to avoid reading the database again. Beyond: the oldest is forgotten. */
export const MAX_UNKNOWN_TOKENS = 10_000;

/** Origins of a browser key. Beyond: the token is refused. */
export const MAX_TOKEN_ORIGINS = 100;
