import * as z from "zod/mini";
import { sessionSchema } from "../../../access/user-schema.ts";

export const list = {
  query: z.strictObject({ user: z.optional(z.string()) }),
  output: z.object({ sessions: z.array(sessionSchema) }),
};
