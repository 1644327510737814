import type { Database } from "bun:sqlite";
import type { Garbage } from "../../blobs/notes.ts";
import { forgetLoose, listLoose } from "../sql/submissions/files.ts";
import { connectUnmigrated } from "./connection.ts";
import { sqliteError } from "./errors.ts";
import { schemaVersion } from "./schema-version.ts";
import { runWork } from "./run.ts";
import { close } from "./statements.ts";

/** The first schema that records garbage. */
const FIRST_SCHEMA = 5;

/** The garbage of a database that another process may serve; its schema is not changed. Throws like `connect`. */
export function garbageIn(file: string): Garbage {
  const withDatabase = <T>(work: (db: Database) => T): T => {
    const db = connectUnmigrated(file);
    try {
      return work(db);
    } catch (error) {
      throw sqliteError(error, file);
    } finally {
      close(db);
    }
  };
  return {
    list: async (limit) =>
      withDatabase((db) => (schemaVersion(db) < FIRST_SCHEMA ? [] : runWork(db, listLoose(limit)))),
    forget: async (keys) => withDatabase((db) => runWork(db, forgetLoose(keys))),
  };
}
