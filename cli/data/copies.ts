import { realpathSync } from "node:fs";
import { join } from "node:path";
import { NAMES } from "../../src/storage.ts";
import { namesIn } from "./partial.ts";
import { asidesOf } from "./unfinished.ts";

/** Older copies of the data that formflag made itself: of the database before migrations, and what restores set aside. */
export function olderCopies(path: string): string[] {
  const data = realpathSync(path);
  const databases = namesIn(data).filter((name) => name.startsWith(`${NAMES.database}.before-`));
  return [...databases.toSorted().map((name) => join(data, name)), ...asidesOf(data)];
}
