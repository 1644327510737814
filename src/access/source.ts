/** The ways by which a change comes; `schedule` is one that formflag makes by itself. */
export const SOURCES = ["mcp", "cli", "api", "dashboard", "schedule"] as const;

export type Source = (typeof SOURCES)[number];

/** The source that a client of the admin API names for its changes; any other client is `api`. */
export function sourceIn(header: string | undefined): Source {
  return header === "cli" || header === "mcp" ? header : "api";
}
