import { Hono } from "hono/quick";
import type { DashboardEnv } from "./dashboard-env.ts";
import type { Dashboard } from "./routes.ts";

export function sectionRoutes({ page }: Dashboard) {
  return new Hono<DashboardEnv>().get(
    "/",
    page("read", async () => ({ title: "Overview", section: "overview", content: "Hello" })),
  );
}
