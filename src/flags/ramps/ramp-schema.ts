import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { anyObject } from "../../base/shapes/json-schema.ts";
import { momentOf, timestamp } from "../../base/slug-schema.ts";
import { RAMP_LIMITS } from "../limits.ts";
import { ruleDepth } from "../segment-schema.ts";
import { findGuardFault, GUARD_LIMITS } from "./guard.ts";
import { GUARDED } from "./ramp-card.ts";
import { findStepsFault, RAMP_REASONS, RAMP_STATUSES } from "./ramp.ts";

const everyFault = "every is a whole number of seconds, from 1 to 31622400, which are 366 days";

export const guardsSchema = z.array(z.string("a guard is a text"), "guards is a list").check(
  z.maxLength(GUARD_LIMITS.guards, `there are ${GUARD_LIMITS.guards} guards at most`),
  z.refine((all) => all.every((each) => findGuardFault(each) === undefined), {
    error: ({ input }) => firstFault(input as string[], findGuardFault),
  }),
  z.describe("Such as `event:error rises 0%` or `submissions:contact falls 20%`."),
);

/** The first fault of some texts. */
export function firstFault(texts: readonly string[], fault: (text: string) => string | undefined): string {
  return texts.flatMap((text) => fault(text) ?? [])[0] ?? "";
}

/** The shares of a ramp, with a description for the API. */
export function sharesOf(description: string) {
  return z
    .array(
      z.number("a share is a number").check(z.meta({ exclusiveMinimum: 0, maximum: 100 })),
      "to is a list of shares in percent",
    )
    .check(
      z.maxLength(RAMP_LIMITS.steps, `a ramp has 1 to ${RAMP_LIMITS.steps} shares`),
      z.refine((to) => findStepsFault(to) === undefined, {
        error: ({ input }) => findStepsFault(input as number[]),
      }),
      z.describe(description),
    );
}

const condition = anyObject().check(ruleDepth);

/** The course of a ramp. */
export const rampPlanSchema = z.strictObject({
  variant: z
    .string("variant is the name of the variant whose share grows")
    .check(z.describe("A flag without variants gets `on` and `off`.")),
  to: sharesOf("Shares in percent, rising, with two decimals at most. 100 makes the variant the default."),
  every: z
    .int(everyFault)
    .check(
      z.gte(RAMP_LIMITS.least, everyFault),
      z.lte(RAMP_LIMITS.most, everyFault),
      z.describe("Seconds from one step to the next."),
    ),
  start: z.optional(momentOf("start").check(z.describe("When the first step is due. Default: at once."))),
  within: z.optional(
    condition.check(
      z.describe(
        "The condition that users meet to count in the share, in JSONLogic. Default: all users count.",
      ),
    ),
  ),
  thenEveryone: z.optional(
    z
      .boolean("thenEveryone is true or false")
      .check(z.describe("Whether only the first share is within the condition.")),
  ),
  ...givenSchemas(GUARDED, { guards: guardsSchema }),
});

export const rampSchema = z.object({
  flag: z.string(),
  environment: z.string(),
  variant: z.string(),
  /** The share of the variant in percent that the ramp has left. */
  share: z.number(),
  status: z.enum(RAMP_STATUSES),
  /** When the next step is due; null unless the ramp is running. */
  nextAt: z.nullable(timestamp),
  every: z.int(),
  /** The shares, and when each was set; null for one to come. */
  steps: z.array(z.object({ share: z.number(), doneAt: z.nullable(timestamp), within: z.optional(z.any()) })),
  /** Why it is paused or was aborted; null otherwise. */
  reason: z.nullable(z.enum(RAMP_REASONS)),
  ...shownSchemas(GUARDED),
  who: z.string(),
  why: z.nullable(z.string()),
  createdAt: timestamp,
});
