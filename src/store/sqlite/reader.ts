import type { Work } from "../sql/work.ts";
import { connect } from "./connection.ts";
import { sqliteError } from "./errors.ts";
import { runInTurns } from "./run.ts";
import { close } from "./statements.ts";

/** Runs reads with many or large rows one after another, each as of one moment, in turns with other work. */
export type Reader = {
  read: <T>(work: () => Work<T>) => Promise<T>;
  /** Waits for reads that have begun. */
  close: () => Promise<void>;
};

/** Creates a reader with its own connection: on a shared one, other reads would see the moment of a long read. */
export function createReader(file: string): Reader {
  const db = connect(file);
  let last: Promise<unknown> = Promise.resolve();
  const readNext = async <T>(before: Promise<unknown>, work: () => Work<T>): Promise<T> => {
    await before;
    try {
      return await runInTurns(db, work);
    } catch (error) {
      throw sqliteError(error);
    }
  };
  return {
    read(work) {
      const reading = readNext(last, work);
      last = reading.catch(() => {});
      return reading;
    },
    async close() {
      await last;
      close(db);
    },
  };
}
