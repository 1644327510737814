import { type Operation, type Operations, type Run, isConstant, runOf, truthy, unusable } from "./code.ts";
import { type Finders, OF_AND, OF_OR, rowOf, search } from "./rows.ts";
import { pay } from "./steps.ts";

/** The operation `if`: condition, value, condition, value, …, and what is left where no condition holds. */
const branch: Operation = (args, compiler) => {
  if (!Array.isArray(args)) return unusable(args, compiler);
  const codes = args.map(compiler.compile);
  const runs = codes.map(runOf);
  const [condition, value, otherwise] = runs as [Run, Run, Run];
  // Its condition counts, unless it is a constant.
  if (runs.length === 3 && !isConstant(codes[0]!))
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

/** The first value that decides, or the last one. Conditions in a row that compare attributes with constants are one search. */
function deciding(decides: boolean, finders: Finders): Operation {
  return (args, compiler) => {
    if (!Array.isArray(args)) return unusable(args, compiler);
    const runs: Run[] = [];
    for (let at = 0; at < args.length;) {
      const row = rowOf(args, at, finders);
      const size = Math.max(1, row.size);
      const own = args.slice(at, at + size).map((each) => runOf(compiler.compile(each)));
      runs.push(...(size < MANY ? own : [search(row, decides, own.at(-1)!, firstOf(own, decides))]));
      at += size;
    }
    const run = runs.length === 1 ? runs[0]! : firstOf(runs, decides);
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

export const CHOICES: Operations = {
  if: branch,
  or: deciding(true, OF_OR),
  and: deciding(false, OF_AND),
};
