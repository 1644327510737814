import { isObject } from "../../base/json.ts";
import { type FlagHead, type FlagRecord, parsePayload } from "../flag.ts";
import { parseRules } from "../rules/rules.ts";

/** The types of the OpenFeature command line. */
export const MANIFEST_TYPES = ["boolean", "string", "integer", "float", "object"] as const;

export type ManifestType = (typeof MANIFEST_TYPES)[number];

/** A flag for code that is generated of it: what its code gets where it cannot be evaluated. */
export type ManifestFlag = {
  key: string;
  name: string;
  type: ManifestType;
  description: string;
  defaultValue: unknown;
};

/** The end of the key of a payload, as flagd files have it. */
export const PAYLOAD = ".payload";

const ZERO: Record<ManifestType, unknown> = { boolean: false, string: "", integer: 0, float: 0, object: {} };

/** The flag in a manifest, and its payload if it has one in any of the environments. */
export function manifestOf(head: FlagHead, records: readonly FlagRecord[]): ManifestFlag[] {
  const { slug, description } = head;
  const ruled = records.flatMap(({ rules }) => (rules === null ? [] : [parseRules(rules)]));
  const values = ruled.flatMap(({ variants }) => Object.values(variants));
  const type = values.length === 0 ? "boolean" : typeOf(values);
  const defaults = ruled.flatMap(({ variants, defaultVariant }) =>
    defaultVariant ? [variants[defaultVariant]] : [],
  );
  const flags = [{ key: slug, name: slug, type, description, defaultValue: agreed(type, defaults) }];
  const payloads = records.flatMap(({ payload }) => (payload === null ? [] : [parsePayload(payload)]));
  if (payloads.length === 0) return flags;
  const key = `${slug}${PAYLOAD}`;
  return [
    ...flags,
    { key, name: key, type: "object", description, defaultValue: agreed("object", payloads) },
  ];
}

/** The value that all environments agree on; else, and where it is of another type, the empty one. */
function agreed(type: ManifestType, values: readonly unknown[]): unknown {
  const [first] = values;
  const isSame = values.every((value) => Bun.deepEquals(value, first, true));
  return values.length > 0 && isSame && isOfType(type, first) ? first : ZERO[type];
}

/** The type of the variants of a flag, which is that of the first. */
function typeOf(values: readonly unknown[]): ManifestType {
  const [first] = values;
  if (typeof first === "number")
    return values.every((value) => Number.isInteger(value)) ? "integer" : "float";
  return typeof first === "boolean" || typeof first === "string"
    ? (typeof first as "boolean" | "string")
    : "object";
}

export function isOfType(type: ManifestType, value: unknown): boolean {
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "float") return Number.isFinite(value);
  return type === "object" ? isObject(value) : typeof value === type;
}
