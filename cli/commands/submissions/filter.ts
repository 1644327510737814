import { clock } from "../../../src/base/clock.ts";
import { Option } from "commander";
import {
  FILTERS,
  FILTER_NAMES,
  type FilterName,
  type FilterQuery,
} from "../../../src/forms/inbox/filters.ts";
import type { SelectionBody } from "../../../src/operations/schema/submission-query-schema.ts";
import { isFieldFilter } from "../../output/field.ts";
import { shellWord } from "../../../src/base/shell.ts";
import { formFilter } from "../form-filter.ts";
import type { Input } from "../../session/input.ts";
import { usage } from "../../session/usage.ts";
import { pastTimeValue } from "../../session/values.ts";
import type { Taken } from "../../session/verb.ts";

/** Filter of a command's submissions. */
export type Filter = {
  /** The parameters of the admin API. */
  query: [name: string, value: string][];
  /** The options again, for the command of the next page. */
  words: string;
  folder: Folder;
  isSelective: boolean;
};

/** The options that select submissions. */
export function filterOptions(): Option[] {
  return FILTER_NAMES.map((name) => {
    const { kind, option, help } = FILTERS[name];
    const filter = new Option(`--${option}`, help);
    if (kind === "labels")
      return filter.argParser((text: string, all: string[] | undefined) => [...(all ?? []), text]);
    if (kind !== "matches") return filter;
    return filter.argParser(name === "flag" ? collectVariants : collectComparisons);
  });
}

/** The earlier name of `--where`, for commands that print no single field. */
export function earlierWhereOption(): Option {
  const option = new Option("--field <field=text>").argParser(collectComparisons).hideHelp();
  option.attributeName = () => "where";
  return option;
}

/** Not split at commas, which a text may contain. Throws `invalid` without a text to compare with. */
function collectComparisons(text: string, earlier: string[] | undefined): string[] {
  if (text.startsWith("=")) throw usage(`--where ${text} names no field`, `write --where FIELD${text}`);
  if (isFieldFilter(text)) return [...(earlier ?? []), text];
  const [name, value = "TEXT"] = text.split(/[:~]/);
  throw usage(`--where ${text} has no text to compare with`, `write --where ${name}=${value}`);
}

/** Throws `invalid` without a variant to compare with. */
function collectVariants(text: string, earlier: string[] | undefined): string[] {
  if (/^[^=]+=./.test(text)) return [...(earlier ?? []), text];
  const [flag = "FLAG"] = text.split(/[:=~]/);
  throw usage(`--flag ${text} has no variant to compare with`, `write --flag ${flag || "FLAG"}=VARIANT`);
}

/** The filter that the options describe. Throws `invalid`. */
export function filterIn(options: Record<string, unknown>, now: number): Filter {
  const given = FILTER_NAMES.flatMap((name) =>
    valuesOf(name, options, now).map((value): [FilterName, string] => [name, value]),
  );
  requireOrder(Object.fromEntries(given), options);
  const folder = folderOf(options);
  const words = given.map(([name, value]) =>
    FILTERS[name].kind === "switch" ? ` --${name}` : ` --${wordOf(name)} ${shellWord(value)}`,
  );
  return {
    query: folder === null ? given : [...given, ["state", folder]],
    words: [...words, ...(folder === null ? [] : [` --${folder}`])].join(""),
    folder,
    isSelective: given.length > 0,
  };
}

/** The name of the option of a filter. */
function wordOf(name: FilterName): string {
  return FILTERS[name].option.replace(/ .*/, "");
}

/** Throws `invalid` for a span of time that is empty. */
function requireOrder(
  { since, until }: { since?: string; until?: string },
  options: Record<string, unknown>,
): void {
  if (since === undefined || until === undefined || since < until) return;
  throw usage(
    `nothing is since ${String(options["since"])} and before ${String(options["until"])}`,
    "--since is the earlier of the two: --since 9d --until 7d",
  );
}

/** The values of a filter for the admin API, of the values of its options. */
function valuesOf(name: FilterName, options: Record<string, unknown>, now: number): string[] {
  const { kind } = FILTERS[name];
  if (name === "field") {
    const { where = [], field = [] } = options as { where?: string[]; field?: string[] };
    return [...where, ...field.filter(isFieldFilter)];
  }
  const given = options[name];
  if (given === undefined) return [];
  if (isListed(name)) return given as string[];
  if (kind === "time") return [pastTimeValue(given as string, `--${name}`, now)];
  return [kind === "switch" ? "true" : (given as string)];
}

/** Whether a filter may be given several times. */
function isListed(name: string): boolean {
  return FILTER_NAMES.some((each) => each === name && ["matches", "labels"].includes(FILTERS[each].kind));
}

/** The parameters of a filter, by name. */
export function parametersOf(query: Filter["query"]): FilterQuery {
  const byName = Map.groupBy(query, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, given]) => {
      const texts = given.map(([, text]) => text);
      return [name, isListed(name) ? texts : texts[0]];
    }),
  );
}

/** Folder to show; null is the command's default. */
type Folder = "spam" | "archived" | "unconfirmed" | "all" | null;

export function folderOptions(): Option[] {
  return [
    new Option("--spam", "only the spam folder, with the reason for each").conflicts([
      "archived",
      "unconfirmed",
      "all",
    ]),
    new Option("--archived", "only the archive").conflicts(["unconfirmed", "all"]),
    new Option("--unconfirmed", "only what waits for its senders to confirm").conflicts("all"),
    new Option("--all", "every folder, including spam"),
  ];
}

/** The folder that the options choose. */
function folderOf({ spam, archived, unconfirmed, all }: Record<string, unknown>): Folder {
  if (spam === true) return "spam";
  if (archived === true) return "archived";
  if (unconfirmed === true) return "unconfirmed";
  return all === true ? "all" : null;
}

/** Everything that options select, as the admin API takes it. */
export type Matching = { [Name in keyof SelectionBody]?: SelectionBody[Name] | undefined };

/** The options that select submissions in place of their ids. */
export function matchingOptions(verb: string): readonly Taken[] {
  return [
    [
      "--matching",
      `${verb} all submissions that the other options select, in the inbox if they name no folder`,
    ],
    ["--form <form>", "with --matching: only submissions of this form, by its slug or key"],
    "project of forms",
    ["--dry-run", "with --matching: only count"],
    ...folderOptions(),
    ...filterOptions(),
    earlierWhereOption(),
  ];
}

/** The selection of `--matching`; null without it. Throws `invalid` for its other options without it. */
export async function matchingIn(input: Input): Promise<Matching | null> {
  const { options } = input;
  const { matching, form, dryRun } = options as { matching?: true; form?: string; dryRun?: true };
  const { query } = filterIn(options, clock.now());
  if (matching === undefined) {
    if (form !== undefined || dryRun !== undefined || query.length > 0)
      throw usage(
        "options that select submissions go with --matching",
        "add --matching to select by options, in place of ids; --dry-run only counts",
      );
    return null;
  }
  const { unread, ...others } = parametersOf(query);
  return {
    ...others,
    ...(await formFilter(input)),
    ...(unread !== undefined && { unread: true }),
    ...(dryRun && { dryRun }),
  };
}

/** Throws `invalid` for a text that is no mail address. */
export function requireAddress(email: string): void {
  if (email === "") throw usage("--email is empty", "write --email ann@example.com");
  if (!email.includes("@"))
    throw usage(
      `--email ${email}: an address looks like ann@example.com`,
      "--search finds words, --where compares a field",
    );
}

export function counted(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "submission" : "submissions"}`;
}
