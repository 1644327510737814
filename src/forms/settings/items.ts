import { MAX_ADDRESS, plainAddress } from "../../delivery/address.ts";
import { MAX_TARGET } from "../../delivery/limits.ts";
import { isHttpUrl } from "../../delivery/target.ts";
import { isHoneypotName } from "../intake/control-fields.ts";
import { isTypePattern } from "../intake/file-types.ts";
import { MAX_FILE_TYPE, MAX_SPAM_PATTERN, SUBMISSION_LIMITS } from "../limits.ts";
import { isEmailPattern, isSpamWord } from "../spam/spam.ts";
import type { Item } from "./setting.ts";

/** The checks of what lists of settings hold, and the characters of one at most. They are apart from the settings, as most commands need none. */
export const ITEMS: Record<Item, { isValid: (text: string) => boolean; error: string; most: number }> = {
  fileType: {
    isValid: isTypePattern,
    error: "an allowed type looks like .pdf, image/* or application/pdf",
    most: MAX_FILE_TYPE,
  },
  honeypot: {
    isValid: isHoneypotName,
    error: "a honeypot is the name of a field: 1 to 200 bytes, and neither altcha nor _idempotency",
    most: SUBMISSION_LIMITS.fieldName,
  },
  spamWord: {
    isValid: isSpamWord,
    error: `a spam word is a word or phrase of at most ${MAX_SPAM_PATTERN} characters, and more than *`,
    most: MAX_SPAM_PATTERN,
  },
  spamEmail: {
    isValid: isEmailPattern,
    error: `a spam address is an address or a pattern such as *@spam.example, of at most ${MAX_SPAM_PATTERN} characters`,
    most: MAX_SPAM_PATTERN,
  },
  check: {
    isValid: isHttpUrl,
    error: `a check is an http or https address of at most ${MAX_TARGET} characters, without a user name or a password`,
    most: MAX_TARGET,
  },
  mailAddress: {
    isValid: (text) => plainAddress(text) === text,
    error: "an address to notify is one plain mail address such as shop@example.com",
    most: MAX_ADDRESS,
  },
};
