import * as z from "zod/mini";
import { anyObject } from "../base/json-schema.ts";
import { momentOf, timestamp } from "../base/slug-schema.ts";
import { plainAddress } from "../delivery/address.ts";
import { MAX_TEMPLATE } from "../delivery/limits.ts";
import { isHoneypotName } from "./intake/control-fields.ts";
import { isTypePattern } from "./intake/file-types.ts";
import { FILE_TYPE_LIMITS, INTAKE_LIMITS as LIMITS, SPAM_LIMITS } from "./limits.ts";
import { LANGUAGES } from "./languages.ts";
import { METADATA } from "./intake/metadata.ts";
import { isEmailPattern, isSpamWord } from "./spam/spam.ts";

/** What happens to spam: it is stored as such and answered like a success, or it is refused. */
const spamActionSchema = z.enum(["keep", "reject"], { error: "spam is keep or reject" });

/** A JSON Schema of draft 2020-12. */
const jsonSchema = anyObject("a schema is a JSON object");

const metadataSchema = z.enum(METADATA, { error: `metadata is one of ${METADATA.join(", ")}` });

const languageSchema = z.enum(["auto", ...LANGUAGES], {
  error: `language is auto or one of ${LANGUAGES.join(", ")}`,
});

/** The settings of a form that are stored in one column. */
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
  /** Addresses that get a message for each submission. */
  notify: z.array(z.string()),
  /** A template for the subject of these messages. */
  notifySubject: z.nullable(z.string()),
  /** The field that holds the sender's address. */
  emailField: z.nullable(z.string()),
  /** Bytes of files together that are attached to these messages; beyond them, files are links. */
  attach: z.int(),
  /** Whether the sender gets an automatic reply. */
  autoreply: z.boolean(),
  /** A template for the subject of the automatic reply. */
  autoreplySubject: z.nullable(z.string()),
  /** A template for the text of the automatic reply. */
  autoreplyText: z.nullable(z.string()),
  /** Seconds after which a submission outside the spam folder is deleted; null for never. */
  retention: z.nullable(z.int()),
  /** Seconds after which a submission in the spam folder is deleted; null for never. */
  spamRetention: z.nullable(z.int()),
  /** What is recorded about the sender besides the fields. */
  metadata: metadataSchema,
  /** The text of the built-in page after a submission. */
  successMessage: z.nullable(z.string()),
  /** The language of the built-in pages: `auto` for the reader's; null for English. */
  language: z.nullable(languageSchema),
  /** Whether the form has a page of its own. */
  page: z.boolean(),
});

/** A mustache template; its syntax is checked with the form. */
const templateOf = (field: string) =>
  z.optional(
    z.nullable(
      z
        .string()
        .check(
          z.minLength(1, `${field} is not empty`),
          z.maxLength(MAX_TEMPLATE, `${field} has at most ${MAX_TEMPLATE} characters`),
        ),
    ),
  );

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

const mailAddress = textThat(
  (text) => plainAddress(text) === text,
  "an address to notify is one plain mail address such as shop@example.com",
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
  notify: listOf("addresses to notify", LIMITS.notify, mailAddress),
  notifySubject: templateOf("notifySubject"),
  emailField: z.optional(z.nullable(textThat(isHoneypotName, "emailField is the name of a field"))),
  attach: countOf("attach", 0, LIMITS.attach, "number of bytes"),
  autoreply: z.optional(z.nullable(z.boolean())),
  autoreplySubject: templateOf("autoreplySubject"),
  autoreplyText: templateOf("autoreplyText"),
  retention: countOf("retention", 1, LIMITS.retentionSeconds, "whole number of seconds"),
  spamRetention: countOf("spamRetention", 1, LIMITS.retentionSeconds, "whole number of seconds"),
  metadata: z.optional(z.nullable(metadataSchema)),
  successMessage: z.optional(
    z.nullable(
      z
        .string()
        .check(
          z.minLength(1, "successMessage is not empty"),
          z.maxLength(
            LIMITS.successMessage,
            `successMessage has at most ${LIMITS.successMessage} characters`,
          ),
        ),
    ),
  ),
  language: z.optional(z.nullable(languageSchema)),
  page: z.optional(z.nullable(z.boolean())),
});
