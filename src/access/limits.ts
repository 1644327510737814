/** The length of a password, once its characters are normalised. */
export const PASSWORD_LIMITS = { leastCharacters: 12, bytes: 200 } as const;

/** What checking passwords may cost, and how fast the password of one name may be guessed. */
export const SIGN_IN_LIMITS = {
  /** Passwords that are hashed at a time, and sign-ins that wait for their turn. */
  hashes: 2,
  waiting: 20,
  /** Wrong passwords for a name before each next one has to wait, and the longest wait. */
  failures: 10,
  waitSeconds: 60,
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

/** Hashes of unknown tokens that a process remembers. */
export const MAX_UNKNOWN_TOKENS = 10_000;
