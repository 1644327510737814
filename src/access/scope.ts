export const SCOPES = [
  "admin",
  "read",
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
  "flags:browser",
  "flags:refs",
  "forms:read",
  "forms:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/** The other scopes that each scope includes. */
export const INCLUDES: Record<Scope, readonly Scope[]> = {
  admin: SCOPES,
  read: ["flags:read", "forms:read"],
  "flags:read": [],
  "flags:write": ["flags:read", "flags:refs"],
  // Includes changes in locked environments.
  "flags:locked": ["flags:write", "flags:read", "flags:refs"],
  // Limited to one environment, and to OFREP and events.
  "flags:evaluate": [],
  // The same for pages, of which every visitor can read the token, and to the flags that are for browsers.
  "flags:browser": [],
  // Limited to one project, and to its code references.
  "flags:refs": [],
  "forms:read": [],
  "forms:write": ["forms:read"],
};

/** Scopes of flags, which can be limited to an environment; the others apply to a whole project at least. */
export const PLACED_SCOPES: readonly Scope[] = [
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
  "flags:browser",
  "flags:refs",
];

/** The scopes of applications: each is for one environment, and excludes other scopes. */
export const APPLICATION_SCOPES = ["flags:evaluate", "flags:browser"] as const satisfies readonly Scope[];
