import { own } from "../../../src/base/shapes/own.ts";
import type { Command, Option } from "commander";
import { capacityOf, pathOf, readLine } from "../command-line.ts";
import { COMMAND_GUESSES, SYNONYMS, VERB_GUESSES, guessIn } from "./commands.ts";
import { operandGuess } from "./operands.ts";
import { OPTION_GUESSES } from "./options.ts";
import { nearestOf } from "./nearest.ts";
import { FOREIGN_WORDS } from "./words.ts";

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

/** A word without what may be secret in a URL. */
function masked(word: string): string {
  return word.replace(/^([\w.+-]*:\/\/).*$/s, "$1…");
}

function excessOf(args: string[], program: Command): Explanation {
  const { command, operands } = readLine(args, program);
  const path = pathOf(command);
  const words = operands.map(({ word }) => masked(word));
  const names = command.registeredArguments.map((each) => `<${each.name()}>`).join(" ");
  const excess = operands.slice(capacityOf(command));
  const word = masked(excess[0]?.word ?? "");
  const places = placeHint(
    excess.map((each) => masked(each.word)),
    command,
    args,
  );
  const guess = operandGuess(path, word)
    ?.split("; ")
    .map((part) => (part === "$P" ? places : part.replaceAll("$0", word)))
    .filter((part) => part !== "");
  const [, given] = /^the .* is an option: (--[\w-]+) /.exec(guess?.[0] ?? "") ?? [];
  const isOwn = command.options.some(({ long }) => long === given);
  if (isOwn && guess && args.includes(given!))
    guess[0] = `${given} takes one value: repeat the command with ${given} ${word}`;
  const takes = names === "" ? "no argument" : names;
  return {
    message: `formflag ${path} takes ${takes}, not ${words.join(" ")}`,
    hint: valueHint(excess[0]) ?? (guess?.join("; ") || `formflag ${path} --help shows its options`),
  };
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
  const known = OPTION_GUESSES.find(
    ([commands, options]) => commands.test(path) && options.split(" ").includes(word),
  );
  if (known) return known[2];
  const own = optionsOf(command).map(({ long }) => long!);
  const near = nearestOf(word, own, true);
  if (near !== null) return `(Did you mean ${near}?)`;
  const longer = own.filter((each) => word.length > 4 && hasPart(each, word)).slice(0, 3);
  if (longer.length > 0) return `(Did you mean ${longer.join(" or ")}?)`;
  const owners = ownersOf(word, command, program);
  if (owners.length > 0 && command.commands.length > 0) {
    const meant =
      owners.find((each) => args.join(" ").includes(each)) ?? verbIn(word, args, program) ?? owners[0];
    return `options of a command follow it, as in formflag ${meant} ${word}`;
  }
  if (owners.length > 0) return `it is an option of ${owners.map((each) => `formflag ${each}`).join(", ")}`;
  return path === "" ? null : `formflag ${path} --help shows its options`;
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
  if (command === program) {
    const flags = program.commands.find((each) => each.name() === "flags");
    return turnHint([word, ...rest], flags!, args) ?? topHint(word, rest, program);
  }
  const known = guessIn(own(VERB_GUESSES, command.name()), word);
  if (known !== null) return known;
  const verbs = command.commands.map((each) => each.name());
  const synonym = SYNONYMS.filter((row) => row.includes(word)).flatMap((row) =>
    row.filter((each) => verbs.includes(each)),
  );
  if (synonym.length > 0) return `type formflag ${pathOf(command)} ${synonym[0]}`;
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

/** The hint for a noun and a verb in one word, such as `list-flags`, `flags:list` or `createForm`. */
function dashedHint(word: string, program: Command): string | null {
  const parts = word
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[-:._/]/);
  if (parts.length !== 2) return null;
  for (const [noun, verb] of [parts, parts.toReversed()] as [string, string][]) {
    const named = program.commands.find((each) => [noun, `${noun}s`].includes(each.name()));
    const verbs = named?.commands.map((each) => each.name()) ?? [];
    const meant = [[verb], ...SYNONYMS.filter((row) => row.includes(verb))].flat();
    const known = meant.find((each) => verbs.includes(each));
    if (known !== undefined) return `type formflag ${named!.name()} ${known}`;
  }
  return null;
}

function topHint(word: string, [next = "", ...others]: string[], program: Command): string | null {
  const nouns = program.commands.map((each) => each.name());
  const nounOf = (text: string) =>
    nouns.find((each) => text !== "" && (each === text || each === `${text}s`));
  // `create form contact` is `forms create contact`.
  const noun = nounOf(next);
  const verbs =
    program.commands.find((each) => each.name() === noun)?.commands.map((each) => each.name()) ?? [];
  const row = [[word], ...SYNONYMS.filter((each) => each.includes(word))].flat();
  const verb = row.find((each) => verbs.includes(each));
  if (noun !== undefined && word === "get" && others.length === 0 && verbs.includes("list"))
    return `type formflag ${noun} list`;
  if (noun !== undefined && verb !== undefined) return `type formflag ${[noun, verb, ...others].join(" ")}`;
  const plural = nounOf(word);
  if (plural !== undefined) return `(Did you mean ${plural}?)`;
  const known = guessIn(COMMAND_GUESSES, word) ?? guessIn(FOREIGN_WORDS, word) ?? dashedHint(word, program);
  if (known !== null) return known;
  const near = nearestOf(word, [...nouns, "help"], true);
  return near === null ? "formflag --help lists the commands" : `(Did you mean ${near}?)`;
}
