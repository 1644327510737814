import { type Operation, type Operations, type Run, isObject, runOf, truthy, unusable } from "./code.ts";
import { beyond, pay, payForElements } from "./steps.ts";

/** Elements of a loop that cost one operation. */
const LOOPED_A_STEP = 16;

type Go<T> = (list: readonly unknown[], each: (element: unknown, index: number) => T) => unknown;

/** An operation with the elements of a list; of any other value, there are none. `counts` is whether its part reads their indexes. */
function loop(go: Go<unknown>, counts = false): Operation {
  return (args, compiler) => {
    if (!Array.isArray(args)) return unusable(args, compiler);
    const [list, part] = [args[0], args[1]].map((each) => runOf(compiler.compile(each))) as [Run, Run];
    return (data, outer) => {
      const elements = elementsOf(list(data, outer));
      const around = { value: data, outer };
      const level = { value: elements, outer: around };
      return go(elements, (element, index) =>
        part(element, counts ? { value: { iterator: elements, index }, outer: around } : level),
      );
    };
  };
}

function elementsOf(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  pay(1 + list.length / LOOPED_A_STEP);
  return list;
}

/** The same where its part is a condition. */
function search(go: Go<boolean>, counts = false): Operation {
  return loop((list, each) => go(list, (element, index) => truthy(each(element, index))), counts);
}

/** The operation `reduce`: a list, what to make of each element and the result before, and the first result. */
const reduce: Operation = (args, compiler) => {
  if (!Array.isArray(args) || args[1] === undefined || args[1] === null) return unusable(args, compiler);
  const [list, part, first] = args.map((each) => runOf(compiler.compile(each))) as [Run, Run, Run?];
  return (data, outer) => {
    const start = flat(first?.(data, outer));
    const elements = elementsOf(list(data, outer));
    const level = { value: elements, outer: { value: data, outer } };
    const step = (accumulator: unknown, current: unknown) => flat(part({ accumulator, current }, level));
    return start === undefined ? elements.reduce(step) : elements.reduce(step, start);
  };
};

/** Returns what a loop may keep: a list or an object without others in it, so that it cannot grow in depth. */
function flat(value: unknown): unknown {
  if (!isObject(value)) return value;
  const parts: unknown[] = Object.values(value);
  payForElements(parts.length);
  for (const each of parts) if (isObject(each)) beyond();
  return value;
}

export const LOOPS: Operations = {
  some: search((list, holds) => list.some(holds)),
  none: search((list, holds) => !list.some(holds)),
  all: search((list, holds) => list.length > 0 && list.every(holds)),
  filter: search((list, holds) => list.filter(holds), true),
  map: loop((list, each) => list.map(each), true),
  reduce,
};
