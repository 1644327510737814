import type { FieldError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import type { Form } from "../../../forms/form.ts";
import type { Shown } from "../../errors.ts";
import { type Reader, fieldMessage, formatSize, formatTime } from "./reader.ts";
import { type Problem, fill } from "./texts/texts.ts";

/** The problem that a status stands for. */
const BY_STATUS = new Map<number, Problem>([
  [400, "unreadable"],
  [403, "refused"],
  [404, "missing"],
  [409, "form-disabled"],
  [413, "too-large"],
  [415, "format"],
  [422, "incorrect"],
  [429, "too-often"],
  [500, "trouble"],
  [503, "busy"],
]);

/** Reasons that pages have a text for. */
const REASONS: readonly (string | null)[] = [
  "submission-empty",
  "origin-not-allowed",
  "files-not-accepted",
  "file-too-large",
  "too-many-files",
  "file-type",
  "file-content",
  "form-not-open",
  "form-closed",
  "form-full",
] satisfies Problem[];

/** The values in the texts of problems. */
const VALUES: Partial<Record<Problem, (reader: Reader, form: Form) => string>> = {
  "form-not-open": (reader, { opensAt }) => (opensAt === null ? "" : formatTime(reader, opensAt)),
  "form-closed": (reader, { closesAt }) => (closesAt === null ? "" : formatTime(reader, closesAt)),
  "file-too-large": (reader, { maxFileSize }) => formatSize(reader, maxFileSize),
  "too-many-files": (_, { maxFiles }) => String(maxFiles),
  "file-type": (_, form) => typesOf(form),
};

/** Problem that a page shows for an error: its reason if that has a text, else its status. */
export function problemOf({ status, reason = null }: { status: number; reason?: Shown["reason"] }): Problem {
  if (reason === "quota-storage") return "form-full";
  if (REASONS.includes(reason)) return reason as Problem;
  return BY_STATUS.get(status) ?? "general";
}

/**
 * A heading and a sentence about a problem; the form knows its limits and times. If these were changed since, or the
 * form is gone, the heading says enough.
 */
export function noticeOf(reader: Reader, problem: Problem, form?: Form): { title: string; text: string } {
  const [title, text] = reader.texts.problems[problem];
  const value = form && VALUES[problem]?.(reader, form);
  return { title, text: value || !text.includes("{value}") ? fill(text, value ?? "") : "" };
}

/** The file types that a form takes, as a list that is not too long to read. */
export function typesOf({ allowedTypes }: Form): string {
  const shown = allowedTypes.slice(0, 10).join(", ");
  return allowedTypes.length > 10 ? `${shown}, …` : shown;
}

/** Characters of a name in an address; ten names have to fit, and a character may take nine. */
const MAX_NAME = 80;

/** An error of a field as the detail of an address: what {@link detailText} writes a sentence from. */
export function detailOf({ label, code, limit }: FieldError): string {
  const name = label.length > MAX_NAME ? `${label.slice(0, MAX_NAME).toWellFormed()}…` : label;
  // The values to choose from are in no sentence.
  const isNamed = code !== "enum" && code !== "const" && limit.join().length <= MAX_NAME;
  return JSON.stringify([name, code, ...(isNamed ? limit : [])]);
}

/** The sentence of a detail that {@link detailOf} made, behind the name of the field. */
export function detailText(reader: Reader, detail: string, form?: Form): string {
  const [label = "", code = "", ...limit] = JSON.parse(detail) as string[];
  const message = fieldMessage(reader, { code, limit }, (name) => titleOf(form, name));
  return label === "" ? message : labelled(titleOf(form, label), message);
}

/** A sentence behind the label of its field. */
export function labelled(label: string, message: string): string {
  return /[.:?!。：？！]$/.test(label) ? `${label} ${message}` : `${label}: ${message}`;
}

/** Title of a field in the form's schema, else its name. */
function titleOf(form: Form | undefined, name: string): string {
  const properties = form?.schema?.["properties"];
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const title = isObject(property) ? property["title"] : undefined;
  return typeof title === "string" && title.trim() !== "" ? title : name;
}
