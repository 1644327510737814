import { Constant, type Operation, type Operations, type Run, runOf, truthy, unusable } from "./code.ts";
import { attributeOf, textIn } from "./paths.ts";
import { pay, payForText } from "./steps.ts";

/** The operation `if`: condition, value, condition, value, …, and what is left where no condition holds. */
const branch: Operation = (args, compiler) => {
  if (!Array.isArray(args)) return unusable(args, compiler);
  const codes = args.map(compiler.compile);
  const runs = codes.map(runOf);
  const [condition, value, otherwise] = runs as [Run, Run, Run];
  // Its condition counts, unless it is a constant.
  if (runs.length === 3 && !(codes[0] instanceof Constant))
    return (data, level) => (truthy(condition(data, level)) ? value : otherwise)(data, level);
  const last = runs.length - 1;
  return (data, level) => {
    pay(1);
    for (let at = 0; at < last; at += 2)
      if (truthy(runs[at]!(data, level))) return runs[at + 1]!(data, level);
    return last % 2 === 0 ? runs[last]!(data, level) : null;
  };
};

/** Conditions in a row from which on they are one search. */
const MANY = 4;

/**
 * The first value that decides, or the last one. Conditions in a row by which one attribute is, or is not, one of several texts
 * are one search: `names` are the comparisons that decide if it is.
 */
function deciding(decides: boolean, names: readonly string[]): Operation {
  return (args, compiler) => {
    if (!Array.isArray(args)) return unusable(args, compiler);
    const runs: Run[] = [];
    for (let at = 0; at < args.length;) {
      const row = rowOf(args, at, names);
      const size = Math.max(1, row.texts.length);
      const own = args.slice(at, at + size).map((each) => runOf(compiler.compile(each)));
      runs.push(...(size < MANY ? own : [search(row, firstOf(own, decides), decides)]));
      at += size;
    }
    const run = firstOf(runs, decides);
    return (data, level) => {
      pay(1);
      return run(data, level);
    };
  };
}

function firstOf(runs: readonly Run[], decides: boolean): Run {
  return (data, level) => {
    let value: unknown = null;
    for (const run of runs) if (truthy((value = run(data, level))) === decides) break;
    return value;
  };
}

/** Texts that conditions compare an attribute with. */
type Row = { name: string | undefined; texts: string[] };

function rowOf(parts: readonly unknown[], from: number, names: readonly string[]): Row {
  const row: Row = { name: undefined, texts: [] };
  for (let at = from; at < parts.length; at += 1) {
    const [[comparison, args] = [""]] = Object.entries((parts[at] ?? {}) as Record<string, unknown>);
    if (!names.includes(comparison) || !Array.isArray(args) || args.length !== 2) break;
    const [path, text] = args as unknown[];
    const name = attributeOf(path);
    if (name === undefined || name !== (row.name ?? name) || typeof text !== "string") break;
    row.name = name;
    row.texts.push(text);
  }
  return row;
}

/** `each` compares an attribute of another type. */
function search({ name, texts }: Row, each: Run, decides: boolean): Run {
  const places = new Map(texts.map((text, at) => [text, at] as const).toReversed());
  return (data, level) => {
    const value = textIn(data, name!);
    if (value === undefined) return each(data, level);
    const place = places.get(value);
    pay(place === undefined ? texts.length : place + 1);
    payForText(value.length);
    return (place !== undefined) === decides;
  };
}

export const CHOICES: Operations = {
  if: branch,
  or: deciding(true, ["==", "==="]),
  and: deciding(false, ["!=", "!=="]),
};
