import { AppError } from "../../../src/base/errors.ts";
import { type Kept, readKept } from "./kept.ts";

/**
 * A text without the project and the environment that `formflag use` keeps, in the commands that it names. Options that a text
 * is about, as in `give it with -p <project>`, stay.
 */
export function withoutKept(text: string): string {
  if (!/ -[pe] /.test(text)) return text;
  const { project, environment } = keptOrNone();
  if (project === undefined) return text;
  const option = (before: string, letter: string, name: string, value: string) =>
    new RegExp(`(?<!:|with${before}) -${letter} (?:<${name}>|${RegExp.escape(value)})(?![\\w.,-])`, "g");
  const shorter = text.replaceAll(option("", "p", "project", project), "");
  // The environment of another project has to be named.
  return environment === undefined
    ? shorter
    : shorter.replaceAll(option("| -p \\S+", "e", "environment", environment), "");
}

/** None for a file that holds anything else, which is an error of its own. */
function keptOrNone(): Kept {
  try {
    return readKept();
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}
