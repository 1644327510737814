import type { Option } from "commander";
import { clock } from "../../src/base/clock.ts";
import { formatBytes } from "../../src/base/bytes.ts";
import { type Card, type Field, type Kind, type NewOf, readKind } from "../../src/base/kinds/kinds.ts";
import { formatDuration } from "../../src/base/units.ts";
import { listOption } from "./command-line.ts";
import { optionFor } from "./guesses/near-misses.ts";
import type { Input } from "./input.ts";
import { jsonObject, sourceOf } from "./sources.ts";
import { usage } from "./usage.ts";
import {
  collectPhrases,
  countValue,
  expiryValue,
  isUnset,
  originsValue,
  rateValue,
  sizeValue,
  spanValue,
  switchValue,
  timeValue,
} from "./values.ts";

/** The options of a new record, in the order of its card. */
export function optionsOf(card: Card): Option[] {
  return Object.entries(card).flatMap(([name, field]) => (isArgument(field) ? [] : optionOf(name, field)));
}

const isArgument = ({ option: [flags] }: Field) => flags.startsWith("[");

/** The fields that the options give, as the admin API takes them; prompts for a choice that is required. Throws `invalid`. */
export async function givenIn<C extends Card>(card: C, input: Input): Promise<NewOf<C>> {
  const given: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(card)) {
    if (isArgument(field)) continue;
    const option = optionOf(name, field);
    const value = input.options[option.attributeName()] as string | string[] | true | undefined;
    if (value === true) given[name] = value;
    else if (value === undefined) {
      if (field.required && field.kind.is === "choice")
        given[name] = await input.choose(option.attributeName(), field.kind.among);
    } else
      given[name] =
        value === "none" && mayBeNone(field) ? null : await kindValue(value, option.long!, field, input);
  }
  // The options are those of the card, and the server checks the values.
  return given as NewOf<C>;
}

/** Whether `none` stands for null. */
const mayBeNone = ({ kind, default: unset }: Field) =>
  unset === null && (kind.is === "area" || kind.is === "choice");

const SHORT: Readonly<Record<string, string>> = { project: "-p, ", environment: "-e, " };

function optionOf(name: string, field: Field): Option {
  const {
    kind,
    option: [flags, text],
    default: unset = null,
  } = field;
  const help =
    unset === null || Array.isArray(unset)
      ? text
      : `${text} (default: ${unset === false ? "off" : String(unset)})`;
  const long = `${SHORT[flags.split(" ")[0]!] ?? ""}--${flags}`;
  if (kind.is === "names" || kind.is === "origins")
    return Object.assign(listOption(long, help), { field: name });
  const option = optionFor(name, long, help);
  if (kind.is === "phrases") option.argParser(collectPhrases);
  if (kind.is === "lines")
    option.argParser((line: string, before: string[] | undefined) => [...(before ?? []), line]);
  if (kind.is === "choice") option.choices(mayBeNone(field) ? [...kind.among, "none"] : kind.among);
  return option;
}

/** Throws `invalid` for a size beyond the limit, in the units of sizes. */
function requireAtMost(bytes: number | null, most: number, what: string): number | null {
  if (bytes !== null && bytes > most)
    throw usage(`${what} is too large`, `at most ${formatBytes(most).replace(" ", "")}`);
  return bytes;
}

/** The same for a span. */
function requireNotLonger(seconds: number, most: number, what: string): number {
  if (seconds > most) throw usage(`${what} is too long`, `at most ${formatDuration(most)}`);
  return seconds;
}

const SCHEMA = '{"properties":{"email":{"type":"string","format":"email"}}}';

/** The value of an option that takes a kind. Throws `invalid`. */
export async function kindValue(
  given: string | readonly string[],
  option: string,
  { kind, isSource = false }: { kind: Kind; isSource?: boolean | undefined },
  input: Input,
): Promise<unknown> {
  const texts = [given].flat();
  const text = texts[0]!;
  switch (kind.is) {
    case "switch":
      return switchValue(text, option);
    case "count":
      // The server has words of its own for what is too few.
      return countValue(text, option, kind.errors && /^\d/.test(text) ? 0 : kind.least);
    case "bytes":
      return requireAtMost(sizeValue(text, option), kind.most, `${option} ${text}`);
    case "seconds":
      return requireNotLonger(spanValue(text, option), kind.most, `${option} ${text}`);
    case "rate":
      return rateValue(text, option);
    case "time":
      return timeValue(text, option, clock.now(), kind.isLater ? "12h" : "none");
    case "expiry":
      return expiryValue(text, option, clock.now());
    case "json":
      return jsonObject(text, option, SCHEMA, input);
    case "choice":
      if (kind.isOpen || kind.among.includes(text)) return text;
      throw usage(`${option} is ${kind.among.slice(0, -1).join(", ")} or ${kind.among.at(-1)}, not ${text}`);
    case "list":
    case "names":
    case "phrases":
    case "lines":
      return texts;
    case "weights":
    case "shares": {
      const read = readKind(kind, text, { now: 0, timeZone: "UTC" });
      if ("value" in read) return read.value;
      throw usage(`${option} ${text} is not a list of ${kind.is}`, read.fault);
    }
    case "condition":
      return (await import("./conditions.ts")).conditionOf(text, option);
    case "context":
      return (await import("../../src/flags/contexts/test-context.ts")).parseTestContext(
        await sourceOf(text, option, input),
      );
    case "origins":
      return originsValue(texts);
    case "senders":
      return texts.filter((each) => !isUnset(each));
    case "name":
    case "url":
    case "text":
    case "area":
    case "field":
    case "flag":
    case "zone":
    case "named":
      return isSource ? sourceOf(text, option, input) : text;
    default:
      return kind satisfies never;
  }
}
