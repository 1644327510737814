import type { Form } from "../../../forms/form.ts";
import type { PageContent } from "../../../forms/intake/input.ts";

/** Kinds of snippets: a form, a form with a script, and a command. */
export const SNIPPET_KINDS = ["html", "fetch", "curl"] as const;

export type SnippetKind = (typeof SNIPPET_KINDS)[number];

/** Input of a snippet. */
export type SnippetOf = {
  form: Form;
  /** The absolute address that submissions are posted to. */
  url: string;
  content: PageContent;
  texts: { send: string; failed: string; leaveEmpty: string; choose: string };
};

/** A snippet, and what its reader has to know. */
export type Snippet = { text: string; notes: string[] };
