import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../../base/kinds/kinds-schema.ts";
import { anyObject } from "../../base/shapes/json-schema.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { flagPatchSchema } from "../flag-schema.ts";
import { RAMP_LIMITS } from "../limits.ts";
import { ruleDepth } from "../segment-schema.ts";
import { findGuardFault, GUARD_LIMITS } from "./guard.ts";
import { GUARDED, RAMP } from "./ramp-card.ts";
import { findStepsFault, RAMP_REASONS, RAMP_STATUSES } from "./ramp.ts";

export const guardsSchema = z.array(z.string("a guard is a text"), "guards is a list").check(
  z.maxLength(GUARD_LIMITS.guards, `there are ${GUARD_LIMITS.guards} guards at most`),
  z.refine((all) => all.every((each) => findGuardFault(each) === undefined), {
    error: ({ input }) => firstFault(input as string[], findGuardFault),
  }),
);

/** The first fault of some texts. */
export function firstFault(texts: readonly string[], fault: (text: string) => string | undefined): string {
  return texts.flatMap((text) => fault(text) ?? [])[0] ?? "";
}

export const sharesSchema = z
  .array(
    z.number("a share is a number").check(z.meta({ exclusiveMinimum: 0, maximum: 100 })),
    "to is a list of shares in percent",
  )
  .check(
    z.maxLength(RAMP_LIMITS.steps, `a ramp has 1 to ${RAMP_LIMITS.steps} shares`),
    z.refine((to) => findStepsFault(to) === undefined, {
      error: ({ input }) => findStepsFault(input as number[]),
    }),
  );

/** The course of a ramp. */
export const rampPlanSchema = z.strictObject(
  givenSchemas(RAMP, { to: sharesSchema, within: anyObject().check(ruleDepth), guards: guardsSchema }),
);

/** A ramp that starts, and the change of its flag that goes out by it. */
export const rampStartSchema = z.extend(rampPlanSchema, {
  /** Default with `patch`: `on`, or another variant than the default. */
  variant: z.optional(rampPlanSchema.shape.variant),
  /** The change of the flag, which the ramp turns on; both are made, or neither is. Without it, the flag exists. */
  patch: z.optional(z.omit(flagPatchSchema, { archived: true })),
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
