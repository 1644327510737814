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

function numbers(holds: (value: number, limit: number) => boolean): Finder {
  return (known) => (value) => {
    for (let at = 0; at < known.length; at += 1) {
      const each = known[at]!;
      if (holds(value as number, each[0] as number)) return each[1];
    }
    return undefined;
  };
}

/** Parts of texts: most are told apart by their first character. */
function parts(isEnd: boolean): Finder {
  return (known) => (value) => {
    const text = value as string;
    for (let at = 0; at < known.length; at += 1) {
      const each = known[at]!;
      const part = each[0] as string;
      const from = isEnd ? text.length - part.length : 0;
      if (part === "" || (text.charCodeAt(from) === part.charCodeAt(0) && text.startsWith(part, from)))
        return each[1];
    }
    return undefined;
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
 * The value of the first condition of a row that decides, or of the last one. `runs` are its conditions one by one, and `each` tries
 * them in their order: for an attribute of another type, and for a long text.
 */
export function search({ columns }: Row, runs: readonly Run[], each: Run): Run {
  const finds = columns.map((column) => ({ ...column, find: column.finder(column.known) }));
  return (data, level) => {
    let place = runs.length - 1;
    for (let at = 0; at < finds.length; at += 1) {
      const { name, type, find } = finds[at]!;
      // As `null` compares: a number is compared with 0, and no text with it.
      const value = memberIn(data, name) ?? (type === "number" ? 0 : null);
      if (value === null) continue;
      if (typeof value !== type || (typeof value === "string" && value.length > SHORT))
        return each(data, level);
      const found = find(value);
      if (found !== undefined && found < place) place = found;
    }
    pay(place);
    return runs[place]!(data, level);
  };
}
