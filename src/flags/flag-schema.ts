import * as z from "zod/mini";
import { hasVisible } from "../base/normalize.ts";
import { anyObject, notDeeper, scalarObject } from "../base/shapes/json-schema.ts";
import { withArticle } from "../base/slug.ts";
import { momentOf, revision, slugOf, timestamp, wellFormed } from "../base/slug-schema.ts";
import { FIELDS, OPTIONAL_NAMES, type OptionalField, type OptionalName, SHARED } from "./flag-fields.ts";
import { findContentFault, findFlagSlugFault, findPayloadFault } from "./limits.ts";
import {
  DETAIL_LIMITS,
  MAX_DESCRIPTION,
  MAX_PAYLOAD_DEPTH,
  PREVIEW_LIMITS,
  REQUIREMENT_LIMITS,
} from "./limits.ts";
import type { Requirement } from "./requires/requirement.ts";
import { ruleDepth } from "./segment-schema.ts";

/** Any JSON value. Not `z.json()`, which recurses as deep as a sender likes. */
const json = z.any();

export const flagSlug = slugOf("flag", findFlagSlugFault);

const variants = anyObject().check(
  // One for the object of variants itself.
  notDeeper(MAX_PAYLOAD_DEPTH + 1, `a variant has at most ${MAX_PAYLOAD_DEPTH} levels`),
);
const targeting = anyObject().check(ruleDepth);
const metadata = scalarObject("metadata holds texts, numbers, true and false");

const shownRequires: z.ZodMiniType<Requirement[]> = z.array(
  z.object({ flag: z.string(), variants: z.optional(z.array(z.string())) }) as z.ZodMiniType<Requirement>,
);

const KINDS = {
  switch: z.boolean(),
  text: z.string(),
  markdown: z.string(),
  tags: z.array(z.string()),
  colours: z.record(z.string(), z.string()),
  requires: shownRequires,
};

/** The optional fields as members of an object, each with the schema that `schemaOf` returns. */
function optionalShape(schemaOf: (field: OptionalField, name: string) => z.ZodMiniType) {
  const members = OPTIONAL_NAMES.map((name) => [name, z.optional(schemaOf(FIELDS[name], name))]);
  return Object.fromEntries(members) as {
    [Name in OptionalName]: z.ZodMiniOptional<(typeof KINDS)[(typeof FIELDS)[Name]["kind"]]>;
  };
}

const content = z.string().check(
  z.refine((text) => findContentFault(text) === undefined, {
    error: ({ input }) => findContentFault(String(input)),
  }),
  wellFormed,
  z.meta({
    maxLength: PREVIEW_LIMITS.content,
    description: "Markdown (CommonMark). Readers get cleaned HTML.",
  }),
);

const tags = z
  .array(
    z.string().check(
      z.maxLength(DETAIL_LIMITS.tag, `a tag has at most ${DETAIL_LIMITS.tag} characters`),
      z.regex(
        // In the description of the API, whose readers may lack classes such as \p{Cc}.
        /^[^\s,](?:[^,\x00-\x1f\x7f-\x9f]*[^\s,])?$/,
        "a tag is a text without commas, and without spaces around it",
      ),
      z.refine(hasVisible, "a tag has characters that can be seen"),
      wellFormed,
    ),
    "tags are a list of texts",
  )
  .check(z.maxLength(DETAIL_LIMITS.tags, `a flag has at most ${DETAIL_LIMITS.tags} tags`));

const colours = z
  .record(
    z.string(),
    z.string("a colour is a text").check(z.regex(/^#[0-9a-f]{6}$/i, "a colour is written like #2b8a3e")),
    "colours are an object of texts",
  )
  .check(
    z.refine(
      (each) => Object.keys(each).length <= DETAIL_LIMITS.colours,
      `a flag has at most ${DETAIL_LIMITS.colours} colours`,
    ),
    z.describe("The colours of variants in charts and shares, by the names of the variants."),
  );

const requires = z
  .array(
    z.strictObject({
      flag: flagSlug,
      variants: z.optional(
        z
          .array(
            z
              .string("a variant is named by a text")
              .check(
                z.minLength(1),
                z.maxLength(1000, "a variant is named by at most 1000 characters"),
                wellFormed,
              ),
            "variants are a list of names",
          )
          .check(
            z.minLength(1, "name a variant, or leave variants out"),
            z.maxLength(
              REQUIREMENT_LIMITS.variants,
              `a flag is needed in at most ${REQUIREMENT_LIMITS.variants} variants`,
            ),
          ),
      ),
    }),
    'requires is a list such as [{"flag":"new-cart","variants":["on"]}]',
  )
  .check(
    z.maxLength(REQUIREMENT_LIMITS.flags, `a flag needs at most ${REQUIREMENT_LIMITS.flags} others`),
    z.refine(
      (all) => new Set(all.map(({ flag }) => flag)).size === all.length,
      "a flag is needed once, with all of its variants",
    ),
    z.describe(
      "Flags that have to be true for a reader, or have one of the variants, if the flag is not to be as when it is off; null or [] for none.",
    ),
  );

function changeOf({ kind, label, max }: OptionalField, name: string) {
  if (kind === "switch") return z.boolean(`${name} is true or false`);
  if (kind === "markdown") return content;
  if (kind === "tags") return tags;
  if (kind === "colours") return colours;
  if (kind === "requires") return requires;
  const noun = withArticle(label.toLowerCase());
  const text = z.string().check(
    z.refine((given) => given === "" || hasVisible(given), `${noun} has characters that can be seen`),
    wellFormed,
  );
  return max === undefined ? text : text.check(z.maxLength(max, `${noun} has at most ${max} characters`));
}

/** A flag as readers see it in one environment. */
export const flagSchema = z.object({
  slug: flagSlug,
  enabled: z.boolean(),
  payload: json,
  expiredAt: z.nullable(timestamp),
  description: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** A flag as the admin API shows it: with its revision, its rules if it has variants, and its preview if it has one. */
export const flagDetailSchema = z.extend(flagSchema, {
  revision,
  variants: z.optional(variants),
  defaultVariant: z.optional(z.nullable(z.string())),
  targeting: z.optional(targeting),
  metadata: z.optional(metadata),
  ...optionalShape(({ kind }) => KINDS[kind]),
});

/** A change of a flag in one environment. Absent members stay as they are; null removes variants or rules. */
export const flagPatchSchema = z.strictObject({
  enabled: z.optional(z.boolean("enabled is true or false")),
  payload: z.optional(
    json.check(
      z.refine((value) => findPayloadFault(value) === undefined, {
        error: ({ input }) => findPayloadFault(input),
      }),
    ),
  ),
  expiredAt: z.optional(z.nullable(momentOf("expiredAt"))),
  description: z.optional(
    z
      .string()
      .check(
        z.maxLength(MAX_DESCRIPTION, `a description has at most ${MAX_DESCRIPTION} characters`),
        wellFormed,
      ),
  ),
  variants: z.optional(
    z.nullable(
      variants.check(z.refine((value) => Object.keys(value).length > 0, "a flag has at least one variant")),
    ),
  ),
  defaultVariant: z.optional(z.nullable(z.string())),
  targeting: z.optional(z.nullable(targeting)),
  metadata: z.optional(z.nullable(metadata)),
  ...optionalShape(changeOf),
  requires: z.optional(z.nullable(requires)),
});

/** A change of what all environments share. */
export const detailsPatchSchema = z.extend(z.pick(flagPatchSchema, SHARED), {
  /** Tags that are added to the present ones. */
  addTags: z.optional(tags),
  /** Refuses the change unless the flag is finished, as its cleanup says. */
  ifFinished: z.optional(z.boolean("ifFinished is true or false")),
});

/** The fields of a flag that all environments share. */
export const flagDetailsSchema = z.object({
  slug: flagSlug,
  description: z.string(),
  owner: z.string(),
  tags: z.array(z.string()),
  permanent: z.boolean(),
  archived: z.boolean(),
  colours: z.record(z.string(), z.string()),
  createdAt: timestamp,
  revision,
});

export const promotionOrderSchema = z.strictObject({
  from: slugOf("environment"),
  /** Slugs; without it every flag. */
  flags: z.optional(z.array(z.string()).check(z.minLength(1, "name a flag, or leave flags out for all"))),
  /** Copies the segments that the rules need too. */
  segments: z.optional(z.boolean()),
  /** Returns what would change, and changes nothing. */
  dryRun: z.optional(z.boolean()),
});

export const promotionSchema = z.object({
  /** The flags that change. */
  flags: z.array(
    z.object({
      slug: z.string(),
      result: z.enum(["created", "updated", "unchanged"]),
      before: z.any(),
      after: z.any(),
    }),
  ),
  /** The number of flags that stay as they are. */
  unchanged: z.int(),
  /** Segments that the rules refer to and that are missing (`before` is null) or different in the target. */
  segments: z.array(
    z.object({ name: z.string(), copied: z.boolean(), before: z.nullable(z.any()), after: z.any() }),
  ),
});

export const rollbackSchema = z
  .strictObject({
    to: z
      .optional(
        z.union(
          [z.int().check(z.minimum(1)), z.literal("before")],
          "to is the number of a revision, or before",
        ),
      )
      .check(
        z.describe(
          "After this revision; before the newest change in this environment, which is the default.",
        ),
      ),
    before: z
      .optional(z.int("before is the number of a revision").check(z.minimum(1)))
      .check(
        z.describe("In place of to: before this change, which has to be the newest in this environment."),
      ),
    scheduled: z
      .optional(z.string("scheduled is the id of a scheduled change").check(z.maxLength(100)))
      .check(
        z.describe(
          "A scheduled change of the flag that is cancelled as well, such as the end of a change for a while.",
        ),
      ),
  })
  .check(z.refine(({ to, before }) => to === undefined || before === undefined, "give either to or before"));
