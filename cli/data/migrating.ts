import { AppError } from "../../src/base/errors.ts";
import { readServing } from "./serving.ts";
import { type Claim, migrateFile } from "../../src/store/sqlite/migrate.ts";

/** Locks a data directory as a server does, until the returned function is called. Throws `unavailable`. */
type Lock = (data: string) => () => void;

type Options = {
  /** Null for a server, which holds the lock already. */
  lock: Lock | null;
  /** Whether an older schema is left as it is. */
  keepsSchema: boolean;
  note: ((text: string) => void) | undefined;
};

/** Creates the database of a data directory, or migrates it. Throws `forbidden` for an older one that is left as it is. */
export function migrateData(file: string, data: string, { lock, keepsSchema, note }: Options): void {
  const claim =
    (held: Lock): Claim =>
    (from, to) => {
      const release = lockToMigrate(data, held);
      if (!keepsSchema) return release;
      release();
      throw olderSchema(data, from, to);
    };
  const migrated = migrateFile(file, lock === null ? {} : { claim: claim(lock) });
  if (migrated === null) return;
  const { from, to, copy } = migrated;
  note?.(`migrated the database from schema ${from} to ${to}; as it was before, it is kept as ${copy}`);
}

/**
 * A running server keeps prepared statements for the old schema, which would fail on the new one or write wrong data.
 */
function lockToMigrate(data: string, lock: Lock): () => void {
  try {
    return lock(data);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "unavailable")) throw error;
    const { version, executable } = readServing(data) ?? {};
    const which = version === undefined ? "" : `: ${version}${executable ? ` of ${executable.path}` : ""}`;
    throw new AppError("unavailable", `an older formflag serves the data directory ${data}${which}`, {
      hint: "stop it and start this one in its place, which migrates the database; formflag backup create works before that",
    });
  }
}

/** The error of a command that only reads. */
function olderSchema(data: string, from: number, to: number): AppError {
  const message = `the database in ${data} has schema ${from}, and this formflag needs ${to}`;
  return new AppError("forbidden", message, {
    hint: "a command that only reads does not migrate it, except with --migrate auto: formflag serve does, or a command that changes something, and keeps a copy; backup create works as it is",
  });
}
