import { type Command, Option } from "commander";
import type { Names, Operation, Output, Schemas } from "../../src/operations/operation.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { type Parse, action } from "../session/action.ts";
import type { Input } from "../session/input.ts";
import { type Item, listAll } from "../session/pages.ts";
import { ifRevision } from "../session/change-options.ts";
import type { Session } from "../session/session.ts";
import { confirmAll, eachOf, namesIn, requireOne } from "../session/several.ts";
import { type Head, declare } from "../session/verb.ts";

/** A verb that most nouns have; `P` is what its command line names, such as a segment of an environment. */
type Plain<P, S extends Schemas, N extends string> = Head & {
  parse: Parse<P>;
  operation: Operation<S, N>;
  /** The names in the path of the operation. Default: what the command line names. */
  names?: (place: P) => Names<N>;
};

function namesOf<P, N extends string>(place: P, names: ((place: P) => Names<N>) | undefined): Names<N> {
  return names ? names(place) : (place as Names<N>);
}

type Get<P, S extends Schemas, N extends string> = Plain<P, S, N> & {
  describe: (value: Output<S>, revision: number) => string;
};

/** Adds `get`, which shows one resource. */
export function addGet<P, S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { parse, operation, names, describe, ...head }: Get<P, S, N>,
): void {
  const run = async ({ client, print }: Session, place: P) => {
    const { value, revision } = await client.send(operation, { names: namesOf(place, names) });
    await print(value, describe(value as Output<S>, revision));
  };
  declare(noun, "get", head)
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

type List<P, S extends Schemas, N extends string> = Plain<P, S, N> & {
  /** Parameters of the request. */
  query?: (place: P) => Record<string, string>;
  head: string[];
  row: (item: Item<Output<S>>) => string[];
  /** Suggestion for an empty list. */
  none?: (place: P) => string;
};

/** Adds `list`, which shows all resources as a table. */
export function addList<P, S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { parse, operation, names, query, head: columns, row, none, ...head }: List<P, S, N>,
): void {
  const run = async ({ client, print, suggest }: Session, place: P) => {
    const listing = { names: names?.(place) ?? {}, query: query?.(place) ?? {} };
    const all = await listAll(client, operation, listing);
    await print(all, table(columns, all.map(row)));
    if (all.length === 0 && none) suggest(none(place));
  };
  declare(noun, "list ls", head)
    .addOption(fieldOption())
    .action(action(io, parse, run));
}

/** The option `--user` of a list of `things` that people have. */
export function ofUser(things: string) {
  return {
    options: [new Option("--user <user>", `only ${things} of this user`)],
    parse: ({ options: { user } }: Input): Record<string, string> =>
      typeof user === "string" ? { user } : {},
    query: (query: Record<string, string>) => query,
  };
}

type Deleting<S extends Schemas, N extends string> = { get: Operation<S, N>; delete: Operation };

type Delete<P, S extends Schemas, N extends string> = Omit<Plain<P, S, N>, "operation"> & {
  operations: Deleting<S, N> | ((place: P) => Deleting<S, N>);
  kind: string;
  /** The name or id of the resource, under the name of its field. */
  id: (place: P, found: Output<S>) => Record<string, string>;
  /** Location of the resource, in the question and the report. */
  of?: (place: P) => string;
  /** Additional text of the question. */
  more?: (found: Output<S>) => string;
  /** Runs once it is deleted. */
  after?: (place: P, session: Session) => Promise<void>;
};

/** Adds `delete`, which deletes resources once the person confirms. */
export function addDelete<P, S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { parse, operations, names, kind, id, of = () => "", more = () => "", after, ...head }: Delete<P, S, N>,
): void {
  type Values = { places: P[]; revision: number | undefined };
  const operationsFor = (place: P) => (typeof operations === "function" ? operations(place) : operations);
  const run = async (session: Session, { places, revision }: Values) => {
    const all = [];
    for (const place of places) {
      const sent = { names: namesOf(place, names) };
      const found = (await session.client.send(operationsFor(place).get, sent)).value as Output<S>;
      const named = id(place, found);
      all.push({ place, found, named, name: Object.values(named)[0]! });
    }
    const [first] = all;
    const allNames = all.map(({ name }) => name);
    if (all.length > 1) await confirmAll(session, kind, allNames);
    else if (first) await session.confirmDelete(kind, first.name, of(first.place) + more(first.found));
    await eachOf(session, all, async ({ client, report }, { place, named, name }) => {
      await client.send(operationsFor(place).delete, { names: namesOf(place, names), revision });
      await report({ ...named, result: "deleted" }, shown`deleted ${kind} ${name}${of(place)}\n`);
      await after?.(place, session);
    });
  };
  const read = async (input: Input, given?: string): Promise<Values> => {
    const wanted = namesIn(given);
    const revision = ifRevision(input.options);
    requireOne(wanted, revision);
    if (wanted.length === 0) return { places: [await parse(input)], revision };
    const places: P[] = [];
    for (const name of wanted) places.push(await parse(input, name));
    return { places, revision };
  };
  declare(noun, "delete", severalOf(head)).action(action(io, read, run));
}

/** A verb that takes any number of what it names. */
function severalOf<H extends Head>(head: H): H {
  const { argument } = head;
  return argument ? { ...head, argument: [argument[0].replace("]", "...]"), argument[1]] } : head;
}

type Revoke<S extends Schemas, N extends string> = Omit<Plain<string, S, N>, "parse" | "names"> & {
  names: (given: string) => Names<N>;
  kind: string;
  what: string;
  /** Parameters of the request, by the options. */
  query?: (input: Input) => Record<string, string>;
};

/** Adds `revoke`, also called `delete`, which ends resources at once. */
export function addRevoke<S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { kind, what, operation, names, query, ...head }: Revoke<S, N>,
): void {
  const read = async (input: Input, given?: string) => {
    const all = namesIn(given);
    return { all: all.length > 0 ? all : [await input.need(undefined, what)], asked: query?.(input) ?? {} };
  };
  const run = (session: Session, { all, asked }: Awaited<ReturnType<typeof read>>) =>
    eachOf(session, all, async ({ client, report }, name) => {
      await client.send(operation, { names: names(name), query: asked });
      await report({ [what]: name, result: "revoked" }, shown`revoked ${kind} ${name}\n`);
    });
  declare(noun, "revoke delete", severalOf(head)).action(action(io, read, run));
}
