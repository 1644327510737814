/** The ways by which a change comes; `schedule` is one that formflag makes by itself. */
export const SOURCES = ["mcp", "cli", "api", "dashboard", "schedule"] as const;

export type Source = (typeof SOURCES)[number];

/** An actor as people read it, with the assistant that acted for them: `ann via Claude`. */
export function actorName({ who, via }: { who: string; via?: string | null | undefined }): string {
  return via == null ? who : `${who} via ${via}`;
}

/** The source that a client of the admin API names for its changes; any other client is `api`. */
export function sourceIn(header: string | undefined): Source {
  return header === "cli" || header === "mcp" ? header : "api";
}
