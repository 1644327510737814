import * as z from "zod/mini";
import type { Card, Field, NewOf, ShownOf } from "./kinds.ts";
import { momentOf, timestamp, wellFormed } from "../slug-schema.ts";

type Numbers = { is: "count" | "bytes" | "seconds"; least: number; most: number; errors?: [string, string] };

const NUMBERS = { count: "whole number", bytes: "number of bytes", seconds: "whole number of seconds" };

/** A whole number within its limits. */
export function numberSchema(name: string, { is, least, most, errors }: Numbers) {
  if (errors) return z.int().check(z.gte(least, errors[0]), z.lte(most, errors[1]));
  const error = `${name} is a ${NUMBERS[is]} from ${least} to ${most}`;
  return z.int(error).check(z.gte(least, error), z.lte(most, error));
}

/** A text that is not empty. */
export function textSchema(name: string, most: number) {
  return z
    .string()
    .check(
      z.minLength(1, `${name} is not empty`),
      z.maxLength(most, `${name} has at most ${most} characters`),
      wellFormed,
    );
}

function schemaOf(name: string, { kind }: Field): z.ZodMiniType {
  switch (kind.is) {
    case "text":
      return textSchema(name, kind.most);
    case "count":
    case "bytes":
    case "seconds":
      return numberSchema(name, kind);
    case "choice":
      return z.enum(kind.among, { error: `${name} is ${kind.error}` });
    case "expiry":
      return momentOf(name);
    case "names":
      return z
        .array(z.string().check(z.minLength(1, `${name} holds no empty text`), z.maxLength(kind.longest)))
        .check(
          z.minLength(1, `${name} holds at least one of ${kind.of}`),
          z.maxLength(kind.most, `${name} holds at most ${kind.most} ${kind.of}`),
        );
    case "switch":
      return z.boolean(`${name} is true or false`);
    case "name":
    case "url":
    case "area":
    case "list":
    case "origins":
    case "senders":
    case "rate":
    case "time":
    case "json":
    case "field":
    case "flag":
    case "zone":
      throw new Error(`no card of a new record has a field of the kind ${kind.is}`);
    default:
      return kind satisfies never;
  }
}

/** The members of a record of a noun in the answers of the admin API, by its card. */
export function shownSchemas<C extends Card>(card: C): { [N in keyof C]: z.ZodMiniType<ShownOf<C>[N]> } {
  const members = Object.entries(card).map(([name, field]) => {
    const schema = shownSchema(field);
    return [name, field.default === null ? z.nullable(schema) : schema];
  });
  return Object.fromEntries(members) as { [N in keyof C]: z.ZodMiniType<ShownOf<C>[N]> };
}

function shownSchema({ kind }: Field): z.ZodMiniType {
  if (kind.is === "switch") return z.boolean();
  if (kind.is === "count" || kind.is === "bytes" || kind.is === "seconds") return z.int();
  if (kind.is === "names") return z.array(z.string());
  if (kind.is === "choice") return z.enum(kind.among);
  return kind.is === "expiry" ? timestamp : z.string();
}

/** The schema of a new record of a noun, by its card. */
export function newSchemaOf<C extends Card>(card: C): z.ZodMiniType<NewOf<C>, NewOf<C>> {
  const members = Object.entries(card).map(([name, field]) => {
    const schema = schemaOf(name, field);
    if (field.required) return [name, schema];
    return [name, z.optional(field.default === null ? z.nullable(schema) : schema)];
  });
  return z.strictObject(Object.fromEntries(members)) as unknown as z.ZodMiniType<NewOf<C>, NewOf<C>>;
}
