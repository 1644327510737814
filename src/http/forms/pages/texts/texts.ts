/** A heading and a sentence. `{value}` in the sentence stands for a number, a size, a time or a list. */
type Notice = readonly [title: string, text: string];

/** The texts of the built-in pages in one language. */
export type Texts = {
  thanks: Notice;
  /** Ways back to where the visitor came from. */
  back: { button: string; website: string; form: string };
  problems: Record<Problem, Notice>;
  fields: Record<FieldProblem, string>;
  form: Record<FormText, string>;
};

/** Errors of a whole submission: the reason of an error, or a word for its status. */
export type Problem =
  | "unreadable"
  | "submission-empty"
  | "refused"
  | "origin-not-allowed"
  | "files-not-accepted"
  | "missing"
  | "form-disabled"
  | "form-not-open"
  | "form-closed"
  | "form-full"
  | "too-large"
  | "file-too-large"
  | "too-many-files"
  | "format"
  | "file-type"
  | "file-content"
  | "incorrect"
  | "too-often"
  | "trouble"
  | "busy"
  | "general";

/** Errors of one field. `{value}` stands for the limit. */
export type FieldProblem =
  | "required"
  | "unticked"
  | "email"
  | "url"
  | "date"
  | "time"
  | "date-time"
  | "number"
  | "integer"
  | "choice"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems"
  | "uniqueItems"
  | "oneOfThese"
  | "extra"
  | "other";

/** The texts around the fields of a form. */
type FormText =
  | "send"
  | "choose"
  /** Meaning of the mark after a label. */
  | "marked"
  /** In front of the title of a page that shows errors. */
  | "error"
  | "chooseAgain"
  /** The largest file. */
  | "upTo"
  /** The label of a field that people do not see. */
  | "leaveEmpty"
  | "needsScript"
  | "needsHttps"
  /** Labels of a contact form. */
  | "name"
  | "email"
  | "message"
  | "file";

/** A text with a value in it. */
export function fill(text: string, value: string): string {
  return text.replace("{value}", () => value);
}
