import * as z from "zod/mini";
import { formatBytes } from "../base/bytes.ts";
import { displayName, slugOf, timestamp } from "../base/slug-schema.ts";
import { CEILING_FILES, CEILING_FILE_SIZE } from "./limits.ts";
import { isOriginPattern } from "./intake/origins.ts";
import { formSettingsPatchSchema, formSettingsSchema } from "./settings-schema.ts";

const formSlug = slugOf("form");

const webAddress = (what: string) =>
  z
    .url({ protocol: /^https?$/, error: `${what} is an absolute address such as https://example.com/thanks` })
    .check(z.maxLength(2000, `${what} has at most 2000 characters`));

/** An origin as browsers send it (RFC 6454): scheme, host and port; or one with a wildcard for its subdomains. */
const origin = z
  .string()
  .check(z.refine(isOriginPattern, "an origin looks like https://example.com or https://*.example.com"));

/** At most `count` submissions of one sender in `seconds`. */
export const rateLimitSchema = z.strictObject({
  count: z.int().check(z.gte(1), z.lte(1_000_000, "a rate has at most 1000000 submissions")),
  seconds: z.int().check(z.gte(1), z.lte(86_400, "a rate is for a day at most")),
});

export const formSchema = z.object({
  slug: formSlug,
  name: z.string(),
  /** The last segment of the URL that submissions are posted to. */
  key: z.string(),
  enabled: z.boolean(),
  uploads: z.boolean(),
  successUrl: z.nullable(z.string()),
  errorUrl: z.nullable(z.string()),
  /** Origins whose pages may submit, such as `https://example.com` or `https://*.example.com`; empty for any. */
  allowedOrigins: z.array(z.string()),
  /** IP addresses and CIDR ranges that may not submit. */
  blockedSenders: z.array(z.string()),
  rateLimit: z.nullable(rateLimitSchema),
  /** Bytes. */
  maxFileSize: z.int(),
  maxFiles: z.int(),
  ...formSettingsSchema.shape,
  createdAt: timestamp,
  updatedAt: timestamp,
});

/** A form as the admin API shows it. */
export const formViewSchema = z.extend(formSchema, {
  /** The URL that submissions are posted to, or its path where the server has no public URL. */
  url: z.string(),
});

/** A change to a form: absent settings stay as they are, null resets a setting to its default. */
export const formPatchSchema = z.strictObject({
  name: z.optional(displayName),
  enabled: z.optional(z.boolean()),
  uploads: z.optional(z.boolean()),
  successUrl: z.optional(z.nullable(webAddress("a success URL"))),
  errorUrl: z.optional(z.nullable(webAddress("an error URL"))),
  allowedOrigins: z.optional(z.array(origin).check(z.maxLength(100))),
  blockedSenders: z.optional(
    z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: "a blocked sender is an address or a range such as 203.0.113.0/24",
        }),
      )
      .check(z.maxLength(1000)),
  ),
  rateLimit: z.optional(z.nullable(rateLimitSchema)),
  maxFileSize: z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.gte(1, "a file may have at least 1 byte"),
          z.lte(CEILING_FILE_SIZE, `a file may have at most ${formatBytes(CEILING_FILE_SIZE)}`),
        ),
    ),
  ),
  maxFiles: z.optional(
    z.nullable(
      z
        .int()
        .check(
          z.gte(1, "a submission may have at least 1 file: turn uploads off to have none"),
          z.lte(CEILING_FILES, `a submission may have at most ${CEILING_FILES} files`),
        ),
    ),
  ),
  ...formSettingsPatchSchema.shape,
});

export const newFormSchema = z.extend(formPatchSchema, { slug: formSlug });
