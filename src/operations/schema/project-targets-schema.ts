import * as z from "zod/mini";
import { timestamp } from "../../base/slug-schema.ts";

const on = z
  .array(z.enum(["changes"], "a target of a project is on changes"))
  .check(z.minLength(1, 'on is ["changes"]'));

const view = z.object({
  id: z.string(),
  project: z.string(),
  kind: z.string(),
  /** Its URL, whose path and query are masked. */
  target: z.string(),
  on,
  createdAt: timestamp,
});

export const list = { output: z.object({ targets: z.array(view) }) };

export const get = { output: view };

export const add = {
  body: z.strictObject({
    /** The URL of a webhook. */
    target: z.string(),
    on,
  }),
  output: z.object({ id: z.string(), secret: z.string() }),
};
