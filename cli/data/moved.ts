import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/base/errors.ts";
import { replaceDurably, syncDirectoryNow } from "../../src/base/directory.ts";
import { shellWord } from "../../src/base/shell.ts";
import { NAMES } from "../../src/storage.ts";

/** Destination of a directory's data, moved or being moved. */
export type Moved = {
  /** The URL of the database, without its password. */
  database: string;
  /** The URL of the bucket of the uploaded files; null if they are still in the directory. */
  blobs: string | null;
  /** Whether the move has ended; otherwise the database may be in use already, or not. */
  finished: boolean;
  /** ISO 8601. */
  at: string;
};

/** Reads the record of a data directory's move; null if there was none. Throws `unsupported` if it is unreadable. */
export function readMoved(data: string): Moved | null {
  const file = join(data, NAMES.moved);
  if (!existsSync(file)) return null;
  try {
    const { database, blobs, finished, at } = JSON.parse(readFileSync(file, "utf8")) as Record<
      string,
      unknown
    >;
    if (typeof database === "string")
      return {
        database,
        blobs: typeof blobs === "string" ? blobs : null,
        finished: finished === true,
        at: String(at),
      };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError("unsupported", `${file} says that this data was moved, and cannot be read`, {
    hint: `write it again: {"database": "postgres://…", "blobs": "s3://…", "finished": true}`,
  });
}

/** Writes it so that a power cut leaves the old or the new one. */
export function writeMoved(data: string, moved: Moved): void {
  replaceDurably(join(data, NAMES.moved), `${JSON.stringify(moved, null, 2)}\n`);
}

/** For a move that is given up. */
export function removeMoved(data: string): void {
  rmSync(join(data, NAMES.moved), { force: true });
  syncDirectoryNow(data);
}

/** Throws `forbidden` for a data directory whose data has been moved, because what is there is out of date. */
export function refuseMoved(data: string): void {
  const moved = readMoved(data);
  if (moved === null) return;
  const { message, hint } = describeMoved(data, moved);
  throw new AppError("forbidden", message, { reason: "data-moved", hint });
}

/** Message about moved data. */
export function describeMoved(
  data: string,
  { database, blobs, finished }: Moved,
): { message: string; hint: string } {
  if (!finished)
    return {
      message: `the data in ${data} is being moved to ${database}`,
      hint: "repeat formflag migrate --final to there: it goes on where it ended, or says what is wrong",
    };
  const files =
    blobs === null
      ? `and give --data ${shellWord(data)} for the files`
      : `and give --blobs ${shellWord(blobs)} for the files`;
  return {
    message: `the data in ${data} has been moved to ${database}`,
    hint: `set FORMFLAG_DATABASE_URL to its URL, ${files}`,
  };
}
