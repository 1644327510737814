import { resolve } from "node:path";
import type { Option } from "commander";
import { type Finding, ok, warning } from "../../src/maintenance/finding.ts";
import { serveOptions } from "./options.ts";

/** The options of `serve` with their values, by the names that commander gives them. None holds a secret. */
export type Settings = Record<string, unknown>;

/** The settings of a server as other commands read them: paths of files are absolute. */
export function settingsOf(options: Record<string, unknown>): Settings {
  const entries = serveOptions().map((option): [string, unknown] => {
    const value = options[option.attributeName()];
    return [option.attributeName(), isFile(option) && typeof value === "string" ? resolve(value) : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Whether an option names a file or a folder. */
export function isFile(option: Option): boolean {
  return /<(?:file|dir)>/.test(option.flags);
}

/**
 * The options of a command with those of the running server if none are given, and what differs: `isGiven` is true for
 * options of the command line and for variables.
 */
export function compareSettings(
  options: Record<string, unknown>,
  running: Settings,
  isGiven: (name: string) => boolean,
): { options: Record<string, unknown>; finding: Finding } {
  const here = settingsOf(options);
  const merged = { ...options };
  const [taken, different]: [string[], string[]] = [[], []];
  for (const option of serveOptions()) {
    const name = option.attributeName();
    const [mine, its] = [here[name], running[name]];
    // The server alone knows which free port it got.
    if (JSON.stringify(mine) === JSON.stringify(its) || String(its).endsWith(":0")) continue;
    if (isGiven(name)) {
      different.push(`${option.long} is ${shownValue(mine)} here, and ${shownValue(its)} in the server`);
      continue;
    }
    // An older server does not record what it does not know: the default counts.
    if (its === undefined) continue;
    merged[name] = its;
    taken.push(`${option.long} ${shownValue(its)}`);
  }
  const finding =
    different.length > 0
      ? warning(
          "options",
          `the running server has others: ${different.join("; ")}`,
          "restart the server with these, or leave them out here to check it as it runs",
        )
      : ok(
          "options",
          taken.length > 0
            ? `those of the running server: ${taken.join(", ")}`
            : "those of the running server",
        );
  return { options: merged, finding };
}

function shownValue(value: unknown): string {
  return value === undefined ? "not set" : [value].flat().map(String).join(" ");
}
