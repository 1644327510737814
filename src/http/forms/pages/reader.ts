import { KiB } from "../../../base/bytes.ts";
import type { FieldError } from "../../../base/errors.ts";
import type { Form } from "../../../forms/form.ts";
import { askedLanguage } from "../../../forms/settings/language.ts";
import type { Language } from "../../../forms/settings/kept.ts";
import { ENGLISH } from "./texts/en.ts";
import { type FieldProblem, type Texts, fill } from "./texts/texts.ts";

/** Language of a page's reader. */
export type Reader = {
  language: Language;
  texts: Texts;
  /** Whether the language depends on the request. */
  isAsked: boolean;
};

export const ENGLISH_READER: Reader = { language: "en", texts: ENGLISH, isAsked: false };

/** Loaded on demand: a server starts without them. */
const LOADERS: Record<Language, () => Promise<Texts> | Texts> = {
  en: () => ENGLISH,
  de: async () => (await import("./texts/de.ts")).GERMAN,
  fr: async () => (await import("./texts/fr.ts")).FRENCH,
  es: async () => (await import("./texts/es.ts")).SPANISH,
  pt: async () => (await import("./texts/pt.ts")).PORTUGUESE,
  it: async () => (await import("./texts/it.ts")).ITALIAN,
  nl: async () => (await import("./texts/nl.ts")).DUTCH,
  pl: async () => (await import("./texts/pl.ts")).POLISH,
  ja: async () => (await import("./texts/ja.ts")).JAPANESE,
  zh: async () => (await import("./texts/zh.ts")).CHINESE,
};

/** The reader of a page of a form: in the form's language, or in that of the browser. */
export async function readerOf(
  setting: Form["language"],
  acceptLanguage: string | null | undefined,
): Promise<Reader> {
  const isAsked = setting === "auto";
  const language = isAsked ? askedLanguage(acceptLanguage ?? "") : (setting ?? "en");
  return { language, texts: await LOADERS[language](), isAsked };
}

const FORMATS = new Map<string, FieldProblem>(
  Object.entries({
    email: "email",
    uri: "url",
    url: "url",
    date: "date",
    time: "time",
    "date-time": "date-time",
  }),
);
const TYPES = new Map<string, FieldProblem>([
  ["number", "number"],
  ["integer", "integer"],
]);
const CODES = new Map<string, FieldProblem>([
  ["dependentRequired", "required"],
  ["enum", "choice"],
  ["const", "choice"],
  ["additionalProperties", "extra"],
  ["unevaluatedProperties", "extra"],
]);

/** Error of a field, as a sentence without its name. `titleOf` names other fields in it. */
export function fieldMessage(
  { language, texts }: Reader,
  { code, limit }: Pick<FieldError, "code" | "limit">,
  titleOf: (name: string) => string,
): string {
  const [first = ""] = limit;
  if ((code === "anyOf" || code === "oneOf") && limit.length > 0)
    return fill(texts.fields.oneOfThese, limit.map(titleOf).join(", "));
  if (code === "format") return texts.fields[FORMATS.get(first) ?? "other"];
  if (code === "type") return texts.fields[TYPES.get(first) ?? "other"];
  if (code === "minLength" && first === "1") return texts.fields.required;
  const known = Object.hasOwn(texts.fields, code) ? (code as FieldProblem) : undefined;
  const number = Number(first);
  const value = first !== "" && Number.isFinite(number) ? formatNumber(language, number) : first;
  return fill(texts.fields[CODES.get(code) ?? known ?? "other"], value);
}

function formatNumber(language: Language, number: number): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(number);
}

/** A time as `1. Januar 2027 um 9:00 UTC`. */
export function formatTime({ language }: Reader, time: string): string {
  return new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(new Date(time));
}

/** A number of bytes as `10 MB` or `10 Mo`. */
export function formatSize({ language }: Reader, bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(KiB)));
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: units[power],
    maximumFractionDigits: 1,
  }).format(bytes / KiB ** power);
}
