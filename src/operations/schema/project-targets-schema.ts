import * as z from "zod/mini";
import { givenSchemas } from "../../base/kinds/kinds-schema.ts";
import { timestamp } from "../../base/slug-schema.ts";
import { MAX_TARGET } from "../../delivery/limits.ts";
import { requestSchemas, targetSecretSchema, targetViewSchema } from "../../delivery/target-schema.ts";
import { NOTICES } from "../../delivery/notices/notice-card.ts";
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

export const add = {
  body: z
    .strictObject({
      /** The URL of a webhook, `mail:` and an address, or a chat service, a colon and its URL. */
      target: z.string().check(z.meta({ maxLength: MAX_TARGET })),
      /** For the proposed changes of the project, in place of notices. */
      on: z.optional(on),
      ...givenSchemas(NOTICES),
      ...requestSchemas,
    })
    .check(
      z.refine(
        ({ on, ...rest }) =>
          on === undefined || Object.entries(rest).every(([name, each]) => name === "target" || each == null),
        "on goes without any other field: proposed changes are sent as a signed POST of JSON",
      ),
    ),
  output: z.extend(targetSecretSchema, warnings),
};
