import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The migrations in a folder of this one and its folders, in order. This is a macro: the bundler replaces a call with the texts, or
 * their number, if it is imported with `{ type: "macro" }`. https://bun.com/docs/bundler/macros
 */
export function migrationsIn(folder: string): string[] {
  const path = join(import.meta.dir, folder);
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name, index) => {
      if (Number(/^(?:.*[\\/])?(\d{4})-[a-z-]+\.sql$/.exec(name)?.[1]) !== index + 1)
        throw new Error(`${join(folder, name)} is not migration ${index + 1}`);
      return readFileSync(join(path, name), "utf8");
    });
}

/** The same in one compressed text, for `unpackMigrations`: they are a third of a megabyte of SQL. */
export function packedMigrations(folder: string): string {
  return Buffer.from(Bun.gzipSync(JSON.stringify(migrationsIn(folder)), { level: 9 })).toString("base64");
}

/** How many migrations are in a folder. */
export function countMigrations(folder: string): number {
  return migrationsIn(folder).length;
}
