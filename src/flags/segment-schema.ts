import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { notDeeper } from "../base/shapes/json-schema.ts";
import { revision, slugOf, timestamp } from "../base/slug-schema.ts";
import { RULE_LIMITS } from "./limits.ts";
import { SOURCE } from "./source-card.ts";

export const ruleDepth = notDeeper(RULE_LIMITS.depth, `a rule has at most ${RULE_LIMITS.depth} levels`);

export const segmentName = slugOf("segment");

/** A rule in JSONLogic: an object, or true or false. */
const rule = z.any().check(
  ruleDepth,
  z.refine(
    (value) =>
      typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value)),
    'a rule is a JSON object such as {"ends_with":[{"var":"email"},"@example.com"]}',
  ),
);

const count = z.int().check(z.gte(0));

export const segmentSchema = z.object({
  name: segmentName,
  /** Null where a form fills the segment. */
  rule: z.any(),
  /** The form that fills it; with a `welcome` if it has one. */
  source: z.optional(z.strictObject({ ...shownSchemas(SOURCE), welcome: z.optional(z.string()) })),
  /** How many values are approved, and how many are not. */
  members: z.optional(count),
  pending: z.optional(count),
  /** Whether it takes no more values. */
  full: z.optional(z.boolean()),
  createdAt: timestamp,
  updatedAt: timestamp,
  revision,
});

export const segmentRuleSchema = z.strictObject({ rule });

/** The definition of a segment: its rule, or the form that fills it. */
export const segmentPutSchema = z
  .strictObject({ rule: z.optional(rule), source: z.optional(z.strictObject(givenSchemas(SOURCE))) })
  .check(
    z.refine(
      (given) => (given.rule === undefined) !== (given.source === undefined),
      "a segment has either a rule, or a source with a form and a field",
    ),
  );
