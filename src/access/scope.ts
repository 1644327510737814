export const SCOPES = [
  "admin",
  "read",
  "flags:read",
  "flags:write",
  "flags:locked",
  "flags:evaluate",
  "flags:browser",
  "flags:sync",
  "flags:refs",
  "forms:read",
  "forms:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/** The rights of each scope in words. */
export const SCOPE_WORDS: Record<Scope, string> = {
  admin: "may do everything",
  read: "reads forms, submissions and flags",
  "flags:read": "reads flags",
  "flags:write": "changes flags",
  "flags:locked": "changes flags in locked environments too",
  "flags:evaluate": "an application reads flags",
  "flags:browser": "pages read flags that are for browsers",
  "flags:sync": "flagd, or a provider that evaluates itself, reads the rules of flags",
  "flags:refs": "uploads code references",
  "forms:read": "reads forms and submissions",
  "forms:write": "changes forms and submissions",
};

/** The other scopes that each scope includes. */
export const INCLUDES: Record<Scope, readonly Scope[]> = {
  admin: SCOPES,
  read: ["flags:read", "flags:sync", "forms:read"],
  "flags:read": ["flags:sync"],
  "flags:write": ["flags:read", "flags:sync", "flags:refs"],
  // Includes changes in locked environments.
  "flags:locked": ["flags:write", "flags:read", "flags:sync", "flags:refs"],
  // Limited to one environment, and to OFREP and events.
  "flags:evaluate": [],
  // The same for pages, of which every visitor can read the token, and to the flags that are for browsers.
  "flags:browser": [],
  // Limited to one environment, and to the rules of its flags for evaluation elsewhere.
  "flags:sync": [],
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
  "flags:sync",
  "flags:refs",
];

/** Scopes that are for one environment each, and exclude other scopes. */
export const LONE_SCOPES = [
  "flags:evaluate",
  "flags:browser",
  "flags:sync",
] as const satisfies readonly Scope[];

/** Scopes of tokens that can do nothing but read flags. */
export const READER_SCOPES: readonly Scope[] = [...LONE_SCOPES, "flags:read"];

/** Scopes of applications, for which this server evaluates flags. */
export const APPLICATION_SCOPES = ["flags:evaluate", "flags:browser"] as const satisfies readonly Scope[];
