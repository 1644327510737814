import { AppError } from "../../../base/errors.ts";
import { type Fields, fitsInLine, textOf, textsOf } from "../fields.ts";
import { parseJson } from "../json-text.ts";

/** The types that the variants of a flag can have in its form: one for all of them. */
export const TYPES = ["boolean", "text", "number", "JSON"] as const;

type Type = (typeof TYPES)[number];

type Values = Readonly<Record<string, unknown>>;

/** A variant as it is typed. `standard` is the colour that it has without one of its own; empty if it has one. */
export type EditedVariant = { name: string; value: string; colour: string; standard: string };

/** The variants of a form, which may be wrong or not complete. */
export type EditedVariants = { type: Type; rows: EditedVariant[] };

/** Readable on light and dark pages. */
export const COLOUR_NAMES: Readonly<Record<string, string>> = {
  "#1c7ed6": "blue",
  "#e67700": "orange",
  "#9c36b5": "purple",
  "#0b7285": "teal",
  "#c2255c": "pink",
  "#5c940d": "green",
};
export const COLOURS = Object.keys(COLOUR_NAMES);
const OF_SWITCH = { on: "#2f9e44", off: "#868e96" };

/** The colour of a variant without one. */
function standardColour(value: unknown, at: number): string {
  if (typeof value === "boolean") return value ? OF_SWITCH.on : OF_SWITCH.off;
  return COLOURS[at % COLOURS.length]!;
}

/** The colour of each variant. */
export function coloursFor(variants: Values, own: Readonly<Record<string, string>>): Map<string, string> {
  const entries = Object.entries(variants);
  return new Map(
    entries.map(([name, value], at) => [
      name,
      Object.hasOwn(own, name) ? own[name]! : standardColour(value, at),
    ]),
  );
}

/** The variants of a flag as fields. */
export function editedVariants(variants: Values, own: Readonly<Record<string, string>>): EditedVariants {
  const entries = Object.entries(variants);
  const type = TYPES.find((each) => entries.every(([, value]) => isOf(each, value)))!;
  const colours = coloursFor(variants, own);
  const rows = entries.map(([name, value]) => ({
    name,
    value: type === "JSON" ? JSON.stringify(value) : String(value),
    colour: colours.get(name)!,
    standard: Object.hasOwn(own, name) ? "" : colours.get(name)!,
  }));
  return { type, rows };
}

function isOf(type: Type, value: unknown): boolean {
  if (type === "text") return typeof value === "string" && fitsInLine(value);
  return type === "JSON" || typeof value === type;
}

/** A row for another variant. */
export function blankVariant({ type, rows }: EditedVariants): EditedVariant {
  const standard = standardColour(type === "boolean" ? rows.length % 2 === 0 : undefined, rows.length);
  return { name: "", value: type === "boolean" ? "true" : "", colour: standard, standard };
}

/** The variants of a form; null if it has no table of them. */
export function variantsIn(fields: Fields): EditedVariants | null {
  if (!fields.has("variant-type")) return null;
  const type = TYPES.find((each) => each === textOf(fields, "variant-type")) ?? "JSON";
  const [names, values, colours, standards] = ["name", "value", "colour", "standard"].map((field) =>
    textsOf(fields, `variant-${field}`),
  );
  const rows = names!.map((name, at) => ({
    name: name.trim(),
    value: values![at] ?? "",
    colour: textOf(fields, `variant-colour-${at + 1}`) || (colours![at] ?? ""),
    standard: standards![at] ?? "",
  }));
  return { type, rows };
}

/** The named variants with their values. Throws `invalid` for the first row that is wrong. */
export function valuesOf({ type, rows }: EditedVariants): Values {
  const values = new Map<string, unknown>();
  for (const [at, { name, value }] of rows.entries()) {
    if (name === "" && (value.trim() === "" || type === "boolean")) continue;
    if (name === "") throw new AppError("invalid", `variant ${at + 1} has no name`);
    if (values.has(name)) throw new AppError("invalid", `two variants have the name ${name}`);
    values.set(name, valueOf(type, name, value));
  }
  return Object.fromEntries(values);
}

function valueOf(type: Type, name: string, text: string): unknown {
  const fail = (what: string) => new AppError("invalid", `the value of ${name} is not ${what}`);
  if (type === "text") return text;
  if (type === "boolean") {
    if (text !== "true" && text !== "false") throw fail("true or false");
    return text === "true";
  }
  if (type === "number") {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) throw fail("a number");
    return number;
  }
  const parsed = parseJson(text);
  if (parsed.fault !== undefined) throw fail(`JSON: ${parsed.fault}`);
  return parsed.value;
}

/** The colours of a flag after its form; `before` are those it has, and `was` its variants. */
export function coloursIn(
  { rows }: EditedVariants,
  before: Readonly<Record<string, string>>,
  was: Values,
): Record<string, string> {
  const others = Object.entries(before).filter(([name]) => !Object.hasOwn(was, name));
  const own = rows.filter(
    ({ name, colour, standard }) => name !== "" && colour !== "" && colour !== standard,
  );
  return Object.fromEntries([...others, ...own.map(({ name, colour }) => [name, colour])]) as Record<
    string,
    string
  >;
}
