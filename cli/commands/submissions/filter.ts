import { type Command, Option } from "commander";
import {
  FILTERS,
  FILTER_NAMES,
  type FilterName,
  type FilterQuery,
} from "../../../src/forms/inbox/filters.ts";
import type { SelectionBody } from "../../../src/operations/schema/submission-query-schema.ts";
import { collectFields, isFieldFilter } from "../../output/field.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { usage } from "../../session/usage.ts";
import { pastTimeValue } from "../../session/values.ts";

/** Filter of a command's submissions. */
export type Filter = {
  /** The parameters of the admin API. */
  query: [name: string, value: string][];
  /** The options again, for the command of the next page. */
  words: string;
  folder: Folder;
  isSelective: boolean;
};

/** The options that select submissions, but `--field`, which differs between commands. */
export function filterOptions(): Option[] {
  return FILTER_NAMES.filter((name) => name !== "field").map(optionOf);
}

/** The `--field` of a command that prints no single field. */
export function fieldFilterOption(): Option {
  return optionOf("field").argParser(collectFields);
}

function optionOf(name: FilterName): Option {
  return new Option(`--${FILTERS[name].option}`, FILTERS[name].help);
}

/** The filter that the options describe. Throws `invalid`. */
export function filterIn(options: Record<string, unknown>, now: number): Filter {
  const given = FILTER_NAMES.flatMap((name) =>
    valuesOf(name, options[name], now).map((value): [FilterName, string] => [name, value]),
  );
  const folder = folderOf(options);
  const words = given.map(([name, value]) =>
    FILTERS[name].kind === "switch" ? ` --${name}` : ` --${name} ${shellWord(value)}`,
  );
  return {
    query: folder === null ? given : [...given, ["state", folder]],
    words: [...words, ...(folder === null ? [] : [` --${folder}`])].join(""),
    folder,
    isSelective: given.length > 0,
  };
}

/** The values of a filter for the admin API, of the value of its option. */
function valuesOf(name: FilterName, given: unknown, now: number): string[] {
  if (given === undefined) return [];
  const { kind } = FILTERS[name];
  if (kind === "fields") return (given as string[]).filter(isFieldFilter);
  if (kind === "time") return [pastTimeValue(given as string, `--${name}`, now)];
  return [kind === "switch" ? "true" : (given as string)];
}

/** The parameters of a filter, by name: its fields are a list. */
export function parametersOf(query: Filter["query"]): FilterQuery {
  const field = query.filter(([name]) => name === "field").map(([, text]) => text);
  const others = Object.fromEntries(query.filter(([name]) => name !== "field"));
  return { ...others, ...(field.length > 0 && { field }) };
}

/** Throws `invalid` for a `--field` that filters nothing. */
export function checkFieldFilter(options: Record<string, unknown>): void {
  const other = ((options["field"] ?? []) as string[]).find((each) => !isFieldFilter(each));
  if (other !== undefined)
    throw usage(`--field ${other} has no text to compare with`, `write --field ${other}=TEXT`);
}

/** Folder to show; null is the command's default. */
type Folder = "spam" | "archived" | "all" | null;

export function folderOptions(): Option[] {
  return [
    new Option("--spam", "only the spam folder, with the reason for each").conflicts(["archived", "all"]),
    new Option("--archived", "only the archive").conflicts("all"),
    new Option("--all", "everything, spam too"),
  ];
}

/** The folder that the options choose. */
function folderOf({ spam, archived, all }: Record<string, unknown>): Folder {
  if (spam === true) return "spam";
  if (archived === true) return "archived";
  return all === true ? "all" : null;
}

/** Everything that options select, as the admin API takes it. */
export type Matching = { [Name in keyof SelectionBody]?: SelectionBody[Name] | undefined };

/** Adds the options that select submissions in place of their ids. */
export function addMatchingOptions(command: Command, verb: string): void {
  command
    .option("--matching", `${verb} all that the other options select, in the inbox if they name no folder`)
    .option("--form <form>", "with --matching: only those of a form, by its slug or key")
    .option("--dry-run", "with --matching: only count");
  for (const option of [...folderOptions(), ...filterOptions(), fieldFilterOption()])
    command.addOption(option);
}

/** The selection of `--matching`; null without it. Throws `invalid` for its other options without it. */
export function matchingIn(options: Record<string, unknown>): Matching | null {
  const { matching, form, dryRun } = options as { matching?: true; form?: string; dryRun?: true };
  checkFieldFilter(options);
  const { query } = filterIn(options, Date.now());
  if (matching === undefined) {
    if (form !== undefined || dryRun !== undefined || query.length > 0)
      throw usage("options that select submissions go with --matching");
    return null;
  }
  const { unread, ...others } = parametersOf(query);
  return {
    ...others,
    ...(form !== undefined && { form }),
    ...(unread !== undefined && { unread: true }),
    ...(dryRun && { dryRun }),
  };
}

export function counted(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "submission" : "submissions"}`;
}
