import { Hono } from "hono/quick";
import type { DashboardEnv } from "../dashboard-env.ts";
import type { Dashboard } from "../routes.ts";
import { flagPageRoutes } from "./flag.tsx";
import { projectFlagsRoutes } from "./project.tsx";
import { projectListRoutes } from "./projects.tsx";
import { settingRoutes } from "./setting-page.tsx";

/** The pages of projects' flags. */
export function flagRoutes(dashboard: Dashboard) {
  return new Hono<DashboardEnv>()
    .route("/", projectListRoutes(dashboard))
    .route("/", projectFlagsRoutes(dashboard))
    .route("/", flagPageRoutes(dashboard))
    .route("/", settingRoutes(dashboard));
}
