import * as z from "zod/mini";
import type { Card, Kind, NewOf, ShownOf, ValueOf } from "./kinds.ts";
import { anyObject } from "../shapes/json-schema.ts";
import { displayName, momentOf, timestamp, wellFormed } from "../slug-schema.ts";

type Numbers = { is: "count" | "bytes" | "seconds"; least: number; most: number; errors?: [string, string] };

const NUMBERS = { count: "whole number", bytes: "number of bytes", seconds: "whole number of seconds" };

/** A whole number within its limits. */
function numberSchema(name: string, { is, least, most, errors }: Numbers) {
  if (errors) return z.int().check(z.gte(least, errors[0]), z.lte(most, errors[1]));
  const error = `${name} is a ${NUMBERS[is]} from ${least} to ${most}`;
  return z.int(error).check(z.gte(least, error), z.lte(most, error));
}

/** A text that is not empty. */
export function textSchema(name: string, most: number) {
  return z
    .string(`${name} is a text`)
    .check(
      z.minLength(1, `${name} is not empty`),
      z.maxLength(most, `${name} has at most ${most} characters`),
      wellFormed,
    );
}

/** At most `count` submissions of one sender in `seconds`. */
const rate = z.strictObject({
  count: z.int().check(z.gte(1), z.lte(1_000_000, "a rate has at most 1000000 submissions")),
  seconds: z.int().check(z.gte(1), z.lte(86_400, "a rate is for a day at most")),
});

const json = anyObject("a schema is a JSON object");

/** The schema of a value that is given. */
export function schemaOf(name: string, kind: Kind): z.ZodMiniType {
  switch (kind.is) {
    case "text":
      return textSchema(name, kind.most);
    case "count":
    case "bytes":
    case "seconds":
      return numberSchema(name, kind);
    case "choice":
      return z.enum(kind.among, { error: `${name} is ${kind.error}` });
    case "time":
    case "expiry":
      return momentOf(name);
    case "rate":
      return rate;
    case "json":
      return json;
    case "context":
      return anyObject(`the ${name} is a JSON object`);
    case "name":
      return displayName;
    case "names": {
      const text = z.string().check(z.minLength(1, `${name} holds no empty text`), z.maxLength(kind.longest));
      const none = `${name} holds at least one of ${kind.of}`;
      const among = `${name} are ${kind.among?.join(", ")}`;
      return z
        .array(kind.among ? z.enum(kind.among, among) : text)
        .check(
          z.minLength(1, kind.among ? `${name} are at least one of ${kind.among.join(", ")}` : none),
          z.maxLength(kind.most, `${name} holds at most ${kind.most} ${kind.of}`),
        );
    }
    case "switch":
      return z.boolean(`${name} is true or false`);
    case "area":
      return z
        .string(`${name} is a text`)
        .check(z.maxLength(kind.most, `${name} has at most ${kind.most} characters`), wellFormed);
    case "named":
      return z.string(`${name} is the name of ${kind.what}`);
    case "phrases":
    case "lines":
    case "weights":
    case "shares":
    case "condition":
    case "url":
    case "list":
    case "origins":
    case "senders":
    case "field":
    case "flag":
    case "zone":
      throw new Error(`fields of the kind ${kind.is} have schemas of their own`);
    default:
      return kind satisfies never;
  }
}

/** The members of a record of a noun in the answers of the admin API, by its card. */
export function shownSchemas<C extends Card>(card: C): { [N in keyof C]: z.ZodMiniType<ShownOf<C>[N]> } {
  const members = Object.entries(card).map(([name, field]) => {
    const schema = shownSchema(field.kind);
    return [name, field.default === null ? z.nullable(schema) : schema];
  });
  return Object.fromEntries(members) as { [N in keyof C]: z.ZodMiniType<ShownOf<C>[N]> };
}

/** The schema of a value in an answer. */
export function shownSchema(kind: Kind): z.ZodMiniType {
  switch (kind.is) {
    case "switch":
      return z.boolean();
    case "count":
    case "bytes":
    case "seconds":
      return z.int();
    case "list":
    case "origins":
    case "senders":
    case "phrases":
    case "lines":
      return z.array(z.string());
    case "names":
      return z.array(kind.among ? z.enum(kind.among) : z.string());
    case "shares":
      return z.array(z.number());
    case "weights":
      return z.record(z.string(), z.int());
    case "time":
    case "expiry":
      return timestamp;
    case "choice":
      return z.enum(kind.among);
    case "rate":
      return rate;
    case "json":
      return json;
    case "condition":
    case "context":
      return z.record(z.string(), z.unknown());
    case "name":
    case "named":
    case "url":
    case "text":
    case "area":
    case "field":
    case "flag":
    case "zone":
      return z.string();
    default:
      return kind satisfies never;
  }
}

type Given<C extends Card> = {
  [N in keyof C]: C[N] extends { required: true }
    ? z.ZodMiniType<ValueOf<C[N]["kind"]>>
    : z.ZodMiniOptional<z.ZodMiniType<ShownOf<C>[N]>>;
};

/** The members of a new record of a noun, by its card; `own` are the schemas of kinds that their area checks. */
export function givenSchemas<C extends Card>(
  card: C,
  own: { [N in keyof C]?: z.ZodMiniType } = {},
): Given<C> {
  const members = Object.entries(card).map(([name, field]) => {
    const plain = own[name] ?? schemaOf(name, field.kind);
    const schema = field.meaning === undefined ? plain : plain.check(z.describe(field.meaning));
    if (field.required) return [name, schema];
    return [name, z.optional(field.default === null ? z.nullable(schema) : schema)];
  });
  return Object.fromEntries(members) as Given<C>;
}

/** The schema of a new record of a noun, by its card. */
export function newSchemaOf<C extends Card>(card: C): z.ZodMiniType<NewOf<C>, NewOf<C>> {
  return z.strictObject(givenSchemas(card)) as unknown as z.ZodMiniType<NewOf<C>, NewOf<C>>;
}
