import type * as z from "zod/mini";

export type Schema = z.core.$ZodType;

type Definition =
  | { type: "optional" | "nullable" | "default" | "nonoptional"; innerType: Schema }
  | { type: "object"; shape: Record<string, Schema> }
  | { type: "array"; element: Schema }
  | { type: "tuple"; items: Schema[] }
  | { type: "union"; options: Schema[] }
  | { type: "record"; keyType: Schema; valueType: Schema }
  | { type: "literal"; values: unknown[] }
  | { type: "enum"; entries: Record<string, string> }
  | { type: "string" | "number" | "boolean" | "any" | "unknown" };

const definitionOf = (schema: Schema) => schema._zod.def as unknown as Definition;

/** A member that is left out. */
const MISSING = Symbol("missing");

/** Values of a schema: each option of a choice, and what may be missing or null there and not. Texts have any format. */
export function examplesOf(schema: Schema): unknown[] {
  const def = definitionOf(schema);
  switch (def.type) {
    case "optional":
    case "default":
      return [...examplesOf(def.innerType), MISSING];
    case "nullable":
      return [...examplesOf(def.innerType), null];
    case "nonoptional":
      return examplesOf(def.innerType).filter((each) => each !== MISSING);
    case "object": {
      const members = Object.entries(def.shape).map(([name, each]) => [name, examplesOf(each)] as const);
      const count = Math.max(1, ...members.map(([, examples]) => examples.length));
      return Array.from({ length: count }, (_, at) =>
        Object.fromEntries(
          members
            .map(([name, examples]) => [name, examples[at % examples.length]] as const)
            .filter(([, value]) => value !== MISSING),
        ),
      );
    }
    case "array":
      return [examplesOf(def.element), []];
    case "tuple":
      return [def.items.map((each) => examplesOf(each)[0])];
    case "union":
      return def.options.flatMap(examplesOf);
    case "record":
      return recordsOf(def.keyType, examplesOf(def.valueType));
    case "literal":
      return def.values;
    case "enum":
      return Object.values(def.entries);
    case "string":
      return ["x"];
    case "number":
      return [7];
    case "boolean":
      return [true, false];
    case "any":
    case "unknown":
      return ["x", 7, { a: [null] }];
    default:
      throw new Error(`no examples of ${JSON.stringify(def satisfies never)}`);
  }
}

function recordsOf(keyType: Schema, values: unknown[]): unknown[] {
  const keys = definitionOf(keyType).type === "enum" ? examplesOf(keyType) : null;
  if (keys !== null) return [Object.fromEntries(keys.map((key, at) => [key, values[at % values.length]]))];
  return [Object.fromEntries(values.map((each, at) => [`k${at}`, each])), {}];
}

/** A value of the schema whose texts, also those of choices, are `text`. */
export function filled(schema: Schema, text: unknown): unknown {
  const def = definitionOf(schema);
  switch (def.type) {
    case "optional":
    case "default":
    case "nullable":
    case "nonoptional":
      return filled(def.innerType, text);
    case "object":
      return Object.fromEntries(Object.entries(def.shape).map(([name, each]) => [name, filled(each, text)]));
    case "array":
      return [filled(def.element, text)];
    case "tuple":
      return def.items.map((each) => filled(each, text));
    case "union":
      return filled(def.options[0]!, text);
    case "record":
      return { [String(text)]: filled(def.valueType, text) };
    case "number":
      return 7;
    case "boolean":
      return true;
    case "string":
    case "enum":
    case "literal":
    case "any":
    case "unknown":
    default:
      return text;
  }
}

/** Values of the schema in each of which one value, at `path`, is of another kind. */
export function wrongOf(schema: Schema): { path: string; value: unknown }[] {
  const def = definitionOf(schema);
  switch (def.type) {
    case "optional":
    case "default":
    case "nullable":
    case "nonoptional":
      return wrongOf(def.innerType);
    case "object": {
      const whole = Object.fromEntries(
        Object.entries(def.shape).map(([name, each]) => [name, examplesOf(each)[0]]),
      );
      const inner = Object.entries(def.shape).flatMap(([name, each]) =>
        wrongOf(each).map(({ path, value }) => ({
          path: `${name}.${path}`,
          value: { ...whole, [name]: value },
        })),
      );
      return [{ path: "", value: 7 }, ...inner];
    }
    case "array":
      return [
        { path: "", value: "x" },
        ...wrongOf(def.element).map(({ path, value }) => ({ path: `0.${path}`, value: [value] })),
      ];
    case "tuple":
      return [
        { path: "", value: [] },
        ...def.items.map((_, at) => ({
          path: String(at),
          value: def.items.map((each, index) => (index === at ? "x" : examplesOf(each)[0])),
        })),
      ];
    case "any":
    case "unknown":
      return [];
    case "string":
    case "enum":
    case "literal":
      return [{ path: "", value: 7 }];
    case "number":
    case "boolean":
    case "record":
    default:
      return [{ path: "", value: "x" }];
    case "union":
      return [
        { path: "", value: def.options.some((each) => definitionOf(each).type === "string") ? [] : "x" },
      ];
  }
}
