import { join } from "node:path";
import { takeSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { tempDirectory } from "../support/temp.ts";
import { codeContract } from "./code.ts";
import { databaseContract } from "./database.ts";
import { countsContract } from "./counts.ts";
import { deliveriesContract } from "./deliveries.ts";
import type { Driver } from "./driver.ts";
import { erasureContract } from "./erasure.ts";
import { feedbackContract } from "./feedback.ts";
import { flagsContract } from "./flags.ts";
import { formsContract } from "./forms.ts";
import { historyContract } from "./history.ts";
import { intakeContract } from "./intake.ts";
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

for (const writing of ["inline", "thread"] as const) {
  const directory = tempDirectory();
  const pathOf = (database: string) => join(directory, `${database}.db`);
  const driver: Driver = {
    name: `SQLite, written ${writing}`,
    open: (database) => openSqliteStore(pathOf(database), writing),
    copy: (from, into, progress) => takeSnapshot(pathOf(from), pathOf(into), progress),
  };
  for (const contract of [
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
    searchContract,
    tokensContract,
    usersContract,
    sessionsContract,
    setupContract,
    databaseContract,
  ])
    contract(driver);
}
