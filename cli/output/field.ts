import { own } from "../../src/base/shapes/own.ts";
import { meantBy } from "../session/guesses/nearest.ts";
import { Option } from "commander";
import type { AppError } from "../../src/base/errors.ts";
import { usage } from "../session/usage.ts";

/** For commands that show a resource or a list of them. */
export function fieldOption(): Option {
  return new Option(
    "--field <name>",
    "print only this field, one value on each line; --json lists the names",
  );
}

/** The same for a list that `--field name=text` filters too, as `--where` does. */
export function fieldOrFilterOption(): Option {
  return fieldOption().argParser(collectFields);
}

function collectFields(text: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

/** Whether a value of `--field` is a filter rather than the name of a field to print. */
export function isFieldFilter(text: string): boolean {
  return text.includes("=");
}

/** The field to print, of one value of `--field` or of several. Throws `invalid` for two fields to print. */
export function printedField(given: string | string[] | undefined): string | undefined {
  if (!Array.isArray(given)) return given;
  const [field, other] = given.filter((each) => !isFieldFilter(each));
  if (other !== undefined)
    throw usage(`--field prints one field, not ${field} and ${other}`, "print the whole with --json");
  const [, name, text] = /^([^:]+)[:~](.*)$/.exec(field ?? "") ?? [];
  if (name !== undefined)
    throw usage(
      `--field ${field} is not the name of a field`,
      `to compare a field, write --where ${name}=${text}`,
    );
  return field;
}

/** The output of `--field` for a resource, or for each item of a list. Throws `invalid` if no item has the field. */
export function fieldText(value: unknown, field: string): string {
  const all = Array.isArray(value) ? value : [value];
  const values = all.map((each) => read(each, field));
  if (all.length > 0 && values.every((each) => each === undefined))
    throw noSuchField(field, Object.keys(Object.assign({}, ...all)));
  return values.map((each) => `${bare(each, all.length > 1)}\n`).join("");
}

/** Fields that people see under another name. */
const ROWS: Readonly<Record<string, string>> = {
  address: "url",
  state: "enabled",
  on: "enabled",
  files: "uploads",
  origins: "allowedOrigins",
  expires: "expiresAt",
  received: "createdAt",
  rule: "targeting",
  revision: "revision",
  project: "slug",
  environment: "slug",
  form: "slug",
  flag: "slug",
  segment: "name",
};

/** The error for a field that a resource with these fields lacks. */
export function noSuchField(field: string, names: string[]): AppError {
  const shown = own(ROWS, field.toLowerCase());
  const near = shown !== undefined && names.includes(shown) ? shown : meantBy(field, names);
  const what = near === null ? "" : `did you mean ${near}? `;
  const inside = names.includes("data") ? `; what a sender wrote is in data: --field data.${field}` : "";
  return usage(`unknown field ${field}`, `${what}choose one of ${names.join(", ")}${inside}`);
}

/** A member by its name, or by a path such as `environments.0.key`. */
function read(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  const dot = path.indexOf(".");
  return dot < 0 ? undefined : read(read(value, path.slice(0, dot)), path.slice(dot + 1));
}

function bare(value: unknown, isOneOfMany: boolean): string {
  if (value === undefined || value === null) return "";
  // A line is one value.
  if (typeof value === "string" && !(isOneOfMany && /[\r\n]/.test(value))) return value;
  return JSON.stringify(value);
}
