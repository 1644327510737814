/** An input of the page of a form, for one property of its schema. */
export type Input = {
  name: string;
  label: string;
  /** Hint for the input; null for none. */
  hint: string | null;
  isRequired: boolean;
  /** Initial value: one text, or one for each ticked box. */
  initial: string[];
} & InputKind;

/** A value that can be chosen: a text, or the JSON of another value. */
export type Choice = { value: string; label: string; isText: boolean };

export type InputKind =
  | { kind: "line"; type: LineType; minLength: number | null; maxLength: number | null }
  | { kind: "area"; minLength: number | null; maxLength: number | null }
  /** `step` is "any" for numbers of any precision. */
  | { kind: "number"; min: number | null; max: number | null; step: number | "any" }
  /** A box with the value `true`. */
  | { kind: "box" }
  /** One of some values, of which all or only the chosen one are seen. */
  | { kind: "radio" | "select"; choices: Choice[] }
  /** Any of some values. */
  | { kind: "boxes"; choices: Choice[] }
  | { kind: "file"; isMultiple: boolean }
  /** A value that cannot be changed. */
  | { kind: "fixed"; isShown: boolean; isText: boolean };

/** Types of inputs for one line (HTML, 4.10.5.1). */
export type LineType = "text" | "email" | "url" | "date" | "time" | "datetime-local";

/** The heading of a page, and its inputs in the order of the schema. */
export type PageContent = { title: string; description: string | null; inputs: Input[] };

/** The attributes of HTML that limit a text; null for no limit. Schemas know years of four digits, and browsers up to six. */
export function limitsOf({ minLength, maxLength, type }: Limited) {
  const latest = type === "date" ? "9999-12-31" : type === "datetime-local" ? "9999-12-31T23:59" : null;
  return { minlength: minLength, maxlength: maxLength, max: latest };
}

type Limited = { minLength: number | null; maxLength: number | null; type?: LineType };
