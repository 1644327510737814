import type { Command, Option } from "commander";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { shown, table } from "../output/text.ts";
import { action } from "../session/action.ts";
import type { Input } from "../session/input.ts";
import { listAll } from "../session/pages.ts";
import { ifRevision } from "../session/revision.ts";
import type { Session } from "../session/session.ts";

/** A verb that most nouns have; `P` is what its command line names, such as a segment of an environment. */
type Verb<P> = {
  argument?: [name: string, description: string];
  description: string;
  options?: Option[];
  help?: string;
  parse: (input: Input, given?: string) => P | Promise<P>;
  url: (place: P) => string;
};

/** Parses the one name that a verb takes. */
export function named(what: string) {
  return (input: Input, given?: string): Promise<string> => input.need(given, what);
}

function addVerb(
  noun: Command,
  name: string,
  verb: Pick<Verb<never>, "description" | "argument" | "options" | "help">,
): Command {
  const command = noun.command(name).description(verb.description);
  if (verb.argument) command.argument(...verb.argument);
  for (const option of verb.options ?? []) command.addOption(option);
  if (verb.help !== undefined) command.addHelpText("after", verb.help);
  return command;
}

type Get<P, T> = Verb<P> & { describe: (value: T, revision: number) => string };

/** Adds `get`, which shows one resource. */
export function addGet<P, T>(noun: Command, io: Io, { parse, url, describe, ...verb }: Get<P, T>): void {
  addVerb(noun, "get", verb)
    .addOption(fieldOption())
    .action(
      action(io, parse, async ({ client, print }, place: P) => {
        const { value, revision } = await client.callAt<T>("GET", url(place));
        await print(value, describe(value, revision));
      }),
    );
}

type List<P, T> = Verb<P> & {
  /** Parameters of the request. */
  query?: (place: P) => Record<string, string>;
  /** Name of the list in the answer. */
  items: string;
  head: string[];
  row: (item: T) => string[];
  /** What to suggest where the list is empty. */
  none?: (place: P) => string;
};

/** Adds `list`, which shows all resources as a table. */
export function addList<P, T>(
  noun: Command,
  io: Io,
  { parse, url, query, items, head, row, none, ...verb }: List<P, T>,
): void {
  addVerb(noun, "list", verb)
    .alias("ls")
    .addOption(fieldOption())
    .action(
      action(io, parse, async ({ client, print, suggest }, place: P) => {
        const all = await listAll<T>(client, url(place), items, { query: query?.(place) ?? {} });
        await print(all, table(head, all.map(row)));
        if (all.length === 0 && none) suggest(none(place));
      }),
    );
}

type Delete<P, T> = Verb<P> & {
  kind: string;
  /** The name or id of the resource, under the name of its field. */
  id: (place: P, found: T) => Record<string, string>;
  /** Where it is, in the question and the report. */
  of?: (place: P) => string;
  /** What the question says on top of that. */
  more?: (found: T) => string;
};

/** Adds `delete`, which deletes one resource once the person confirms. */
export function addDelete<P, T>(
  noun: Command,
  io: Io,
  { parse, url, kind, id, of, more, ...verb }: Delete<P, T>,
): void {
  const run = async (
    { client, confirmDelete, report }: Session,
    { place, headers }: { place: P; headers: Record<string, string> },
  ) => {
    const found = await client.call<T>("GET", url(place));
    const names = id(place, found);
    const [name, where] = [Object.values(names)[0]!, of?.(place) ?? ""];
    await confirmDelete(kind, name, where + (more?.(found) ?? ""));
    await client.call("DELETE", url(place), undefined, headers);
    await report({ ...names, result: "deleted" }, shown`deleted ${kind} ${name}${where}\n`);
  };
  const read = async (input: Input, given?: string) => ({
    place: await parse(input, given),
    headers: ifRevision(input.options),
  });
  addVerb(noun, "delete", verb).action(action(io, read, run));
}

/** Adds `revoke`, which ends one resource at once. */
export function addRevoke(
  noun: Command,
  io: Io,
  { kind, what, url, ...verb }: Omit<Verb<string>, "parse"> & { kind: string; what: string },
): void {
  addVerb(noun, "revoke", verb).action(
    action(io, named(what), async ({ client, report }, name) => {
      await client.call("DELETE", url(name));
      await report({ [what]: name, result: "revoked" }, shown`revoked ${kind} ${name}\n`);
    }),
  );
}
