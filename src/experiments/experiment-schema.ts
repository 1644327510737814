import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { slugOf, timestamp } from "../base/slug-schema.ts";
import { findMetricFault } from "../flags/ramps/guard.ts";
import { firstFault, guardsSchema } from "../flags/ramps/ramp-schema.ts";
import { RAMP_REASONS } from "../flags/ramps/ramp.ts";
import { DESIGN } from "./experiment-card.ts";
import { EXPERIMENT_STATUSES, findSplitFault } from "./experiment.ts";
import { EXPERIMENT_LIMITS } from "./limits.ts";

const { metrics: most } = EXPERIMENT_LIMITS;

const metrics = z.array(z.string("a metric is a text"), "metrics is a list").check(
  z.minLength(1, "an experiment has a metric, such as submissions:contact"),
  z.maxLength(most, `an experiment has 1 to ${most} metrics`),
  z.refine((all) => all.every((each) => findMetricFault(each) === undefined), {
    error: ({ input }) => firstFault(input as string[], findMetricFault),
  }),
  z.refine((all) => new Set(all).size === all.length, "a metric is named once"),
  z.describe("`submissions:` with a form, or `event:` with a name. The first one decides."),
);

const split = z
  .record(
    z.string(),
    z
      .number("a weight is a whole number")
      .check(z.meta({ type: "integer", minimum: 1, maximum: EXPERIMENT_LIMITS.weight })),
    "split is an object of weights",
  )
  .check(
    z.refine((weights) => findSplitFault(weights) === undefined, {
      error: ({ input }) => findSplitFault(input as Record<string, number>),
    }),
    z.describe("The weight of each variant. Default: all alike."),
  );

const design = givenSchemas(DESIGN, { metrics, split, guards: guardsSchema });

export const newExperimentSchema = z.strictObject({
  name: slugOf("experiment"),
  flag: z.string("flag is the slug of a flag"),
  ...design,
  metrics,
});

/** An experiment in a document, under its name. */
export const experimentEntrySchema = z.omit(newExperimentSchema, { name: true });
export const experimentName = newExperimentSchema.shape.name;

export const experimentPatchSchema = z.strictObject(design);

export const experimentSchema = z.object({
  name: z.string(),
  environment: z.string(),
  flag: z.string(),
  ...shownSchemas(DESIGN),
  status: z.enum(EXPERIMENT_STATUSES),
  /** Why it is paused, or was ended otherwise than by a person; null otherwise. */
  reason: z.nullable(z.enum(RAMP_REASONS)),
  startedAt: z.nullable(timestamp),
  endedAt: z.nullable(timestamp),
  who: z.string(),
  why: z.nullable(z.string()),
  createdAt: timestamp,
});

const rate = z.number().check(z.describe("From 0 to 1."));

export const resultsSchema = z.object({
  experiment: z.string(),
  status: z.enum(EXPERIMENT_STATUSES),
  startedAt: z.nullable(timestamp),
  endedAt: z.nullable(timestamp),
  /** Whole days since the start, or until the end. */
  days: z.int(),
  minDays: z.int(),
  /** Visitors who have seen two variants, and count for none. */
  mixed: z.int(),
  /** Whether more visitors came than are counted. */
  full: z.boolean(),
  /** Whether visitors are split as planned: `evidence` against it is a power of ten, an alarm from 3 on. */
  ratio: z.object({
    expected: z.record(z.string(), z.number()),
    seen: z.record(z.string(), z.int()),
    evidence: z.number(),
    alarm: z.boolean(),
  }),
  metrics: z.array(
    z.object({
      metric: z.string(),
      /** Whether it decides. */
      primary: z.boolean(),
      variants: z.array(
        z.object({
          variant: z.string(),
          control: z.boolean(),
          visitors: z.int(),
          conversions: z.int(),
          rate: z.nullable(rate),
          /** The rate less that of the control; null for the control and without visitors. */
          difference: z.nullable(z.number()),
          interval: z.nullable(z.tuple([z.number(), z.number()])),
          verdict: z.nullable(z.enum(["too-few", "better", "worse", "undecided"])),
        }),
      ),
    }),
  ),
  winner: z.nullable(z.string()),
  /** A reason for the lack of a winner; null with one, and if every variant is worse. */
  waiting: z.nullable(z.enum(["ratio", "too-few", "undecided", "min-days"])),
  level: z.number(),
  method: z.string(),
});
