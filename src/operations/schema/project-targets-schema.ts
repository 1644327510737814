import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";
import { MAX_DIGEST, MAX_TARGET } from "../../delivery/limits.ts";
import { EVENT_FILTERS } from "../../delivery/notices/notice-types.ts";
import { targetSecretSchema, targetViewSchema } from "../../delivery/target-schema.ts";
import { warnings } from "./shared-schema.ts";

const on = z
  .array(z.enum(["changes"], "a target of a project is on changes"))
  .check(z.minLength(1, 'on is ["changes"]'));

/** A webhook on the proposed changes of a project. */
const view = z.object({
  id: z.string(),
  project: z.string(),
  kind: z.string(),
  /** Its URL, whose path and query are masked. */
  target: z.string(),
  on,
  createdAt: timestamp,
});

export const list = { output: z.object({ targets: z.array(z.union([view, targetViewSchema])) }) };

export const get = { output: view };

const events = `events are ${EVENT_FILTERS.join(", ")}`;
const digest = `a digest is a whole number of seconds from 1 to ${MAX_DIGEST}, which is 7 days`;

export const add = {
  body: z
    .strictObject({
      /** The URL of a webhook, `mail:` and an address, or a chat service, a colon and its URL. */
      target: z.string().check(z.meta({ maxLength: MAX_TARGET })),
      /** For the proposed changes of the project, in place of notices. */
      on: z.optional(on),
      /** Only notices of this environment, and those of all. */
      environment: z.optional(z.string()),
      /** Only these events, or families of them such as `flag.*`. */
      events: z.optional(
        z
          .array(z.enum(EVENT_FILTERS as [string, ...string[]], events))
          .check(z.minLength(1, events), z.maxLength(EVENT_FILTERS.length, events)),
      ),
      /** Seconds for which notices are gathered into one. */
      digest: z.optional(z.int(digest).check(z.gte(1, digest), z.lte(MAX_DIGEST, digest))),
    })
    .check(
      z.refine(
        ({ on, environment, events, digest }) =>
          on === undefined || (environment ?? events ?? digest) === undefined,
        "on goes without environment, events and digest, which are for notices",
      ),
    ),
  output: z.extend(targetSecretSchema, warnings),
};
