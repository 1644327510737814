import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { CHANGE_KINDS } from "./history.ts";

export const changeSchema = z.object({
  revision: z.int(),
  /** Null for what concerns every environment. */
  environment: z.nullable(z.string()),
  /** `scheduled` is a change of a flag that was due and could not be made: `after` says why. */
  kind: z.enum(CHANGE_KINDS),
  name: z.string(),
  at: timestamp,
  who: z.string(),
  /** Null before it was made. */
  before: z.nullable(z.any()),
  /** Null after it was deleted. */
  after: z.nullable(z.any()),
});
