import { MiB, formatBytes } from "../../base/bytes.ts";
import { MAX_TEMPLATE } from "../../delivery/limits.ts";
import { DAY, setting } from "./setting.ts";

/** Settings for the mail that a submission causes. */
export const MAIL = {
  notify: setting<string[]>({
    default: [],
    kind: { is: "list", of: "addresses to notify", most: 20, item: "mailAddress" },
    option: ["notify <address...>", "addresses that get a message for each submission; or none"],
    field: ["tells", "Notify", "Addresses that get a message for each submission, one a line"],
    line: ["notifies"],
  }),
  notifySubject: setting<string | null>({
    default: null,
    kind: { is: "text", most: MAX_TEMPLATE },
    option: ["notify-subject <text>", "subject of these messages, such as 'From {{name}}'; default"],
    field: ["tells", "Subject of these messages", "Such as From {{name}}"],
    line: ["notify subject"],
    empty: "default",
  }),
  /** The field that holds the sender's address. */
  emailField: setting<string | null>({
    default: null,
    kind: { is: "field" },
    option: ["email-field <name>", "field with the sender's address, for replies; default to detect it"],
    field: ["answers", "Field with the sender's address", "Leave empty to detect it"],
    line: ["address field"],
    empty: "detected",
  }),
  /** Files beyond this size together are links. */
  attach: setting<number>({
    default: 10 * MiB,
    kind: { is: "bytes", least: 0, most: 25 * MiB },
    option: [
      "attach <size>",
      "attach files up to this total size, and link larger ones; default for 10MB, or none",
    ],
    words: { none: 0, off: 0, default: null },
    field: ["tells", "Attach files up to", "Of this size together, such as 10 MB; 0 links them"],
    line: ["attaches", (bytes) => (bytes === 0 ? "nothing" : `up to ${formatBytes(bytes)}`)],
  }),
  /** The zone of times in mail. */
  timeZone: setting<string | null>({
    default: null,
    kind: { is: "zone" },
    option: ["time-zone <zone>", "time zone of times in mail, such as Europe/Berlin; or default for UTC"],
    field: ["tells", "Time zone of times in mail", "Such as Europe/Berlin; empty for UTC"],
    line: ["time zone"],
    empty: "UTC",
  }),
  autoreply: setting({
    default: false,
    kind: { is: "switch" },
    option: ["autoreply <on|off>", "reply to the sender by mail"],
    field: ["answers", "Automatic reply", "Answers the sender by mail"],
    line: ["autoreply", () => "on"],
  }),
  autoreplySubject: setting<string | null>({
    default: null,
    kind: { is: "text", most: MAX_TEMPLATE },
    option: ["autoreply-subject <text>", "subject of the reply, such as 'Thanks, {{name}}'; or default"],
    field: ["answers", "Subject of the reply", "Such as Thanks, {{name}}"],
    line: ["reply subject"],
    empty: "default",
  }),
  autoreplyText: setting<string | null>({
    default: null,
    kind: { is: "area", most: MAX_TEMPLATE },
    option: ["autoreply-text <text>", "text of the reply, @FILE or -; or default"],
    isSource: true,
    field: ["answers", "Text of the reply"],
    line: ["reply text"],
    empty: "default",
  }),
  /** The field whose mail address confirms a submission before it counts. */
  optIn: setting<string | null>({
    default: null,
    kind: { is: "field" },
    option: ["opt-in <field>", "field with the address that has to confirm a submission; or none"],
    words: { none: null, off: null },
    field: ["answers", "Address that confirms", "Field whose owner confirms by mail first; empty for none"],
    line: ["confirmed by"],
  }),
  /** Seconds; a submission that is not confirmed within this time is deleted. */
  optInWithin: setting<number>({
    default: 7 * DAY,
    kind: { is: "seconds", least: 60, most: 365 * DAY },
    option: [
      "opt-in-within <time>",
      "time to confirm, at least 60s, after which a submission is deleted; default for 7d",
    ],
    words: { default: null },
    field: ["answers", "Time to confirm", "Such as 7d; what is not confirmed is deleted"],
    line: ["to confirm within"],
  }),
  optInSubject: setting<string | null>({
    default: null,
    kind: { is: "text", most: MAX_TEMPLATE },
    option: ["opt-in-subject <text>", "subject of the request to confirm; or default"],
    field: ["answers", "Subject of the request to confirm"],
    line: ["confirmation subject"],
    empty: "default",
  }),
  /** Contains the tag `{{link}}`. */
  optInText: setting<string | null>({
    default: null,
    kind: { is: "area", most: MAX_TEMPLATE },
    option: ["opt-in-text <text>", "text of the request to confirm, with {{link}}; @FILE, - or default"],
    isSource: true,
    field: ["answers", "Text of the request to confirm", "With {{link}}"],
    line: ["confirmation text"],
    empty: "default",
  }),
  /** Texts that users may begin an answer with; a line `# Name` begins each. */
  replyTemplates: setting<string | null>({
    default: null,
    kind: { is: "area", most: MAX_TEMPLATE },
    option: [
      "reply-templates <text>",
      "texts to start replies from, each after a line # NAME; @FILE, - or none",
    ],
    words: { none: null },
    isSource: true,
    field: [
      "answers",
      "Templates of replies",
      "Each begins with a line such as # Thanks, and may have {{name}}",
    ],
    line: ["reply templates"],
  }),
};
