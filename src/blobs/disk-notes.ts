import { clock } from "../base/clock.ts";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fs } from "../base/directory.ts";
import { STAGING } from "./disk.ts";
import { diskError } from "./disk-error.ts";
import { type Garbage, type Notes, type UploadNote, keysOf } from "./notes.ts";

type Holds = Pick<Notes, "hold"> & {
  /** Whether any process holds files. */
  isHeld(): boolean;
};

type Options = {
  garbage: Garbage;
  holds: Holds;
  /**
   * Whether this is the one process that stages files. What is staged when it starts is from processes that have ended: their
   * files are removed, and their notes are due.
   */
  isOnly: boolean;
};

/**
 * Notes beside one database, with upload notes in the upload directory `root`: files without bytes, whose names say
 * everything. Journaling file systems keep names in the order in which they were created, so that every file which survives
 * a power cut has its note, without a sync for the note. Notes of this process are never due: nothing else removes its files.
 */
export function openDiskNotes(root: string, { garbage, holds, isOnly }: Options): Notes {
  const staging = join(root, STAGING);
  const left = isOnly ? takeOver(staging) : new Map<string, LeftNote>();
  /** The paths of the notes of this process, by id. */
  const own = new Map<string, string>();
  return {
    clearedByInsert: false,
    async add(id, files) {
      const path = join(staging, nameOf({ id, files }));
      try {
        await (await fs().open(path, "wx", 0o600)).close();
      } catch (error) {
        await fs().rm(path, { force: true });
        throw diskError(error);
      }
      own.set(id, path);
    },
    async clear(ids) {
      for (const id of ids) {
        const path = own.get(id) ?? left.get(id)?.path;
        if (path !== undefined) await fs().rm(path, { force: true });
        own.delete(id);
        left.delete(id);
      }
    },
    forget: (keys) => garbage.forget(keys),
    async claim(_now, limit) {
      // In this order: what was deleted before the check is not needed by a hold that begins after it.
      const keys = await garbage.list(limit);
      const uploads = [...left.values()].slice(0, limit).map(({ id, files }) => ({ id, files }));
      return { uploads, garbage: keys.length > 0 && holds.isHeld() ? [] : keys };
    },
    async pending() {
      const notes = (await fs().readdir(staging)).flatMap((name) => noteOf(name) ?? []);
      return notes.flatMap(keysOf);
    },
    hold: () => holds.hold(),
  };
}

type LeftNote = UploadNote & { path: string };

/** Removes everything in the directory but notes, and returns these by id. */
function takeOver(staging: string): Map<string, LeftNote> {
  const left = new Map<string, LeftNote>();
  try {
    for (const name of readdirSync(staging)) {
      const path = join(staging, name);
      const note = noteOf(name);
      if (note) left.set(note.id, { ...note, path });
      else rmSync(path, { force: true, recursive: true });
    }
  } catch (error) {
    throw diskError(error, staging);
  }
  return left;
}

function nameOf({ id, files }: UploadNote): string {
  return `${id}.${files}.${clock.uuid()}.note`;
}

/** The note of that file name; undefined for any other name. */
function noteOf(name: string): UploadNote | undefined {
  const [, id, files] = /^([\w-]+)\.(\d{1,3})\.[\w-]+\.note$/.exec(name) ?? [];
  return id === undefined ? undefined : { id, files: Number(files) };
}
