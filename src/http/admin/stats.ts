import { Hono } from "hono/quick";
import * as z from "zod/mini";
import type { App } from "../../app.ts";
import { isoTime } from "../../base/clock.ts";
import type { CommitMinute } from "../../maintenance/commit-latency.ts";
import { MAX_STATS_DAYS, MAX_STATS_HOURS } from "../../maintenance/limits.ts";
import { statsSchema } from "../../maintenance/stats-schema.ts";
import { DEFAULT_STATS_DAYS, DEFAULT_STATS_HOURS, readStats } from "../../maintenance/stats.ts";
import type { AdminEnv } from "../auth.ts";
import { query, route } from "./contract.ts";

/** A whole number from 1. */
function numberOf(name: string, most: number) {
  const message = `${name} is a whole number from 1 to ${most}`;
  return z.coerce.number(message).check(z.int(message), z.gte(1, message), z.lte(most, message));
}

const statsQuery = z.strictObject({
  days: z._default(numberOf("days", MAX_STATS_DAYS), DEFAULT_STATS_DAYS),
  hours: z._default(numberOf("hours", MAX_STATS_HOURS), DEFAULT_STATS_HOURS),
  form: z.optional(z.string()),
});

export function statsRoutes(app: App, { commitMinutes }: { commitMinutes?: () => readonly CommitMinute[] }) {
  return new Hono<AdminEnv>().get(
    "/stats",
    route({
      tag: "stats",
      summary: "Count submissions and reads of flags",
      scope: "read",
      schema: statsSchema,
    }),
    query(statsQuery),
    async (c) => {
      const commits = commitMinutes?.() ?? [];
      const stats = await readStats(app, c.get("caller"), { ...c.req.valid("query"), commits });
      return c.json({ ...stats, commits: commits.map((each) => ({ ...each, at: isoTime(each.at) })) });
    },
  );
}
