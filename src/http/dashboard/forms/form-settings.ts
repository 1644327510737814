import type { Form, FormPatch } from "../../../forms/form.ts";
import { LANGUAGES } from "../../../forms/languages.ts";

type Name = keyof FormPatch & keyof Form;

type Choice = { value: string; label: string };

/** How a setting is typed. */
type Kind = "text" | "area" | "lines" | "count" | "size" | "duration" | "rate" | "time" | "json" | "switch";

export type Setting = { name: Name; label: string; hint?: string } & (
  | { kind: Kind }
  | { kind: "choice"; choices: readonly Choice[] }
);

/** The settings of a form in groups, in the order of the page. */
export const SETTINGS: readonly { title: string; id: string; settings: readonly Setting[] }[] = [
  {
    title: "After a submission",
    id: "after",
    settings: [
      { name: "name", label: "Name", kind: "text" },
      {
        name: "successUrl",
        label: "Success URL",
        kind: "text",
        hint: "Where a sender goes; empty for the built-in page",
      },
      {
        name: "errorUrl",
        label: "Error URL",
        kind: "text",
        hint: "Where a sender goes after a failure; empty for the built-in page",
      },
      { name: "successMessage", label: "Success message", kind: "area", hint: "Text of the built-in page" },
      {
        name: "language",
        label: "Language of the built-in pages",
        kind: "choice",
        choices: [
          { value: "", label: "English" },
          { value: "auto", label: "The reader's" },
          ...LANGUAGES.map((language) => ({ value: language, label: language })),
        ],
      },
      {
        name: "page",
        label: "Page of its own",
        kind: "switch",
        hint: "Serves a page with the fields of the schema",
      },
    ],
  },
  {
    title: "Who may send",
    id: "senders",
    settings: [
      {
        name: "allowedOrigins",
        label: "Origins",
        kind: "lines",
        hint: "One a line, such as https://example.com or https://*.example.com; empty for any",
      },
      {
        name: "blockedSenders",
        label: "Blocked senders",
        kind: "lines",
        hint: "Addresses and ranges, one a line, such as 203.0.113.0/24",
      },
      {
        name: "rateLimit",
        label: "Rate limit of a sender",
        kind: "rate",
        hint: "Such as 20/h or 5/10m; empty for none",
      },
      { name: "opensAt", label: "Opens", kind: "time" },
      { name: "closesAt", label: "Closes", kind: "time" },
      {
        name: "maxSubmissions",
        label: "Most submissions",
        kind: "count",
        hint: "That the form holds, without spam; empty for any number",
      },
    ],
  },
  {
    title: "Files",
    id: "files",
    settings: [
      { name: "uploads", label: "Uploads", kind: "switch", hint: "Accepts files" },
      { name: "maxFiles", label: "Files in a submission", kind: "count" },
      { name: "maxFileSize", label: "Largest file", kind: "size", hint: "Such as 10 MB" },
      {
        name: "allowedTypes",
        label: "Types",
        kind: "lines",
        hint: "One a line, such as .pdf or image/*; empty for any",
      },
    ],
  },
  {
    title: "Spam",
    id: "spam",
    settings: [
      {
        name: "spam",
        label: "Spam is",
        kind: "choice",
        choices: [
          { value: "keep", label: "kept in a folder of its own" },
          { value: "reject", label: "refused" },
        ],
      },
      {
        name: "spamWords",
        label: "Words",
        kind: "lines",
        hint: "Words and phrases, one a line; * is a wildcard",
      },
      { name: "spamEmails", label: "Addresses", kind: "lines", hint: "One a line, such as *@spam.example" },
      {
        name: "spamLinks",
        label: "Most links",
        kind: "count",
        hint: "A submission with more is spam; empty for any number",
      },
      {
        name: "spamDisposable",
        label: "Disposable mail",
        kind: "switch",
        hint: "Addresses of such services are spam",
      },
      {
        name: "honeypots",
        label: "Honeypots",
        kind: "lines",
        hint: "Names of fields that people leave empty, one a line",
      },
      {
        name: "duplicates",
        label: "Duplicates",
        kind: "duration",
        hint: "A sender who repeats a submission within this time sends spam, such as 60s",
      },
      {
        name: "challenge",
        label: "Challenge",
        kind: "switch",
        hint: "A submission without a solved challenge is spam",
      },
    ],
  },
  {
    title: "Mail",
    id: "mail",
    settings: [
      {
        name: "notify",
        label: "Notify",
        kind: "lines",
        hint: "Addresses that get a message for each submission, one a line",
      },
      {
        name: "notifySubject",
        label: "Subject of these messages",
        kind: "text",
        hint: "Such as From {{name}}",
      },
      {
        name: "emailField",
        label: "Field with the sender's address",
        kind: "text",
        hint: "Empty to find it",
      },
      {
        name: "attach",
        label: "Attach files up to",
        kind: "size",
        hint: "Of this size together, such as 10 MB; 0 links them",
      },
      { name: "autoreply", label: "Automatic reply", kind: "switch", hint: "Answers the sender by mail" },
      {
        name: "autoreplySubject",
        label: "Subject of the reply",
        kind: "text",
        hint: "Such as Thanks, {{name}}",
      },
      { name: "autoreplyText", label: "Text of the reply", kind: "area" },
    ],
  },
  {
    title: "What is kept",
    id: "kept",
    settings: [
      {
        name: "retention",
        label: "Delete submissions after",
        kind: "duration",
        hint: "Such as 90d; empty for never",
      },
      {
        name: "spamRetention",
        label: "Delete spam after",
        kind: "duration",
        hint: "Such as 30d; empty for never",
      },
      {
        name: "metadata",
        label: "Record about the sender",
        kind: "choice",
        choices: [
          { value: "none", label: "nothing" },
          { value: "truncated", label: "network, browser, referrer, language" },
          { value: "full", label: "address, browser, referrer, language" },
        ],
      },
    ],
  },
  {
    title: "Schema",
    id: "schema",
    settings: [
      {
        name: "schema",
        label: "JSON Schema",
        kind: "json",
        hint: "What submissions have to match, of draft 2020-12; empty for anything",
      },
    ],
  },
];
