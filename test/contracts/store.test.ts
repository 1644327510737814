import { join } from "node:path";
import { takeSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { tempDirectory } from "../support/temp.ts";
import { historyContract } from "./history.ts";
import { storeContract } from "./store.ts";

for (const writing of ["inline", "thread"] as const) {
  const directory = tempDirectory();
  const pathOf = (name: string) => join(directory, `${name}.db`);
  storeContract(
    `SQLite, written ${writing}`,
    (name) => openSqliteStore(pathOf(name), writing),
    (from, into, progress) => takeSnapshot(pathOf(from), pathOf(into), progress),
  );
  historyContract(`SQLite, written ${writing}`, (name) => openSqliteStore(pathOf(name), writing));
}
