import * as z from "zod/mini";

const placed = {
  /** The project that it is about; null for the server, and for several. */
  project: z.nullable(z.string()),
  /** A sentence without a full stop. */
  title: z.string(),
  /** Its page in the dashboard: an address, or a path if the address of the server is not known. */
  url: z.nullable(z.string()),
};

export const needs = {
  output: z.object({
    /** The worst first. */
    needs: z.array(
      z.object({
        kind: z.enum(["health", "backup", "ramp", "experiment", "target", "proposal", "unread", "stale"]),
        ...placed,
        reason: z.string(),
        /** The time from which on it waits; null if that is not known. */
        since: z.nullable(z.string()),
        /** The action for it. */
        verb: z.string(),
      }),
    ),
  }),
};

export const upcoming = {
  output: z.object({
    /** The changes of the next 30 days, the next first. */
    upcoming: z.array(
      z.object({
        kind: z.enum(["digest", "change", "step", "experiment", "expiry", "deletion", "backup"]),
        at: z.string(),
        ...placed,
      }),
    ),
  }),
};
