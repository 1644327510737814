import type { Run } from "./code.ts";
import { attributeOf, memberIn } from "./paths.ts";
import { SHORT, pay } from "./steps.ts";

/** A constant that a condition compares with, and the place of the condition in its row. */
type Known = { constant: unknown; place: number };

/** The place of the first condition that holds for a value; `none` if none does. */
type Find = (value: unknown, none: number) => number;

/** Conditions of one kind: the constants that they have, of one type, and how the first of them is found that holds. */
type Kind = {
  type: "string" | "number";
  constantsOf: (argument: unknown) => unknown[];
  finder: (known: readonly Known[]) => Find;
  /** Whether finding takes the same time for any number of constants. */
  isEqual: boolean;
};

const itself = (argument: unknown): unknown[] => [argument];

const equal: Kind["finder"] = (known) => {
  const places = new Map(known.toReversed().map(({ constant, place }) => [constant, place]));
  return (value, none) => places.get(value) ?? none;
};

const EQUAL: Kind = { type: "string", constantsOf: itself, finder: equal, isEqual: true };
const AMONG: Kind = { ...EQUAL, constantsOf: (list) => (Array.isArray(list) ? list : [null]) };

function numbers(holds: (value: number, limit: number) => boolean): Kind {
  const finder: Kind["finder"] = (known) => {
    const limits = known.map(({ constant }) => constant as number);
    return (value, none) => {
      for (let at = 0; at < limits.length; at += 1)
        if (holds(value as number, limits[at]!)) return known[at]!.place;
      return none;
    };
  };
  return { type: "number", constantsOf: itself, finder, isEqual: false };
}

/** Parts of texts, of which each has a first character: most are told apart by that alone. */
function parts(isEnd: boolean): Kind {
  const finder: Kind["finder"] = (known) => {
    const texts = known.map(({ constant }) => constant as string);
    return (value, none) => {
      const text = value as string;
      for (let at = 0; at < texts.length; at += 1) {
        const part = texts[at]!;
        const from = isEnd ? text.length - part.length : 0;
        if (text.charCodeAt(from) === part.charCodeAt(0) && text.startsWith(part, from))
          return known[at]!.place;
      }
      return none;
    };
  };
  return { type: "string", constantsOf: (part) => [part === "" ? null : part], finder, isEqual: false };
}

/** The conditions that may decide an operation together with others, by name. */
export type Kinds = Readonly<Record<string, Kind>>;

export const OF_OR: Kinds = {
  "==": EQUAL,
  "===": EQUAL,
  in: AMONG,
  "<": numbers((a, b) => a < b),
  "<=": numbers((a, b) => a <= b),
  ">": numbers((a, b) => a > b),
  ">=": numbers((a, b) => a >= b),
  starts_with: parts(false),
  ends_with: parts(true),
};

export const OF_AND: Kinds = { "!=": EQUAL, "!==": EQUAL };

/** Conditions of one kind about one attribute. */
type Column = { name: string; kind: Kind; known: Known[] };

/** Conditions in a row of which each compares an attribute with constants, and the operations that each counts. */
export type Row = { columns: Map<string, Column>; costs: number[] };

/** Most attributes of a row, and conditions that are tried one by one: all are, also where the first one decides. */
const MOST_TRIED = 32;

/** The row that begins with a part of `parts`. */
export function rowOf(parts: readonly unknown[], from: number, kinds: Kinds): Row {
  const row: Row = { columns: new Map(), costs: [] };
  let tried = 0;
  for (let at = from; at < parts.length; at += 1) {
    const [[comparison, args] = [""], ...others] = Object.entries(
      (parts[at] ?? {}) as Record<string, unknown>,
    );
    const kind = Object.hasOwn(kinds, comparison) ? kinds[comparison]! : undefined;
    if (!kind || others.length > 0 || !Array.isArray(args) || args.length !== 2) break;
    const name = attributeOf(args[0]);
    const constants = kind.constantsOf(args[1]);
    if (name === undefined || constants.some((each) => typeof each !== kind.type)) break;
    const key = `${kind.isEqual ? "" : comparison}.${name}`;
    const before = row.columns.get(key);
    if (!(before && kind.isEqual) && (tried += 1) > MOST_TRIED) break;
    const column = before ?? { name, kind, known: [] };
    row.columns.set(key, column);
    for (const constant of constants) column.known.push({ constant, place: row.costs.length });
    row.costs.push(kind === AMONG ? 2 : 1);
  }
  return row;
}

/**
 * The value of the first condition of a row that decides, or of the last one. `runs` are its conditions one by one, and `each` tries
 * them in their order: for an attribute of another type, and for a long text.
 */
export function search({ columns, costs }: Row, runs: readonly Run[], each: Run): Run {
  const last = runs.length - 1;
  const finds = [...columns.values()].map(({ name, kind: { type, finder }, known }) => ({
    name,
    type,
    find: finder(known),
    // As `null` compares.
    absent: type === "number" ? 0 : undefined,
  }));
  let sum = 0;
  const before = costs.map((cost) => (sum += cost) - cost);
  return (data, level) => {
    let place = last;
    for (let at = 0; at < finds.length; at += 1) {
      const { name, type, find, absent } = finds[at]!;
      const value = memberIn(data, name) ?? absent;
      if (value === undefined) continue;
      if (typeof value !== type || (typeof value === "string" && value.length > SHORT))
        return each(data, level);
      const found = find(value, last);
      if (found < place) place = found;
    }
    pay(before[place]!);
    return runs[place]!(data, level);
  };
}
