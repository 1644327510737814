import * as z from "zod/mini";
import { timestamp } from "../base/slug-schema.ts";
import { SIGN_IN_METHODS } from "./session.ts";

export const sessionSchema = z.object({
  id: z.string(),
  user: z.string(),
  method: z.enum(SIGN_IN_METHODS),
  agent: z.string(),
  address: z.string(),
  createdAt: timestamp,
  /** To about ten minutes. */
  seenAt: timestamp,
  /** When it ends although it is used; null for the usual time. */
  expiresAt: z.nullable(timestamp),
});
