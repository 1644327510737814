import { Option } from "commander";
import { collectFields, isFieldFilter } from "../../output/field.ts";
import { shellWord } from "../../output/text.ts";
import { usage } from "../../session/usage.ts";
import { pastTimeValue } from "../../session/values.ts";
import { type Folder, folderOf } from "./folder.ts";

/** Which submissions a command is about. */
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
  return [
    new Option(
      "--search <text>",
      "only those with all these words in values or file names; the last may be incomplete",
    ),
    new Option("--since <time>", "only those from a time on, such as 7d back from now, or 2027-01-31"),
    new Option("--until <time>", "only those before a time"),
    new Option("--unread", "only unread ones"),
  ];
}

/** The `--field` of a command that prints no single field. */
export function fieldFilterOption(): Option {
  return new Option(
    "--field <name=text>",
    "only those whose field equals the text, without regard to case; may be repeated",
  ).argParser(collectFields);
}

/** The filter that the options describe. Throws `invalid`. */
export function filterIn(options: Record<string, unknown>, now: number): Filter {
  const { search, since, until, unread } = options as Record<string, string | undefined>;
  const fields = ((options["field"] ?? []) as string[]).filter(isFieldFilter);
  const folder = folderOf(options);
  const times = Object.entries({ since, until }).flatMap(([name, text]): [string, string][] =>
    text === undefined ? [] : [[name, pastTimeValue(text, `--${name}`, now)]],
  );
  const given: [string, string][] = [
    ...(search === undefined ? [] : [["search", search] as [string, string]]),
    ...fields.map((each): [string, string] => ["field", each]),
    ...times,
  ];
  const flags = [...(unread === undefined ? [] : ["unread"]), ...(folder === null ? [] : [folder])];
  return {
    query: [
      ...given,
      ...(unread === undefined ? [] : [["unread", "true"] as [string, string]]),
      ...(folder === null ? [] : [["state", folder] as [string, string]]),
    ],
    words: [
      ...given.map(([name, value]) => ` --${name} ${shellWord(value)}`),
      ...flags.map((flag) => ` --${flag}`),
    ].join(""),
    folder,
    isSelective: given.length > 0 || unread !== undefined,
  };
}

/** Throws `invalid` for a `--field` that filters nothing. */
export function checkFieldFilter(options: Record<string, unknown>): void {
  const other = ((options["field"] ?? []) as string[]).find((each) => !isFieldFilter(each));
  if (other !== undefined)
    throw usage(`--field ${other} has no text to compare with`, `write --field ${other}=TEXT`);
}
