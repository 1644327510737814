const REASONS: Record<string, string> = {
  honeypot: "a field that people do not see was filled in",
  email: "it has an address that the form lists as spam",
  links: "it has more links than the form permits",
  disposable: "it has an address of a disposable mail service",
  duplicate: "the same sender sent the same content shortly before",
  challenge: "the challenge of the form was not solved",
  check: "an external check found it to be spam",
  unchecked: "an external check failed",
  manual: "marked as spam by a user",
};

/** The checks that find spam, as a list of numbers names them. */
const CHECKS: Record<string, string> = {
  word: "words",
  honeypot: "honeypot",
  email: "addresses",
  links: "links",
  disposable: "disposable mail",
  duplicate: "repeats",
  challenge: "challenge",
  check: "external checks",
  unchecked: "failed checks",
  learn: "learned",
  manual: "by hand",
};

/** The check that found spam, in a word or two; a reason from elsewhere as it is. */
export function spamCheckInWords(reason: string): string {
  return Object.hasOwn(CHECKS, reason) ? CHECKS[reason]! : reason;
}

const WORD = "word:";

const CHECK = "check:";

/** The reason for spam that an external check found, with what it said, at most 200 characters. */
export function checkReason(said: string | null): string {
  return said === null ? "check" : `${CHECK}${said}`;
}

/** The beginning of a reason of the filter that learns, before the words that decided. */
export const LEARNED = "learn:";

/** The kind of a reason: without the words that a submission matched, and without what a check said. */
export function spamKind(reason: string): string {
  return [WORD, CHECK, LEARNED].find((kind) => reason.startsWith(kind))?.slice(0, -1) ?? reason;
}

/** A reason for lists: the check alone where it named words or said more. */
export function spamInBrief(reason: string): string {
  const isLong = reason.startsWith(LEARNED) || reason.startsWith(CHECK);
  return isLong ? spamCheckInWords(spamKind(reason)) : reason;
}

/** Features that the filter names, by their text, in words. No word has a colon. */
const FEATURES: readonly (readonly [RegExp, string])[] = [
  [/^from:(.*@)$/, "an address that begins with $1"],
  [/^from:(.*)$/, "an address at $1"],
  [/^link:(.*)$/, "a link to $1"],
  [/^links:\d+$/, "how many links it has"],
  [/^length:(.*):\d+$/, "how long $1 is"],
  [/^capitals:(.*)$/, "capitals in $1"],
  [/^exclamation:(.*)$/, "exclamation marks in $1"],
  [/^script:(.*)$/, "$1 letters"],
  [/^markup:html$/, "HTML"],
  [/^markup:bbcode$/, "BBCode"],
  [/^long:\d+$/, "a long word"],
];

function featureInWords(feature: string): string {
  const known = FEATURES.find(([pattern]) => pattern.test(feature));
  return known ? feature.replace(known[0], known[1]) : `"${feature}"`;
}

/** Why a submission is spam as a sentence without a full stop; a reason from elsewhere, which an import can have, as it is. */
export function explainSpam(reason: string): string {
  if (reason.startsWith(WORD)) return `it matches the spam word "${reason.slice(WORD.length)}"`;
  if (reason.startsWith(CHECK)) return `${REASONS["check"]}: "${reason.slice(CHECK.length)}"`;
  if (reason.startsWith(LEARNED)) {
    const features = reason.slice(LEARNED.length).split(", ");
    return `it is like what was marked as spam: ${features.map(featureInWords).join(", ")}`;
  }
  return Object.hasOwn(REASONS, reason) ? REASONS[reason]! : reason;
}
