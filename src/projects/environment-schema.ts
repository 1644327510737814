import * as z from "zod/mini";
import { givenSchemas, shownSchemas } from "../base/kinds/kinds-schema.ts";
import { slugOf } from "../base/slug-schema.ts";
import { ENVIRONMENT, LOOKS } from "./environment-card.ts";

const environmentSlug = slugOf("environment");

export const environmentSchema = z.object({
  slug: environmentSlug,
  /** The value of `x-environment-key`. */
  key: z.string(),
  /** Changes in a locked environment need a confirmation and the scope `flags:locked`. */
  locked: z.boolean(),
  ...shownSchemas(ENVIRONMENT),
});

export const newEnvironmentSchema = z.strictObject({
  slug: environmentSlug,
  /** The environment whose flag values the new one starts with; without it every flag is off. */
  from: z.optional(environmentSlug),
  ...givenSchemas(LOOKS),
});

export const environmentPatchSchema = z
  .strictObject({
    locked: z.optional(z.boolean("locked is true or false")),
    ...givenSchemas(ENVIRONMENT),
  })
  .check(
    z.refine(
      (patch) => Object.keys(patch).length > 0,
      "give name, locked, color, approvals, approveWith or position",
    ),
  );
