import { formatBytes } from "../../base/bytes.ts";
import type { Rate } from "../../base/units.ts";
import { CEILING_FILES, CEILING_FILE_SIZE, DEFAULT_MAX_FILES, DEFAULT_MAX_FILE_SIZE } from "../limits.ts";
import { setting } from "./setting.ts";

/** Settings of a form with a column of their own, in the order of the admin API. */
export const COLUMNS = {
  name: setting({
    default: "",
    kind: { is: "name" },
    option: ["name <name>", "name for people"],
    field: ["shows", "Name"],
  }),
  enabled: setting({ default: true, kind: { is: "switch" } }),
  uploads: setting({
    default: false,
    kind: { is: "switch" },
    field: ["accepts", "Uploads", "Accepts files"],
  }),
  /** Whether it has a filter that learns from what people mark. */
  learn: setting({
    default: false,
    kind: { is: "switch" },
    option: [
      "learn <on|off>",
      "learn from what people mark as spam, and move what is like it to the spam folder",
    ],
    field: ["screens", "Learn from marks", "Moves to the spam folder what is like the spam that people mark"],
    line: ["learning", () => "on"],
    after: { option: "challenge", field: "challenge" },
  }),
  successUrl: setting<string | null>({
    default: null,
    kind: { is: "url", what: "a success URL" },
    option: ["success-url <url>", "page for the sender after a submission; none for the built-in page"],
    field: ["shows", "Success URL", "Where a sender goes; empty for the built-in page"],
  }),
  errorUrl: setting<string | null>({
    default: null,
    kind: { is: "url", what: "an error URL" },
    option: ["error-url <url>", "page for the sender after an error; none for the built-in page"],
    field: ["shows", "Error URL", "Where a sender goes after a failure; empty for the built-in page"],
  }),
  /** Origins whose pages may submit; empty for any. */
  allowedOrigins: setting<string[]>({
    default: [],
    kind: { is: "origins" },
    option: [
      "allow-origin <url...>",
      "origins whose pages may post, such as https://*.example.com; any for all",
    ],
    field: [
      "accepts",
      "Origins",
      "One a line, such as https://example.com or https://*.example.com; empty for any",
    ],
  }),
  /** IP addresses and CIDR ranges that may not submit. */
  blockedSenders: setting<string[]>({
    default: [],
    kind: { is: "senders" },
    option: ["block-sender <cidr...>", "addresses that may not post; or none"],
    field: ["accepts", "Blocked senders", "Addresses and ranges, one a line, such as 203.0.113.0/24"],
    after: { option: "rateLimit" },
  }),
  rateLimit: setting<Rate | null>({
    default: null,
    kind: { is: "rate" },
    option: ["rate-limit <rate>", "most submissions from one sender, such as 20/h; off for no limit"],
    field: ["accepts", "Rate limit of a sender", "Such as 20/h or 5/10m; empty for none"],
    after: { option: "maxFiles" },
  }),
  maxFileSize: setting<number>({
    default: DEFAULT_MAX_FILE_SIZE,
    kind: {
      is: "bytes",
      least: 1,
      most: CEILING_FILE_SIZE,
      errors: [
        "a file may have at least 1 byte",
        `a file may have at most ${formatBytes(CEILING_FILE_SIZE)}`,
      ],
    },
    option: ["max-file-size <size>", "largest file, such as 10MB; default for 1MB"],
    field: ["accepts", "Largest file", "Such as 10 MB"],
    after: { field: "maxFiles" },
  }),
  maxFiles: setting<number>({
    default: DEFAULT_MAX_FILES,
    kind: {
      is: "count",
      least: 1,
      most: CEILING_FILES,
      errors: [
        "a submission may have at least 1 file: turn uploads off to have none",
        `a submission may have at most ${CEILING_FILES} files`,
      ],
    },
    option: ["max-files <n>", "files in one submission; default for 5"],
    words: { default: null },
    field: ["accepts", "Files in a submission"],
  }),
};
