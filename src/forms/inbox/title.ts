import { isObject } from "../../base/json.ts";
import { scalarText } from "../../base/json/exact-json.ts";
import { keepLast } from "../../base/keep.ts";
import { emailFieldOf, findSenderAddress } from "../../delivery/address.ts";
import type { Form } from "../form.ts";
import { readable } from "../intake/page-content.ts";
import { choicesIn, labelsIn, propertiesOf, titlesIn } from "./field-words.ts";
import { type FieldKind, kindOfName } from "./title-names.ts";

/** How a submission is called: a title, empty if it has nothing, the rest of it in one line, and a rating, which is shown before that line. */
export type Title = { title: string; text: string; stars: { count: number; of: number } | null };

/** The parts of a form that say how its submissions are called. */
export type Titled = Pick<Form, "name" | "titleField" | "emailField" | "schema">;

/** The parts of a submission that say how it is called. */
type Content = {
  data: Readonly<Record<string, unknown>>;
  files: readonly { name: string }[];
  createdAt: string;
};

/** Returns the title of a submission. */
export type Titler = (submission: Content) => Title;

/** Characters of a title and of the line with the rest. */
const MAX_TITLE = 80;
const MAX_TEXT = 160;
/** Characters of a value that are read, fields of a submission, and fields in the line with the rest. */
const MAX_READ = 1000;
const MAX_FIELDS = 200;
const MAX_SHOWN = 6;

/** A form without settings, for submissions of which the form is not known. */
export const UNTITLED: Titled = { name: "", titleField: null, emailField: null, schema: null };

type Field = { name: string; kind: FieldKind | null; isChoice: boolean; text: string };

/** A form as its submissions are read. */
type Reader = {
  form: Titled;
  properties: Readonly<Record<string, unknown>>;
  emailField: string | null;
  fieldOf: (name: string, value: unknown) => Field;
  labelled: (field: Pick<Field, "name" | "text">) => string;
};

/**
 * Returns how the submissions of a form are called. The title is the field that the form names; else the name of a person, the
 * subject, a choice with its date, the first words of the longest text, the mail address, a value with the label of its field,
 * the name of a file. It is never a number alone.
 */
export function titlerOf(form: Titled): Titler {
  const reader = readerOf(form);
  return ({ data, files, createdAt }) => {
    const fields = Object.entries(data)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => reader.fieldOf(name, value))
      .filter(({ text }) => text !== "");
    const address = findSenderAddress(data, form.emailField, reader.emailField);
    const parts = new Parts(reader, fields, createdAt);
    const { stars } = parts;
    const marked = form.titleField !== null && Object.hasOwn(data, form.titleField);
    const named = (marked ? parts.marked(form.titleField!, data[form.titleField!]) : null) ?? parts.person();
    const title =
      named ??
      parts.topic() ??
      parts.template() ??
      parts.words() ??
      parts.mail(address) ??
      parts.value() ??
      fileNames(files);
    const line = [parts.template(), parts.topic(), parts.words()];
    const by = named === null ? parts.mail(address) : null;
    const shown = [...line, by && `by ${by}`, ...parts.rest().slice(0, MAX_SHOWN)].filter(Boolean);
    return { title: cutWords(title, MAX_TITLE), text: cut(shown.join(" · "), MAX_TEXT), stars };
  };
}

function readerOf(form: Titled): Reader {
  const properties = propertiesOf(form.schema);
  const [labelOf, choiceOf] = [labelsIn(form.schema), titlesIn(form.schema)];
  const kept = keepLast<{ kind: FieldKind | null; isChoice: boolean }>(MAX_FIELDS);
  const about = (name: string) =>
    kept(name, () => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const kind = kindOfName(name) ?? kindOfName(labelOf(name)) ?? kindOfFormat(property);
      return { kind, isChoice: choicesIn(property) !== null };
    });
  return {
    form,
    properties,
    emailField: emailFieldOf(form.schema),
    fieldOf: (name, value) => ({ name, ...about(name), text: lineOf(choiceOf(name, value)) }),
    labelled: ({ name, text }) => `${labelOf(name) === name ? readable(name) : labelOf(name)}: ${text}`,
  };
}

/** The parts of a title, each of which takes the fields that it shows; null where no field is left for it. */
class Parts {
  readonly stars: Title["stars"];
  readonly #reader: Reader;
  readonly #createdAt: string;
  readonly #rating: Field | undefined;
  #fields: readonly Field[];

  constructor(reader: Reader, fields: readonly Field[], createdAt: string) {
    [this.#reader, this.#fields, this.#createdAt] = [reader, fields, createdAt];
    const rating = fields.find(
      ({ name, kind, text }) =>
        kind === "rating" && /^\d{1,2}$/.test(text) && name !== reader.form.titleField,
    );
    this.#rating = rating;
    this.stars = rating ? starsOf(Number(rating.text), reader.properties[rating.name]) : null;
  }

  #take(...taken: readonly (Field | undefined)[]): void {
    this.#fields = this.#fields.filter((each) => !taken.some((field) => field?.name === each.name));
  }

  #one(kind: FieldKind): Field | undefined {
    return this.#fields.find((field) => field.kind === kind);
  }

  marked(name: string, value: unknown): string | null {
    const field = this.#reader.fieldOf(name, value);
    if (field.text === "") return null;
    this.#take(field);
    const day = dayOf(field.text, this.#createdAt);
    if (day !== null) return dayWords(day);
    return isNumber(field.text) ? this.#reader.labelled(field) : field.text;
  }

  person(): string | null {
    const [whole, first, last] = [this.#one("name"), this.#one("first"), this.#one("last")];
    const isWhole = whole && [first, last].some((part) => part && whole.text.includes(part.text));
    const shown = isWhole ? [whole] : [first ?? whole, last ?? (first && whole)];
    const texts = shown.flatMap((part) => part?.text ?? []);
    if (texts.every(isNumber)) return null;
    this.#take(...shown, ...(isWhole ? [first, last] : []));
    return (texts.length === 2 && CJK.test(texts[0]!) ? texts.toReversed() : texts).join(" ");
  }

  topic(): string | null {
    const field = this.#one("topic");
    if (!field || isNumber(field.text)) return null;
    this.#take(field);
    return field.text;
  }

  template(): string | null {
    const [item, quantity, people] = [this.#one("item"), this.#one("quantity"), this.#one("people")];
    const [date, time] = [this.#one("date"), this.#one("time")];
    const thing = item ?? this.#fields.find(isChosen);
    const day = date && dayOf(date.text, this.#createdAt);
    const when =
      date && [day ? dayWords(day) : date.text, day?.time ? "" : time?.text].filter(Boolean).join(", ");
    const counted = item && quantity && isNumber(quantity.text) ? quantity : undefined;
    const company = people && (isNumber(people.text) ? `for ${people.text}` : people.text);
    const what = thing
      ? `${counted ? `${counted.text} × ` : ""}${thing.text}`
      : TABLE.test(this.#reader.form.name)
        ? "table"
        : "";
    const head = [what, company].filter(Boolean).join(" ");
    const isSaid = thing || people;
    if (!isSaid || (!when && !counted)) return null;
    this.#take(thing, counted, people, date, time);
    return capital(when ? `${head}, ${when}` : head);
  }

  words(): string | null {
    const texts = this.#fields.filter(
      ({ kind, text }) => (kind === null || kind === "item") && isProse(text),
    );
    const free = texts.filter(({ isChoice }) => !isChoice);
    const [longest] = (free.length > 0 ? free : texts).toSorted((a, b) => b.text.length - a.text.length);
    this.#take(longest);
    return longest?.text ?? null;
  }

  mail(address: string | null): string | null {
    const field = address === null ? undefined : this.#fields.find(({ text }) => text.includes(address));
    this.#take(field);
    return field ? address : null;
  }

  value(): string | null {
    const field = this.#fields.find(({ kind }) => kind !== "hidden") ?? this.#fields[0];
    if (!field) return null;
    this.#take(field);
    if (this.stars && field === this.#rating)
      return this.#reader.labelled({ ...field, text: `${this.stars.count} of ${this.stars.of}` });
    return isNumber(field.text) || YES_OR_NO.test(field.text) ? this.#reader.labelled(field) : field.text;
  }

  /** The texts of the fields that are left. */
  rest(): string[] {
    if (this.stars) this.#take(this.#rating);
    return this.#fields.filter(({ kind }) => kind !== "hidden").map(({ text }) => text);
  }
}

/** The name of the only file, or of the first with the number of others; empty without files. */
function fileNames(files: readonly { name: string }[]): string {
  const [first] = files;
  const name = first ? lineOf(first.name) || "1 file" : "";
  return files.length < 2 ? name : `${name} and ${files.length - 1} more`;
}

/** Whether a field has a value of a list that a schema names. */
function isChosen({ isChoice, kind, text }: Field): boolean {
  return isChoice && kind === null && !isNumber(text) && !YES_OR_NO.test(text);
}

const YES_OR_NO = /^(?:true|false|on|off|yes|no)$/i;

/** Scripts in which a family name comes first. */
const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Names of forms for tables of a restaurant. */
const TABLE = /table|tisch|mesa|tavol|tafel|stolik|席|テーブル|餐|طاولة|стол/iu;

function kindOfFormat(property: unknown): FieldKind | null {
  const format = isObject(property) ? property["format"] : undefined;
  if (format === "email") return "address";
  if (format === "date" || format === "date-time") return "date";
  return format === "time" ? "time" : null;
}

/** Whether a text is no more than digits and signs, such as a number, a telephone number or a time. */
function isNumber(text: string): boolean {
  return /\p{N}/u.test(text) && !/\p{L}/u.test(text.replace(/(?<=\d)e(?=[+-]?\d+$)/i, ""));
}

/** Whether a text may be words: neither a number, an address of any kind, an id, nor a yes or no. */
function isProse(text: string): boolean {
  if (isNumber(text) || YES_OR_NO.test(text)) return false;
  return /\s/.test(text) || !/^(?:https?:|www\.)|@|^[\w-]{24,}$/i.test(text);
}

function starsOf(count: number, property: unknown): Title["stars"] {
  const most = isObject(property) ? property["maximum"] : undefined;
  const of = typeof most === "number" && most > 1 && most <= 10 ? Math.floor(most) : count > 5 ? 10 : 5;
  return count <= of ? { count, of } : null;
}

type Day = { at: Date; time: string | undefined; hasYear: boolean };

/** A day as browsers send it; null for any other text. */
function dayOf(text: string, createdAt: string): Day | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)[\d:.Z+-]*)?$/.exec(text) ?? [];
  const at = new Date(`${day}T00:00:00Z`);
  if (day === undefined || Number.isNaN(at.getTime())) return null;
  return { at, time, hasYear: Math.abs(at.getTime() - Date.parse(createdAt)) > FAR };
}

/** Milliseconds after which a day needs its year. */
const FAR = 300 * 86_400_000;

/** `Sat 5 Dec, 19:30` */
function dayWords({ at, time, hasYear }: Day): string {
  const [weekday, date, month, year] = at.toUTCString().replace(",", "").split(" ");
  const day = `${weekday} ${Number(date)} ${month}${hasYear ? ` ${year}` : ""}`;
  return time === undefined ? day : `${day}, ${time}`;
}

function capital(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

/** A value in one line, as far as a title needs it. */
function lineOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = scalarText(value);
  if (text === undefined) {
    const values: unknown[] = Array.isArray(value) ? value : Object.values(value);
    return values.slice(0, 10).map(lineOf).filter(Boolean).join(", ");
  }
  const start = text.slice(0, MAX_READ);
  return (/[^\S ]|  /.test(start) ? start.replaceAll(/\s+/g, " ") : start).trim();
}

/** Cut after a word, unless it is long. */
function cutWords(text: string, length: number): string {
  const short = cut(text, length);
  const end = short === text ? -1 : short.lastIndexOf(" ");
  return end > short.length / 2 ? `${short.slice(0, end).replace(/[,;:–-]$/, "")}…` : short;
}

/** Cut between characters, never inside one. */
function cut(text: string, length: number): string {
  // No text has more characters than units, and nearly all have as many.
  if (text.length <= length) return text;
  if (!/[\ud800-\udfff]/.test(text.slice(0, length + 1))) return `${text.slice(0, length - 1)}…`;
  const characters = Array.from(text.slice(0, 2 * (length + 1)));
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`;
}
