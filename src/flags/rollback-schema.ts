import * as z from "zod/mini";

export const rollbackSchema = z.strictObject({
  to: z.int("to is the number of a revision").check(z.minimum(1)),
});
