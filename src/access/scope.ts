export const SCOPES = [
  "admin",
  "read",
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
  "forms:read",
  "forms:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/** What each scope includes beside itself. */
export const INCLUDES: Record<Scope, readonly Scope[]> = {
  admin: SCOPES,
  read: ["flags:read", "forms:read"],
  "flags:read": [],
  "flags:write": ["flags:read"],
  // Changes what is in locked environments too.
  "flags:locked": ["flags:write", "flags:read"],
  // Bound to one environment, and for OFREP alone.
  "flags:evaluate": [],
  "forms:read": [],
  "forms:write": ["forms:read"],
};

/** Scopes of what lies in a project: a token can be limited to one of them, the others reach everything. */
export const PLACED_SCOPES: readonly Scope[] = [
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
];
