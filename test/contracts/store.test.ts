import { parseDatabaseUrl } from "../../src/store/postgres/database-url.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { IS_POSTGRES_HERE, freshDatabase } from "../support/postgres.ts";
import { join } from "node:path";
import { openDiskBlobs } from "../../src/blobs/disk.ts";
import { takeSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { openNotes } from "../support/notes.ts";
import { tempDirectory } from "../support/temp.ts";
import { archiveContract } from "./archive.ts";
import { codeContract } from "./code.ts";
import { databaseContract } from "./database.ts";
import { countsContract } from "./counts.ts";
import { dumpContract, dumpsContract } from "./dump.ts";
import { deliveriesContract } from "./deliveries.ts";
import type { Driver } from "./driver.ts";
import { erasureContract } from "./erasure.ts";
import { feedbackContract } from "./feedback.ts";
import { flagsContract } from "./flags.ts";
import { formsContract } from "./forms.ts";
import { historyContract } from "./history.ts";
import { notesContract } from "./notes.ts";
import { intakeContract } from "./intake.ts";
import { lookContract } from "./look.ts";
import { moveContract } from "./move.ts";
import { projectsContract } from "./projects.ts";
import { readsContract } from "./reads.ts";
import { scheduleContract } from "./schedule.ts";
import { segmentsContract } from "./segments.ts";
import { searchContract } from "./search.ts";
import { sessionsContract } from "./sessions.ts";
import { setupContract } from "./setup.ts";
import { submissionsContract } from "./submissions.ts";
import { talliesContract } from "./tallies.ts";
import { targetsContract } from "./targets.ts";
import { tokensContract } from "./tokens.ts";
import { usersContract } from "./users.ts";

const CONTRACTS = [
  projectsContract,
  flagsContract,
  feedbackContract,
  readsContract,
  codeContract,
  segmentsContract,
  historyContract,
  scheduleContract,
  formsContract,
  submissionsContract,
  countsContract,
  talliesContract,
  intakeContract,
  deliveriesContract,
  targetsContract,
  erasureContract,
  notesContract,
  searchContract,
  tokensContract,
  usersContract,
  sessionsContract,
  setupContract,
  lookContract,
  databaseContract,
  dumpsContract,
];

for (const writing of ["inline", "thread"] as const) {
  const directory = tempDirectory();
  const pathOf = (database: string) => join(directory, `${database}.db`);
  const driver: Driver = {
    name: `SQLite, written ${writing}`,
    open(database) {
      const uploads = join(directory, `${database}-uploads`);
      openDiskBlobs(uploads);
      const store = openSqliteStore(pathOf(database), writing);
      return { ...store, notes: openNotes(store, uploads, true) };
    },
    copy: (from, into, progress) => takeSnapshot(pathOf(from), pathOf(into), progress),
  };
  for (const contract of CONTRACTS) contract(driver);
  if (writing === "thread") continue;
  dumpContract(driver, driver);
  moveContract(driver, driver);
  archiveContract(driver, driver);
}

if (IS_POSTGRES_HERE) {
  const urls = new Map<string, Promise<string>>();
  const driver: Driver = {
    name: "PostgreSQL",
    async open(database) {
      let url = urls.get(database);
      if (!url) urls.set(database, (url = freshDatabase()));
      return openPostgresStore(parseDatabaseUrl(await url));
    },
    async copy(from, into, progress) {
      const [source, target] = [await driver.open(from), await driver.open(into)];
      await target.fill(source.dump(progress));
      await Promise.all([source.close(), target.close()]);
    },
  };
  for (const contract of CONTRACTS) contract(driver);
}
