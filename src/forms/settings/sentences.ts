import { formatBytes } from "../../base/bytes.ts";
import { durationInWords } from "../../base/units.ts";
import type { Form } from "../form.ts";
import { openingOf } from "../intake/opening.ts";
import { learnedInWords } from "../spam/learning-store.ts";
import type { Language } from "./kept.ts";
import { DAY, type Group } from "./setting.ts";

/** The moment for which a form is described, and how a time is written for its reader. */
export type Moment = { now: number; dateOf: (at: number) => string };

/** The settings of each group of a form as one sentence without a full stop. */
export const SENTENCES: Record<Group, (form: Form, moment: Moment) => string> = {
  accepts,
  screens,
  keeps,
  shows,
  answers,
  tells: ({ notify }) =>
    notify.length === 0 ? "" : notify.length === 1 ? `${notify[0]} by mail` : `${notify.length} by mail`,
};

function accepts(form: Form, moment: Moment): string {
  const { rateLimit, blockedSenders, maxSubmissions } = form;
  return joined([
    openingInWords(form, moment),
    filesInWords(form),
    `from ${originsInWords(form.allowedOrigins)}`,
    rateLimit && `at most ${rateLimit.count} ${perTime(rateLimit.seconds)} from one sender`,
    blockedSenders.length > 0 && `${counted(blockedSenders.length, "sender")} blocked`,
    maxSubmissions !== null && `until it holds ${maxSubmissions.toLocaleString("en")}`,
  ]);
}

/** When a form is open; nothing for always. */
function openingInWords(form: Form, { now, dateOf }: Moment): string | null {
  const { enabled, opensAt, closesAt, openWhen } = form;
  const at = (time: string) => dateOf(Date.parse(time));
  const opening = openingOf(form, now);
  if (opening === "late") return `nothing since ${at(closesAt!)}`;
  if (!enabled) return "nothing while it is closed";
  const span =
    opening === "early"
      ? closesAt === null
        ? `from ${at(opensAt!)}`
        : `from ${at(opensAt!)} until ${at(closesAt)}`
      : closesAt !== null && `until ${at(closesAt)}`;
  return joined([span, openWhen !== null && `while the flag ${openWhen} is true`]) || null;
}

function filesInWords({ uploads, maxFiles, maxFileSize, allowedTypes }: Form): string {
  if (!uploads) return "no files";
  const types = allowedTypes.length > 0 ? ` (${few(allowedTypes)})` : "";
  return `${maxFiles === 1 ? "a file" : `${maxFiles} files`} to ${formatBytes(maxFileSize)}${types}`;
}

function originsInWords(origins: readonly string[]): string {
  return origins.length === 0 ? "any site" : few(origins.map((each) => each.replace(/^https:\/\//, "")));
}

function screens(form: Form): string {
  const { spam, honeypots, spamWords, spamEmails, spamLinks, spamDisposable, duplicates, challenge, learn } =
    form;
  const hosts = [...new Set(form.checks.map((each) => URL.parse(each)?.host ?? each))];
  const found = joined([
    challenge && "challenge",
    honeypots.length === 0 ? "honeypot" : counted(honeypots.length + 1, "honeypot"),
    spamWords.length > 0 && counted(spamWords.length, "word"),
    spamEmails.length > 0 && counted(spamEmails.length, "address", "addresses"),
    spamLinks !== null && (spamLinks === 0 ? "no links" : `at most ${counted(spamLinks, "link")}`),
    spamDisposable && "no disposable mail",
    duplicates !== null && `no repeats within ${durationInWords(duplicates)}`,
    hosts.length > 0 && `sends each submission to ${hosts.join(" and ")}`,
    hosts.length > 0 && IF_CHECKS_FAIL[form.checkFailing],
    learn && `what is like marked spam${form.learned ? ` (${learnedInWords(form.learned)})` : ""}`,
  ]);
  return spam === "reject" ? `${found}; spam is refused` : found;
}

const IF_CHECKS_FAIL: Record<Form["checkFailing"], string | null> = {
  ok: null,
  spam: "which is spam if that fails",
  refuse: "which is refused if that fails",
};

const ABOUT_SENDERS: Record<Form["metadata"], string> = {
  none: "nothing about the sender",
  truncated: "network and browser of the sender",
  full: "IP address and browser of the sender",
};

function keeps({ retention, spam, spamRetention, metadata, titleField }: Form): string {
  const [all, ofSpam] = [periodInWords(retention), periodInWords(spamRetention)];
  const rest =
    spam === "reject"
      ? null
      : spamRetention === retention
        ? "spam too"
        : `spam ${spamRetention === null ? "" : "for "}${ofSpam}`;
  const titled = titleField === null ? "" : `; titled by the field ${titleField}`;
  return `${joined([all, rest])}; ${ABOUT_SENDERS[metadata]}${titled}`;
}

function periodInWords(seconds: number | null): string {
  if (seconds === null) return "forever";
  const years = seconds / (365 * DAY);
  return Number.isInteger(years) ? counted(years, "year") : durationInWords(seconds);
}

const LANGUAGES: Record<Language | "auto", string> = {
  auto: "the sender’s language",
  en: "English",
  de: "German",
  fr: "French",
  es: "Spanish",
  pt: "Portuguese",
  it: "Italian",
  nl: "Dutch",
  pl: "Polish",
  ja: "Japanese",
  zh: "Chinese",
};

function shows({ successUrl, errorUrl, successMessage, language, page }: Form): string {
  const thanks = successMessage === null ? "the built-in page" : `“${shortened(successMessage)}”`;
  return joined([
    successUrl === null ? thanks : `the page ${withoutScheme(successUrl)}`,
    // Pages of its own, and errors, have a language too.
    (successUrl === null || errorUrl === null || page) && `in ${LANGUAGES[language ?? "en"]}`,
    errorUrl !== null && `after an error ${withoutScheme(errorUrl)}`,
    page && "and has a page of its own",
  ]);
}

function answers(form: Form): string {
  const { autoreply, autoreplySubject, autoreplyText, emailField, replyTemplates, optIn, optInWithin } = form;
  const templates = replyTemplates?.match(/^# /gm)?.length ?? 0;
  const subject = autoreplySubject === null ? "a thank-you" : `“${shortened(autoreplySubject)}”`;
  return joined([
    optIn !== null &&
      `asks the address in the field ${optIn} to confirm within ${durationInWords(optInWithin)}`,
    autoreply ? `${subject} by mail` : optIn === null && "nothing by itself",
    autoreply && autoreplyText !== null && "with your text",
    autoreply && emailField !== null && `to the field ${emailField}`,
    templates > 0 && `${counted(templates, "template")} for replies`,
  ]);
}

function joined(parts: readonly (string | false | null)[]): string {
  return parts.filter((part) => part !== null && part !== false && part !== "").join(", ");
}

/** The first texts, and how many more there are. */
function few(texts: readonly string[]): string {
  if (texts.length <= 2) return texts.join(" and ");
  return `${texts.slice(0, 2).join(", ")} and ${texts.length - 2} more`;
}

function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

const PER_TIME = new Map([
  [1, "a second"],
  [60, "a minute"],
  [3600, "an hour"],
  [DAY, "a day"],
]);

function perTime(seconds: number): string {
  return PER_TIME.get(seconds) ?? `in ${durationInWords(seconds)}`;
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/\/$/, "");
}

/** Characters of a text that a sentence quotes. */
const QUOTED = 40;

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  const letters = Array.from(line);
  return letters.length > QUOTED ? `${letters.slice(0, QUOTED).join("")}…` : line;
}
