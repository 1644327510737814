import type { Command, Option } from "commander";
import type { Names, Operation, Output, Schemas } from "../../src/operations/operation.ts";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Input } from "../session/input.ts";
import { type Item, listAll } from "../session/pages.ts";
import { ifRevision } from "../session/revision.ts";
import type { Session } from "../session/session.ts";
import { confirmAll, eachOf, namesIn, requireOne } from "../session/several.ts";

/** A verb that most nouns have; `P` is what its command line names, such as a segment of an environment. */
type Verb<P, S extends Schemas, N extends string> = {
  argument?: [name: string, description: string];
  description: string;
  options?: Option[];
  help?: string;
  parse: (input: Input, given?: string) => P | Promise<P>;
  operation: Operation<S, N>;
  names: (place: P) => Names<N>;
};

/** Parses the one name that a verb takes. */
export function named(what: string) {
  return (input: Input, given?: string): Promise<string> =>
    what === "form" ? input.form(given) : input.need(given, what);
}

function addVerb(
  noun: Command,
  name: string,
  verb: Pick<Verb<never, Schemas, string>, "description" | "argument" | "options" | "help">,
  takesSeveral = false,
): Command {
  const command = noun.command(name).description(verb.description);
  const [argument, about] = verb.argument ?? [];
  if (argument !== undefined)
    command.argument(takesSeveral ? argument.replace("]", "...]") : argument, about);
  command.withOptions(...(verb.options ?? []));
  if (verb.help !== undefined) command.after(verb.help);
  return command;
}

type Get<P, S extends Schemas, N extends string> = Verb<P, S, N> & {
  describe: (value: Output<S>, revision: number) => string;
};

/** Adds `get`, which shows one resource. */
export function addGet<P, S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { parse, operation, names, describe, ...verb }: Get<P, S, N>,
): void {
  addVerb(noun, "get", verb)
    .addOption(fieldOption())
    .action(
      action(io, parse, async ({ client, print }, place: P) => {
        const { value, revision } = await client.send(operation, { names: names(place) });
        await print(value, describe(value as Output<S>, revision));
      }),
    );
}

type List<P, S extends Schemas, N extends string> = Omit<Verb<P, S, N>, "names"> & {
  names?: (place: P) => Names<N>;
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
  { parse, operation, names, query, head, row, none, ...verb }: List<P, S, N>,
): void {
  addVerb(noun, "list", verb)
    .alias("ls")
    .addOption(fieldOption())
    .action(
      action(io, parse, async ({ client, print, suggest }, place: P) => {
        const listing = { names: names?.(place) ?? {}, query: query?.(place) ?? {} };
        const all = await listAll(client, operation, listing);
        await print(all, table(head, all.map(row)));
        if (all.length === 0 && none) suggest(none(place));
      }),
    );
}

type Deleting<S extends Schemas, N extends string> = { get: Operation<S, N>; delete: Operation };

type Delete<P, S extends Schemas, N extends string> = Omit<Verb<P, S, N>, "operation"> & {
  operations: Deleting<S, N> | ((place: P) => Deleting<S, N>);
  kind: string;
  /** The name or id of the resource, under the name of its field. */
  id: (place: P, found: Output<S>) => Record<string, string>;
  /** Location of the resource, in the question and the report. */
  of?: (place: P) => string;
  /** Additional text of the question. */
  more?: (found: Output<S>) => string;
};

/** Adds `delete`, which deletes resources once the person confirms. */
export function addDelete<P, S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  { parse, operations, names, kind, id, of, more, ...verb }: Delete<P, S, N>,
): void {
  type Values = { places: P[]; revision: number | undefined };
  const operationsFor = (place: P) => (typeof operations === "function" ? operations(place) : operations);
  const run = async (session: Session, { places, revision }: Values) => {
    const all = [];
    for (const place of places) {
      const found = (await session.client.send(operationsFor(place).get, { names: names(place) }))
        .value as Output<S>;
      const named = id(place, found);
      all.push({ place, found, named, name: Object.values(named)[0]! });
    }
    const [first] = all;
    if (all.length > 1)
      await confirmAll(
        session,
        kind,
        all.map(({ name }) => name),
      );
    else if (first)
      await session.confirmDelete(kind, first.name, (of?.(first.place) ?? "") + (more?.(first.found) ?? ""));
    await eachOf(session, all, async ({ client, report }, { place, named, name }) => {
      await client.send(operationsFor(place).delete, { names: names(place), revision });
      await report({ ...named, result: "deleted" }, shown`deleted ${kind} ${name}${of?.(place) ?? ""}\n`);
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
  addVerb(noun, "delete", verb, true).action(action(io, read, run));
}

/** Adds `revoke`, also called `delete`, which ends resources at once. */
export function addRevoke<S extends Schemas, N extends string>(
  noun: Command,
  io: Io,
  {
    kind,
    what,
    operation,
    names,
    query,
    ...verb
  }: Omit<Verb<string, S, N>, "parse"> & {
    kind: string;
    what: string;
    /** Parameters of the request, by the options. */
    query?: (input: Input) => Record<string, string>;
  },
): void {
  const read = async (input: Input, given?: string) => {
    const all = namesIn(given);
    return { all: all.length > 0 ? all : [await input.need(undefined, what)], asked: query?.(input) ?? {} };
  };
  addVerb(noun, "revoke", verb, true)
    .alias("delete")
    .action(
      action(io, read, (session, { all, asked }) =>
        eachOf(session, all, async ({ client, report }, name) => {
          await client.send(operation, { names: names(name), query: asked });
          await report({ [what]: name, result: "revoked" }, shown`revoked ${kind} ${name}\n`);
        }),
      ),
    );
}
