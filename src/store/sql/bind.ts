import { lazy } from "../../base/once.ts";
import { own } from "../../base/shapes/own.ts";
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

/** Slices by their nouns, each loaded when it is first used: a command needs few of them. */
export type Slices = Readonly<Record<string, () => Slice>>;

type BoundSlices<S extends Slices> = { [Noun in keyof S]: () => Bound<ReturnType<S[Noun]>> };

/** Slices as the port has them, on a database. */
export function bindSlices<S extends Slices>(runner: Runner, slices: S): BoundSlices<S> {
  return mapSlices(slices, (noun, slice) => bindSlice(runner, noun, slice));
}

function mapSlices<S extends Slices>(
  slices: S,
  bind: (noun: string, slice: Slice) => Record<string, Call>,
): BoundSlices<S> {
  const nouns = Object.entries(slices).map(([noun, load]) => [noun, lazy(() => bind(noun, load()))]);
  return Object.fromEntries(nouns) as BoundSlices<S>;
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
export function nameSlices<S extends Slices>(
  call: (noun: string, name: string, args: unknown[]) => Promise<unknown>,
  slices: S,
): BoundSlices<S> {
  return mapSlices(slices, (noun, { reads, readsInTurns, readsAtOnce, writes }) => {
    const names = Object.keys({ ...reads, ...readsInTurns, ...readsAtOnce, ...writes });
    return Object.fromEntries(
      names.map((name): [string, Call] => [name, (...args) => call(noun, name, args)]),
    );
  });
}

type AnyWork = (...args: unknown[]) => Work<unknown>;

const worksOf = (works: Works = {}) => Object.entries(works) as [string, AnyWork][];

/** Finds the writes of slices by the names that a {@link Runner} is given. */
export function writesOf(slices: Slices): (name: string) => AnyWork | undefined {
  const known = new Map<string, AnyWork | undefined>();
  return (name) => {
    const [noun = "", verb = ""] = name.split(".");
    if (!known.has(name))
      known.set(name, own(own(slices, noun)?.().writes ?? {}, verb) as AnyWork | undefined);
    return known.get(name);
  };
}
