import { MAX_WHY } from "../access/why.ts";
import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Field } from "../base/kinds/kinds.ts";
import { FIELDS, FIELD_NAMES } from "../flags/flag-fields.ts";
import { RAMP } from "../flags/ramps/ramp-card.ts";
import { FILTERS } from "../forms/inbox/filters.ts";
import { SEARCH_LIMITS } from "../forms/limits.ts";
import { SUBMISSION_STATES } from "../forms/submission-state.ts";

type Json = string | number | boolean | Json[] | { [name: string]: Json };

type Kind = "string" | "integer" | "boolean" | "object" | "array";

/** An argument of tools, as JSON Schema. */
type Argument = {
  type: Kind | Kind[];
  description: string;
  enum?: string[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: { type: Kind; minLength?: number };
};

const name = (description: string) =>
  ({ type: "string", minLength: 1, maxLength: 200, description }) as const;
const time = (description: string) => ({ type: "string", minLength: 1, maxLength: 40, description }) as const;
const text = (description: string, maxLength: number) =>
  ({ type: "string", minLength: 1, maxLength, description }) as const;

/** The shapes of the fields of a flag, by the kind of the field, and by its name for those of a rule. */
const SHAPES: Readonly<Record<string, string>> = {
  switch: "true or false",
  text: "text",
  markdown: "Markdown",
  tags: "list of texts",
  colours: "object of colors by variant",
  requires: 'list of flags that it needs, such as [{"flag":"new-cart","variants":["on"]}]',
  json: "any JSON",
  time: "ISO 8601 or null",
  variants: "object of values",
  defaultVariant: "name of a variant",
  targeting: "JSONLogic as flagd reads it",
  metadata: "object",
};

/** The fields of a ramp, for the arguments that hold one. */
export const RAMP_FIELDS = `Fields: ${Object.entries<Field>(RAMP)
  .map(([field, { option, meaning }]) => `${field} (${(meaning ?? option[1]).replace(/\.$/, "")})`)
  .join(", ")}.`;

const ARGUMENTS = {
  project: name("Slug of a project, such as shop."),
  environment: name("Slug of an environment of the project, such as production."),
  flag: name("Slug of a flag, such as new-checkout."),
  form: name("Slug of a form, such as contact; shop:contact names the one of project shop."),
  id: name("Id of a submission, as a list has it."),
  patch: {
    type: "object" as const,
    description: `Fields of the flag to change; others stay as they are: ${FIELD_NAMES.map((each) => `${each} (${SHAPES[each] ?? SHAPES[FIELDS[each].kind]})`).join(", ")}. null removes.`,
  },
  contexts: {
    type: "array" as const,
    items: { type: "object" as const },
    minItems: 1,
    maxItems: 20,
    description: 'Contexts to evaluate for, such as {"targetingKey":"user-1","country":"CH"}.',
  },
  from: name("Slug of the environment to copy from."),
  to: { type: ["string" as const, "integer" as const], description: "" },
  flags: {
    type: "array" as const,
    items: { type: "string" as const, minLength: 1 },
    minItems: 1,
    maxItems: 1000,
    description: "Slugs of the flags to copy; all without it.",
  },
  document: {
    type: "object" as const,
    description:
      "A document as export has it: {projects: {<slug>: {environments, segments, flags, forms}}}. What it does not name stays as it is.",
  },
  experiment: name("Name of an experiment of the environment."),
  ramp: { type: "object" as const, description: `The ramp. ${RAMP_FIELDS}` },
  change: name("Id of a proposed change, as changes_list has it."),
  status: name("Only proposals that are open, approved, applied, rejected, withdrawn or expired."),
  prune: {
    type: "boolean" as const,
    description: "Also deletes what the sections of the document do not name. Default: false.",
  },
  search: text(FILTERS.search.argument, SEARCH_LIMITS.characters),
  since: time(FILTERS.since.argument),
  until: time(FILTERS.until.argument),
  unread: { type: "boolean" as const, description: FILTERS.unread.argument },
  folder: {
    type: "string" as const,
    enum: [...SUBMISSION_STATES, "all"],
    description: "Folder of submissions. Default: inbox, never spam.",
  },
  limit: { type: "integer" as const, minimum: 1, description: "Most items of the answer." },
  cursor: text("The next of an answer, for the items after it.", 400),
  why: text(
    "Why the change is made, one line for the history: in the words of the person who asked for it. Of two calls, that of the second counts.",
    MAX_WHY,
  ),
  dryRun: {
    type: "boolean" as const,
    description:
      "true, the default: only says what would change. false: makes the change, with the plan of a dry run and the same arguments.",
  },
  propose: {
    type: "boolean" as const,
    description:
      "true: proposes the change for people to approve, also where no approval is needed. Default: false.",
  },
  plan: text("The plan of the dry run with the same arguments.", 64),
  confirm: text(
    "The name of the locked environment that changes, such as production; several with commas. Only after a person has agreed.",
    1000,
  ),
} satisfies Record<string, Argument>;

export type ArgumentName = keyof typeof ARGUMENTS;

type ValueOf<K> = K extends "integer"
  ? number
  : K extends "boolean"
    ? boolean
    : K extends "object"
      ? Record<string, unknown>
      : K extends "array"
        ? unknown[]
        : string;

/** The arguments of a call, checked. */
export type Args = {
  [Name in ArgumentName]?: (typeof ARGUMENTS)[Name]["type"] extends readonly (infer K)[]
    ? ValueOf<K>
    : ValueOf<(typeof ARGUMENTS)[Name]["type"]>;
};

/** The arguments that a tool takes; `own` replaces members of an argument. */
export type Takes = {
  takes: readonly ArgumentName[];
  required: readonly ArgumentName[];
  own?: { [Name in ArgumentName]?: Partial<Argument> };
};

/** Names in the path of an operation: these have a meaning of their own there. */
const STEPS: ReadonlySet<string> = new Set([".", ".."]);

function argumentOf({ own = {} }: Takes, argument: ArgumentName): Argument {
  return { ...ARGUMENTS[argument], ...own[argument] };
}

/** The JSON Schema of the arguments of a tool. */
export function inputSchema(tool: Takes): { type: "object" } & Record<string, Json> {
  const properties: Record<string, Json> = Object.fromEntries(
    tool.takes.map((each) => [each, argumentOf(tool, each) as Json]),
  );
  return {
    type: "object" as const,
    properties,
    ...(tool.required.length > 0 && { required: [...tool.required] }),
    additionalProperties: false,
  };
}

/** The arguments of a call. Throws `invalid` with the name of the first that is wrong. */
export function checkArguments(tool: Takes, given: unknown = {}): Args {
  if (!isObject(given)) throw new AppError("invalid", "the arguments are an object");
  const known = tool.takes.length === 0 ? "it takes none" : `it takes ${tool.takes.join(", ")}`;
  for (const argument of Object.keys(given))
    if (!tool.takes.some((each) => each === argument))
      throw new AppError("invalid", `unknown argument ${JSON.stringify(argument.slice(0, 100))}`, {
        hint: known,
      });
  const args: Record<string, unknown> = {};
  for (const argument of tool.takes) {
    // Some models send null for what they leave out.
    const value = given[argument] ?? undefined;
    if (value === undefined) {
      if (tool.required.includes(argument))
        throw new AppError("invalid", `the argument ${argument} is missing`, { hint: known });
      continue;
    }
    const fault = faultOf(argumentOf(tool, argument), value);
    if (fault !== null) throw new AppError("invalid", `${argument} ${fault}`);
    args[argument] = value;
  }
  return args;
}

/** The fault of a value, as the end of a sentence; null for none. */
function faultOf(argument: Argument, value: unknown): string | null {
  const kinds = [argument.type].flat();
  const kind = kinds.find((each) => IS[each](value));
  if (kind === undefined) return `is ${kinds.map((each) => NOUNS[each]).join(" or ")}`;
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity } = argument;
    if (value.trim().length < minLength) return "is empty";
    if (STEPS.has(value)) return `is not ${JSON.stringify(value)}`;
    if (value.length > maxLength) return `has at most ${maxLength} characters`;
    if (argument.enum && !argument.enum.includes(value)) return `is one of ${argument.enum.join(", ")}`;
  }
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity } = argument;
    const most = maximum === Infinity ? "" : ` to ${maximum}`;
    if (value < minimum || value > maximum) return `is a whole number from ${minimum}${most}`;
  }
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = Infinity, items } = argument;
    if (value.length < minItems || value.length > maxItems) return `has ${minItems} to ${maxItems} items`;
    if (items && !value.every((each) => IS[items.type](each) && each !== ""))
      return `holds items that are each ${NOUNS[items.type]}`;
  }
  return null;
}

const IS: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isObject,
  array: Array.isArray,
};

const NOUNS: Record<Kind, string> = {
  string: "a text",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};
