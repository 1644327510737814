import { afterAll } from "bun:test";
import type { Store } from "../../src/app.ts";
import type { Notes } from "../../src/blobs/notes.ts";
import type { Insertion, StoredSubmission } from "../../src/forms/intake/insertion.ts";

/** A store with the notes of its database. */
export type OpenStore = Store & { notes: Notes };

/** A driver of the `Store` port. */
export type Driver = {
  name: string;
  /** Opens a store on the database of that name: the same one each time. */
  open: (database: string) => OpenStore | Promise<OpenStore>;
  /** Copies a database into a new one. */
  copy: (from: string, into: string, progress: (done: number, total: number) => void) => Promise<void>;
};

let count = 0;

/** A name that no database and nothing in one has yet. */
export function fresh(what = "slug"): string {
  return `${what}-${(count += 1)}`;
}

/** Opens stores of a driver that are closed at the end. */
export function opener(driver: Driver): (database?: string) => Promise<OpenStore> {
  const opened: OpenStore[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
  });
  return async (database = fresh("database")) => {
    const store = await driver.open(database);
    opened.push(store);
    return store;
  };
}

/** Inserts a submission, one with files between its note and the end of that, as the product does. */
export async function insertNoted(
  { notes, submissions }: OpenStore,
  submission: StoredSubmission,
): Promise<Insertion> {
  if (submission.files.length === 0) return submissions.insert(submission);
  await notes.add(submission.id, submission.files.length, submission.createdAt + 3_600_000);
  const insertion = await submissions.insert(submission);
  if (!notes.clearedByInsert) await notes.clear([submission.id]);
  return insertion;
}

/** The keys of at most `limit` files that no row needs any more, sorted. */
export async function garbageOf({ notes }: OpenStore, limit = 10): Promise<string[]> {
  return (await notes.claim(0, limit)).garbage.toSorted();
}
