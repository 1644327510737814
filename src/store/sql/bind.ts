import type { Work } from "./work.ts";

type Works = Readonly<Record<string, (...args: never[]) => Work<unknown>>>;

/**
 * The works of a noun that are the same in both databases, by the names of its port. A write can be sent to another
 * thread by its name.
 */
export type Slice = {
  reads?: Works;
  /** With many or large rows. */
  readsInTurns?: Works;
  /** Every statement of these sees the database as of one moment. */
  readsAtOnce?: Works;
  writes?: Works;
  /** Approximate bytes of the arguments of writes, of others {@link WEIGHT}. */
  weights?: Readonly<Record<string, (...args: never[]) => number>>;
};

/** Approximate bytes of the arguments of a write that has only a few. */
export const WEIGHT = 1000;

/** How the slices of a store reach its database. */
export type Runner = {
  read: <T>(work: () => Work<T>) => Promise<T>;
  /** As `read`, but other work takes its turns between the rows. */
  readInTurns: <T>(work: () => Work<T>) => Promise<T>;
  /** As of one moment, and as `readInTurns`. */
  readAtOnce: <T>(work: () => Work<T>) => Promise<T>;
  /** Commits a write of {@link writesOf}. */
  write: (name: string, args: unknown[], weight: number) => Promise<unknown>;
};

type Promised<W> = {
  [K in keyof W]: W[K] extends (...args: infer Args) => Work<infer T> ? (...args: Args) => Promise<T> : never;
};
export type Bound<S extends Slice> = Promised<
  S["reads"] & S["readsInTurns"] & S["readsAtOnce"] & S["writes"]
>;

/** Slices as the port has them, on a database. */
export function bindSlices<S extends Readonly<Record<string, Slice>>>(
  runner: Runner,
  slices: S,
): { [Noun in keyof S]: Bound<S[Noun]> } {
  const nouns = Object.entries(slices).map(([noun, slice]) => [noun, bindSlice(runner, noun, slice)]);
  return Object.fromEntries(nouns) as { [Noun in keyof S]: Bound<S[Noun]> };
}

type Call = (...args: unknown[]) => unknown;

function bindSlice(
  { read, readInTurns, readAtOnce, write }: Runner,
  noun: string,
  slice: Slice,
): Record<string, Call> {
  const calls: Record<string, Call> = {};
  for (const [name, work] of worksOf(slice.reads)) calls[name] = (...args) => read(() => work(...args));
  for (const [name, work] of worksOf(slice.readsInTurns))
    calls[name] = (...args) => readInTurns(() => work(...args));
  for (const [name, work] of worksOf(slice.readsAtOnce))
    calls[name] = (...args) => readAtOnce(() => work(...args));
  for (const [name] of worksOf(slice.writes)) {
    const weigh = slice.weights?.[name] as ((...args: unknown[]) => number) | undefined;
    calls[name] = (...args) => write(`${noun}.${name}`, args, weigh?.(...args) ?? WEIGHT);
  }
  return calls;
}

/** Slices as the port has them, in a thread that has no database: each call is passed on by the names of its noun and itself. */
export function nameSlices<S extends Readonly<Record<string, Slice>>>(
  call: (noun: string, name: string, args: unknown[]) => Promise<unknown>,
  slices: S,
): { [Noun in keyof S]: Bound<S[Noun]> } {
  const nouns = Object.entries(slices).map(([noun, { reads, readsInTurns, readsAtOnce, writes }]) => {
    const names = Object.keys({ ...reads, ...readsInTurns, ...readsAtOnce, ...writes });
    const calls = names.map((name): [string, Call] => [name, (...args) => call(noun, name, args)]);
    return [noun, Object.fromEntries(calls)];
  });
  return Object.fromEntries(nouns) as { [Noun in keyof S]: Bound<S[Noun]> };
}

type AnyWork = (...args: unknown[]) => Work<unknown>;

const worksOf = (works: Works = {}) => Object.entries(works) as [string, AnyWork][];

/** The writes of slices, by the names that a {@link Runner} is given. */
export function writesOf(slices: Readonly<Record<string, Slice>>): Map<string, AnyWork> {
  const named = Object.entries(slices).flatMap(([noun, { writes }]) =>
    worksOf(writes).map(([name, work]) => [`${noun}.${name}`, work] as const),
  );
  return new Map(named);
}
