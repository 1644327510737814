import { Option } from "commander";

/** What to show instead of what a command shows by default, which is null. */
export type Folder = "spam" | "all" | null;

export function spamOption(): Option {
  return new Option("--spam", "only the spam folder, with the reason for each").conflicts("all");
}

export function allOption(): Option {
  return new Option("--all", "everything, spam too");
}

/** The folder that the options choose. */
export function folderOf({ spam, all }: Record<string, unknown>): Folder {
  if (spam === true) return "spam";
  return all === true ? "all" : null;
}
