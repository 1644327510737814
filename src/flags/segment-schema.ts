import * as z from "zod/mini";
import { notDeeper } from "../base/json-schema.ts";
import { revision, slugOf, timestamp } from "../base/slug-schema.ts";
import { RULE_LIMITS } from "./limits.ts";

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

export const segmentSchema = z.object({
  name: segmentName,
  rule,
  createdAt: timestamp,
  updatedAt: timestamp,
  revision,
});

export const segmentRuleSchema = z.strictObject({ rule });
