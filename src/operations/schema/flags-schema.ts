import * as z from "zod/mini";
import { RULE_LIMITS } from "../../flags/limits.ts";
import { anyObject } from "../../base/shapes/json-schema.ts";
import { momentOf } from "../../base/slug-schema.ts";
import {
  FLAG_FILTERS,
  FLAG_FILTER_NAMES,
  type FlagFilter,
  type FlagFilterName,
} from "../../flags/flag-filters.ts";
import {
  detailsPatchSchema,
  flagDetailSchema,
  flagDetailsSchema,
  flagPatchSchema,
} from "../../flags/flag-schema.ts";
import { rampSchema } from "../../flags/ramps/ramp-schema.ts";
import { forSchema, scheduledSchema } from "../../flags/schedule/schedule-schema.ts";
import { listQuery, nextSchema, setResult } from "./shared-schema.ts";

/** Characters of the text of a filter. */
const MAX_FILTER = 200;

/** The schemas of filters by their kinds. */
const KINDS: Record<FlagFilter["kind"], (filter: FlagFilter, name: string) => z.ZodMiniType<string, string>> =
  {
    choice: ({ choices = [] }, name) => z.enum(choices, `${name} is ${choices.join(", ")}`),
    text: (_, name) =>
      z.string().check(z.maxLength(MAX_FILTER, `${name} has at most ${MAX_FILTER} characters`)),
    switch: (_, name) => z.enum(["true", "false"], `${name} is true or false`),
    time: (_, name) => momentOf(name),
  };

const filters = Object.fromEntries(
  FLAG_FILTER_NAMES.map((name) => {
    const filter: FlagFilter = FLAG_FILTERS[name];
    return [name, z.optional(KINDS[filter.kind](filter, name))];
  }),
) as Record<FlagFilterName, z.ZodMiniOptional<z.ZodMiniType<string, string>>>;

export const list = {
  query: z.extend(listQuery, filters),
  output: z.object({ flags: z.array(flagDetailSchema), next: nextSchema }),
};

export const get = {
  output: z.extend(flagDetailSchema, {
    /** The last ramp of the flag in the environment; left out if it has had none. */
    ramp: z.optional(rampSchema),
    /** The flags that need it in this environment, if there are any. */
    neededBy: z.optional(z.array(z.string())),
  }),
};

export const usage = {
  query: z.strictObject({
    /** At its midnight the day begins; UTC without one. */
    timeZone: z.optional(z.string()),
  }),
  output: z.object({
    day: z.string(),
    timeZone: z.string(),
    /** Reads of the flag, by itself and with all others, a minute late at most. */
    reads: z.int(),
    variants: z.record(z.string(), z.int()),
    /** Readers who got no variant, and use a default of their own. */
    none: z.int(),
  }),
};

const counted = {
  reads: z.int(),
  /** Reads in each of the last 24 hours, the current one last. */
  hours: z.array(z.int()),
  /** When it was last read, to the hour. */
  readAt: z.nullable(z.string()),
};

export const reads = {
  query: z.strictObject({ environment: z.optional(z.string()), flag: z.optional(z.string()) }),
  output: z.object({
    /** By slug, without flags that were never read. */
    flags: z.array(
      z.object({
        flag: z.string(),
        ...counted,
        /** The environment of the last read. */
        lastIn: z.nullable(z.string()),
        environments: z.array(
          z.object({
            environment: z.string(),
            ...counted,
            /** By the names of the tokens of readers, the most frequent first; null for readers with the keys. */
            by: z.array(z.object({ token: z.nullable(z.string()), reads: z.int() })),
          }),
        ),
      }),
    ),
  }),
};

export const set = { body: flagPatchSchema, output: z.extend(flagDetailSchema, setResult) };

export const details = { body: detailsPatchSchema, output: z.extend(flagDetailsSchema, setResult) };

export const detailsOf = {
  body: z.strictObject({
    /** Patches by the slug of the flag. */
    flags: z.record(z.string(), details.body),
  }),
  output: z.object({ flags: z.array(details.output) }),
};

export const setFor = {
  body: forSchema,
  output: z.extend(set.output, {
    /** The change back; null if the flag is already as the patch makes it. */
    scheduled: z.nullable(scheduledSchema),
  }),
};

const context = anyObject("the context is a JSON object");

const outcomeSchema = z.object({
  value: z.optional(z.any()),
  variant: z.optional(z.string()),
  /** `PREREQUISITE_FAILED` for a flag that is as while it is off, since one that it needs is not as it has to be. */
  reason: z.optional(z.string()),
  /** With the first of these as `prerequisite`. */
  metadata: z.optional(z.object({ prerequisite: z.string() })),
  /** Present instead of `reason` if the rule cannot be evaluated. */
  errorCode: z.optional(z.string()),
  errorDetails: z.optional(z.string()),
});

export const evaluate = {
  body: z
    .strictObject({
      context: z.optional(context),
      /** Evaluates an unsaved change for each of these, together with `patch`. */
      contexts: z.optional(z.array(context).check(z.meta({ maxItems: RULE_LIMITS.triedContexts }))),
      patch: z.optional(flagPatchSchema),
    })
    .check(
      z.refine(
        ({ context, contexts, patch }) =>
          (contexts === undefined) === (patch === undefined) &&
          (contexts === undefined || context === undefined),
        "send a context, or contexts and a patch",
      ),
    ),
  output: z.extend(outcomeSchema, {
    key: z.string(),
    /** With `contexts`, in their order: what the flag is now, and what it would be after the change. */
    results: z.optional(z.array(z.object({ context, now: outcomeSchema, after: outcomeSchema }))),
  }),
};
