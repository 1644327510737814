import { Hono } from "hono/quick";
import type { DashboardEnv } from "../dashboard-env.ts";
import type { Dashboard } from "../routes.ts";
import { codeRoutes } from "./code.tsx";
import { compareRoutes } from "./compare.tsx";
import { deletionRoutes } from "./deletion.tsx";
import { feedbackRoutes } from "./feedback.tsx";
import { historyRoutes } from "./history.tsx";
import { importRoutes } from "./import.tsx";
import { promoteRoutes } from "./promote.tsx";
import { rollbackRoutes } from "./rollback.tsx";
import { scheduledRoutes } from "./scheduled.tsx";
import { segmentRoutes } from "./segment.tsx";
import { segmentsRoutes } from "./segments.tsx";
import { settingsRoutes } from "./settings.tsx";
import { staleRoutes } from "./stale.tsx";

/** The pages of a project, but its flags. */
export function projectRoutes(dashboard: Dashboard) {
  return new Hono<DashboardEnv>()
    .route("/", historyRoutes(dashboard))
    .route("/", rollbackRoutes(dashboard))
    .route("/", compareRoutes(dashboard))
    .route("/", promoteRoutes(dashboard))
    .route("/", scheduledRoutes(dashboard))
    .route("/", staleRoutes(dashboard))
    .route("/", segmentsRoutes(dashboard))
    .route("/", segmentRoutes(dashboard))
    .route("/", settingsRoutes(dashboard))
    .route("/", deletionRoutes(dashboard))
    .route("/", importRoutes(dashboard))
    .route("/", feedbackRoutes(dashboard))
    .route("/", codeRoutes(dashboard));
}
