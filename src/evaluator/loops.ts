import { type Frame, type Operation, type Run, runOf, truthy, unusable } from "./code.ts";
import { pay } from "./steps.ts";

/** Elements of a loop that cost one operation. */
const LOOPED_A_STEP = 16;

type Loop = (list: readonly unknown[], body: Run, data: unknown, outer: Frame | null) => unknown;

/** An operation with the elements of a list; of any other value, there are none. */
function loop(go: Loop): Operation {
  return (args, compiler) => {
    if (!Array.isArray(args)) return unusable(args, compiler);
    const { compile } = compiler;
    const [list, body] = [runOf(compile(args[0])), runOf(compile(args[1]))];
    return (data, frame) => go(elementsOf(list(data, frame)), body, data, frame);
  };
}

function elementsOf(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  pay(1 + Math.floor(list.length / LOOPED_A_STEP));
  return list;
}

export const some = loop((list, body, data, outer) => {
  const frame = { list, data, outer };
  return list.some((each) => truthy(body(each, frame)));
});

export const none = loop((list, body, data, outer) => {
  const frame = { list, data, outer };
  return !list.some((each) => truthy(body(each, frame)));
});

export const all = loop((list, body, data, outer) => {
  const frame = { list, data, outer };
  return list.length > 0 && list.every((each) => truthy(body(each, frame)));
});

export const map = loop((iterator, body, data, outer) =>
  iterator.map((each, index) => body(each, { list: { iterator, index }, data, outer })),
);

export const filter = loop((iterator, body, data, outer) =>
  iterator.filter((each, index) => truthy(body(each, { list: { iterator, index }, data, outer }))),
);

/** The operation `reduce`: a list, what to make of each element and the result before, and the first result. */
export const reduce: Operation = (args, compiler) => {
  if (!Array.isArray(args) || args[1] === undefined || args[1] === null) return unusable(args, compiler);
  const { compile } = compiler;
  const [list, body] = [runOf(compile(args[0])), runOf(compile(args[1]))];
  const first = args[2] === undefined ? undefined : runOf(compile(args[2]));
  return (data, outer) => {
    const start = first && flat(first(data, outer));
    const elements = elementsOf(list(data, outer));
    const frame = { list: elements, data, outer };
    const step = (accumulator: unknown, current: unknown) => flat(body({ accumulator, current }, frame));
    return start === undefined ? elements.reduce(step) : elements.reduce(step, start);
  };
};

/** Returns what a loop may keep: a list or an object without others in it, so that it cannot grow in depth. */
function flat(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const each of Object.values(value))
    if (typeof each === "object" && each !== null) throw new RangeError("a result has lists in it");
  return value;
}
