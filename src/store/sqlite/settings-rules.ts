import { isObject } from "../../base/json.ts";
import { plainAddress } from "../../delivery/address.ts";
import { MAX_TEMPLATE } from "../../delivery/limits.ts";
import { isHoneypotName } from "../../forms/intake/control-fields.ts";
import { isTypePattern } from "../../forms/intake/file-types.ts";
import { FILE_TYPE_LIMITS, INTAKE_LIMITS, SPAM_LIMITS } from "../../forms/limits.ts";
import { LANGUAGES } from "../../forms/languages.ts";
import { METADATA } from "../../forms/intake/metadata.ts";
import type { FormSettings } from "../../forms/settings.ts";
import { isEmailPattern, isSpamWord } from "../../forms/spam/spam.ts";

type Rule = (value: unknown) => boolean;

const listOf = (most: number, isItem: (text: string) => boolean) => (value: unknown) =>
  Array.isArray(value) &&
  value.length <= most &&
  value.every((item) => typeof item === "string" && isItem(item));
const integer = (min: number, max: number) => (value: unknown) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
const textOf = (most: number) => (value: unknown) => typeof value === "string" && value.length <= most;
const time: Rule = (value) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

/** The values that formflag writes into the column of settings, where they differ from the default. */
const RULES: Record<keyof FormSettings, Rule> = {
  allowedTypes: listOf(FILE_TYPE_LIMITS.types, isTypePattern),
  opensAt: time,
  closesAt: time,
  maxSubmissions: integer(1, INTAKE_LIMITS.submissions),
  spam: (value) => value === "reject",
  honeypots: listOf(INTAKE_LIMITS.honeypots, isHoneypotName),
  spamWords: listOf(SPAM_LIMITS.words, isSpamWord),
  spamEmails: listOf(SPAM_LIMITS.emails, isEmailPattern),
  spamLinks: integer(0, SPAM_LIMITS.links),
  spamDisposable: (value) => value === true,
  duplicates: integer(1, INTAKE_LIMITS.duplicateSeconds),
  challenge: (value) => value === true,
  schema: isObject,
  notify: listOf(INTAKE_LIMITS.notify, (text) => plainAddress(text) === text),
  notifySubject: textOf(MAX_TEMPLATE),
  emailField: (value) => typeof value === "string" && isHoneypotName(value),
  attach: integer(0, INTAKE_LIMITS.attach),
  autoreply: (value) => value === true,
  autoreplySubject: textOf(MAX_TEMPLATE),
  autoreplyText: textOf(MAX_TEMPLATE),
  retention: integer(1, INTAKE_LIMITS.retentionSeconds),
  spamRetention: (value) => value === null || integer(1, INTAKE_LIMITS.retentionSeconds)(value),
  metadata: (value) => METADATA.some((each) => each === value),
  successMessage: textOf(INTAKE_LIMITS.successMessage),
  language: (value) => value === "auto" || LANGUAGES.some((each) => each === value),
  page: (value) => value === true,
};

/** Whether a value, as parsed JSON, is one that formflag writes into the column of settings. */
export function areSettings(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([name, setting]) => Object.hasOwn(RULES, name) && RULES[name as keyof FormSettings](setting),
  );
}
