import { MAX_CHECKS } from "../limits.ts";
import { VERDICTS, type Verdict } from "../spam/verdict.ts";
import { DAY, setting } from "./setting.ts";

/** Settings for which submissions a form accepts, and what is spam. */
export const INTAKE = {
  /** Extensions such as `.pdf` and media types such as `image/*` of the files that are accepted; empty for any. */
  allowedTypes: setting<string[]>({
    default: [],
    kind: { is: "list", of: "allowed types", most: 100, item: "fileType" },
    option: ["allow-type <type...>", "types of files to accept, such as .pdf or image/*; any for all"],
    words: { none: [], off: [], any: [] },
    field: ["accepts", "Types", "One a line, such as .pdf or image/*; empty for any"],
    line: ["file types"],
    empty: "any",
  }),
  opensAt: setting<string | null>({
    default: null,
    kind: { is: "time" },
    option: ["opens-at <time>", "submissions are accepted from this time on, in ISO 8601 or as 7d; or none"],
    field: ["accepts", "Opens"],
    line: ["opens"],
  }),
  closesAt: setting<string | null>({
    default: null,
    kind: { is: "time" },
    option: ["closes-at <time>", "submissions are accepted before this time, in ISO 8601 or as 7d; or none"],
    field: ["accepts", "Closes"],
    line: ["closes"],
  }),
  /** The flag by whose value the form is open: `project/environment/flag`. */
  openWhen: setting<string | null>({
    default: null,
    kind: { is: "flag" },
    option: [
      "open-when <flag>",
      "submissions are accepted while this flag is true, such as shop/production/contact-open; or none",
    ],
    field: ["accepts", "Open while a flag is true", "Such as shop/production/contact-open; empty for always"],
    line: ["open when"],
  }),
  maxSubmissions: setting<number | null>({
    default: null,
    kind: { is: "count", least: 1, most: 10_000 },
    option: [
      "max-submissions <n>",
      "most submissions that the form holds, not counting spam; none for no limit",
    ],
    field: ["accepts", "Most submissions", "That the form holds, without spam; empty for any number"],
    line: ["submissions", (count) => `at most ${count}`],
    empty: "no limit",
  }),
  spam: setting<"keep" | "reject">({
    default: "keep",
    kind: {
      is: "choice",
      among: ["keep", "reject"],
      error: "keep or reject",
      labels: { keep: "kept in a folder of its own", reject: "refused" },
    },
    option: ["spam <keep|reject>", "keep spam in a separate folder, or refuse it; default for keep"],
    words: { default: null },
    field: ["screens", "Spam is"],
    line: ["spam", () => "refused"],
  }),
  /** Names of fields that people leave empty, besides the built-in ones. */
  honeypots: setting<string[]>({
    default: [],
    kind: { is: "list", of: "honeypots", most: 20, item: "honeypot" },
    option: [
      "honeypot <name...>",
      "hidden fields that people leave empty, in addition to the built-in ones; or none",
    ],
    field: ["screens", "Honeypots", "Names of fields that people leave empty, one a line"],
    after: { field: "spamDisposable" },
    line: ["honeypots"],
  }),
  /** Words and phrases; `*` stands for any characters within a word. */
  spamWords: setting<string[]>({
    default: [],
    kind: { is: "list", of: "spam words", most: 1000, item: "spamWord" },
    option: ["spam-word <word...>", "words that make a submission spam; * is a wildcard; or none"],
    field: ["screens", "Words", "Words and phrases, one a line; * is a wildcard"],
    line: ["spam words"],
  }),
  /** Addresses; `*` stands for any characters. */
  spamEmails: setting<string[]>({
    default: [],
    kind: { is: "list", of: "spam addresses", most: 1000, item: "spamEmail" },
    option: ["spam-email <address...>", "addresses that make a submission spam; * is a wildcard; or none"],
    field: ["screens", "Addresses", "One a line, such as *@spam.example"],
    line: ["spam addresses"],
  }),
  spamLinks: setting<number | null>({
    default: null,
    kind: { is: "count", least: 0, most: 1000 },
    option: ["spam-links <n>", "submissions with more links are spam; none for any number"],
    field: ["screens", "Most links", "A submission with more is spam; empty for any number"],
    line: ["spam links", (count) => `more than ${count}`],
    empty: "any number",
  }),
  spamDisposable: setting({
    default: false,
    kind: { is: "switch" },
    option: ["spam-disposable <on|off>", "submissions with an address of a disposable mail service are spam"],
    field: ["screens", "Disposable mail", "Addresses of such services are spam"],
    line: ["disposable mail", () => "spam"],
  }),
  duplicates: setting<number | null>({
    default: null,
    kind: { is: "seconds", least: 1, most: DAY },
    option: ["duplicates <time>", "submissions that a sender repeats within this time are spam; or off"],
    field: [
      "screens",
      "Duplicates",
      "A sender who repeats a submission within this time sends spam, such as 60s",
    ],
    line: ["duplicates", (seconds) => `spam within ${seconds} s`],
  }),
  challenge: setting({
    default: false,
    kind: { is: "switch" },
    option: ["challenge <on|off>", "submissions without a solved challenge are spam"],
    field: ["screens", "Challenge", "Submissions without a solved challenge are spam"],
    line: ["challenge", () => "required"],
  }),
  /** Addresses that give a verdict on each submission before it is stored. */
  checks: setting<string[]>({
    default: [],
    kind: { is: "list", of: "checks", most: MAX_CHECKS, item: "check" },
    option: [
      "check <url...>",
      `services of yours that judge each submission before it is stored, at most ${MAX_CHECKS}; or none`,
    ],
    field: [
      "screens",
      "External checks",
      "Addresses, one a line, which get every submission that passes the other checks: its fields, links to its files, and what the form keeps about the sender. Each gets a secret, shown once",
    ],
    line: ["checks"],
  }),
  /** The verdict in place of one that a check does not give. */
  checkFailing: setting<Verdict>({
    default: "ok",
    kind: {
      is: "choice",
      among: VERDICTS,
      error: "ok, spam or refuse",
      labels: { ok: "accepted as without it", spam: "spam", refuse: "refused" },
    },
    option: [
      "check-failing <verdict>",
      "what a submission is if a check fails: ok, spam or refuse; default for ok",
    ],
    words: { none: null, default: null },
    field: ["screens", "If a check fails, a submission is"],
    line: ["failing checks", (verdict) => (verdict === "spam" ? "spam" : "refused")],
  }),
  /** The JSON Schema, of draft 2020-12, that submissions have to match. */
  schema: setting<Record<string, unknown> | null>({
    default: null,
    kind: { is: "json" },
    option: ["schema <json>", "JSON Schema that submissions must match: JSON, @FILE, - or none"],
    line: ["schema"],
  }),
};
