import * as z from "zod/mini";
import { MAX_LIST } from "../../base/pages.ts";

/** The parameter for the most items of a page. */
export function limitOf(max: number, byDefault: number) {
  return z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(max)), byDefault);
}

/** The query of a list; `after` is the cursor of the page before. */
export const listQuery = z.object({ limit: limitOf(MAX_LIST, MAX_LIST), after: z.optional(z.string()) });

/** Value of `after` for the next page; null on the last. */
export const nextSchema = z.nullable(z.string());

export const createdResult = { result: z.literal("created") };

export const updatedResult = { result: z.enum(["updated", "unchanged"]) };

export const setResult = { result: z.enum(["created", "updated", "unchanged"]) };

/** Warnings that something does not do all that it is set to; absent without any. */
export const warnings = { warnings: z.optional(z.array(z.string())) };

/** Selects the forms of a project; without it, those of every project that the caller sees. */
export const formQuery = z.object({ project: z.optional(z.string()) });

/** The body of every answer that is an error. */
export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    /** The case within a code that has several, such as `form-exists`. */
    reason: z.nullable(z.string()),
    message: z.string(),
    hint: z.nullable(z.string()),
  }),
});

export type ErrorBody = z.output<typeof errorSchema>;
