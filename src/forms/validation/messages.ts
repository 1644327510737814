/** Limits of a keyword, as texts: a number, the allowed values or names, a format; empty for none. */
export type Limit = readonly string[];

/** Sentences about a field for the person who filled it in, by keyword; `name` is the field as the sentence names it. */
export type Messages = Record<string, (name: string, limit: Limit) => string>;

const TYPES = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "a group of fields"],
  ["null", "empty"],
]);

const FORMATS = new Map([
  ["email", "must be an e-mail address such as name@example.com"],
  ["uri", "must be a full web address such as https://example.com"],
  ["url", "must be a full web address such as https://example.com"],
  ["date", "must be a date such as 2026-01-31"],
  ["time", "must be a time such as 14:30"],
  ["date-time", "must be a date and time such as 2026-01-31T14:30"],
  ["duration", "must be a duration such as P3D or PT2H"],
  ["hostname", "must be a host name such as example.com"],
  ["ipv4", "must be an IPv4 address"],
  ["ipv6", "must be an IPv6 address"],
  ["uuid", "must be a UUID"],
]);

/** More values than a person reads in one sentence. */
const MAX_VALUES = 20;

/** The messages in English. */
export const ENGLISH: Messages = {
  required: (name) => `${name} is required`,
  dependentRequired: (name) => `${name} is required`,
  type: (name, types) => `${name} must be ${types.map((type) => TYPES.get(type) ?? type).join(" or ")}`,
  enum: (name, values) => `${name} must be one of: ${listed(values)}`,
  const: (name, values) => `${name} must be ${listed(values)}`,
  minimum: (name, [limit = ""]) => `${name} must be at least ${limit}`,
  maximum: (name, [limit = ""]) => `${name} must be at most ${limit}`,
  exclusiveMinimum: (name, [limit = ""]) => `${name} must be more than ${limit}`,
  exclusiveMaximum: (name, [limit = ""]) => `${name} must be less than ${limit}`,
  multipleOf: (name, [limit = ""]) => `${name} must be a multiple of ${limit}`,
  minLength: (name, [limit = ""]) =>
    limit === "1" ? `${name} must not be empty` : `${name} must have at least ${limit} characters`,
  maxLength: (name, limit) => `${name} must have at most ${counted(limit, "character")}`,
  pattern: (name) => `${name} is not in the expected format`,
  format: (name, [format = ""]) => `${name} ${FORMATS.get(format) ?? "is not in the expected format"}`,
  minItems: (name, limit) => `${name} must have at least ${counted(limit, "item")}`,
  maxItems: (name, limit) => `${name} must have at most ${counted(limit, "item")}`,
  uniqueItems: (name) => `${name} must not have the same item twice`,
  contains: (name) => `${name} must have at least one item of the expected kind`,
  minContains: (name, limit) => `${name} must have at least ${counted(limit, "item")} of the expected kind`,
  maxContains: (name, limit) => `${name} must have at most ${counted(limit, "item")} of the expected kind`,
  minProperties: (name, limit) => `${name} must have at least ${counted(limit, "field")}`,
  maxProperties: (name, limit) => `${name} must have at most ${counted(limit, "field")}`,
  propertyNames: (name) => `${name} has a name that is not allowed`,
  additionalProperties: (name) => `${name} is not part of this form`,
  unevaluatedProperties: (name) => `${name} is not part of this form`,
  items: (name) => `${name} is not allowed`,
  unevaluatedItems: (name) => `${name} is not allowed`,
  not: (name) => `${name} has a value that is not allowed`,
  anyOf: alternatives,
  oneOf: alternatives,
};

function alternatives(name: string, fields: Limit): string {
  return fields.length === 0
    ? `${name} has a value that is not allowed`
    : `${fields.join(" or ")} is required`;
}

function listed(values: Limit): string {
  const more = values.length > MAX_VALUES ? ["…"] : [];
  return [...values.slice(0, MAX_VALUES), ...more].join(", ");
}

function counted([limit = ""]: Limit, noun: string): string {
  return limit === "1" ? `1 ${noun}` : `${limit} ${noun}s`;
}
