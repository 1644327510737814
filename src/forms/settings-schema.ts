import * as z from "zod/mini";
import { momentOf, timestamp } from "../base/slug-schema.ts";
import { isHoneypotName } from "./control-fields.ts";
import { isTypePattern } from "./file-types.ts";
import { FILE_TYPE_LIMITS, INTAKE_LIMITS as LIMITS, SPAM_LIMITS } from "./limits.ts";
import { isEmailPattern, isSpamWord } from "./spam.ts";

/** What happens to spam: it is stored as such and answered like a success, or it is refused. */
const spamActionSchema = z.enum(["keep", "reject"], { error: "spam is keep or reject" });

/** A JSON Schema of draft 2020-12. */
const jsonSchema = z.record(z.string(), z.unknown(), { error: "a schema is a JSON object" });

/** The settings of a form that decide which submissions are accepted, and that are stored in one column. */
export const formSettingsSchema = z.object({
  /** Extensions such as `.pdf` and media types such as `image/*` of the files that are accepted; empty for any. */
  allowedTypes: z.array(z.string()),
  /** Submissions are accepted from this time on. */
  opensAt: z.nullable(timestamp),
  /** Submissions are accepted before this time. */
  closesAt: z.nullable(timestamp),
  /** The most submissions that the form holds, without spam. */
  maxSubmissions: z.nullable(z.int()),
  spam: spamActionSchema,
  /** Names of fields that people leave empty, besides the built-in ones. */
  honeypots: z.array(z.string()),
  /** Words and phrases; `*` stands for any characters within a word. */
  spamWords: z.array(z.string()),
  /** Addresses; `*` stands for any characters. */
  spamEmails: z.array(z.string()),
  /** A submission with more links is spam; null for any number. */
  spamLinks: z.nullable(z.int()),
  /** Whether addresses of disposable mail services are spam. */
  spamDisposable: z.boolean(),
  /** Seconds in which a repeated submission of the same sender is spam; null for never. */
  duplicates: z.nullable(z.int()),
  /** Whether a submission without a solved challenge is spam. */
  challenge: z.boolean(),
  /** The JSON Schema, of draft 2020-12, that submissions have to match. */
  schema: z.nullable(jsonSchema),
});

const listOf = (what: string, most: number, item: z.ZodMiniType<string, string>) =>
  z.optional(z.nullable(z.array(item).check(z.maxLength(most, `a form has at most ${most} ${what}`))));

const textThat = (isValid: (text: string) => boolean, error: string) =>
  z.string().check(z.refine(isValid, error));

const countOf = (field: string, least: number, most: number, what = "whole number") => {
  const error = `${field} is a ${what} from ${least} to ${most}`;
  return z.optional(z.nullable(z.int(error).check(z.gte(least, error), z.lte(most, error))));
};

const fileType = z
  .string()
  .check(
    z.toLowerCase(),
    z.refine(isTypePattern, "an allowed type looks like .pdf, image/* or application/pdf"),
  );

const honeypot = textThat(
  isHoneypotName,
  "a honeypot is the name of a field: 1 to 200 bytes, and neither altcha nor _idempotency",
);

const spamWord = textThat(
  isSpamWord,
  `a spam word is a word or phrase of at most ${SPAM_LIMITS.length} characters, and more than *`,
);

const spamEmail = textThat(
  isEmailPattern,
  `a spam address is an address or a pattern such as *@spam.example, of at most ${SPAM_LIMITS.length} characters`,
);

/** A change to these settings: absent settings stay as they are, null resets a setting to its default. */
export const formSettingsPatchSchema = z.strictObject({
  allowedTypes: listOf("allowed types", FILE_TYPE_LIMITS.types, fileType),
  opensAt: z.optional(z.nullable(momentOf("opensAt"))),
  closesAt: z.optional(z.nullable(momentOf("closesAt"))),
  maxSubmissions: countOf("maxSubmissions", 1, LIMITS.submissions),
  spam: z.optional(z.nullable(spamActionSchema)),
  honeypots: listOf("honeypots", LIMITS.honeypots, honeypot),
  spamWords: listOf("spam words", SPAM_LIMITS.words, spamWord),
  spamEmails: listOf("spam addresses", SPAM_LIMITS.emails, spamEmail),
  spamLinks: countOf("spamLinks", 0, SPAM_LIMITS.links),
  spamDisposable: z.optional(z.nullable(z.boolean())),
  duplicates: countOf("duplicates", 1, LIMITS.duplicateSeconds, "whole number of seconds"),
  challenge: z.optional(z.nullable(z.boolean())),
  schema: z.optional(z.nullable(jsonSchema)),
});
