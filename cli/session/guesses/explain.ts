import type { Command, Option } from "commander";
import { capacityOf, pathOf, readLine } from "../command-line.ts";
import { operandGuess, optionGuess, usageOf, valueGuess, verbGuess } from "./guess.ts";
import { nearestOf } from "./nearest.ts";
import { aliasHint, dashedHint, nounOf, verbOf } from "./nouns.ts";

/** The error for a command line that commander refuses. */
type Explanation = { message: string; hint: string | null };

/** Explains an error of commander about a command line; `program` has every command. */
export function explain(message: string, args: string[], program: Command): Explanation {
  if (message.startsWith("too many arguments")) return excessOf(args, program);
  const [, kind, word = ""] = /^unknown (option|command) '(.*)'$/.exec(message) ?? [];
  const name = word.replace(/=.*$/s, "");
  if (kind === "option")
    return { message: `unknown option '${name}'`, hint: optionHint(name, args, program) };
  if (kind === "command") return { message, hint: commandHint(word, args, program) };
  const [, argument] = /^missing required argument '(.*)'$/.exec(message) ?? [];
  if (argument !== undefined) return missing(argument, args, program);
  const [, flags = ""] = /^option '(.*)' argument missing$/.exec(message) ?? [];
  if (flags !== "") return { message, hint: `write ${exampleOf(flags)}` };
  const [, one, other] = /^option '(.*)' cannot be used with option '(.*)'$/.exec(message) ?? [];
  return { message, hint: one === undefined ? null : `leave out ${nameOf(one)}, or ${nameOf(other!)}` };
}

/** `--off <value>` of `-o, --off <value>`, for an address with an example. */
function exampleOf(flags: string): string {
  const text = flags.replace(/^-\w, /, "");
  return /^--(?:email|notify|alert-mail)\b/.test(text)
    ? `${text}, such as ${nameOf(text)} ann@example.com`
    : text;
}

/** `--off` of `-o, --off <value>`. */
function nameOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** A word without what may be secret in a URL: all but the address of a server. */
function masked(word: string): string {
  return /^https?:\/\/[\w.:[\]-]+\/?$/.test(word) ? word : word.replace(/^([\w.+-]*:\/\/).*$/s, "$1…");
}

function excessOf(args: string[], program: Command): Explanation {
  const { command, operands } = readLine(args, program);
  const path = pathOf(command);
  const words = operands.map(({ word }) => masked(word));
  const names = command.registeredArguments.map((each) => `<${each.name()}>`).join(" ");
  const excess = operands.slice(capacityOf(command));
  const [word = "", ...others] = excess.map((each) => masked(each.word));
  const hint =
    valueHint(excess[0]) ??
    operandGuess(command, word) ??
    valueGuess(word, command, args) ??
    operandGuess(command, word, true) ??
    oneHint([word, ...others], command, args);
  return {
    message: `formflag ${path} takes ${names === "" ? "no argument" : names}, not ${words.join(" ")}`,
    hint: hint ?? `formflag ${path} --help shows its options`,
  };
}

/** The hint for words that nothing else explains: their places, or that the command takes one at a time; null without one. */
function oneHint(words: readonly string[], command: Command, args: readonly string[]): string | null {
  const argument = command.registeredArguments.at(-1)?.name();
  const noun = pathOf(command.parent ?? command);
  const single = noun.replace(/s$/, "");
  const last = argument === "name" || argument === "id" ? single : argument;
  const places = placeHint(words, command, args);
  if (last === "text") return "a text with spaces is put into quotes";
  if (last !== undefined)
    return `one ${last} at a time${places ? `; ${places}` : `: repeat it for ${words[0]}`}`;
  if (places !== "") return places;
  const get = command.parent?.commands.find((each) => each.name() === "get");
  return command.name() === "list" && get?.registeredArguments.length
    ? `formflag ${noun} get ${words[0]} shows one ${single}`
    : null;
}

const USUAL_ENVIRONMENT = /^(?:prod|production|live|stag(?:e|ing)|dev|develop|development|test|qa|preview)$/;

/** The options of project and environment that words are the values of; empty if the command line has them already. */
function placeHint(words: readonly string[], command: Command, args: readonly string[]): string {
  const missing = [
    ["--project", "-p", "project"],
    ["--environment", "-e", "environment"],
  ].filter(
    ([long, short]) =>
      command.options.some((option) => option.long === long) &&
      !args.some((each) => each === long || each === short || each.startsWith(`${long}=`)),
  );
  if (words.length === 1 && missing.length > 1 && USUAL_ENVIRONMENT.test(words[0]!)) missing.shift();
  const named = missing.slice(0, words.length);
  if (named.length === 0) return "";
  const are = named.length === 1 ? "is an option" : "are options";
  const values = named.map(([, short], at) => `${short} ${words[at]}`).join(" ");
  return `the ${named.map(([, , what]) => what).join(" and the ")} ${are}: ${values}`;
}

/** The hint for a word that belongs to the value before it, such as `--max-file-size 10 MB`. */
function valueHint(operand: ReturnType<typeof readLine>["operands"][number] | undefined): string | null {
  const option = operand?.after?.option;
  if (option?.optional && /^\d+[a-z]+$/.test(operand!.word))
    return `a time follows an equals sign: ${option.long}=${operand!.word}`;
  if (option?.flags.includes("<json>")) return `${option.long} takes JSON`;
  if (!option?.required || !/size|text|name|why|description|message|subject|time|search/.test(option.flags))
    return null;
  return `a value with spaces is put into quotes: ${option.long} '… ${operand!.word}'`;
}

function missing(argument: string, args: string[], program: Command): Explanation {
  const { command } = readLine(args, program);
  const choices = command.registeredArguments.find((each) => each.name() === argument)?.argChoices;
  const example = choices?.[0] ?? `<${argument}>`;
  const among = choices ? `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}: ` : "";
  return { message: `the ${argument} is missing`, hint: `${among}formflag ${pathOf(command)} ${example}` };
}

function optionHint(word: string, args: string[], program: Command): string | null {
  const { command } = readLine(args, program);
  const path = pathOf(command);
  const known = optionsOf(command).map(({ long }) => long!);
  if (known.includes(word)) return `${word} takes no value`;
  const guess = optionGuess(command, word) ?? argumentHint(word, command);
  if (guess !== null) return guess.replaceAll("$1", () => valueOf(word, args) ?? "10");
  const near = nearestOf(word, known, true);
  if (near !== null) return `(Did you mean ${near}?)`;
  const longer = known.filter((each) => word.length > 4 && hasPart(each, word)).slice(0, 3);
  if (longer.length > 0) return `(Did you mean ${longer.join(" or ")}?)`;
  const owners = ownersOf(word, command, program);
  if (owners.length > 0 && command.commands.length > 0) {
    const meant =
      owners.find((each) => args.join(" ").includes(each)) ?? verbIn(word, args, program) ?? owners[0];
    return `options of a command follow it, as in formflag ${meant} ${word}`;
  }
  if (owners.length > 0) return `it is an option of ${owners.map((each) => `formflag ${each}`).join(", ")}`;
  // One with the same first word, as `--acme-foo` has with `--acme-url`.
  const family = /^--\w+-/.exec(word)?.[0];
  const kin = known.filter((each) => family !== undefined && each.startsWith(family)).slice(0, 4);
  if (kin.length > 0) return `(Did you mean ${kin.join(" or ")}?)`;
  return path === "" ? null : `formflag ${path} --help shows its options`;
}

/** The value that was given to an option, without the sign of a share; undefined for none. */
function valueOf(option: string, args: readonly string[]): string | undefined {
  const joined = args.find((each) => each.startsWith(`${option}=`))?.slice(option.length + 1);
  const value = joined ?? args[args.indexOf(option) + 1];
  return value?.startsWith("-") ? undefined : value?.replace(/\s?%$/, "");
}

/** The hint for an option that stands for the argument of a command, as `--form` does in `submissions list`; null for others. */
function argumentHint(word: string, command: Command): string | null {
  const [argument] = command.registeredArguments;
  if (!argument) return null;
  const what = argument.name();
  const noun = command.parent?.name().replace(/s$/, "");
  const names = [what, noun, `${what}-key`, `${what}-id`, "name", "slug", "id", "key", "file"];
  const isMeant =
    names.some((name) => word === `--${name}`) ||
    (word === "-p" && what === "project") ||
    (word === "-e" && what === "environment");
  const example = argument.argChoices ? `${pathOf(command)} ${argument.argChoices[0]}` : usageOf(command);
  return isMeant ? `the ${what} follows the command: formflag ${example}` : null;
}

/** The noun and the verb that stand behind an option of their own: `flags list` of `-p shop flags list`. */
function verbIn(option: string, args: readonly string[], program: Command): string | null {
  for (const [at, word] of args.entries()) {
    const noun = program.commands.find((each) => each.name() === word);
    const verb = noun?.commands.find((each) => each.name() === args[at + 1]);
    if (verb?.options.some(({ long, short }) => long === option || short === option)) return pathOf(verb);
  }
  return null;
}

/** Whether a word begins or continues an option, as `--rate` and `--limit` do with `--rate-limit`. */
function hasPart(option: string, word: string): boolean {
  return `-${option.slice(2)}`.includes(word.slice(1));
}

function optionsOf(command: Command): readonly Option[] {
  return command.parent ? [...command.options, ...optionsOf(command.parent)] : command.options;
}

/** The commands with an option: those of the same noun, or else up to three others. */
function ownersOf(word: string, command: Command, program: Command): string[] {
  const having = (root: Command): string[] => [
    ...(root.options.some(({ long, short, hidden }) => !hidden && (long === word || short === word))
      ? [pathOf(root)]
      : []),
    ...root.commands.flatMap(having),
  ];
  const noun = command.parent?.parent ? command.parent : command;
  const near = having(noun);
  return (near.length > 0 ? near : having(program)).slice(0, 3);
}

function commandHint(word: string, args: string[], program: Command): string | null {
  const { command, operands } = readLine(args, program);
  // The word after an unknown option may be its value.
  const rest = operands
    .slice(1)
    .filter(({ word: each }) => !args.slice(0, args.indexOf(each)).some((other) => other.startsWith("-")))
    .map((each) => each.word);
  // `rollout undo` means another thing than `rollout`.
  const both = verbGuess(command, `${word}_${rest[0]}`);
  if (both !== null) return withFlag(both, rest[1]);
  if (command === program) {
    const flags = program.commands.find((each) => each.name() === "flags");
    return turnHint([word, ...rest], flags!, args) ?? topHint(word, rest, program);
  }
  const known = verbGuess(command, word);
  if (known !== null) return withFlag(known, rest[0]);
  const verbs = command.commands.map((each) => each.name());
  const synonym = verbOf(command, word);
  if (synonym !== undefined) return `type formflag ${pathOf(command)} ${synonym}`;
  const near = nearestOf(word, [...verbs, "help"], true);
  if (near !== null) return `(Did you mean ${near}?)`;
  const turned = turnHint([word, ...rest], command, args);
  if (turned !== null) return turned;
  const [next = ""] = rest;
  const meant = ON.test(next) ? "enable" : OFF.test(next) ? "disable" : verbs.length === 1 ? verbs[0]! : next;
  const owner = command.commands.find((each) => each.name() === "list")?.registeredArguments[0]?.name();
  const listed = owner ? `formflag ${pathOf(command)} list ${masked(word)} lists those of a ${owner}; ` : "";
  const all = `${listed}its commands are ${verbs.join(", ")}`;
  return verbs.includes(meant)
    ? `the verb comes first: formflag ${pathOf(command)} ${meant} ${word}; ${all}`
    : all;
}

const TURN = /^(?:turn|switch|flip|put)$/;

/** The command that `turn on x` and `turn x off` mean, with the place that was named. */
function turnHint([word = "", ...rest]: string[], command: Command, args: readonly string[]): string | null {
  const state = rest.find((each) => ON.test(each) || OFF.test(each));
  const verb = state !== undefined && ON.test(state) ? "enable" : "disable";
  if (!TURN.test(word) || state === undefined || !command.commands.some((each) => each.name() === verb))
    return null;
  const name = rest.find((each) => each !== state) ?? `<${command.name().replace(/s$/, "")}>`;
  const place = args.flatMap((each, at) =>
    /^(?:-[pe]|--project|--environment)$/.test(each) ? [each, args[at + 1] ?? ""] : [],
  );
  return `type formflag ${[pathOf(command), verb, masked(name), ...place].join(" ")}`;
}

const ON = /^(?:on|true|yes)$/i;
const OFF = /^(?:off|false|no)$/i;

/** A command with the flag that was named, in place of `<flag>`. */
function withFlag(hint: string, name = ""): string {
  const isName = /^[a-z\d][\w.-]*$/i.test(name) && !ON.test(name) && !OFF.test(name);
  return hint.startsWith("type ") && isName ? hint.replace("<flag>", name) : hint;
}

function topHint(word: string, [next = "", ...others]: string[], program: Command): string | null {
  // `create form contact` is `forms create contact`.
  const noun = nounOf(next, program);
  const meant = aliasHint(word, next, others, program);
  if (meant !== null) return meant;
  const verb = noun && (word === "get" && others.length === 0 ? verbOf(noun, "list") : verbOf(noun, word));
  if (verb !== undefined) return `type formflag ${[noun!.name(), verb, ...others].join(" ")}`;
  const plural = nounOf(word, program)?.name();
  if (plural !== undefined) return `(Did you mean ${plural}?)`;
  const known = verbGuess(program, word) ?? dashedHint(word, program);
  if (known !== null) return withFlag(known, next);
  const nouns = program.commands.map((each) => each.name());
  const near = nearestOf(word, [...nouns, "help"], true);
  return near === null ? "formflag --help lists the commands" : `(Did you mean ${near}?)`;
}
