import { type Card, EXPIRES_AT } from "../../base/kinds/kinds.ts";
import { durationInWords } from "../../base/units.ts";
import { FEED_LIMITS, SEARCH_LIMITS, SUBMISSION_LIMITS } from "../limits.ts";

/** The formats of a feed, which are the endings of its address. */
export const FEED_FORMATS = ["csv", "json", "atom"] as const;

/** At most a hundred years, in seconds. */
const LONGEST = 3_155_760_000;

/** The fields of a feed, for everything that creates one. */
export const FEED = {
  format: {
    kind: {
      is: "choice",
      among: FEED_FORMATS,
      error: `one of ${FEED_FORMATS.join(", ")}`,
      labels: { csv: "CSV, for spreadsheets", json: "JSON Feed", atom: "Atom, for feed readers" },
    },
    required: true,
    option: ["format <format>", "format of the feed"],
    label: "Format",
  },
  name: {
    kind: { is: "text", most: FEED_LIMITS.name },
    option: ["name <name>", "title of the feed (default: the name of the form)"],
    label: "Name",
    hint: "Empty for the name of the form",
  },
  /** The fields that it shows, in their order; null for all. */
  fields: {
    kind: { is: "names", of: "fields", most: FEED_LIMITS.fields, longest: SUBMISSION_LIMITS.fieldName },
    default: null,
    option: ["field <field...>", "show only these fields, in this order (default: everything)"],
    label: "Fields",
    hint: "Such as name, email; empty for all",
    words: (names: readonly string[] | null) => names?.join(", ") ?? "all fields",
  },
  search: {
    kind: { is: "text", most: SEARCH_LIMITS.characters },
    default: null,
    option: ["search <text>", "only submissions with all these words"],
    label: "Search",
    hint: "Words that a submission has, or label:urgent; empty for all",
    words: (search: string | null) => (search === null ? null : `"${search}"`),
  },
  /** The age in seconds up to which submissions are in it; null for any. */
  since: {
    kind: { is: "seconds", least: 1, most: LONGEST },
    default: null,
    option: ["since <time>", "only submissions of this time before now, such as 30d"],
    label: "Not older than",
    hint: "Such as 30d or 12h; empty for any age",
    words: (seconds: number | null) => (seconds === null ? null : `of ${durationInWords(seconds)}`),
  },
  /** The most submissions that are in it. */
  limit: {
    kind: { is: "count", least: 1, most: FEED_LIMITS.items },
    default: FEED_LIMITS.defaultItems,
    option: ["limit <n>", `number of submissions, at most ${FEED_LIMITS.items}`],
    words: (count: number) => `at most ${count}`,
  },
  expiresAt: EXPIRES_AT,
} as const satisfies Card;
