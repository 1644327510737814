import * as z from "zod/mini";

export const rollbackSchema = z.strictObject({
  to: z
    .optional(
      z.union(
        [z.int().check(z.minimum(1)), z.literal("before")],
        "to is the number of a revision, or before",
      ),
    )
    .check(
      z.describe("After this revision; before the newest change in this environment, which is the default."),
    ),
});
