import * as z from "zod/mini";
import { depthOf } from "../json.ts";
import { MAX_PAYLOAD, MAX_PAYLOAD_DEPTH, formatBytes } from "../limits.ts";
import { momentOf, slugOf, timestamp } from "./slugs.ts";

export const flagSlug = slugOf("flag", ["preview", "code-refs"]);

/** Any JSON value. Not `z.json()`, which recurses as deep as a sender likes. */
const json = z.any();

/** A flag as readers see it in one environment. */
export const flagSchema = z.object({
  slug: flagSlug,
  enabled: z.boolean(),
  payload: json,
  expiredAt: z.nullable(timestamp),
  description: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** A change to a flag in one environment; what is left out stays as it is. */
export const flagPatchSchema = z.strictObject({
  enabled: z.optional(z.boolean("enabled is true or false")),
  payload: z.optional(
    json.check(
      z.refine((value) => depthOf(value, MAX_PAYLOAD_DEPTH) <= MAX_PAYLOAD_DEPTH, {
        error: `a payload has at most ${MAX_PAYLOAD_DEPTH} levels`,
        abort: true,
      }),
      z.refine(
        (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PAYLOAD,
        `a payload has at most ${formatBytes(MAX_PAYLOAD)} of JSON`,
      ),
    ),
  ),
  expiredAt: z.optional(z.nullable(momentOf("expiredAt"))),
  description: z.optional(z.string().check(z.maxLength(2000, "a description has at most 2000 characters"))),
});
