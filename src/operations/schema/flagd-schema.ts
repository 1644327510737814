import * as z from "zod/mini";

/** Only the outer object: the import checks the rest, and reports all faults with their paths. */
const documentSchema = z.looseObject({
  $schema: z.optional(z.any()),
  flags: z.optional(z.any()),
  $evaluators: z.optional(z.any()),
  metadata: z.optional(z.any()),
});

const flag = z._default(z.enum(["true", "false"]), "false");

/**
 * With `members`, segments that forms fill have their members, at most 10,000 each; otherwise none. With `expired` off, flags
 * that have expired are off, for readers that know no expiry.
 */
const exported = {
  query: z.strictObject({ members: flag, expired: z._default(z.enum(["on", "off"]), "on") }),
  output: z.extend(documentSchema, { flags: z.record(z.string(), z.any()) }),
};

const result = z.enum(["created", "updated", "unchanged"]);

const imported = {
  query: z.strictObject({ dryRun: flag }),
  body: documentSchema,
  output: z.object({
    flags: z.array(z.object({ key: z.string(), result })),
    segments: z.array(z.object({ name: z.string(), result })),
    metadata: result,
    /** Rules that are imported and fail when evaluated, each with a JSON pointer (RFC 6901). */
    warnings: z.array(z.string()),
  }),
};

export { exported as export, imported as import };
