import { formatBytes, parseBytes } from "../bytes.ts";
import { type Rate, formatDuration, formatRate, parseDuration, parseRate } from "../units.ts";
import { parseWallTime, wallTime } from "../wall-time.ts";

/** Type of a value, which determines its checks, input and display on every face. `Item` names the checks of list items. */
export type Kind<Item extends string = string> =
  | { is: "name" | "switch" | "rate" | "json" | "origins" | "senders" | "field" | "flag" | "zone" }
  /** A time; one that is later is in the future, and not null. */
  | { is: "time"; isLater?: true }
  /** A time from now on that ends something, such as `90d`, in ISO 8601; null for never. */
  | { is: "expiry" }
  /** Texts with spaces, of which an area checks each; the weight of each variant, such as `off:50,on:50`; percentages, such as `1,10`. */
  | { is: "phrases" | "weights" | "shares" }
  /** Lines of any text, of which an area checks each. */
  | { is: "lines" }
  /** An object of which an area knows a short form in words: a condition, or a context such as `plan=beta`. */
  | { is: "condition" | "context" }
  /** The name of a thing such as `a variant`. */
  | { is: "named"; what: string }
  /** An address of the web; `what` is its name in errors. */
  | { is: "url"; what: string }
  /** At most so many characters; an area has several lines. */
  | { is: "text" | "area"; most: number }
  /** A whole number within limits, with errors of its own for one below and one above them. */
  | { is: "count" | "bytes" | "seconds"; least: number; most: number; errors?: [few: string, many: string] }
  /** One of several values, with labels for people. Commands leave the check of an open one to the server. */
  | { is: "choice"; among: readonly string[]; error: string; labels: Record<string, string>; isOpen?: true }
  /** A list of texts, one a line; `of` is their name in errors, `item` names the check of each. */
  | { is: "list"; of: string; most: number; item: Item }
  /** A list of short texts with commas between them, of any or among some; each has at most `longest` bytes. */
  | { is: "names"; of: string; most: number; longest: number; among?: readonly string[] };

/** A field of a noun: whatever checks, asks for, shows or documents the field reads this. */
export type Field = {
  kind: Kind;
  /** Whether a new record has to be given it. */
  required?: true;
  /** The value of a new record that is not given one. Default: null. */
  default?: string | number | boolean | readonly never[] | null;
  /** The option of the command that creates one, without its dashes, or its argument, such as `[name]`; and the help. */
  option: readonly [flags: string, help: string];
  /** Whether the option takes `@FILE` and `-` too. */
  isSource?: true;
  /** Label and hint on a page. A field without a label is not asked for there. */
  label?: string;
  hint?: string;
  /** Description in the admin API. */
  meaning?: string;
  /** Value that the page of a new record suggests. */
  suggested?: string;
  /** The name of the control on a page, if it is not that of the field. */
  control?: string;
  /** A value in the words of a list; null for one that it does not name. Without it, the field has a column or none. */
  words?: (value: never) => string | null;
};

/** The fields of a noun, by their names in the admin API, in the order in which commands and pages have them. */
export type Card = Readonly<Record<string, Field>>;

/** The time at which something ends by itself. */
export const EXPIRES_AT = {
  kind: { is: "expiry" },
  default: null,
  option: ["expires <time>", "when it expires: 90d, ISO 8601, or never"],
  label: "Expires after",
  hint: "Such as 90d; empty for never",
  control: "expires",
} as const;

/** A text that a person typed, as the value of its kind; or the fault, in words. */
export type Read = { value: unknown } | { fault: string };

/** Reads typed text, of which the empty one is null. `json` is read by the caller. */
export function readKind(
  { is }: Kind,
  typed: string,
  { now, timeZone }: { now: number; timeZone: string },
): Read {
  const text = typed.trim();
  if (is === "switch") return { value: typed === "on" };
  if (is === "list" || is === "origins" || is === "senders" || is === "phrases" || is === "lines")
    return { value: text.split("\n").flatMap((line) => line.trim() || []) };
  if (is === "name") return { value: text };
  if (text === "") return { value: null };
  switch (is) {
    case "count":
      return /^\d{1,15}$/.test(text) ? { value: Number(text) } : { fault: "write a whole number" };
    case "bytes":
      return valueOr(parseBytes(text), "write a size with its unit, such as 10 MB");
    case "seconds":
      return valueOr(parseDuration(text), "write a time such as 30m, 12h or 90d");
    case "expiry": {
      const seconds = parseDuration(text);
      if (seconds === undefined) return { fault: "write a time such as 90d or 12h" };
      return { value: new Date(now + seconds * 1000).toISOString() };
    }
    case "rate":
      return valueOr(parseRate(text), "write a rate such as 20/h or 5/10m");
    case "time": {
      const at = parseWallTime(text, timeZone);
      return at === null ? { fault: "write a date and a time" } : { value: new Date(at).toISOString() };
    }
    case "names":
      return { value: text.split(",").flatMap((each) => each.trim() || []) };
    case "weights":
      return valueOr(parseWeights(text), "write a weight for each variant, such as off:50,on:50");
    case "shares":
      return valueOr(parseShares(text), "write percentages with commas, such as 1,10,50,100");
    case "url":
    case "text":
    case "area":
    case "field":
    case "flag":
    case "zone":
    case "named":
    case "choice":
      return { value: text };
    case "json":
    case "condition":
    case "context":
      throw new Error(`typed text of the kind ${is} has a reader of its own`);
    default:
      return is satisfies never;
  }
}

/** The weights of a text such as `off:50,on:50`; undefined for another text. */
function parseWeights(text: string): Record<string, number> | undefined {
  const weights = text.split(",").map((each): [string, number] => {
    const found = /[:=]\s*(\d{1,9})\s*%?\s*$/.exec(each);
    return found ? [each.slice(0, found.index).trim(), Number(found[1])] : ["", 0];
  });
  const names = new Set(weights.map(([variant]) => variant));
  return names.has("") || names.size < weights.length ? undefined : Object.fromEntries(weights);
}

/** Shares in percent with commas, such as `1, 10 %, 100`; undefined for another text. */
function parseShares(text: string): number[] | undefined {
  const shares = text.split(",").map((share) => /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*%?\s*$/.exec(share)?.[1]);
  return shares.includes(undefined) ? undefined : shares.map(Number);
}

function valueOr(value: unknown, fault: string): Read {
  return value === undefined ? { fault } : { value };
}

/** A value as a person would type it; `on` or nothing for a switch, nothing for null. */
export function showKind({ is }: Kind, value: unknown, timeZone: string): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(is === "names" ? ", " : "\n");
  if (typeof value === "boolean") return value ? "on" : "";
  if (typeof value === "object")
    return is === "rate" ? formatRate(value as Rate) : JSON.stringify(value, null, 2);
  if (typeof value === "string") return is === "time" ? wallTime(Date.parse(value), timeZone) : value;
  const number = value as number;
  return is === "bytes" ? formatBytes(number) : is === "seconds" ? formatDuration(number) : String(number);
}

export type ValueOf<K> = K extends { is: "switch" }
  ? boolean
  : K extends { is: "count" | "bytes" | "seconds" }
    ? number
    : K extends { is: "names"; among: readonly (infer T)[] }
      ? T[]
      : K extends { is: "names" | "list" | "origins" | "senders" | "phrases" | "lines" }
        ? string[]
        : K extends { is: "weights" }
          ? Readonly<Record<string, number>>
          : K extends { is: "shares" }
            ? number[]
            : K extends { is: "condition" | "context" }
              ? Record<string, unknown>
              : K extends { is: "choice"; among: readonly (infer T)[] }
                ? T
                : string;

type RequiredOf<C extends Card> = { [N in keyof C]: C[N] extends { required: true } ? N : never }[keyof C];

/** A new record of a noun, as its card has it; a field whose default is null may be null. */
export type NewOf<C extends Card> = { [N in RequiredOf<C>]: ValueOf<C[N]["kind"]> } & {
  [N in Exclude<keyof C, RequiredOf<C>>]?:
    | ValueOf<C[N]["kind"]>
    | (C[N] extends { default: null } ? null : never)
    | undefined;
};

/** A record of a noun in the answers of the admin API. */
export type ShownOf<C extends Card> = {
  [N in keyof C]: ValueOf<C[N]["kind"]> | (C[N] extends { default: null } ? null : never);
};

/** A record of a noun as it is stored, where a time is in milliseconds since 1970. */
export type RecordOf<C extends Card> = {
  [N in keyof C]:
    | (C[N]["kind"] extends { is: "expiry" | "time" } ? number : ValueOf<C[N]["kind"]>)
    | (C[N] extends { default: null } ? null : never);
};

/** The fields of a record that a list names, in their words: `name, email; of 30 days; at most 1000`. */
export function recordInWords(card: Card, record: Readonly<Record<string, unknown>>): string {
  return Object.entries(card)
    .flatMap(([name, { words }]) => words?.(record[name] as never) ?? [])
    .join("; ");
}
