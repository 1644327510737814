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
  // Includes changes in locked environments.
  "flags:locked": ["flags:write", "flags:read"],
  // Limited to one environment, and to OFREP.
  "flags:evaluate": [],
  "forms:read": [],
  "forms:write": ["forms:read"],
};

/** Scopes that a token can limit to a project or an environment; the others always apply to everything. */
export const PLACED_SCOPES: readonly Scope[] = [
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
];
