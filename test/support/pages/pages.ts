import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Database } from "bun:sqlite";
import { tempDirectory } from "../temp.ts";

const PAGE = 4096;

/** Where the first pages of these tables and indexes begin in a database file, which is left as it is. */
export function rootsOf(file: string, ...names: string[]): number[] {
  const copy = join(tempDirectory(), "copy.db");
  copyFileSync(file, copy);
  using db = new Database(copy);
  const roots = db.query<{ name: string; rootpage: number }, []>("SELECT name, rootpage FROM sqlite_schema");
  return roots.all().flatMap(({ name, rootpage }) => (names.includes(name) ? [(rootpage - 1) * PAGE] : []));
}
