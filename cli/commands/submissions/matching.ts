import type { Command } from "commander";
import { usage } from "../../session/usage.ts";
import { checkFieldFilter, fieldFilterOption, filterIn, filterOptions } from "./filter.ts";
import { folderOptions } from "./folder.ts";

/** Everything that options select, as the admin API takes it. */
export type Matching = Record<string, unknown>;

/** What became of a selection, as the admin API answers it. */
export type Bulk = { dryRun: boolean; total: number; ids: string[]; upTo: string | null };

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
  const field = query.filter(([name]) => name === "field").map(([, text]) => text);
  const { unread, ...others } = Object.fromEntries(query.filter(([name]) => name !== "field"));
  return {
    ...others,
    ...(form !== undefined && { form }),
    ...(field.length > 0 && { field }),
    ...(unread !== undefined && { unread: true }),
    ...(dryRun && { dryRun }),
  };
}

export function counted(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "submission" : "submissions"}`;
}
