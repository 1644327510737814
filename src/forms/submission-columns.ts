import { AppError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { findSlugFault } from "../base/slug.ts";
import { changedLabels, isLabel, labelsOf, labelsText } from "./inbox/handling.ts";
import { EXTERNAL_CHECKS, HANDLING_LIMITS, IMPORT_LIMITS } from "./limits.ts";
import { areSeenFlags, seenInWords } from "./seen-flags.ts";
import { consentIn } from "./opt-in/consent.ts";
import type { Submission } from "./submission.ts";

export type ColumnName =
  | "meta"
  | "flags"
  | "unchecked"
  | "assignee"
  | "labels"
  | "confirmedAt"
  | "unsubscribedAt"
  | "consent";

/** How a column of submissions is stored, imported, exported and shown. */
type Column<Value> = Stored<Value> & {
  /** Reads the value of an import, null for none. Throws `invalid`. */
  read(value: unknown): Value;
  /** The value for people and for CSV; null for none. Without it, the column is in JSON alone. */
  words?(value: Value): string | null;
  /** Reads the words of a CSV file. */
  fromWords?(words: string): Value;
};

/** How values are stored as text, which is null for none, and the rule of that in a file that others may have written. */
type Stored<Value> = {
  textOf: (value: Value) => string | null;
  valueOf: (text: string | null) => Value;
  rule: `text? ${string}`;
};

const asJson = {
  textOf: (value: object | null) => value && JSON.stringify(value),
  valueOf: (text: string | null) => (text === null ? null : JSON.parse(text)),
};

/** A time in ISO 8601. */
const asTime = (name: string) =>
  ({
    textOf: (value: string | null) => value,
    valueOf: (text: string | null) => text,
    rule: "text? isoTime",
    read(value: unknown) {
      if (value === null) return null;
      const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
      if (!Number.isNaN(at)) return new Date(at).toISOString();
      throw new AppError("invalid", `${name} is a time in ISO 8601, or null`);
    },
    words: (value: string | null) => value,
    fromWords: (text: string) => text || null,
  }) as const;

const asText = { textOf: (value: string | null) => value, valueOf: (text: string | null) => text };

/** The columns that a submission may lack, beside its folder; exports, imports, lists and pages of submissions are made from these. */
const COLUMNS = {
  meta: { ...asJson, rule: "text? object", read: readMeta },
  flags: {
    ...asJson,
    rule: "text? seenFlags",
    read: readFlags,
    words: (flags) => flags && seenInWords(flags),
  },
  unchecked: {
    ...asText,
    rule: "text? anyText",
    read(value) {
      if (value === null || (typeof value === "string" && value.length <= EXTERNAL_CHECKS.failure))
        return value;
      throw new AppError(
        "invalid",
        `unchecked is a text of at most ${EXTERNAL_CHECKS.failure} characters, or null`,
      );
    },
    words: (unchecked) => unchecked,
    fromWords: (text) => text || null,
  },
  assignee: {
    ...asText,
    rule: "text? shortText",
    read(value) {
      if (value === null || (typeof value === "string" && findSlugFault("user", value) === undefined))
        return value;
      throw new AppError("invalid", "assignee is the name of a user, or null");
    },
    words: (assignee) => assignee,
    fromWords: (text) => text || null,
  },
  labels: {
    textOf: labelsText,
    valueOf: labelsOf,
    rule: "text? labels",
    read(value) {
      if (value === null) return [];
      const isList = Array.isArray(value) && value.length <= HANDLING_LIMITS.labels;
      if (!isList || !value.every((label) => typeof label === "string" && isLabel(label)))
        throw new AppError("invalid", `labels are a list of at most ${HANDLING_LIMITS.labels} labels`);
      return changedLabels([], { add: value as string[], remove: [] }).labels;
    },
    words: (labels) => (labels.length > 0 ? labels.join(", ") : null),
    fromWords: (text) =>
      text
        .split(",")
        .map((label) => label.trim())
        .filter((label) => label !== ""),
  },
  confirmedAt: asTime("confirmedAt"),
  unsubscribedAt: asTime("unsubscribedAt"),
  consent: {
    textOf: (value: Submission["consent"]) => value && JSON.stringify(value),
    valueOf: (text: string | null) => (text === null ? null : (consentIn(JSON.parse(text)) ?? null)),
    rule: "text? consent",
    read(value) {
      if (value === null) return null;
      const consent = consentIn(value);
      if (consent) return consent;
      throw new AppError("invalid", "consent is an object of at, address and text");
    },
  },
} as const satisfies { [Name in ColumnName]: Column<Submission[Name]> };

type Columns = Pick<Submission, ColumnName>;

export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

/** The name that a column has in the database. */
export type StoredName<Name extends string> = Name extends `${infer Verb}At` ? `${Verb}_at` : Name;

export function storedName<Name extends ColumnName>(name: Name): StoredName<Name> {
  return name.replace(/At$/, "_at") as StoredName<Name>;
}

/** The rules of stored columns, by their names in the database. */
export const COLUMN_RULES = Object.fromEntries(
  COLUMN_NAMES.map((name) => [storedName(name), COLUMNS[name].rule]),
) as { [Name in ColumnName as StoredName<Name>]: (typeof COLUMNS)[Name]["rule"] };

/** The texts of columns, in the order of their names. */
export function textsOfColumns(columns: Partial<Columns>): (string | null)[] {
  const given = { ...NO_COLUMNS, ...columns };
  return COLUMN_NAMES.map((name) => COLUMNS[name].textOf(given[name] as never));
}

/** The columns of a stored row. */
export function columnsOfRow(row: Readonly<Record<ColumnName, string | null>>): Columns {
  return Object.fromEntries(COLUMN_NAMES.map((name) => [name, COLUMNS[name].valueOf(row[name])])) as Columns;
}

/** The columns that people change. */
export const HANDLED = ["assignee", "labels"] as const;

/** The columns of times that a sender sets. */
export const CONFIRMING = ["confirmedAt", "unsubscribedAt"] as const;

/** The columns that filters of their names compare. */
export const COLUMN_FILTERS = ["assignee"] as const;

/** The columns behind the fields of a CSV export; those of a group are there if any submission has a value in one of them. */
export const CSV_GROUPS: readonly (readonly ColumnName[])[] = [["flags"], ["unchecked"], HANDLED, CONFIRMING];

/** The columns of an imported row. Throws `invalid`. */
export function readColumns(row: Readonly<Record<string, unknown>>): Columns {
  return Object.fromEntries(
    COLUMN_NAMES.map((name) => [name, COLUMNS[name].read(row[name] ?? null)]),
  ) as Columns;
}

/** The columns of a submission that has none of them. */
export const NO_COLUMNS = readColumns({});

/** Columns of their words in a CSV file. */
export function columnsFromWords(
  names: typeof HANDLED | typeof CONFIRMING,
  words: readonly string[],
): object {
  return Object.fromEntries(names.map((name, index) => [name, COLUMNS[name].fromWords(words[index]!)]));
}

/** The value of a column for people; null for none, also from a server that does not know the column. */
export function wordsOf(submission: Partial<Columns>, name: ColumnName): string | null {
  const value = submission[name];
  return value === undefined ? null : (COLUMNS[name] as Column<typeof value>).words!(value);
}

/** The user who looks after a submission, or a word for the one of that name; null for none. */
export function userInWords({ assignee }: Columns, name: string | undefined, you: string): string | null {
  return assignee !== null && assignee === name ? you : assignee;
}

/** Metadata that a form may record about a sender. */
const META = ["address", "userAgent", "referrer", "language"] as const;
const MAX_META = 2048;

function readMeta(value: unknown): Submission["meta"] {
  if (value === null) return null;
  const details = isObject(value) ? META.map((name) => [name, value[name] ?? null] as const) : [];
  const isMeta = details.length > 0 && details.every(([, text]) => isShortText(text));
  if (!isMeta) throw new AppError("invalid", `meta is an object of texts of at most ${MAX_META} characters`);
  return Object.fromEntries(details) as Submission["meta"];
}

function isShortText(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.length <= MAX_META);
}

function readFlags(value: unknown): Submission["flags"] {
  if (value === null) return null;
  if (!areSeenFlags(value) || JSON.stringify(value).length > IMPORT_LIMITS.flags)
    throw new AppError("invalid", "flags are an object of project, environment, at and variants");
  const { project, environment, at, variants } = value;
  return { project, environment, at: new Date(at).toISOString(), variants };
}
