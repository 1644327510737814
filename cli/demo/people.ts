import type { Caller } from "../../src/access/caller.ts";
import { DAY_MS } from "../../src/base/days.ts";

/** Something that happened, and when, in milliseconds since 1970. */
export type Event = { at: number; run: () => Promise<unknown> };

/** An event so many days before `now`. */
export const ago = (now: number, days: number, run: Event["run"]): Event => ({
  at: now - days * DAY_MS,
  run,
});

export const PROJECT = "shop";

/** A person of the shop as they make a change. The demo itself has no limits: the roles are for those who sign in. */
export const by = (name: "mara" | "jonas" | "hanna", why?: string): Caller => ({
  name,
  type: "user",
  source: "dashboard",
  grants: [{ scopes: ["admin"] }],
  hasConfirmed: () => true,
  verify: async () => {},
  why,
});
