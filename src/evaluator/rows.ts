import { type Run, asList } from "./code.ts";
import { attributeOf, memberIn } from "./paths.ts";
import { SHORT, pay } from "./steps.ts";

/** Constants that conditions compare with, and the places of these in their row. */
type Known = (readonly [constant: unknown, place: number])[];

/** The place of the first condition that holds for a value. */
type Find = (value: unknown) => number | undefined;
type Finder = (known: Known) => Find;

/** For any number of constants, this takes the same time. */
const equal: Finder = (known) => {
  const places = new Map(known.toReversed());
  return (value) => places.get(value);
};

/** A limit behind one that is as wide is never the first. */
function numbers(holds: (value: number, limit: number) => boolean): Finder {
  return (known) => {
    const wider: [limit: number, place: number][] = [];
    for (const [constant, place] of known) {
      const limit = constant as number;
      if (!wider.some(([before]) => before === limit || holds(limit, before))) wider.push([limit, place]);
    }
    return (value) => {
      for (let at = 0; at < wider.length; at += 1)
        if (holds(value as number, wider[at]![0])) return wider[at]![1];
      return undefined;
    };
  };
}

/** Parts of texts: most are told apart by their first character. */
function parts(isEnd: boolean): Finder {
  return (known) => {
    const firsts = known.map(([part]) => (part as string).charCodeAt(0));
    return (value) => {
      const text = value as string;
      for (let at = 0; at < known.length; at += 1) {
        const part = known[at]![0] as string;
        const from = isEnd ? text.length - part.length : 0;
        if (part === "" || (text.charCodeAt(from) === firsts[at] && text.startsWith(part, from)))
          return known[at]![1];
      }
      return undefined;
    };
  };
}

/** The conditions that may decide an operation together with others. */
export type Finders = ReadonlyMap<string, Finder>;

export const OF_OR: Finders = new Map([
  ["==", equal],
  ["===", equal],
  ["in", equal],
  ["<", numbers((a, b) => a < b)],
  ["<=", numbers((a, b) => a <= b)],
  [">", numbers((a, b) => a > b)],
  [">=", numbers((a, b) => a >= b)],
  ["starts_with", parts(false)],
  ["ends_with", parts(true)],
]);

export const OF_AND: Finders = new Map([
  ["!=", equal],
  ["!==", equal],
]);

/** Conditions of one kind about one attribute. */
type Column = { name: string; type: string; finder: Finder; known: Known };

/** Conditions in a row of which each compares an attribute with constants. */
export type Row = { columns: Column[]; size: number };

/** Most attributes of a row, and conditions that are tried one by one: all are, also where the first one decides. */
const MOST_TRIED = 32;

/** The row that begins with a part of a list. */
export function rowOf(list: readonly unknown[], from: number, finders: Finders): Row {
  const columns: Column[] = [];
  let tried = 0;
  let at = from;
  for (; at < list.length; at += 1) {
    const [[comparison, args] = [""]] = Object.entries((list[at] ?? {}) as Record<string, unknown>);
    const finder = finders.get(comparison);
    if (!finder || !Array.isArray(args) || args.length !== 2) break;
    const [path, constant] = args as unknown[];
    const name = attributeOf(path);
    const type = /[<>]/.test(comparison) ? "number" : "string";
    // A list for `in` alone, which searches a text.
    if ((comparison === "in") !== Array.isArray(constant)) break;
    const constants = asList(constant);
    if (name === undefined || constants.some((each) => typeof each !== type)) break;
    let column = columns.find((each) => each.name === name && each.finder === finder);
    if (!(column && finder === equal) && (tried += 1) > MOST_TRIED) break;
    if (!column) columns.push((column = { name, type, finder, known: [] }));
    for (const each of constants) column.known.push([each, at - from]);
  }
  return { columns, size: at - from };
}

/**
 * Whether a condition of a row decides: `decides` if so, else the value of `last`, the last one. `each` tries them in their order:
 * for an attribute of another type, and for a long text.
 */
export function search({ columns, size }: Row, decides: boolean, last: Run, each: Run): Run {
  const finds = columns.map(({ name, type, finder, known }) => ({ name, type, find: finder(known) }));
  return (data, level) => {
    let place = size;
    let isMissing = false;
    for (let at = 0; at < finds.length; at += 1) {
      const { name, type, find } = finds[at]!;
      // As `null` compares: a number is compared with 0, and no text with it.
      const value = memberIn(data, name) ?? (type === "number" ? 0 : null);
      if (value === null) {
        isMissing = true;
        continue;
      }
      if (typeof value !== type || (typeof value === "string" && value.length > SHORT))
        return each(data, level);
      const found = find(value);
      if (found !== undefined && found < place) place = found;
    }
    if (place < size) {
      pay(place + 1);
      return decides;
    }
    pay(size);
    return isMissing ? last(data, level) : !decides;
  };
}
