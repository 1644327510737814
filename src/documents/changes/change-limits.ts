/** Limits on proposed changes. */
export const CHANGE_LIMITS = {
  /** Open ones of a project, and bytes of their operations and of what they make. */
  open: 200,
  openBytes: 16 * 1024 * 1024,
  /** The same of one author in it: they are planned again for lists after each change of the setup. */
  own: 100,
  ownBytes: 4 * 1024 * 1024,
  /** Bytes of an operation, and of what it makes. */
  bytes: 1024 * 1024,
  /** Changes of a plan that is made at once. */
  planned: 10_000,
  /** Characters of its description. */
  summary: 300,
  /** How long one may stay open: at least and at most, and by default, in milliseconds. */
  leastMs: 1000,
  mostMs: 90 * 86_400_000,
  defaultMs: 14 * 86_400_000,
  /** Webhooks of a project. */
  targets: 20,
} as const;
