import * as z from "zod/mini";
import { findSlugFault, SLUG } from "./slug.ts";

/** The schema of a slug; `find` returns what is wrong with one, undefined for a valid slug. */
export function slugOf(noun: string, find = (slug: string) => findSlugFault(noun, slug)) {
  return z.string(`the ${noun} needs a name`).check(
    z.regex(SLUG, { error: ({ input }) => find(String(input)) ?? "", abort: true }),
    z.refine((slug) => find(slug) === undefined, { error: ({ input }) => find(String(input)) }),
  );
}

/** A text without half of a surrogate pair, which JSON can hold and UTF-8 cannot. */
export const wellFormed = z.refine<string>((text) => text.isWellFormed(), "the text is not valid Unicode");

/** The name that people see in place of a slug. */
export const displayName = z
  .string()
  .check(
    z.minLength(1, "a name must not be empty"),
    z.maxLength(200, "a name has at most 200 characters"),
    wellFormed,
  );

/** The revision of the last change, as in `If-Match` and the history; 0 for changes from before revisions existed. */
export const revision = z.int();

/** Timestamps leave the product as ISO 8601 with milliseconds and Z. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** The schema of a time that a caller sets: ISO 8601 with a zone, in a year of four digits. */
export const momentOf = (field: string) => {
  const wrong = `${field} is an ISO 8601 time with a zone, such as 2027-01-31T12:00:00Z`;
  return z.iso
    .datetime({ offset: true, error: wrong })
    .check(z.refine((text) => Date.parse(text) >= YEAR_0 && Date.parse(text) < YEAR_10000, wrong));
};

/** The schema of an id of 16 bytes as hexadecimal with dashes; imported ids need not be UUIDs of RFC 9562. */
export const idOf = (message: string) => z.guid(message).check(z.toLowerCase());

const YEAR_0 = Date.parse("0000-01-01T00:00:00Z");
const YEAR_10000 = Date.parse("+010000-01-01T00:00:00Z");
