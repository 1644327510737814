import { arrivalContract } from "./arrival.ts";
import { codeContract } from "./code.ts";
import { databaseContract } from "./database.ts";
import { countsContract } from "./counts.ts";
import type { Driver } from "./driver.ts";
import { dumpsContract } from "./dump.ts";
import { deliveriesContract } from "./deliveries.ts";
import { erasureContract } from "./erasure.ts";
import { feedbackContract } from "./feedback.ts";
import { flagsContract } from "./flags.ts";
import { formsContract } from "./forms.ts";
import { historyContract } from "./history.ts";
import { notesContract } from "./notes.ts";
import { intakeContract } from "./intake.ts";
import { lookContract } from "./look.ts";
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
  arrivalContract,
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

/** Everything that the product relies on in a driver of the store. */
export function storeContract(driver: Driver): void {
  for (const contract of CONTRACTS) contract(driver);
}
