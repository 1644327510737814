/** The length of a password, once its characters are normalised. */
export const PASSWORD_LIMITS = {
  leastCharacters: 12,
  bytes: 200,
  /** Bytes as they are typed: NFKC makes one of four at most, and orders long runs of marks in quadratic time. */
  typedBytes: 1000,
} as const;

/** Limits on the cost of checking passwords and on the rate of guesses. */
export const SIGN_IN_LIMITS = {
  /** Sign-ins that wait for their turn, in all and of one network. */
  waiting: 200,
  waitingOfNetwork: 20,
  /** Wrong passwords from a network for a name before each next one has to wait, and the longest wait. */
  failures: 10,
  waitSeconds: 60,
  /** The same for all names: as many a minute as wrong tokens. */
  failuresOfNetwork: 20,
  networkWaitSeconds: 3,
  /** How long a network goes first after a sign-in, and how many such networks a process remembers. */
  lateDays: 14,
  lateKeys: 10_000,
} as const;

/** How long a link that signs a user in works. */
export const LINK_MINUTES = 15;

/** How long a session lasts: since it was last used, and in all. */
export const SESSION_LIMITS = {
  idleDays: 14,
  days: 90,
  /** Sessions of one user; beyond, the one that was not used for longest ends. */
  perUser: 100,
  /** Characters that are kept of what a browser says of itself, and of its address. */
  text: 300,
} as const;

/** Logins of the command line, which a person approves in the dashboard. */
export const LOGIN_LIMITS = {
  /** How long one waits for its approval. */
  waitSeconds: 900,
  /** Seconds between two polls. */
  interval: 2,
  /** How long its session lasts, unless it says; and at most. */
  defaultSeconds: 12 * 3600,
  mostSeconds: 30 * 86_400,
  /** Logins that wait at a time. */
  most: 10_000,
  /** Logins that a network begins before each next one has to wait, and the wait. */
  begun: 20,
  begunWaitSeconds: 3,
  /** Wrong codes of a user before each next one has to wait, and the longest wait. */
  wrongCodes: 10,
  codeWaitSeconds: 60,
  /** Characters that are kept of what a client calls itself. */
  client: 100,
} as const;

/** Second factors: how they are checked, changed and bounded. */
export const FACTOR_LIMITS = {
  /** How long a sign-in waits for its code, and the wrong codes that end it. */
  codeMinutes: 10,
  codes: 5,
  /** The age of a session in which factors may be changed. */
  freshMinutes: 15,
  /** How long a browser may take to answer the challenge of a passkey. */
  challengeMinutes: 5,
  /** Passkeys of a user, the characters of their names, and the bytes of their ids (WebAuthn, 4) and public keys. */
  passkeys: 20,
  passkeyName: 60,
  credentialId: 1023,
  publicKey: 2048,
} as const;

/** Hashes of unknown tokens that a process remembers. */
export const MAX_UNKNOWN_TOKENS = 10_000;

/** Origins of pages that a browser key is limited to. */
export const MAX_TOKEN_ORIGINS = 100;
