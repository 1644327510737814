import { archivesContract } from "./setup/archives.ts";
import { auditContract } from "./setup/audit.ts";
import { arrivalContract } from "./arrival.ts";
import { codeContract } from "./setup/code.ts";
import { databaseContract } from "./database.ts";
import { countsContract } from "./counts.ts";
import type { Driver } from "./driver.ts";
import { dumpsContract } from "./copies/dump.ts";
import { deliveriesContract } from "./deliveries.ts";
import { erasureContract } from "./erasure.ts";
import { factorsContract } from "./setup/factors.ts";
import { feedbackContract } from "./feedback.ts";
import { flagsContract } from "./setup/flags.ts";
import { formProjectsContract } from "./form-projects.ts";
import { formsContract } from "./forms.ts";
import { historyContract } from "./setup/history.ts";
import { grantsContract } from "./setup/grants.ts";
import { handlingContract } from "./inbox/handling.ts";
import { identitiesContract } from "./setup/identities.ts";
import { experimentsContract } from "./experiments.ts";
import { membershipsContract } from "./memberships.ts";
import { learningContract } from "./inbox/learning.ts";
import { notesContract } from "./notes.ts";
import { needsContract } from "./setup/needs.ts";
import { noticesContract } from "./notices.ts";
import { intakeContract } from "./intake.ts";
import { versionContract } from "./version.ts";
import { projectsContract } from "./setup/projects.ts";
import { readsContract } from "./reads.ts";
import { rampsContract } from "./setup/ramps.ts";
import { scheduleContract } from "./setup/schedule.ts";
import { segmentsContract } from "./setup/segments.ts";
import { searchContract } from "./search.ts";
import { deviceLoginsContract, sessionsContract } from "./setup/sessions.ts";
import { setupContract } from "./setup/setup.ts";
import { optInContract } from "./inbox/opt-in.ts";
import { submissionsContract } from "./submissions.ts";
import { talliesContract } from "./tallies.ts";
import { feedsContract } from "./setup/feeds.ts";
import { targetsContract } from "./setup/targets.ts";
import { tokensContract } from "./setup/tokens.ts";
import { membersContract } from "./setup/members.ts";
import { usersContract } from "./setup/users.ts";

const CONTRACTS = [
  projectsContract,
  flagsContract,
  needsContract,
  archivesContract,
  feedbackContract,
  readsContract,
  codeContract,
  segmentsContract,
  historyContract,
  scheduleContract,
  rampsContract,
  formsContract,
  formProjectsContract,
  membershipsContract,
  experimentsContract,
  submissionsContract,
  optInContract,
  handlingContract,
  learningContract,
  arrivalContract,
  countsContract,
  talliesContract,
  intakeContract,
  deliveriesContract,
  noticesContract,
  feedsContract,
  targetsContract,
  erasureContract,
  notesContract,
  searchContract,
  tokensContract,
  usersContract,
  membersContract,
  sessionsContract,
  deviceLoginsContract,
  grantsContract,
  identitiesContract,
  factorsContract,
  auditContract,
  setupContract,
  versionContract,
  databaseContract,
  dumpsContract,
];

/** Everything that the product relies on in a driver of the store. */
export function storeContract(driver: Driver): void {
  for (const contract of CONTRACTS) contract(driver);
}
