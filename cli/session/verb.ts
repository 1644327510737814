import { type Command, Option } from "commander";
import { fieldOption } from "../output/field.ts";
import type { Io } from "../output/terminal.ts";
import { type Begins, type Parse, type Run, action } from "./action.ts";
import { environmentOption, environmentsOption, formProjectOption, projectOption } from "./config.ts";
import type { Input } from "./input.ts";
import { revisionOption, whyOption } from "./change-options.ts";

/** The options that many verbs have, by a word for each. */
const SHARED = {
  project: projectOption,
  "project of forms": formProjectOption,
  environment: environmentOption,
  environments: environmentsOption,
  revision: revisionOption,
  why: whyOption,
  field: fieldOption,
};

/** An option of a verb: the word of a shared one, the flags and the help of one without a parser, with its default, or one of its own. */
export type Taken = keyof typeof SHARED | readonly [flags: string, help: string, preset?: string] | Option;

export type Argument = readonly [name: string, description: string, preset?: string];

/** The help of a verb: its argument, its options in their order, and a text behind them. */
export type Head = {
  argument?: Argument;
  second?: Argument;
  /** The usage, for a verb whose arguments do not describe it. */
  usage?: string;
  description?: string;
  /** Whether it is meant where the noun is followed by no verb. */
  isDefault?: true;
  options?: readonly Taken[];
  help?: string;
};

/** Adds a verb to a noun. */
type Add = (noun: Command, io: Io) => Command;

/** A verb on the admin API: what it takes, how it reads that, and what it does. Its names are separated by spaces. */
export function verb<T>(
  names: string,
  { parse, run, ...rest }: Head & Begins & { parse: Parse<T>; run: Run<T> },
): Add {
  return (noun, io) => declare(noun, names, rest).action(action(io, parse, run, rest));
}

/** The same for a noun without verbs; `guesses` are as in {@link heard}, in a raw template. */
export function lone<T>({
  parse,
  run,
  guesses = "",
  ...rest
}: Head & Begins & { guesses?: string; parse: Parse<T>; run: Run<T> }): (noun: Command, io: Io) => void {
  return (noun, io) => {
    describe(Object.assign(noun, { heard: guesses }), rest).action(action(io, parse, run, rest));
  };
}

/** Adds a verb with its help and its options. */
export function declare(noun: Command, names: string, head: Head): Command {
  const [name = "", ...aliases] = names.split(" ");
  return describe(noun.command(name, { isDefault: head.isDefault ?? false }).aliases(aliases), head);
}

function describe(command: Command, { argument, second, usage, description, options, help }: Head): Command {
  if (description !== undefined) command.description(description);
  if (argument) command.argument(...argument);
  if (second) command.argument(...second);
  if (usage !== undefined) command.usage(usage);
  for (const each of options ?? []) command.addOption(optionOf(each));
  return help === undefined ? command : command.after(help);
}

function optionOf(taken: Taken): Option {
  if (taken instanceof Option) return taken;
  if (typeof taken === "string") return SHARED[taken]();
  const [flags, help, preset] = taken;
  const option = new Option(flags, help);
  return preset === undefined ? option : option.default(preset);
}

/** Reads a thing of an environment: its name, and the environment of `-p` and `-e`. Prompts for what is missing. */
export function inEnvironment<N extends string>(
  thing: N,
  what = "name",
): Reads<N | "project" | "environment"> {
  return async (input, given) => {
    const name = await input.need(given, what);
    return { ...(await input.place()), [thing]: name } as Record<N | "project" | "environment", string>;
  };
}

/** Reads a thing of a project: its name, and the project of `-p`. Prompts for what is missing. */
export function inProject<N extends string>(thing: N, what = "name"): Reads<N | "project"> {
  return async (input, given) => {
    const name = await input.need(given, what);
    return { project: await input.project(), [thing]: name } as Record<N | "project", string>;
  };
}

type Reads<N extends string> = (input: Input, given?: string) => Promise<Record<N, string>>;

/** Parses the one name that a verb takes. */
export function named(what: string) {
  return (input: Input, given?: string): Promise<string> =>
    what === "form" ? input.form(given) : input.need(given, what);
}
