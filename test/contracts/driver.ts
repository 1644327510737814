import { afterAll } from "bun:test";
import type { Store } from "../../src/app.ts";

/** A driver of the `Store` port. */
export type Driver = {
  name: string;
  /** Opens a store on the database of that name: the same one each time. */
  open: (database: string) => Store;
  /** Copies a database into a new one. */
  copy: (from: string, into: string, progress: (done: number, total: number) => void) => Promise<void>;
};

let count = 0;

/** A name that no database and nothing in one has yet. */
export function fresh(what = "slug"): string {
  return `${what}-${(count += 1)}`;
}

/** Opens stores of a driver that are closed at the end. */
export function opener(driver: Driver): (database?: string) => Store {
  const opened: Store[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
  });
  return (database = fresh("database")) => {
    const store = driver.open(database);
    opened.push(store);
    return store;
  };
}
