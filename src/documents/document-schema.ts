import * as z from "zod/mini";
import { displayName } from "../base/slug-schema.ts";
import { experimentEntrySchema, experimentName } from "../experiments/experiment-schema.ts";
import { SHARED } from "../flags/flag-fields.ts";
import { flagPatchSchema, flagSlug } from "../flags/flag-schema.ts";
import { rampPlanSchema } from "../flags/ramps/ramp-schema.ts";
import { segmentName, segmentRuleSchema } from "../flags/segment-schema.ts";
import { formSchema, formSettingsSchema } from "../forms/form-schema.ts";
import { environmentPatchSchema, environmentSchema } from "../projects/environment-schema.ts";
import { projectSchema, someSettings } from "../projects/project-schema.ts";

/**
 * An object with room for what is not formflag's: members that begin with x-, as OpenAPI and Compose have them, are left out. A
 * strict object reports them, and goes on to its checks.
 */
function extensible<S extends z.core.$ZodShape>(shape: S) {
  return z.strictObject(shape).check(
    z.check(({ issues }) => {
      for (const [at, issue] of [...issues.entries()].toReversed()) {
        if (issue.code !== "unrecognized_keys") continue;
        const keys = issue.keys.filter((key) => !key.startsWith("x-"));
        issues.splice(at, 1, ...(keys.length === 0 ? [] : [{ ...issue, keys }]));
      }
    }),
    z.meta({ patternProperties: { "^x-": {} } }),
  );
}

const { color, position } = environmentPatchSchema.shape;

const flagEntry = extensible({
  ...z.omit(flagPatchSchema, SHARED).shape,
  ramp: z
    .optional(z.nullable(rampPlanSchema))
    .check(
      z.describe(
        "A share that grows by steps; null ends one. While a ramp has this course, it decides `enabled` and the share.",
      ),
    ),
});

const flag = extensible({
  ...z.pick(flagPatchSchema, SHARED).shape,
  environments: z
    .optional(z.record(environmentSchema.shape.slug, flagEntry))
    .check(z.describe("What the flag is in each environment; in one that is not named it stays as it is.")),
});

const environment = extensible({
  name: z.optional(displayName),
  color,
  position: position.check(z.describe("its position among the environments of the project, from 1.")),
  segments: z
    .optional(z.record(segmentName, segmentRuleSchema.shape.rule))
    .check(
      z.describe(
        'Rules that flags of this environment share by {"$ref": name}; or the form that fills one, {"source": {"form", "field", "attribute"?, "approve"?, "welcome"?}}.',
      ),
    ),
  experiments: z
    .optional(z.record(experimentName, experimentEntrySchema))
    .check(
      z.describe(
        "Experiments on flags of this environment, as they are before their start; counts and states are no part of a file.",
      ),
    ),
});

const forms = z.record(formSchema.shape.slug, extensible(formSettingsSchema.shape));

const project = extensible({
  ...someSettings,
  environments: z
    .optional(z.record(environmentSchema.shape.slug, environment))
    .check(z.describe("A new project without any gets develop, staging and production.")),
  flags: z.optional(z.record(flagSlug, flag)),
  forms: z.optional(forms),
});

/** The content of a file for `apply`. */
export const documentSchema = extensible({
  $schema: z.optional(z.string()).check(z.describe("Where an editor finds this schema.")),
  projects: z.optional(z.record(projectSchema.shape.slug, project)),
  forms: z
    .optional(forms)
    .check(
      z.describe(
        "Forms of the project `default`, or of the only project if none is called so; those of others are in these.",
      ),
    ),
});

/** One difference between the setup and a document: `before` is null for a creation, `after` for a deletion. */
export const differenceSchema = z.object({
  action: z.enum(["create", "update", "delete"]),
  kind: z.enum(["project", "environment", "segment", "flag", "experiment", "form"]),
  /** Its path in a document. */
  path: z.string(),
  before: z.any(),
  after: z.any(),
});

/** The schema of a file as JSON Schema, draft 2020-12. */
export function documentJsonSchema(): object {
  return { title: "Flags and forms of formflag", ...z.toJSONSchema(documentSchema, { io: "input" }) };
}
