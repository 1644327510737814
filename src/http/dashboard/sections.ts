import { deviceRoutes } from "./access/device.tsx";
import { authorizeRoutes } from "./access/authorize.tsx";
import { auditRoutes } from "./access/audit-page.tsx";
import { meRoutes } from "./access/me.tsx";
import { tokenRoutes } from "./access/tokens.tsx";
import { userRoutes } from "./access/users.tsx";
import { cancelRoutes } from "./changes/cancel.tsx";
import { compareRoutes } from "./changes/compare.tsx";
import { historyRoutes } from "./changes/history.tsx";
import { promoteRoutes } from "./changes/promote.tsx";
import { proposalRoutes } from "./changes/proposals.tsx";
import { releasesRoutes } from "./changes/releases.tsx";
import { rollbackRoutes } from "./changes/rollback.tsx";
import { deliveriesRoutes } from "./deliveries/deliveries.tsx";
import { myPasskeyRoutes } from "./factors/passkeys.tsx";
import { docsRoutes } from "./docs/docs.tsx";
import { experimentRoutes } from "./experiments/experiment.tsx";
import { experimentsRoutes } from "./experiments/experiments.tsx";
import { flagPageRoutes } from "./flags/flag.tsx";
import { doneRoutes } from "./flags/done.tsx";
import { projectFlagsRoutes } from "./flags/project.tsx";
import { projectListRoutes } from "./project/projects.tsx";
import { fieldsRoutes } from "./forms/form-fields.tsx";
import { formRoutes } from "./forms/forms.tsx";
import { moveFormRoutes } from "./forms/move.tsx";
import { goRoutes } from "./go/go.tsx";
import { keysRoutes } from "./go/keys.tsx";
import { healthRoutes } from "./overview/health.tsx";
import { inboxRoutes } from "./inbox/inbox.tsx";
import { todayRoutes } from "./overview/today.tsx";
import { peopleRoutes } from "./submissions/people.tsx";
import { deletionRoutes } from "./project/deletion.tsx";
import { importRoutes } from "./project/import.tsx";
import { settingsRoutes } from "./project/settings.tsx";
import type { Dashboard } from "./routes.ts";
import { segmentRoutes } from "./segments/segment.tsx";
import { segmentsRoutes } from "./segments/segments.tsx";
import { startRoutes } from "./start/start.tsx";
import { codeRoutes } from "./usage/code.tsx";
import { feedbackRoutes } from "./usage/feedback.tsx";

/** The routes of each page, whose paths do not overlap. */
export const SECTIONS: readonly ((dashboard: Dashboard) => void)[] = [
  inboxRoutes,
  peopleRoutes,
  formRoutes,
  fieldsRoutes,
  moveFormRoutes,
  userRoutes,
  tokenRoutes,
  auditRoutes,
  meRoutes,
  myPasskeyRoutes,
  deviceRoutes,
  authorizeRoutes,
  projectListRoutes,
  projectFlagsRoutes,
  doneRoutes,
  flagPageRoutes,
  historyRoutes,
  proposalRoutes,
  releasesRoutes,
  rollbackRoutes,
  compareRoutes,
  promoteRoutes,
  cancelRoutes,
  segmentsRoutes,
  segmentRoutes,
  experimentsRoutes,
  experimentRoutes,
  settingsRoutes,
  deletionRoutes,
  importRoutes,
  feedbackRoutes,
  codeRoutes,
  todayRoutes,
  startRoutes,
  goRoutes,
  keysRoutes,
  docsRoutes,
  deliveriesRoutes,
  healthRoutes,
];
