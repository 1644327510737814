import { own } from "../../../src/base/shapes/own.ts";
import { EVENT_ID, type Event, getScalarValue, parseEvents } from "js-yaml";
import { parseBytes } from "../../../src/base/bytes.ts";
import { AppError } from "../../../src/base/errors.ts";
import { MAX_JSON_LEVELS, isObject } from "../../../src/base/json.ts";
import { parseDuration } from "../../../src/base/units.ts";
import { pathOf } from "../../../src/documents/document.ts";
import { shown } from "../../output/text.ts";
import type { Client } from "../../session/client.ts";
import { meantBy } from "../../session/guesses/nearest.ts";

/** The text of a document and the name of its file. */
export type Source = { text: string; name: string };

/** A value of a document: its steps from the root, and the start of its key or item. */
type Place = { steps: string[]; at: number };

/** The error of a document with its line and column in the file, and the key or the environment that was meant. */
export async function placedFault(
  error: AppError,
  { text, name }: Source,
  client: Client,
): Promise<AppError> {
  const places = placesIn(text);
  const whole = places
    .map((each) => ({ ...each, path: pathOf(...each.steps) }))
    .filter(
      ({ path }) => error.message.startsWith(path) && /^($|[: ])/.test(error.message.slice(path.length)),
    )
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  const [, key] = /(?:^|: )unknown key "(.*?)"(?:, |; |$)/.exec(error.message) ?? [];
  const steps = whole?.steps ?? [];
  if (whole === undefined && key === undefined) return error;
  const at = key === undefined ? whole?.at : (placeOf(places, [...steps, key])?.at ?? whole?.at);
  const path = pathOf(...steps);
  const message = key === undefined ? error.message : `${path === "" ? "" : `${path}: `}unknown key "${key}"`;
  const hint =
    key === undefined
      ? (shapeHint(error, steps, at === undefined ? "" : valueAt(text, at)) ??
        (await environmentHint(error, steps, client)))
      : (own(FOREIGN_KEYS, key) ?? (await keyHint(steps, key)));
  return new AppError(error.code, `${name}${at === undefined ? "" : ` ${lineAt(text, at)}`}: ${message}`, {
    reason: error.reason ?? undefined,
    hint: hint ?? error.hint ?? undefined,
    cause: error,
  });
}

function placeOf(places: Place[], steps: string[]): Place | undefined {
  const path = pathOf(...steps);
  return places.find((each) => pathOf(...each.steps) === path);
}

function lineAt(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** A collection that is being read: the key whose value follows, null before a key, or the count of items. */
type Open = { steps: string[]; key: { name: string; at: number } | null; items: number | null };

/** The places of all values of a YAML or JSON text. */
function placesIn(text: string): Place[] {
  const places: Place[] = [];
  const open: Open[] = [];
  for (const event of parseEvents(text, { maxDepth: MAX_JSON_LEVELS })) {
    if (event.type === EVENT_ID.POP) open.pop();
    const top = open.at(-1);
    const at = startOf(event);
    if (at === null) continue;
    if (top && top.items === null && top.key === null && event.type === EVENT_ID.SCALAR) {
      top.key = { name: getScalarValue(text, event), at };
      continue;
    }
    const steps = top ? [...top.steps, top.items === null ? (top.key?.name ?? "") : String(top.items)] : [];
    if (top) places.push({ steps, at: top.key?.at ?? at });
    if (top?.items != null) top.items += 1;
    if (top) top.key = null;
    if (event.type === EVENT_ID.MAPPING) open.push({ steps, key: null, items: null });
    if (event.type === EVENT_ID.SEQUENCE) open.push({ steps, key: null, items: 0 });
  }
  return places;
}

/** The start of the text of an event; null for one without text. A document is popped as a collection is. */
function startOf(event: Event): number | null {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : null;
}

/** A name for each section of a document, as an example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  projects: "shop",
  environments: "production",
  flags: "new-checkout",
  segments: "staff",
  forms: "contact",
};

/** Keys that people expect in a file, and what it has in their place. */
const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  rollout:
    "a share is a rule: targeting: { fractional: [[on, 25], [off, 75]] }, with variants: { on: true, off: false }",
  percentage:
    "a share is a rule: targeting: { fractional: [[on, 25], [off, 75]] }, with variants: { on: true, off: false }",
  if: "a rule is JSON in targeting: formflag flags set --if writes it, formflag export prints it",
  rule: "a rule is JSON in targeting: formflag flags set --if writes it, formflag export prints it",
  rules: "a rule is JSON in targeting: formflag flags set --if writes it, formflag export prints it",
  key: "keys are not part of the file: each server makes its own",
  keys: "keys are not part of the file: each server makes its own",
  webhook: "targets are not part of the file: formflag targets add <form> <url>",
  webhooks: "targets are not part of the file: formflag targets add <form> <url>",
  targets: "targets are not part of the file: formflag targets add <form> <url>",
  tokens: "tokens are not part of the file: formflag tokens create <name>",
  users: "users are not part of the file: formflag users create <name> --role <role>",
  submissions: "submissions are not part of the file: formflag submissions export and import",
  fields:
    "fields are described in schema, a JSON Schema: schema: { properties: { email: { type: string } } }",
  redirect: "successUrl is where a sender goes after a submission",
  slug: "the slug is the key itself: flags: { new-checkout: {} }",
};

/** The hint for a value of another type, which is written as `text` in the file. */
function shapeHint({ message }: AppError, steps: string[], text: string): string | null {
  const name = steps.at(-1) ?? "";
  const [, expected] = /: it has to be (.+), not .+$/.exec(message) ?? [];
  const example = own(EXAMPLES, name);
  if (example !== undefined && expected === "an object")
    return `each name is a key of its own, as in ${name}: { ${example}: {} }`;
  if (expected === "an object" && steps.at(-2) === "flags")
    return shown`what a flag is stands under its environments: ${name}: { environments: { production: { enabled: true } } }`;
  if (expected === "an object" && steps.at(-2) === "environments")
    return shown`its fields are keys: ${name}: { enabled: true }`;
  if (expected === "an object" && steps.at(-2) === "requires")
    return "a needed flag is an object: requires: [{ flag: new-cart }]";
  if (expected === "an object") return shown`its fields are keys of their own: ${name}: {}`;
  if (expected === "a list") return shown`write a list: ${name}: [${text}]`;
  if (expected === "true or false") return shown`write ${name}: true, or ${name}: false`;
  const number = parseDuration(text) ?? parseBytes(text);
  return number !== undefined && /\bnumber\b/.test(message) ? shown`${text} is written as ${number}` : null;
}

/** The text of a value that stands on the line of its key, without quotes and comment. */
function valueAt(text: string, at: number): string {
  const [line = ""] = text.slice(at, at + 500).split("\n");
  return /:\s*["']?([^"'#]*?)["']?\s*(?:#.*)?$/.exec(line)?.[1] ?? "";
}

/** The environment of the project that was meant. */
async function environmentHint(
  { message, hint }: AppError,
  steps: string[],
  client: Client,
): Promise<string | null> {
  const [, project] = steps;
  if (!message.endsWith("this environment does not exist") || project === undefined) return null;
  const { environments } = await import("../../../src/operations/environments.ts");
  const listed = await client.call(environments.list, { names: { project } }).catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  const near = meantBy(steps.at(-1)!, listed?.environments.map(({ slug }) => slug) ?? []);
  return near === null ? null : [shown`did you mean ${near}?`, hint].filter(Boolean).join(" Or ");
}

/** The key of the schema that was meant, or where in a document the key belongs. */
async function keyHint(steps: string[], key: string): Promise<string | null> {
  const { documentJsonSchema } = await import("../../../src/documents/document-schema.ts");
  const levels = levelsOf(documentJsonSchema(), []);
  const own = levels.find(({ pattern }) => isAt(pattern, steps))?.keys ?? [];
  const elsewhere = levels.find(
    ({ pattern, keys }) => pattern[0] === (steps[0] ?? pattern[0]) && keys.includes(key),
  );
  const near = meantBy(key, own);
  const isPlural = near === `${key}s` || key === `${near}s`;
  if (elsewhere && !isPlural) return shown`${key} belongs under ${elsewhere.pattern.join(".")}`;
  if (near !== null) return shown`did you mean ${near}?`;
  return own.length === 0 ? null : shown`its keys are ${own.join(", ")}`;
}

type Level = { pattern: string[]; keys: string[] };

/** The objects of a JSON Schema with their keys; names that a document chooses are `<name>` in a pattern. */
function levelsOf(schema: unknown, pattern: string[]): Level[] {
  if (!isObject(schema)) return [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : null;
  const inner = Object.entries(properties ?? {}).flatMap(([key, each]) => levelsOf(each, [...pattern, key]));
  const named = levelsOf(schema["additionalProperties"], [...pattern, "<name>"]);
  return [...(properties ? [{ pattern, keys: Object.keys(properties) }] : []), ...inner, ...named];
}

function isAt(pattern: string[], steps: string[]): boolean {
  return (
    pattern.length === steps.length &&
    pattern.every((each, index) => each === "<name>" || each === steps[index])
  );
}
