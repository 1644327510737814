import { DAY, type Kind, setting } from "./setting.ts";

/** The languages of the built-in pages (BCP 47). */
export const LANGUAGES = ["en", "de", "fr", "es", "pt", "it", "nl", "pl", "ja", "zh"] as const;

export type Language = (typeof LANGUAGES)[number];

/** At most a hundred years. */
const RETENTION: Kind = { is: "seconds", least: 1, most: 36_525 * DAY };

/** Settings for what is stored, for how long, and for the pages that a sender sees. */
export const KEPT = {
  /** Seconds after which a submission outside the spam folder is deleted. */
  retention: setting<number | null>({
    default: null,
    kind: RETENTION,
    option: ["retention <time>", "delete submissions after this time, such as 90d; none for never"],
    words: { none: null, off: null, never: null, forever: null, default: null },
    field: ["keeps", "Delete submissions after", "Such as 90d; empty for never"],
    line: ["retention"],
    empty: "forever",
  }),
  spamRetention: setting<number | null>({
    default: 30 * DAY,
    hasNull: true,
    kind: RETENTION,
    option: ["spam-retention <time>", "delete spam after this time; none for never, default for 30d"],
    words: { none: null, off: null, never: null, forever: null, default: 30 * DAY },
    field: ["keeps", "Delete spam after", "Such as 30d; empty for never"],
    line: ["spam retention"],
    empty: "forever",
  }),
  /** Metadata about the sender that is recorded besides the fields. */
  metadata: setting<"none" | "truncated" | "full">({
    default: "none",
    kind: {
      is: "choice",
      among: ["none", "truncated", "full"],
      error: "one of none, truncated, full",
      labels: {
        none: "nothing",
        truncated: "network, browser, referrer, language",
        full: "address, browser, referrer, language",
      },
    },
    option: [
      "metadata <none|truncated|full>",
      "whether to record the address, browser, referrer and language of senders",
    ],
    field: ["keeps", "Record about the sender"],
    line: ["metadata"],
  }),
  /** The field whose value is the title of a submission. */
  titleField: setting<string | null>({
    default: null,
    kind: { is: "field" },
    option: ["title-field <name>", "field whose value is the title of a submission; none to detect it"],
    words: { none: null, default: null },
    field: ["keeps", "Field with the title", "Its value is the title of a submission; empty to detect it"],
    line: ["title field"],
    empty: "detected",
  }),
  successMessage: setting<string | null>({
    default: null,
    kind: { is: "area", most: 1000 },
    option: ["success-message <text>", "text of the thank-you page; or default"],
    field: ["shows", "Success message", "Text of the built-in page"],
    line: ["success message"],
    empty: "default",
  }),
  /** The language of the built-in pages: `auto` for the reader's; null for English. */
  language: setting<"auto" | Language | null>({
    default: null,
    kind: {
      is: "choice",
      among: ["auto", ...LANGUAGES],
      error: `auto or one of ${LANGUAGES.join(", ")}`,
      labels: { "": "English", auto: "The reader's" },
      isOpen: true,
    },
    option: [
      "language <language>",
      "language of the built-in pages, such as de; auto for the sender's language; or none",
    ],
    field: ["shows", "Language of the built-in pages"],
    line: ["language"],
  }),
  /** Whether the form has a page of its own. */
  page: setting({
    default: false,
    kind: { is: "switch" },
    option: ["page <on|off>", "serve a page with the fields of the schema"],
    field: ["shows", "Page of its own", "Serves a page with the fields of the schema"],
  }),
};
