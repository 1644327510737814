import * as z from "zod/mini";
import { displayName, slugOf } from "../base/slug-schema.ts";
import { MAX_APPROVALS } from "./approval.ts";
import { COLORS } from "./color.ts";

const environmentSlug = slugOf("environment");

const APPROVALS = `approvals is a number from 0 to ${MAX_APPROVALS}`;

/** Null for none. */
export const color = z.nullable(z.enum(COLORS, `a color is one of ${COLORS.join(", ")}, or null`));

const POSITION = "position is a whole number from 1 on";

/** The place among the environments of a project, from 1 on; a number beyond them is the last. */
export const position = z.int(POSITION).check(z.gte(1, POSITION), z.lte(10_000, POSITION));

const approvals = z.int(APPROVALS).check(z.gte(0, APPROVALS), z.lte(MAX_APPROVALS, APPROVALS));

export const environmentSchema = z.object({
  slug: environmentSlug,
  name: z.string(),
  /** The value of `x-environment-key`. */
  key: z.string(),
  /** Changes in a locked environment need a confirmation and the scope `flags:locked`. */
  locked: z.boolean(),
  color,
  /** Approvals that a change of its flags needs; 0 for none. */
  approvals,
  position: z.int(),
});

export const newEnvironmentSchema = z.strictObject({
  slug: environmentSlug,
  name: z.optional(displayName),
  /** The environment whose flag values the new one starts with; without it every flag is off. */
  from: z.optional(environmentSlug),
  color: z.optional(color),
});

export const environmentPatchSchema = z
  .strictObject({
    name: z.optional(displayName),
    locked: z.optional(z.boolean("locked is true or false")),
    color: z.optional(color),
    approvals: z.optional(approvals),
    position: z.optional(position),
  })
  .check(
    z.refine((patch) => Object.keys(patch).length > 0, "give name, locked, color, approvals or position"),
  );
