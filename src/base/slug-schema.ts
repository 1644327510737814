import * as z from "zod/mini";
import { findSlugFault, SLUG } from "./slug.ts";

/** A name that an operator chooses for a project, environment, form or flag; `find` returns what is wrong with one. */
export function slugOf(noun: string, find = (slug: string) => findSlugFault(noun, slug)) {
  return z.string(`the ${noun} needs a name`).check(
    z.regex(SLUG, { error: ({ input }) => find(String(input)) ?? "", abort: true }),
    z.refine((slug) => find(slug) === undefined, { error: ({ input }) => find(String(input)) }),
  );
}

/** What people see where a slug is too terse. */
export const displayName = z
  .string()
  .check(z.minLength(1, "a name must not be empty"), z.maxLength(200, "a name has at most 200 characters"));

/** Of the last change to it, as `If-Match` and the history name it; 0 before changes were counted. */
export const revision = z.int();

/** Timestamps leave the product as ISO 8601 with milliseconds and Z. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A moment that somebody sets: a time with a zone, in a year that four digits tell. */
export const momentOf = (field: string) => {
  const wrong = `${field} is an ISO 8601 time with a zone, such as 2027-01-31T12:00:00Z`;
  return z.iso
    .datetime({ offset: true, error: wrong })
    .check(z.refine((text) => Date.parse(text) >= YEAR_0 && Date.parse(text) < YEAR_10000, wrong));
};

const YEAR_0 = Date.parse("0000-01-01T00:00:00Z");
const YEAR_10000 = Date.parse("+010000-01-01T00:00:00Z");
