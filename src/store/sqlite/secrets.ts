import type { Database } from "bun:sqlite";
import { query } from "./statements.ts";

/** The secret of that name, which is `candidate` if there was none. */
export function keepSecret(db: Database, name: string, candidate: string): string {
  query(db, "INSERT OR IGNORE INTO secrets (name, value) VALUES ($name, $candidate)").run({
    name,
    candidate,
  });
  return query<{ value: string }, { name: string }>(db, "SELECT value FROM secrets WHERE name = $name").get({
    name,
  })!.value;
}
