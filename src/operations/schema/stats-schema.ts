import * as z from "zod/mini";
import {
  DEFAULT_NUMBERS_DAYS,
  MAX_NUMBERS_DAYS,
  MAX_STATS_DAYS,
  MAX_STATS_HOURS,
} from "../../maintenance/limits.ts";
import { numbersSchema, statsSchema } from "../../maintenance/stats-schema.ts";
import { DEFAULT_STATS_DAYS, DEFAULT_STATS_HOURS } from "../../maintenance/stats.ts";

/** A whole number from 1. */
function numberOf(name: string, most: number) {
  const message = `${name} is a whole number from 1 to ${most}`;
  return z.coerce.number(message).check(z.int(message), z.gte(1, message), z.lte(most, message));
}

export const numbers = {
  query: z.strictObject({
    days: z._default(numberOf("days", MAX_NUMBERS_DAYS), DEFAULT_NUMBERS_DAYS),
    /** At its midnight a day begins; UTC without one. */
    timeZone: z.optional(z.string()),
  }),
  output: numbersSchema,
};

export const read = {
  query: z.strictObject({
    days: z._default(numberOf("days", MAX_STATS_DAYS), DEFAULT_STATS_DAYS),
    hours: z._default(numberOf("hours", MAX_STATS_HOURS), DEFAULT_STATS_HOURS),
    form: z.optional(z.string()),
    project: z.optional(z.string()),
  }),
  output: statsSchema,
};
