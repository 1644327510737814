import { Option } from "commander";

/** What to show instead of what a command shows by default, which is null. */
export type Folder = "spam" | "archived" | "all" | null;

export function folderOptions(): Option[] {
  return [
    new Option("--spam", "only the spam folder, with the reason for each").conflicts(["archived", "all"]),
    new Option("--archived", "only the archive").conflicts("all"),
    new Option("--all", "everything, spam too"),
  ];
}

/** The folder that the options choose. */
export function folderOf({ spam, archived, all }: Record<string, unknown>): Folder {
  if (spam === true) return "spam";
  if (archived === true) return "archived";
  return all === true ? "all" : null;
}
