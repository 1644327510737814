import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { timestamp } from "../base/slug-schema.ts";
import { MAX_HEADER, MAX_HEADERS, MAX_OVERLAP, MAX_TARGET } from "./limits.ts";
import { NOTICES } from "./notices/notice-card.ts";
import { REQUEST } from "./requests/request-card.ts";

export const targetViewSchema = z.object({
  id: z.string(),
  /** The slug of the project, or of the form's. */
  project: z.string(),
  /** The form's slug; null for a target of a project, which gets notices. */
  form: z.nullable(z.string()),
  ...shownSchemas(NOTICES),
  /** `webhook`, `mail` or a chat service. */
  kind: z.string(),
  /** Its URL, whose path and query are masked, or its mail address. */
  target: z.string(),
  ...shownSchemas(REQUEST),
  enabled: z.boolean(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const targetText = z.string().check(z.meta({ maxLength: MAX_TARGET }));

const header = z
  .string("a header is a text")
  .check(z.maxLength(2 * MAX_HEADER, `the value of a header has at most ${MAX_HEADER} characters`));

/** The request of a webhook. */
export const requestSchemas = givenSchemas(REQUEST, {
  headers: z
    .array(header, "headers is a list of texts")
    .check(z.maxLength(MAX_HEADERS, `a target has at most ${MAX_HEADERS} headers`)),
});

export const newTargetSchema = z.strictObject({
  /** The URL of a webhook, `mail:` and an address, or a chat service, a colon and its URL. */
  target: targetText,
  ...requestSchemas,
});

export const targetPatchSchema = z
  .strictObject({
    enabled: z.optional(z.boolean()),
    /** Another URL or mail address, of the same kind, written as for a new target. */
    target: z.optional(targetText),
    ...requestSchemas,
  })
  .check(
    z.refine(
      (patch) => Object.keys(patch).length > 0,
      "name `enabled`, `target`, `method`, `headers` or `body`",
    ),
  );

/** The id of a target with its new secret, which is shown this once; null for any other kind. */
export const targetSecretSchema = z.object({ id: z.string(), secret: z.nullable(z.string()) });

const overlapRange = `an overlap is a whole number of seconds from 0 to ${MAX_OVERLAP}, which is 30 days`;

export const rotationSchema = z.strictObject({
  /** Seconds for which the old secret signs too; 0 ends it at once. */
  overlap: z.optional(z.int(overlapRange).check(z.gte(0, overlapRange), z.lte(MAX_OVERLAP, overlapRange))),
});

export const rotatedSecretSchema = z.object({ id: z.string(), secret: z.string() });

/** How a receiver answered a sample. */
export const targetTestSchema = z.object({
  /** The HTTP status; null if there was no answer. */
  code: z.nullable(z.int()),
  /** Why it failed; null for `delivered`. */
  error: z.nullable(z.string()),
  outcome: z.enum(["delivered", "retry", "gone", "refused"]),
  /** The request that was sent; null for mail, and if none was made. */
  request: z.nullable(
    z.object({
      method: z.string(),
      /** Its path and query are masked. */
      url: z.string(),
      /** The values of secret ones are `…`. */
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
  ),
});
